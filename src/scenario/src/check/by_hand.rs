//! Checks of what is done by hand.

use super::Checker;
use crate::by_hand::ByHand;
use crate::path::Path;
use crate::workload::Step;
use std::collections::BTreeSet;

/// The most nodes that a hand asks for at once: twenty of the largest pools that LKE has.
const MOST_NODES: u64 = 10_000;

impl Checker<'_> {
    pub(super) fn by_hand(&mut self) {
        let path = Path::default().key("by_hand");
        let claims = self.claim_names();
        let place = |act: &ByHand| self.scenario.cluster_place(act.cluster().as_deref());
        let places: Vec<_> = self.scenario.by_hand.iter().map(place).collect();
        for (index, act) in self.scenario.by_hand.iter().enumerate() {
            let path = path.index(index).key(act.kind());
            if act.at() >= self.scenario.duration {
                let message = format!(
                    "{} is not before the end of `duration` ({}), where hand edits stop",
                    act.at(),
                    self.scenario.duration
                );
                self.wrong(path.key("at"), message);
            }
            if let (Some(name), Some(claims)) = (act.claim(), &claims)
                && let Some(place) = places[index]
                && !claims[place].contains(name)
            {
                self.wrong(path.key("claim"), format!("no NodeClaim `{}` is made", crate::decode::shortened(name)));
            }
            if act.claim().is_none() {
                self.in_node_pool(&path.key("node_pool"), &path.key("type"), (act.cluster(), act.node_pool()), &[]);
            }
            match act {
                ByHand::DeleteLinode(_) | ByHand::DeleteNode(_) => {}
                ByHand::RetagLinode(act) => self.tags_change(&path, &act.remove, &act.add),
                ByHand::RetagPool(act) => {
                    self.plan_of_pool(&path, act.plan.as_deref());
                    self.tags_change(&path, &act.remove, &act.add);
                }
                ByHand::ResizePool(act) => {
                    self.plan_of_pool(&path, act.plan.as_deref());
                    if let Some(to) = act.to {
                        self.at_most(path.key("to"), to.into(), 0, MOST_NODES);
                    }
                    if let Some(by) = act.by {
                        self.at_most(path.key("by"), by.unsigned_abs().into(), 0, MOST_NODES);
                    }
                    if act.to.is_some() == act.by.is_some() {
                        self.wrong(path, "expected either `to` or `by`");
                    }
                }
                ByHand::DeletePool(act) | ByHand::RecyclePool(act) => self.plan_of_pool(&path, act.plan.as_deref()),
            }
        }
    }

    /// The names of each cluster's NodeClaims, unless the workload is damaged or makes too many.
    fn claim_names(&self) -> Option<Vec<BTreeSet<String>>> {
        let makes = |step: &Step| match step {
            Step::Create(create) => u64::from(create.claims),
            Step::Delete(_) => 0,
        };
        let total = self.scenario.workload.iter().map(makes).fold(0_u64, u64::saturating_add);
        let readable = total <= super::workload::MAX_CLAIMS && !(self.damaged)(&Path::default().key("workload"));
        let named = self.scenario.by_hand.iter().any(|act| act.claim().is_some());
        let of = |place| {
            let claims = self.scenario.part(place).scenario.all_claims();
            claims.into_iter().map(|(name, _)| name).collect()
        };
        (readable && named).then(|| (0..self.scenario.cluster_count()).map(of).collect())
    }

    fn plan_of_pool(&mut self, path: &Path, plan: Option<&str>) {
        if let Some(plan) = plan {
            self.known(path.key("type"), "instance type", plan, self.names.types);
        }
    }

    fn tags_change(&mut self, path: &Path, remove: &[String], add: &[String]) {
        if remove.is_empty() && add.is_empty() {
            self.wrong(path.clone(), "nothing changes; expected tags to `remove` or to `add`");
        }
        for (name, tags) in [("remove", remove), ("add", add)] {
            for (index, tag) in tags.iter().enumerate() {
                self.printable(path.key(name).index(index), tag);
            }
        }
    }
}
