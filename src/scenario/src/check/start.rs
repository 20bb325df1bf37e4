//! Checks of what is there when the run begins: what is named exists, once, and fits.

use super::Checker;
use super::workload::MAX_CLAIMS;
use crate::cluster::Part;
use crate::path::Path;
use crate::start::{ClaimState, NO_TAG, StartClaim, StartLinode, StartLkePool};
use crate::suggest::nearest;
use lkesim_linode_api::object::Tier;
use std::collections::{BTreeMap, BTreeSet};

/// The most characters that Linode takes in a tag.
const TAG_LENGTH: usize = 50;

/// The Linodes that have a name, and the clusters that they are of.
type Linodes<'a> = BTreeMap<&'a str, Option<usize>>;

/// The most LKE pools that are there at the start.
const MAX_LKE_POOLS: usize = 1_000;

impl<'a> Checker<'a> {
    /// Checks `start`, and says whether its NodeClaims and Linodes are few enough to be counted out.
    pub(super) fn start(&mut self) -> bool {
        let start = &self.scenario.start;
        let path = Path::default().key("start");
        let linodes: u64 = start.lke_pools.iter().fold(0, |sum, pool| sum.saturating_add(pool.size()));
        if start.lke_pools.len() > MAX_LKE_POOLS || linodes > MAX_CLAIMS || start.claims.len() as u64 > MAX_CLAIMS {
            let message = format!(
                "found {} LKE pools, {linodes} Linodes and {} NodeClaims; expected at most {MAX_LKE_POOLS} LKE pools, and \
                 {MAX_CLAIMS} of each other",
                start.lke_pools.len(),
                start.claims.len(),
            );
            self.wrong(path.key("lke_pools"), message);
            return false;
        }
        let mut linodes = Linodes::new();
        for (index, lke_pool) in start.lke_pools.iter().enumerate() {
            self.start_lke_pool(&path.key("lke_pools").index(index), lke_pool, &mut linodes);
        }
        for (index, claim) in start.claims.iter().enumerate() {
            self.start_claim(&path.key("claims").index(index), claim, &linodes);
        }
        true
    }

    fn start_lke_pool(&mut self, path: &Path, lke_pool: &'a StartLkePool, linodes: &mut Linodes<'a>) {
        self.known(path.key("type"), "instance type", &lke_pool.plan, self.names.types);
        self.object_name(path.key("node_pool"), &lke_pool.node_pool, 63);
        self.object_name(path.key("name"), &lke_pool.name, 56);
        self.span(path.key("age"), lke_pool.age, true);
        self.tags(&path.key("tags"), &lke_pool.tags);
        if lke_pool.managed {
            let node_pool = (&lke_pool.cluster, lke_pool.node_pool.as_str());
            self.in_node_pool(&path.key("node_pool"), &path.key("type"), node_pool, &[&lke_pool.plan]);
        } else if lke_pool.claims > 0 {
            self.wrong(path.key("claims"), "a LKE pool that is not `managed` has no NodeClaims");
        }
        let cluster = self.scenario.cluster_place(lke_pool.cluster.as_deref());
        let listed = cluster.and_then(|place| self.scenario.clusters.get(place));
        let tier = listed.map_or(self.scenario.cloud.tier, |cluster| self.scenario.tier_of(cluster));
        let limit = match tier {
            Tier::Standard => 100,
            Tier::Enterprise => 500,
        };
        if lke_pool.size() > limit {
            let message =
                format!("the LKE pool has {} Linodes; expected at most {limit} on this tier", lke_pool.size());
            self.wrong(path.clone(), message);
        }
        for (index, linode) in lke_pool.linodes.iter().enumerate() {
            self.start_linode(&path.key("linodes").index(index), linode, cluster, linodes);
        }
    }

    fn start_linode(
        &mut self,
        path: &Path,
        linode: &'a StartLinode,
        cluster: Option<usize>,
        linodes: &mut Linodes<'a>,
    ) {
        self.at_most(path.key("count"), linode.count.into(), 1, MAX_CLAIMS);
        if let Some(age) = linode.age {
            self.span(path.key("age"), age, true);
        }
        self.tags(&path.key("tags"), &linode.tags);
        if let Some(tag) = linode.claim_tag.as_ref().filter(|tag| *tag != NO_TAG) {
            self.object_name(path.key("claim_tag"), tag, 63);
        }
        if let Some(name) = &linode.name {
            self.object_name(path.key("name"), name, 63);
            if linode.count != 1 {
                let message = format!("`{name}` names {} Linodes; expected a `count` of 1", linode.count);
                self.wrong(path.key("name"), message);
            }
            if linodes.insert(name, cluster).is_some() {
                self.wrong(path.key("name"), format!("the Linode `{name}` stands twice"));
            }
        }
    }

    fn start_claim(&mut self, path: &Path, claim: &StartClaim, linodes: &Linodes<'_>) {
        self.object_name(path.key("name"), &claim.name, 63);
        self.object_name(path.key("node_pool"), &claim.node_pool, 63);
        if let Some(plan) = &claim.plan {
            self.known(path.key("type"), "instance type", plan, self.names.types);
        }
        let plan: Vec<&str> = claim.plan.as_deref().into_iter().collect();
        let node_pool = (&claim.cluster, claim.node_pool.as_str());
        self.in_node_pool(&path.key("node_pool"), &path.key("type"), node_pool, &plan);
        match (&claim.linode, claim.state()) {
            (None, ClaimState::Created) => {}
            (None, state) => {
                let state = format!("{state:?}").to_lowercase();
                let message = format!("`{}` is {state} and has no `linode` for its providerID", claim.name);
                self.wrong(path.key("state"), message);
            }
            (Some(_), ClaimState::Created) => {
                let message = "a NodeClaim that is only `created` has no providerID; leave `linode` out, and give the \
                               Linode a `claim_tag`";
                self.wrong(path.key("linode"), message);
            }
            (Some(name), _) => match linodes.get(name.as_str()) {
                None => self.no_such_linode(path, name, linodes),
                Some(of) if *of != self.scenario.cluster_place(claim.cluster.as_deref()) => {
                    let message = format!("the Linode `{name}` is of another cluster than `{}`", claim.name);
                    self.wrong(path.key("linode"), message);
                }
                Some(_) => {}
            },
        }
    }

    fn no_such_linode(&mut self, path: &Path, name: &str, linodes: &Linodes<'_>) {
        if self.is_full() {
            return;
        }
        let near = nearest(name, linodes.keys().copied().take(1_000)).map(|near| format!("did you mean `{near}`?"));
        let message = format!("no LKE pool of `start` has a Linode `{}`", crate::decode::shortened(name));
        let help = near.or_else(|| Some("give a Linode in `start.lke_pools[].linodes` this `name`".to_owned()));
        self.push(super::Finding {
            path: path.key("linode"),
            at_key: false,
            message,
            help,
            severity: crate::manifest::Severity::Error,
        });
    }

    fn tags(&mut self, path: &Path, tags: &[String]) {
        let mut seen = BTreeSet::new();
        for (index, tag) in tags.iter().enumerate() {
            self.printable(path.index(index), tag);
            if tag.is_empty() || tag.chars().count() > TAG_LENGTH {
                self.wrong(path.index(index), format!("expected a tag of 1 to {TAG_LENGTH} characters"));
            }
            if !seen.insert(tag) {
                self.wrong(path.index(index), format!("the tag `{}` stands twice", crate::decode::shortened(tag)));
            }
        }
    }

    /// All names of NodeClaims of a cluster are distinct, those that the workload makes included.
    pub(super) fn start_claims_have_their_own_names(&mut self, part: &Part<'_>) {
        let path = Path::default().key("start").key("claims");
        let listed = part.claims.len();
        let names = part.scenario.all_claims();
        let at_start = part.scenario.placed().claims.len();
        let (counted, listed_on) = (at_start - listed, at_start);
        let others = names[..counted].iter().chain(&names[listed_on..]);
        let mut seen: BTreeSet<&str> = others.map(|(name, _)| name.as_str()).collect();
        for (index, (name, _)) in names[counted..listed_on].iter().enumerate() {
            if !seen.insert(name) {
                let path = path.index(part.claims[index]).key("name");
                let of_workload = names[listed_on..].iter().any(|(other, _)| other == name);
                let (message, help) = match of_workload {
                    true => (
                        format!("the workload makes a NodeClaim `{name}` too"),
                        Some("give the step's NodeClaims another beginning by its `name`".to_owned()),
                    ),
                    false => (format!("another NodeClaim of `start` is called `{name}`"), None),
                };
                self.push(super::Finding {
                    path,
                    at_key: false,
                    message,
                    help,
                    severity: crate::manifest::Severity::Error,
                });
            }
        }
    }
}
