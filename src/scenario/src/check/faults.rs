//! Checks of faults.

use super::Checker;
use crate::fault::{Calls, Fault, RetryAfter};
use crate::path::Path;

impl Checker<'_> {
    pub(super) fn faults(&mut self) {
        let path = Path::default().key("faults");
        for (index, fault) in self.scenario.faults.iter().enumerate() {
            let path = path.index(index).key(fault.kind());
            self.when(&path, fault);
            match fault {
                Fault::Refuse(refuse) => {
                    self.at_most(path.key("status"), refuse.status.into(), 400, 599);
                    if let Some(reason) = &refuse.reason {
                        self.printable(path.key("reason"), reason);
                    }
                    if refuse.body.is_some() && refuse.reason.is_some() {
                        self.wrong(path.key("body"), "a body of this kind has no room for `reason`");
                    }
                    if let Some(RetryAfter::After(after)) = refuse.retry_after {
                        self.span(path.key("retry_after"), after, true);
                        if after.get().subsec_nanos() > 0 {
                            self.wrong(path.key("retry_after"), format!("found {after}; expected whole seconds"));
                        }
                    }
                }
                Fault::Delay(slow) => self.delay(path.key("by"), &slow.by),
                Fault::Stale(stale) => self.span(path.key("age"), stale.age, false),
                Fault::Partial(partial) => {
                    if partial.keep.is_some() && partial.missing.is_some() {
                        let message = "`keep` and `missing` both say what the list lacks; expected one of them";
                        self.wrong(path.key("missing"), message);
                    }
                }
                Fault::Lose(_) | Fault::Garble(_) | Fault::Twice(_) | Fault::Double(_) | Fault::Maintenance(_) => {}
            }
        }
    }

    fn when(&mut self, path: &Path, fault: &Fault) {
        let when = fault.when();
        let duration = self.scenario.duration;
        if let Calls::Of(endpoints) = when.calls {
            if endpoints.is_empty() {
                self.wrong(path.key("call"), "the list is empty; expected names of calls, or `any`");
            }
            for (index, endpoint) in endpoints.iter().enumerate() {
                if !fault.bears(*endpoint) {
                    let what = if matches!(fault, Fault::Stale(_)) { "reads" } else { "lists" };
                    let message = format!("`{}` can't be `{}`; expected {what} alone", endpoint.name(), fault.kind());
                    self.wrong(path.key("call"), message);
                }
                if endpoints[..index].contains(endpoint) {
                    self.wrong(path.key("call").index(index), format!("`{}` stands twice", endpoint.name()));
                }
            }
        }
        if when.from >= duration {
            let message = format!("{} is not before the end of `duration` ({duration}), where faults stop", when.from);
            self.wrong(path.key("from"), message);
        }
        if let Some(until) = when.until {
            self.span(path.key("until"), until, true);
            if until <= when.from {
                self.wrong(path.key("until"), format!("{until} is not after `from` ({})", when.from));
            }
        }
        if when.nth.is_some_and(|nth| nth.low == Some(0) || nth.high == Some(0)) {
            self.wrong(path.key("nth"), "calls are counted from 1; found 0");
        }
    }
}
