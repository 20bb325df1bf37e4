//! Where the shipped provider does otherwise than the design document, each in a figure of a run.
//!
//! Each scenario shows one difference and says in its own `expect` what each design makes of it; the table says which
//! figure to look at, and why it differs. Both runs have the seed 1.

use crate::support::{Run, design, figure, invariant, lkesim};
use lkesim_judge::outcome::Outcome;

/// One difference.
struct Row {
    /// What the document says, against what the shipped provider does.
    words: &'static str,
    scenario: &'static str,
    /// A figure, or `invariants.NAME` for how often one broke.
    figure: &'static str,
    documented: i64,
    shipped: i64,
    why: &'static str,
}

const ROWS: &[Row] = &[
    Row {
        words: "the flags that a pool was made or scaled outlast attempts / begin anew with each",
        scenario: "seen-within-one-create",
        figure: "instances.created",
        documented: 1,
        shipped: 2,
        why: "the third attempt sees the Linode; shipped's second one has forgotten that the first made the pool",
    },
    Row {
        words: "the same over several Creates, whose flags nobody keeps",
        scenario: "requeue-overscale",
        figure: "instances.created_per_100_launched",
        documented: 300,
        shipped: 1100,
        why: "one Linode for each Create against one for each attempt",
    },
    Row {
        words: "a slot without a Linode makes Create wait / scale",
        scenario: "slot-without-a-linode",
        figure: "instances.created",
        documented: 1,
        shipped: 5,
        why: "each Create has one attempt, so that flags do not matter: shipped scales where the slot is still empty",
    },
    Row {
        words: "several Linodes match: the first / none",
        scenario: "two-instances-one-claim",
        figure: "instances.created",
        documented: 0,
        shipped: 2,
        why: "shipped's lookup takes two for none, and none of the two is claimable, so it scales",
    },
    Row {
        words: "the mutex covers Delete / does not",
        scenario: "delete-beside-create",
        figure: "claims.failed",
        documented: 0,
        shipped: 1,
        why: "shipped's Create scales a pool that a Delete without the lock is taking down",
    },
    Row {
        words: "the mutex covers garbage collection / does not",
        scenario: "gc-beside-create",
        figure: "invariants.gc-spares-the-claimed",
        documented: 0,
        shipped: 1,
        why: "shipped's Create claims the orphan whose DELETE is under way",
    },
    Row {
        words: "Enterprise discovery asks for pool, cluster and managed tag / for the managed tag alone",
        scenario: "linode-of-another-pool",
        figure: "invariants.claim-in-own-pool",
        documented: 0,
        shipped: 1,
        why: "the wire keeps one of three fields of one name, so that another NodePool's Linode is found",
    },
    Row {
        words: "Enterprise List asks for the cluster's and the managed tag / for the cluster's alone",
        scenario: "orphan-of-a-minute",
        figure: "api.by_endpoint.ListLKENodePools.calls",
        documented: 1,
        shipped: 82,
        why: "27 passes of garbage collection call Delete for the base pool's three nodes, and once for the orphan",
    },
    Row {
        words: "an orphan is one after 5 min / 30 s",
        scenario: "orphan-of-a-minute",
        figure: "instances.unclaimed_minutes",
        documented: 5,
        shipped: 0,
        why: "the orphan is collected in the first pass after that age",
    },
    Row {
        words: "a tag is read back for 5 s, once a second / for 4 s, once in 2 s",
        scenario: "tag-read-late",
        figure: "api.by_operation.Create.runs",
        documented: 1,
        shipped: 10,
        why: "it shows after 3 s, when shipped has read twice and calls the claim failed, each time anew",
    },
    Row {
        words: "a plan is marked after a new pool's refusal that says it is sold out / after any 400",
        scenario: "pool-refused-once",
        figure: "sometimes.capacity_missing",
        documented: 0,
        shipped: 1,
        why: "the 400 speaks of something else; shipped marks the only type, and the next Create has none left",
    },
    Row {
        words: "no 5xx marks anything / any marks the whole region",
        scenario: "pool-list-fails-once",
        figure: "claims.failed",
        documented: 0,
        shipped: 1,
        why: "a list that failed for one NodePool leaves another NodePool's NodeClaim without an offering",
    },
    Row {
        words: "a sold-out plan ends that Create for want of capacity / the Create after it",
        scenario: "sold-out-alone",
        figure: "api.by_operation.Create.runs",
        documented: 1,
        shipped: 2,
        why: "shipped returns a creation error and marks; only the next Create finds that no type is left",
    },
    Row {
        words: "availability is read for each plan / for any plan in the region",
        scenario: "availability-restricted",
        figure: "claims.launched",
        documented: 0,
        shipped: 2,
        why: "the standard type has no row; shipped asks only whether the region has one that is available",
    },
    Row {
        words: "availability is read every 5 min / every 12 h",
        scenario: "sold-out-unnoticed",
        figure: "api.by_endpoint.CreateLKENodePool.errors",
        documented: 0,
        shipped: 11,
        why: "the type is sold out since minute 1; the document knows by minute 6, shipped asks for it in vain",
    },
    Row {
        words: "errors with 429 or 5xx are retried / in the loop of Create alone; Delete takes them for absence",
        scenario: "maintenance",
        figure: "invariants.an-error-is-not-absence",
        documented: 0,
        shipped: 3,
        why: "shipped's Delete says that the Linode is not there when the list of pools was refused with 503",
    },
    Row {
        words: "createOfferings asks GetType in a loop / nobody asks it",
        scenario: "offerings-burst",
        figure: "api.by_endpoint.GetType.calls",
        documented: 6594,
        shipped: 0,
        why: "37 types in 46 regions for each of four Creates, unless another has learnt the type; shipped never asks",
    },
];

/// What the shipped provider has no setting for is taken back for it.
const NOT_OF_SHIPPED: [(&str, &str); 1] = [("offerings-burst", "provider.offering_regions=null")];

#[test]
fn the_shipped_provider_differs_from_the_design_document_in_each_row() {
    let mut wrong = Vec::new();
    for row in ROWS {
        let run = Run::builtin(row.scenario);
        let documented = figure_of(&run.clone().design(design("documented")).outcome(), row.figure);
        let mut shipped = run.design(design("shipped"));
        for (_, set) in NOT_OF_SHIPPED.iter().filter(|(scenario, _)| *scenario == row.scenario) {
            shipped = shipped.set(*set);
        }
        let shipped = figure_of(&shipped.outcome(), row.figure);
        if (documented, shipped) != (row.documented, row.shipped) || documented == shipped {
            let Row { words, scenario, figure, .. } = row;
            wrong.push(format!("{words}: {scenario} has {figure} {documented} and {shipped}, as {}", row.why));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_setting_of_the_document_alone_is_refused_under_the_shipped_provider() {
    for (scenario, set) in NOT_OF_SHIPPED {
        let (code, _, err) = lkesim(&["run", scenario, "--design", "shipped"]);
        assert_eq!(code, 2, "{err}");
        assert!(set.split('=').next().is_some_and(|path| err.contains(path.trim_start_matches("provider."))), "{err}");
    }
}

fn figure_of(outcome: &Outcome, path: &str) -> i64 {
    match path.strip_prefix("invariants.") {
        Some(name) => invariant(outcome, name).count.try_into().expect("a count"),
        None => figure(outcome, path),
    }
}
