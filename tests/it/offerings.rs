//! What it costs to make offerings anew.

use crate::support::{Run, figure};
use fake_linode::Catalogue;

/// One GetType for each type and region, and none where prices come from the list.
#[test]
fn a_miss_asks_for_every_type_in_every_region() {
    let types = Catalogue::recorded().types().len() as i64;
    for regions in [0, 1, 5] {
        let run = Run::builtin("offerings-burst").set("workload[0].create.claims=1");
        let outcome = run.set(format!("provider.offering_regions={regions}")).outcome();
        let calls = if regions == 0 { 0 } else { figure(&outcome, "api.by_endpoint.GetType.calls") };
        assert_eq!(calls, types * regions, "{regions} regions");
    }
}
