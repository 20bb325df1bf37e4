//! Failures of one mechanism are one finding: the list of what was found, made short.
//!
//! Random runs have many hindrances at once, most of which have nothing to do with the failure. Where the same thing
//! broke the same way under fewer hindrances, the fewer were enough: what has them all and more is counted there. So of
//! each cause those sets of hindrances are left that none of the others is part of, and none at all if it ever broke
//! without any.

use crate::explored::Finding;
use crate::mechanism::Parts;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The findings of which none is another's with more hindrances, the most frequent first.
pub fn fold(findings: Vec<Finding>) -> Vec<Finding> {
    let mut by_cause: BTreeMap<(String, String), Vec<Finding>> = BTreeMap::new();
    for finding in findings {
        let cause = Parts::of(&finding.mechanism).cause.to_owned();
        by_cause.entry((finding.invariant.clone(), cause)).or_default().push(finding);
    }
    let mut folded: Vec<Finding> = by_cause.into_values().flat_map(fold_one).collect();
    folded.sort_by_key(|finding| (Reverse(finding.count), finding.first_seed));
    folded
}

/// The findings of one cause.
fn fold_one(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by(|one, other| {
        let fewest = |finding: &Finding| Parts::of(&finding.mechanism).under.len();
        fewest(one).cmp(&fewest(other)).then_with(|| one.mechanism.cmp(&other.mechanism))
    });
    let mut least: Vec<Finding> = Vec::new();
    for finding in findings {
        let more = Parts::of(&finding.mechanism).under;
        match least.iter_mut().find(|known| Parts::of(&known.mechanism).under.is_subset(&more)) {
            Some(known) if known.mechanism == finding.mechanism && finding.first_seed < known.first_seed => {
                *known = Finding { count: known.count + finding.count, ..finding };
            }
            Some(known) => known.count += finding.count,
            None => least.push(finding),
        }
    }
    least
}

#[cfg(test)]
mod tests;
