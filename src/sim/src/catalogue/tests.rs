use super::*;
use lkesim_karpenter::cloud_provider::ProviderId;
use lkesim_kube::object::Operator;
use lkesim_scenario::Names;
use proptest::prelude::*;

fn catalogue(types: &str) -> Catalogue {
    let text = format!("about: x\nworkload: [{{create: {{claims: 1}}}}]\ncatalogue:\n{types}");
    let scenario = lkesim_scenario::load("catalogue", &text, &[], &Names::default());
    Catalogue::of(&scenario.unwrap_or_else(|mistakes| panic!("{mistakes}"))).expect("it has types")
}

const RESERVED: &str = "
- name: t
  cpu: 8
  memory: 32Gi
  offerings:
  - {zone: a, price: $1.00}
  - {zone: a, capacity_type: reserved, price: $1.00, reservation: {id: r, count: 2, filled_by: targeted}}
  - {zone: b, price: $0.90, available: false}
";

/// A NodeClaim that asks for these values.
fn claim(uid: u64, requirements: &[(&str, &str)]) -> NodeClaim {
    let one = |(key, value): &(&str, &str)| Requirement::new(*key, Operator::In, [*value]);
    let spec = NodeClaimSpec { requirements: requirements.iter().map(one).collect(), ..NodeClaimSpec::default() };
    let mut claim = NodeClaim::new(format!("claim-{uid}"), spec);
    claim.metadata.uid = Uid(uid);
    claim
}

fn machine(id: u64) -> Machine {
    let machine_type = MachineType {
        name: "t".into(),
        labels: StringMap::EMPTY,
        capacity: Resources::NONE,
        allocatable: Resources::NONE,
    };
    let provider_id = ProviderId::linode(id);
    Machine { provider_id, machine_type: Rc::new(machine_type), annotations: StringMap::EMPTY, creation_timestamp: 0 }
}

/// Buys and launches. The capacity type that it became.
fn buy(catalogue: &Catalogue, uid: u64, requirements: &[(&str, &str)]) -> Option<String> {
    let claim = claim(uid, requirements);
    let sold = catalogue.sell(0, &claim, Time::ZERO).ok()?;
    assert_eq!(sold.spec.requirements.len(), 1, "the design is asked for a type alone");
    let machine = catalogue.launched(0, &claim, Ok(machine(uid)), Time::ZERO).expect("it was launched");
    machine.machine_type.labels.get(labels::CAPACITY_TYPE).map(|value| value.to_string())
}

#[test]
fn reserved_capacity_comes_first_until_it_is_used_up() {
    let catalogue = catalogue(RESERVED);
    let bought: Vec<_> = (1..=3).map(|uid| buy(&catalogue, uid, &[]).expect("on demand there is no end")).collect();
    assert_eq!(bought, ["reserved", "reserved", "on-demand"]);
    let left = |catalogue: &Catalogue| catalogue.instance_types(Time::ZERO)[0].offerings[1].clone();
    assert!(!left(&catalogue).available);
    catalogue.gone(InstanceId(1));
    let offering = left(&catalogue);
    assert!(offering.available && offering.reservation.is_some_and(|of| of.left == 1));
    assert_eq!(buy(&catalogue, 4, &[(labels::RESERVATION_ID, "r")]).as_deref(), Some("reserved"));
    assert_eq!(buy(&catalogue, 5, &[(labels::RESERVATION_ID, "r")]), None);
}

#[test]
fn an_offering_that_is_marked_is_sold_to_nobody() {
    let catalogue = catalogue(RESERVED);
    assert_eq!(buy(&catalogue, 1, &[(labels::ZONE, "b")]), None);
}

#[test]
fn what_the_cloud_has_none_of_counts_as_unavailable_for_three_minutes() {
    let catalogue = catalogue("- {name: t, cpu: 8, memory: 32Gi, offerings: [{zone: a, price: $1.00, machines: 1}]}\n");
    assert!(buy(&catalogue, 1, &[]).is_some());
    let is_offered = |now| catalogue.instance_types(now)[0].offerings[0].available;
    assert!(is_offered(Time::ZERO), "nobody has asked");
    assert_eq!(buy(&catalogue, 2, &[]), None);
    assert!(!is_offered(Time::from_secs(179)) && is_offered(Time::from_secs(180)));
}

#[test]
fn an_open_reservation_is_used_up_by_a_launch_on_demand_and_a_targeted_one_is_not() {
    for (by, left) in [("open", 1), ("targeted", 2)] {
        let catalogue = catalogue(&RESERVED.replace("targeted", by));
        buy(&catalogue, 1, &[(labels::CAPACITY_TYPE, "on-demand")]).expect("it is sold");
        assert_eq!(catalogue.left("r"), left, "{by}");
    }
}

#[test]
fn who_asks_again_gets_what_it_has() {
    let catalogue = catalogue(RESERVED);
    let asking = claim(1, &[]);
    let first = catalogue.sell(0, &asking, Time::ZERO).expect("it is sold");
    let second = catalogue.sell(0, &asking, Time::from_secs(500)).expect("it is sold");
    assert!(Rc::ptr_eq(&first.spec, &second.spec));
    assert_eq!(catalogue.left("r"), 1);
    catalogue.claim_gone(0, Uid(1));
    assert_eq!(catalogue.left("r"), 2, "it never had a machine");
}

proptest! {
    /// However NodeClaims and machines come and go, no more machines are of the reservation than it has, and each is sold
    /// as reserved exactly while one is left.
    #[test]
    fn a_reservation_is_never_oversubscribed(acts in prop::collection::vec((any::<bool>(), 1_u64..12), 0..40)) {
        let catalogue = catalogue(RESERVED);
        let mut reserved = std::collections::BTreeSet::new();
        let mut known = std::collections::BTreeSet::new();
        for (buys, uid) in acts {
            if buys && known.insert(uid) {
                let kind = buy(&catalogue, uid, &[]).expect("on demand there is no end");
                prop_assert_eq!(kind == "reserved", reserved.len() < 2);
                if kind == "reserved" {
                    reserved.insert(uid);
                }
            } else if !buys && known.remove(&uid) {
                catalogue.gone(InstanceId(uid));
                reserved.remove(&uid);
            }
            prop_assert!(reserved.len() <= 2);
            prop_assert_eq!(catalogue.left("r") as usize, 2 - reserved.len());
        }
    }
}
