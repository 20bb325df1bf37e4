//! What is there when the run begins, counted out: each Linode and each NodeClaim.

use crate::Scenario;
use crate::start::{ClaimState, NO_TAG, StartClaim, StartLinode, StartLkePool};
use crate::value::Span;
use crate::workload::DEFAULT_TYPE;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// What is there when the run begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// The LKE pools, in the order of the file.
    pub lke_pools: Vec<PlacedLkePool>,
    /// The NodeClaims: those of LKE pools, then those that are listed.
    pub claims: Vec<PlacedClaim>,
}

/// A LKE pool that is there when the run begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedLkePool {
    /// The plan of its Linodes.
    pub plan: Arc<str>,
    /// The Karpenter NodePool that it serves; none where Karpenter did not make it.
    pub node_pool: Option<Arc<str>>,
    /// Whether its Linodes are no LKE nodes, so that there is no pool.
    pub outside_lke: bool,
    /// Tags beside Karpenter's.
    pub tags: Vec<String>,
    /// Its Linodes: those of its `claims`, then its orphans, then those that are listed.
    pub linodes: Vec<PlacedLinode>,
}

/// A Linode that is there when the run begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlacedLinode {
    /// How long before the run it was created.
    pub age: Duration,
    /// The NodeClaim whose tag it bears.
    pub claim_tag: Option<String>,
    /// Further tags.
    pub tags: Vec<String>,
    /// Whether its deletion was just accepted.
    pub dying: bool,
    /// How far the first NodeClaim that holds it has come. Where it is only launched, the Node is still to join.
    pub holder: Option<ClaimState>,
}

/// A NodeClaim that is there when the run begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedClaim {
    /// Its name.
    pub name: String,
    /// Its NodePool.
    pub node_pool: Arc<str>,
    /// The type that it allows.
    pub plan: Arc<str>,
    /// The Linode in its providerID: the LKE pool's and the Linode's places in their lists.
    pub linode: Option<(usize, usize)>,
    /// How far it has come.
    pub state: ClaimState,
}

impl Scenario {
    /// What is there when the run begins. Names that nothing bears are left out; the check reports them.
    pub fn placed(&self) -> Start {
        let mut start = Start::default();
        let mut names: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        let mut numbering = Numbering::of(self);
        for (place, lke_pool) in self.start.lke_pools.iter().enumerate() {
            let (placed, claims) = lke_pool_of(place, lke_pool, &mut numbering, &mut names);
            start.lke_pools.push(placed);
            start.claims.extend(claims);
        }
        for claim in &self.start.claims {
            let place = claim.linode.as_deref().and_then(|name| names.get(name).copied());
            let held = place.map(|(lke_pool, linode)| &mut start.lke_pools[lke_pool].linodes[linode]);
            let listed = place.and_then(|(lke_pool, linode)| listed(&self.start.lke_pools[lke_pool], linode));
            if let (Some(held), Some(listed)) = (held, listed) {
                if held.claim_tag.is_none() && listed.claim_tag.is_none() {
                    held.claim_tag = Some(claim.name.clone());
                }
                held.holder.get_or_insert(claim.state());
            }
            let of_linode = place.map(|(lke_pool, _)| self.start.lke_pools[lke_pool].plan.as_str());
            start.claims.push(claim_of(claim, place, of_linode));
        }
        start
    }
}

/// The entry of the file for a LKE pool's `n`-th Linode, if it has one of its own.
fn listed(lke_pool: &StartLkePool, n: usize) -> Option<&StartLinode> {
    let mut left = n.checked_sub((lke_pool.claims + lke_pool.orphans) as usize)?;
    lke_pool.linodes.iter().find(|linode| match left.checked_sub(linode.count as usize) {
        Some(rest) => {
            left = rest;
            false
        }
        None => true,
    })
}

fn lke_pool_of<'a>(
    place: usize,
    lke_pool: &'a StartLkePool,
    numbering: &mut Numbering<'a>,
    names: &mut BTreeMap<&'a str, (usize, usize)>,
) -> (PlacedLkePool, Vec<PlacedClaim>) {
    let (plan, node_pool): (Arc<str>, Arc<str>) = ((&*lke_pool.plan).into(), (&*lke_pool.node_pool).into());
    let age = lke_pool.age.get();
    let mut linodes = Vec::new();
    let mut claims = Vec::new();
    for _ in 0..lke_pool.claims {
        let name = numbering.next(&lke_pool.name);
        claims.push(PlacedClaim {
            name: name.clone(),
            node_pool: node_pool.clone(),
            plan: plan.clone(),
            linode: Some((place, linodes.len())),
            state: ClaimState::Initialized,
        });
        let holder = Some(ClaimState::Initialized);
        linodes.push(PlacedLinode { age, claim_tag: Some(name), holder, ..PlacedLinode::default() });
    }
    for _ in 0..lke_pool.orphans {
        linodes.push(PlacedLinode { age, ..PlacedLinode::default() });
    }
    for listed in &lke_pool.linodes {
        if let Some(name) = &listed.name {
            names.entry(name).or_insert((place, linodes.len()));
        }
        let linode = PlacedLinode {
            age: listed.age.map_or(age, Span::get),
            claim_tag: listed.claim_tag.clone().filter(|tag| tag != NO_TAG),
            tags: listed.tags.clone(),
            dying: listed.dying,
            holder: None,
        };
        linodes.extend(std::iter::repeat_n(linode, listed.count as usize));
    }
    let node_pool = lke_pool.managed.then_some(node_pool);
    let (outside_lke, tags) = (lke_pool.outside_lke, lke_pool.tags.clone());
    (PlacedLkePool { plan, node_pool, outside_lke, tags, linodes }, claims)
}

fn claim_of(claim: &StartClaim, linode: Option<(usize, usize)>, of_linode: Option<&str>) -> PlacedClaim {
    PlacedClaim {
        name: claim.name.clone(),
        node_pool: (&*claim.node_pool).into(),
        plan: claim.plan.as_deref().or(of_linode).unwrap_or(DEFAULT_TYPE).into(),
        linode,
        state: claim.state(),
    }
}

/// Numbers NodeClaims by the beginning of their name: first those that are there at the start, then the workload's.
///
/// All numbers of a name have as many digits, in all clusters: a name that is the beginning of another would be found
/// by the other's tag, which Karpenter's own names, all of one length, never are.
pub(crate) struct Numbering<'a> {
    widths: BTreeMap<&'a str, usize>,
    last: BTreeMap<&'a str, u64>,
}

impl<'a> Numbering<'a> {
    /// From the first number on.
    pub fn of(scenario: &'a Scenario) -> Numbering<'a> {
        let mut totals: BTreeMap<(&str, Option<usize>), u64> = BTreeMap::new();
        for lke_pool in scenario.start.lke_pools.iter().filter(|lke_pool| lke_pool.claims > 0) {
            let cluster = scenario.cluster_place(lke_pool.cluster.as_deref());
            *totals.entry((&lke_pool.name, cluster)).or_default() += u64::from(lke_pool.claims);
        }
        for create in scenario.creates() {
            let cluster = scenario.cluster_place(create.cluster.as_deref());
            *totals.entry((&create.name, cluster)).or_default() += u64::from(create.claims);
        }
        let mut widths: BTreeMap<&str, usize> = BTreeMap::new();
        for ((name, _), total) in totals {
            let at_least = scenario.digits.get(name).copied().unwrap_or(1);
            let width = widths.entry(name).or_insert(at_least);
            *width = (*width).max(total.to_string().len());
        }
        Numbering { widths, last: BTreeMap::new() }
    }

    /// How many digits the numbers of each beginning have.
    pub fn digits(&self) -> BTreeMap<String, usize> {
        self.widths.iter().map(|(name, width)| ((*name).to_owned(), *width)).collect()
    }

    /// From the first number of the workload on.
    pub fn of_workload(scenario: &'a Scenario) -> Numbering<'a> {
        let mut numbering = Numbering::of(scenario);
        for lke_pool in &scenario.start.lke_pools {
            *numbering.last.entry(&lke_pool.name).or_default() += u64::from(lke_pool.claims);
        }
        numbering
    }

    /// The next name.
    pub fn next(&mut self, name: &'a str) -> String {
        let number = self.last.entry(name).or_default();
        *number += 1;
        let width = self.widths.get(name).copied().unwrap_or(1);
        format!("{name}-{number:0width$}")
    }
}

#[cfg(test)]
mod tests;
