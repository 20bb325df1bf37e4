//! Checks of NodePools and of the workload: what is made can be made, and what is deleted is there.

use super::Checker;
use crate::cluster::Part;
use crate::path::Path;
use crate::suggest::nearest;
use crate::value::Span;
use crate::workload::{Create, Delete, Step, Which};
use lkesim_runtime::Time;
use std::collections::{BTreeMap, BTreeSet};

/// The most NodePools that a scenario lists.
pub(super) const MAX_NODE_POOLS: usize = 1_000;

/// The most NodeClaims of a scenario.
pub const MAX_CLAIMS: u64 = 100_000;

impl Checker<'_> {
    pub(super) fn workload(&mut self) {
        let path = Path::default().key("workload");
        self.node_pools();
        let start_is_bounded = self.start();
        let start = &self.scenario.start;
        let mut total: u64 = start.lke_pools.iter().map(|lke_pool| u64::from(lke_pool.claims)).sum();
        total = total.saturating_add(start.claims.len() as u64);
        let mut creates = !start.is_empty() || !self.scenario.manifests.is_empty();
        for (index, step) in self.scenario.workload.iter().enumerate() {
            match step {
                Step::Create(create) => {
                    creates = true;
                    total = total.saturating_add(create.claims.into());
                    self.create(&path.index(index).key("create"), create);
                }
                Step::Delete(delete) => self.delete(&path.index(index).key("delete"), delete),
                _ => creates = true,
            }
        }
        if !creates {
            self.wrong(path.clone(), "no NodeClaim is made; expected at least one `create`, or a `start`");
        }
        if total > MAX_CLAIMS {
            self.wrong(path.clone(), format!("the steps make {total} NodeClaims; expected at most {MAX_CLAIMS}"));
        } else if start_is_bounded && !(self.damaged)(&path) && !(self.damaged)(&Path::default().key("start")) {
            // Names are only counted out once their number is bounded and all of them are known.
            for place in 0..self.scenario.cluster_count() {
                let part = self.scenario.part(place);
                self.start_claims_have_their_own_names(&part);
                self.deletions_find_their_claims(&path, &part);
            }
        }
    }

    fn node_pools(&mut self) {
        let path = Path::default().key("node_pools");
        let count = self.scenario.node_pools.len();
        if count > MAX_NODE_POOLS {
            self.wrong(path, format!("{count} NodePools are listed; expected at most {MAX_NODE_POOLS}"));
            return;
        }
        let mut seen = BTreeSet::new();
        for (index, node_pool) in self.scenario.node_pools.iter().enumerate() {
            let path = path.index(index);
            self.object_name(path.key("name"), &node_pool.name, 63);
            if !seen.insert((&node_pool.name, self.scenario.cluster_place(node_pool.cluster.as_deref()))) {
                self.wrong(path.key("name"), format!("the NodePool `{}` stands twice", node_pool.name));
            }
            self.types(&path.key("types"), &node_pool.types);
        }
    }

    fn types(&mut self, path: &Path, types: &[String]) {
        let mut seen = BTreeSet::new();
        for (index, plan) in types.iter().enumerate() {
            self.known(path.index(index), "instance type", plan, self.names.types);
            if !seen.insert(plan) {
                self.wrong(path.index(index), format!("the instance type `{plan}` stands twice"));
            }
        }
    }

    fn create(&mut self, path: &Path, create: &Create) {
        let duration = self.scenario.duration;
        self.at_most(path.key("claims"), create.claims.into(), 1, MAX_CLAIMS);
        self.object_name(path.key("name"), &create.name, 56);
        self.object_name(path.key("node_pool"), &create.node_pool, 63);
        self.types(&path.key("types"), &create.types);
        if let Some(plan) = &create.plan {
            self.known(path.key("type"), "instance type", plan, self.names.types);
            if !create.types.is_empty() {
                self.wrong(path.key("type"), "`type` and `types` both stand here; expected one of them");
            }
        }
        self.labels(&path.key("labels"), &create.labels);
        self.taints(&path.key("taints"), &create.taints);
        self.of_the_node_pool(path, create);
        let steps = u128::from(create.claims.saturating_sub(1));
        let last = u128::from(create.at.nanos()) + u128::from(create.every.nanos()) * steps;
        if create.at > duration {
            self.wrong(path.key("at"), format!("{} is after the end of `duration` ({duration})", create.at));
        } else if last > u128::from(duration.nanos()) {
            let message = format!("the last of the claims is made after the end of `duration` ({duration})");
            self.wrong(path.key("every"), message);
        }
    }

    fn of_the_node_pool(&mut self, path: &Path, create: &Create) {
        let at = if create.plan.is_some() { path.key("type") } else { path.key("types") };
        self.in_node_pool(&path.key("node_pool"), &at, (&create.cluster, &create.node_pool), &create.types());
    }

    /// Where a cluster's NodePools are listed, what names one must name one of them and keep to its types.
    pub(super) fn in_node_pool(
        &mut self,
        at_name: &Path,
        at_types: &Path,
        (cluster, name): (&Option<String>, &str),
        types: &[&str],
    ) {
        let scenario = self.scenario;
        if scenario.node_pools.len() > MAX_NODE_POOLS || (self.damaged)(&Path::default().key("node_pools")) {
            return;
        }
        let place = |named: &Option<String>| scenario.cluster_place(named.as_deref());
        let own = place(cluster);
        let is_ours = |listed: &&crate::NodePool| scenario.clusters.is_empty() || place(&listed.cluster) == own;
        let named = |listed: &&crate::NodePool| listed.name == name;
        let Some(node_pool) = scenario.node_pools.iter().filter(named).find(is_ours) else {
            if !self.is_full() {
                let names: Vec<_> =
                    scenario.node_pools.iter().filter(is_ours).map(|listed| listed.name.as_str()).collect();
                if !names.is_empty() {
                    self.unknown(at_name.clone(), "NodePool", name, &names, false);
                }
            }
            return;
        };
        for plan in types {
            if !node_pool.types.is_empty() && !node_pool.types.iter().any(|allowed| allowed == plan) {
                self.wrong(at_types.clone(), format!("the NodePool `{name}` does not allow the type `{plan}`"));
            }
        }
    }

    fn delete(&mut self, path: &Path, delete: &Delete) {
        let duration = self.scenario.duration;
        if delete.at > duration {
            self.wrong(path.key("at"), format!("{} is after the end of `duration` ({duration})", delete.at));
        }
        match &delete.claims {
            Which::First(0) => self.wrong(path.key("claims"), "found 0; expected at least 1"),
            Which::Named(names) if names.is_empty() && delete.of.is_none() => {
                self.wrong(path.key("claims"), "no NodeClaim is named; expected `claims`, or `of` for another object");
            }
            claims if delete.of.is_some() && !claims.is_none() => {
                self.wrong(path.key("of"), "`claims` and `of` both stand here; expected one of them");
            }
            _ => {}
        }
    }

    /// Named claims are made before they are deleted, and deleted once; a count finds as many.
    fn deletions_find_their_claims(&mut self, path: &Path, part: &Part<'_>) {
        let claims = part.scenario.all_claims();
        let since_start = |at: Time| Span::from(at.since(Time::ZERO));
        let made: BTreeMap<&str, Span> = claims.iter().map(|(name, at)| (name.as_str(), since_start(*at))).collect();
        let mut deleted: BTreeSet<String> = BTreeSet::new();
        let deletions = part.scenario.deletions();
        for ((index, delete), deletion) in part.scenario.deletes_at().into_iter().zip(deletions) {
            let path = path.index(part.steps[index]).key("delete").key("claims");
            if let Which::First(count) = delete.claims
                && deletion.claims.len() < count as usize
            {
                let there = deletion.claims.len();
                self.wrong(
                    path.clone(),
                    format!("found {count}, but only {there} NodeClaims are left at {}", delete.at),
                );
            }
            for (index, name) in deletion.claims.into_iter().enumerate() {
                let path = path.index(index);
                match made.get(name.as_str()) {
                    None => self.no_such_claim(path, &name, &made),
                    Some(at) if *at > delete.at => {
                        let message = format!("`{name}` is made at {at}, after it is deleted at {}", delete.at);
                        self.wrong(path, message);
                    }
                    Some(_) if deleted.contains(&name) => self.wrong(path, format!("`{name}` is deleted twice")),
                    Some(_) => {
                        deleted.insert(name);
                    }
                }
            }
        }
    }

    fn no_such_claim(&mut self, path: Path, name: &str, made: &BTreeMap<&str, Span>) {
        if self.is_full() {
            return;
        }
        let near = nearest(name, made.keys().copied().take(1_000)).map(|near| format!("did you mean `{near}`?"));
        self.push(super::Finding {
            path,
            at_key: false,
            message: format!("no step makes a NodeClaim `{}`", crate::decode::shortened(name)),
            help: near,
            severity: crate::manifest::Severity::Error,
        });
    }
}
