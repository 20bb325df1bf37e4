//! Checks of what is done by hand.

use super::Checker;
use crate::by_hand::ByHand;
use crate::manifest::Severity;
use crate::path::Path;
use crate::resolved;
use crate::suggest::nearest;
use crate::workload::Step;
use std::collections::BTreeSet;

/// The most nodes that a hand asks for at once: twenty of the largest pools that LKE has.
const MOST_NODES: u64 = 10_000;

/// A NodePool that something names or lists.
struct InUse {
    known: resolved::NodePool,
    /// Whether its NodeClaims may have any type.
    takes_any: bool,
}

impl Checker<'_> {
    pub(super) fn by_hand(&mut self) {
        let path = Path::default().key("by_hand");
        let (claims, node_pools) = (self.claim_names(), self.node_pools_in_use());
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
                self.no_claim_for_a_hand(path.key("claim"), name, place, claims);
            }
            match (act.claim(), act.named_beside()) {
                (Some(_), Some(other)) => {
                    let message = format!("`claim` and `{other}` both say which Linode is meant; expected one of them");
                    self.wrong(path.key(other), message);
                }
                (Some(_), None) => {}
                (None, _) => {
                    if let (Some(node_pools), Some(place)) = (&node_pools, places[index]) {
                        self.node_pool_by_hand(&path, act, &node_pools[place]);
                    }
                }
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

    fn no_claim_for_a_hand(&mut self, path: Path, name: &str, place: usize, made: &[BTreeSet<String>]) {
        if self.is_full() {
            return;
        }
        if let Some(other) = made.iter().position(|of_cluster| of_cluster.contains(name)) {
            let of = |place: usize| self.scenario.clusters.get(place).map_or("", |cluster| &cluster.name);
            let message =
                format!("no NodeClaim `{}` is made in the cluster `{}`", crate::decode::shortened(name), of(place));
            let help = Some(format!("it is made in `{}`: say `cluster: {}`", of(other), of(other)));
            return self.push(super::Finding { path, at_key: false, message, help, severity: Severity::Error });
        }
        let near = nearest(name, made[place].iter().map(String::as_str).take(1_000));
        self.push(super::Finding {
            path,
            at_key: false,
            message: format!("no NodeClaim `{}` is made", crate::decode::shortened(name)),
            help: near.map(|near| format!("did you mean `{near}`?")),
            severity: Severity::Error,
        });
    }

    /// The NodePools of each cluster, listed, used or written as manifests, unless what they follow from is damaged or too much.
    fn node_pools_in_use(&self) -> Option<Vec<Vec<InUse>>> {
        let damaged = |key: &str| (self.damaged)(&Path::default().key(key));
        let is_readable = !["node_pools", "workload", "start", "manifests"].into_iter().any(damaged)
            && self.scenario.node_pools.len() <= super::workload::MAX_NODE_POOLS;
        let of = |place| {
            let part = self.scenario.part(place);
            let in_use = |known: resolved::NodePool| InUse {
                takes_any: known.types.is_empty() || part.scenario.takes_any_type(&known.name),
                known,
            };
            let written = self.scenario.objects(place).node_pools;
            let named = part.scenario.node_pools().into_iter().map(in_use);
            let of_manifests = written.iter().map(|written| InUse {
                takes_any: true,
                known: resolved::NodePool { name: written.name().to_string(), types: Vec::new() },
            });
            of_manifests.chain(named).collect()
        };
        (is_readable && !self.scenario.by_hand.is_empty()).then(|| (0..self.scenario.cluster_count()).map(of).collect())
    }

    /// The NodePool is listed, or something in the cluster uses it, with the type that is named.
    fn node_pool_by_hand(&mut self, path: &Path, act: &ByHand, node_pools: &[InUse]) {
        if self.is_full() {
            return;
        }
        let name = act.node_pool();
        let Some(InUse { known, takes_any }) = node_pools.iter().find(|in_use| in_use.known.name == name) else {
            let names: Vec<&str> = node_pools.iter().map(|in_use| in_use.known.name.as_str()).collect();
            self.unknown(path.key("node_pool"), "NodePool", name, &names, false);
            return;
        };
        if let Some(plan) = act.plan().filter(|plan| !takes_any && !known.types.iter().any(|known| known == plan)) {
            let message = format!("nothing in the NodePool `{name}` has the type `{plan}`");
            let types: Vec<&str> = known.types.iter().map(String::as_str).collect();
            let help = Some(format!("its types: {}", crate::decode::list_names(&types)));
            self.push(super::Finding {
                path: path.key("type"),
                at_key: false,
                message,
                help,
                severity: Severity::Error,
            });
        }
    }

    /// The names of each cluster's NodeClaims, unless the workload is damaged or makes too many.
    fn claim_names(&self) -> Option<Vec<BTreeSet<String>>> {
        let makes = |step: &Step| match step {
            Step::Create(create) => u64::from(create.claims),
            _ => 0,
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
