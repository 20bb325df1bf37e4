//! Any event that only runs with pods have.

use super::{claim_ref, cluster_id, rc_text, word};
use crate::event::{Amount, Pass, PodChange, PodKind, PodRef, RefusedBy, Step, What};
use proptest::prelude::*;
use proptest::sample::select;
use std::rc::Rc;

pub fn any() -> BoxedStrategy<What> {
    let pod = (proptest::prelude::any::<u64>(), rc_text()).prop_map(|(uid, name)| PodRef { uid, name });
    prop_oneof![
        (pod, change()).prop_map(|(pod, change)| What::Pod { pod, change }),
        (cluster_id(), proptest::prelude::any::<u32>(), pass()).prop_map(|(cluster, process, pass)| What::Pass {
            cluster,
            process,
            pass: Rc::new(pass)
        }),
        (rc_text(), word()).prop_map(|(node, by)| What::NodeDeletionAsked { node, by }),
        (cluster_id(), rc_text(), amounts()).prop_map(|(cluster, node_pool, limits)| What::NodePoolLimits {
            cluster,
            node_pool,
            limits
        }),
        (claim_ref(), amounts()).prop_map(|(claim, capacity)| What::ClaimCapacity { claim, capacity }),
    ]
    .boxed()
}

fn change() -> impl Strategy<Value = PodChange> {
    use PodKind::{DaemonSet, Gated, NotOnKarpenter, Static, Usual};
    let kind = select(vec![Usual, DaemonSet, Static, NotOnKarpenter, Gated]);
    prop_oneof![
        kind.prop_map(|kind| PodChange::Created { kind }),
        rc_text().prop_map(|text| PodChange::Unschedulable { text }),
        rc_text().prop_map(|node| PodChange::Preempts { node }),
        (rc_text(), word()).prop_map(|(node, by)| PodChange::Bound { node, by }),
        select(vec![PodChange::Running, PodChange::Ready, PodChange::NotReady, PodChange::Gone]),
        proptest::prelude::any::<bool>().prop_map(|well| PodChange::Ended { well }),
        word().prop_map(|by| PodChange::Deleting { by }),
        rc_text().prop_map(|on| PodChange::ShouldScheduleOn { on }),
        rc_text().prop_map(|text| PodChange::FailedScheduling { text }),
    ]
}

fn amounts() -> impl Strategy<Value = Rc<[Amount]>> {
    prop::collection::vec((rc_text(), proptest::prelude::any::<u64>()), 0..3).prop_map(Rc::from)
}

fn pass() -> impl Strategy<Value = Pass> {
    let steps = prop::option::of(prop::collection::vec(step(), 1..3));
    (proptest::prelude::any::<[u32; 4]>(), steps).prop_map(|([pods, placed, claims, failed], steps)| Pass {
        pods,
        placed,
        claims,
        failed,
        steps,
    })
}

fn step() -> impl Strategy<Value = Step> {
    let words = || prop::collection::vec(".{0,6}", 0..3);
    let refused = (".{0,6}", ".{0,6}").prop_map(|(bin, why)| RefusedBy { bin, why });
    let bins = (prop::option::of(".{0,6}"), prop::option::of(".{0,6}"));
    (".{0,6}", words(), prop::collection::vec(refused, 0..3), bins, words(), words()).prop_map(
        |(pod, gave_up, refused, (placed, opened), requirements_added, types_left)| Step {
            pod,
            gave_up,
            refused,
            placed,
            opened,
            requirements_added,
            types_left,
        },
    )
}
