//! Which type is launched.

use super::lab::{Lab, claim};
use fake_linode::Catalogue;
use lkesim_kube::object::{NodeClaim, Requirement, labels};
use lkesim_linode_api::{InstanceId, Tier};
use std::collections::BTreeSet;
use std::time::Duration;

/// A NodeClaim that any of these types may serve.
fn claim_of(name: &str, plans: &[&str]) -> NodeClaim {
    let mut claim = claim(name);
    let mut spec = (*claim.spec).clone();
    spec.requirements = vec![Requirement::any_of(labels::INSTANCE_TYPE, plans.iter().copied())];
    claim.spec = spec.into();
    claim
}

fn plan_of(lab: &Lab, claim: NodeClaim) -> String {
    let id = lab.create(claim).expect("a Linode").provider_id.id().expect("a Linode");
    lab.cloud.borrow().instance(InstanceId(id)).expect("it was made").plan.to_string()
}

/// Two plans of one price, and a cheaper one.
fn plans() -> (&'static str, &'static str, &'static str) {
    let types = Catalogue::recorded().types();
    let price = |plan: &lkesim_linode_api::PlanType| plan.price.hourly_micro_usd;
    let dear = |plan: &&std::sync::Arc<lkesim_linode_api::PlanType>| price(plan) > 50_000;
    let pairs = types.iter().filter(dear).flat_map(|one| types.iter().map(move |other| (one, other)));
    let same = pairs.into_iter().find(|(one, other)| one.id < other.id && price(one) == price(other));
    let (one, other) = same.expect("the catalogue has two plans of one price");
    let cheaper = types.iter().find(|plan| price(plan) < price(one)).expect("a cheaper plan");
    (&one.id, &other.id, &cheaper.id)
}

#[test]
fn the_cheapest_type_is_launched() {
    let (one, other, cheaper) = plans();
    for design in super::lab::ALL {
        let lab = Lab::new(design, Tier::Standard);
        assert_eq!(plan_of(&lab, claim_of("claim-1", &[one, other, cheaper])), cheaper, "{design}");
    }
}

/// Of equally cheap types the shipped providers take the first of a list that a map gives: one for five minutes, then
/// perhaps another. The document takes the first by name.
#[test]
fn of_equally_cheap_types_luck_decides_anew_every_five_minutes() {
    let (one, other, _) = plans();
    for (design, seen) in super::lab::each(1, 2, 2) {
        let lab = Lab::new(design, Tier::Standard);
        let mut all = BTreeSet::new();
        for round in 0..20 {
            let first = plan_of(&lab, claim_of(&format!("claim-{round}-a"), &[one, other]));
            let again = plan_of(&lab, claim_of(&format!("claim-{round}-b"), &[one, other]));
            assert_eq!(first, again, "{design}: within five minutes the list stays");
            all.insert(first);
            lab.wait(Duration::from_secs(301));
        }
        assert_eq!(all.len(), seen, "{design}: {all:?}");
    }
}
