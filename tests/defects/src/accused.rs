//! What counts as an accusation: a promised invariant that broke, save where no design can keep it on today's API.
//!
//! Each excuse names an invariant, how it broke, and why nobody can keep it. A defect has the same excuses as the designs
//! that are right, so that none is found by what would be held against these too.

mod overtaken;

use lkesim_explore::Breach;
use lkesim_explore::trial::{Case, Trial};
use lkesim_scenario::Chaos;
use lkesim_scenario::cloud::PoolTagResync;

/// A way of breaking that no design can rule out.
pub struct Excuse {
    /// The invariant.
    pub invariant: &'static str,
    /// How it broke.
    pub how: &'static str,
    /// Why it can't be kept.
    pub why: &'static str,
    holds: fn(&Case, &Breach) -> bool,
}

fn says(breach: &Breach, words: &str) -> bool {
    breach.mechanism.split("; ").any(|part| part == words)
}

/// All of them.
pub static EXCUSES: &[Excuse] = &[
    Excuse {
        invariant: "claim-tag-survives",
        how: "a hand or LKE itself took the tag",
        why: "the invariant names the write, whoever made it; a design can only write the tag anew",
        holds: |_, breach| {
            let by_others =
                ["by a hand", "by LKE itself"].iter().any(|by| says(breach, &format!("Linode tagged {by}")));
            by_others || breach.text.contains("removed by no request") || breach.text.contains("asked by by hand")
        },
    },
    Excuse {
        invariant: "state-agrees",
        how: "LKE writes a pool's tags over those of its Linodes",
        why: "with `pool_tag_resync: replace`, each write to a pool takes the tags of its Linodes, also the next one",
        holds: |case, breach| {
            case.scenario.cloud.pool_tag_resync == PoolTagResync::Replace && breach.text.contains("bears nothing")
        },
    },
    Excuse {
        invariant: "create-returns-a-living-linode",
        how: "a hand or LKE itself took the Linode after that Create looked at it",
        why: "a look tells of its own moment alone, and an old answer of an earlier one",
        holds: overtaken::is_taken_after_the_look,
    },
    Excuse {
        invariant: "finalizer-after-instance",
        how: "no Delete was asked for",
        why: "Karpenter lets a NodeClaim without a stored providerID go without a word to the provider, also right after its \
              Create returned",
        holds: |_, breach| says(breach, "no Delete was asked for"),
    },
    Excuse {
        invariant: "scale-matches-demand",
        how: "a NodeClaim went while the request travelled, or a hand took a Linode that views may still show",
        why: "a request can't be taken back",
        holds: overtaken::is_overtaken,
    },
    Excuse {
        invariant: "scale-matches-demand",
        how: "a NodeClaim was deleted while its Create had a Linode, which that Create returned",
        why: "Karpenter does not tell a Create that its NodeClaim is being deleted; what it has taken is nobody else's until \
              Delete is called",
        holds: overtaken::is_in_a_create,
    },
    Excuse {
        invariant: "no-lost-scale",
        how: "a hand changed the count between its reading and its writing",
        why: "the API takes a count, not a difference, and no condition on the present one",
        holds: |case, breach| says(breach, "last counted by a hand") && overtaken::is_counted_blindly(case, breach),
    },
    Excuse {
        invariant: "scale-up-never-shrinks",
        how: "a hand changed the count between its reading and its writing",
        why: "as above",
        holds: |case, breach| says(breach, "last counted by a hand") && overtaken::is_counted_blindly(case, breach),
    },
    Excuse {
        invariant: "delete-removes-only-its-target",
        how: "a hand changed the count between its reading and its writing",
        why: "as above: a count that was raised meanwhile is lowered, and LKE removes what it likes",
        holds: overtaken::is_lowered_blindly,
    },
    Excuse {
        invariant: "one-pool-per-key",
        how: "one POST was carried out twice",
        why: "no request of the API can be made to fail where the like was made before",
        holds: overtaken::is_doubled,
    },
    Excuse {
        invariant: "one-pool-per-key",
        how: "two lists left out a pool without Linodes, of which nothing else tells",
        why: "that a list left something out, nothing in it tells",
        holds: overtaken::is_unseen,
    },
    Excuse {
        invariant: "one-pool-per-key",
        how: "a hand took the tags of a pool before any answer told of it",
        why: "by its tags alone a pool is known to be Karpenter's",
        holds: overtaken::is_disguised,
    },
    Excuse {
        invariant: "one-instance-per-claim",
        how: "a hand took the tags of a pool before any answer told of it",
        why: "as above",
        holds: overtaken::is_disguised,
    },
    Excuse {
        invariant: "orphans-collected",
        how: "a hand took the tags of a pool before any answer told of it",
        why: "as above",
        holds: overtaken::is_disguised,
    },
    Excuse {
        invariant: "nodepool-limits-hold",
        how: "two processes of Karpenter provisioned at once",
        why: "limits are core's to keep, by what each process sees; it asks no provider",
        holds: has_two_leaders,
    },
];

/// Whether two processes of Karpenter made NodeClaims at once: each counts what it sees, and no provider is asked.
fn has_two_leaders(case: &Case, breach: &Breach) -> bool {
    let is_of_two = |chaos: &Chaos| matches!(chaos, Chaos::LeaderChange(_) | Chaos::Pause(_));
    breach.mechanism.contains("another process") && case.scenario.chaos.iter().any(is_of_two)
}

/// The breaches of a trial that are held against its design.
pub fn accusations<'a>(case: &Case, trial: &'a Trial) -> Vec<&'a Breach> {
    trial.breaches.iter().filter(|breach| excuse(case, breach).is_none()).collect()
}

/// What excuses a breach.
pub fn excuse(case: &Case, breach: &Breach) -> Option<&'static Excuse> {
    EXCUSES.iter().find(|excuse| excuse.invariant == breach.invariant && (excuse.holds)(case, breach))
}
