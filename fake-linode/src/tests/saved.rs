//! A cloud that is saved and loaded goes on as the one that was not.

use super::random::{Step, lags, orders, settings, steps, walk};
use super::*;
use crate::saved::Saved;
use crate::settings::ListOrder;
use crate::{Action, Cut, Fault, Lags, NoState, Refusal};
use lkesim_linode_api::{Endpoint, Rarer};
use lkesim_runtime::{Ppm, Quantiles, Tally};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Faults that have something to remember: how often they matched, what views showed before.
fn faults() -> Vec<Fault> {
    let half = Ppm(500_000);
    vec![
        Fault { chance: Ppm(100_000), ..Fault::new("refuse", Action::Refuse(Refusal::status(500))) },
        Fault {
            endpoints: vec![Endpoint::ListInstances],
            chance: half,
            ..Fault::new("stale", Action::Stale(Duration::from_secs(9)))
        },
        Fault {
            endpoints: vec![Endpoint::GetPool, Endpoint::ListPools],
            chance: half,
            ..Fault::new("older", Action::Stale(Duration::from_secs(20)))
        },
        Fault { first_call: 7, last_call: 9, ..Fault::new("lose", Action::Lose) },
        Fault {
            endpoints: vec![Endpoint::ListPools],
            chance: half,
            ..Fault::new("partial", Action::Partial(Cut::Each(half)))
        },
        Fault { chance: half, ..Fault::new("late", Action::Delay(Quantiles::constant(Duration::from_secs(1)))) },
    ]
}

fn saved_and_loaded(cloud: &Cloud) -> Cloud {
    let text = cloud.save().to_string();
    let value = serde_json::from_str(&text).expect("it is JSON");
    let loaded = Cloud::load(&value).expect("it is a state");
    assert_eq!(loaded.save(), cloud.save());
    loaded
}

/// Does a step, and looks around after it. Some steps are of calls that no design makes.
fn step(client: &mut Client, step: &Step, n: usize) -> Vec<Option<Handled>> {
    let mut seen = vec![walk(client, step).map(|answer| Handled {
        answer,
        extra_delay: Duration::ZERO,
        lost: false,
        truncated: false,
        fault: None,
    })];
    let instances: Vec<InstanceId> = client.cloud.instances().map(|truth| truth.id).collect();
    let instance = instances[n % instances.len()];
    let rare = match n % 7 {
        0 => Some(Request::DeleteInstance { instance }),
        1 => Some(Request::Rarer(Box::new(Rarer::RebootInstance { instance }))),
        2 => Some(Request::Rarer(Box::new(Rarer::ShutdownInstance { instance }))),
        3 => Some(Request::Rarer(Box::new(Rarer::RecycleCluster { cluster: CLUSTER }))),
        4 => Some(Request::CreateTag { label: "claim=9".into(), linodes: vec![instance] }),
        _ => None,
    };
    let page = PageRequest { page: 1, size: 25 };
    let looks = [
        Request::ListInstances { filter: None, page },
        Request::ListInstances { filter: Some(Filter::tag_contains("claim=")), page },
        Request::ListPools { cluster: CLUSTER, filter: None, page },
        Request::GetInstance { instance },
    ];
    seen.extend(rare.into_iter().chain(looks).map(|request| client.handle(request).ok()));
    seen
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn what_was_saved_answers_as_what_was_not(
        before in steps(), after in steps(), lags in lags(), enterprise in any::<bool>(), order in orders(),
        with_faults in any::<bool>(), documented_limits in any::<bool>(),
    ) {
        let mut settings = settings(lags, enterprise, order);
        if documented_limits {
            settings.limits = crate::Limits::documented();
        }
        if with_faults {
            settings.faults = faults();
        }
        let mut client = client(settings);
        for (n, one) in before.iter().enumerate() {
            step(&mut client, one, n);
        }
        let cloud = saved_and_loaded(&client.cloud);
        let mut again = Client { cloud, now: client.now, changes: Vec::new(), calls: client.calls };
        // What nobody has read yet of the changes is no part of the state.
        client.cloud.take_changes(&mut client.changes);
        client.changes.clear();
        for (n, one) in after.iter().enumerate() {
            prop_assert_eq!(step(&mut client, one, n), step(&mut again, one, n));
        }
        prop_assert_eq!(&client.changes, &again.changes);
        prop_assert_eq!(client.cloud.save(), again.cloud.save());
    }
}

/// A state with something missing or of another kind is an error, never a panic and never another state. Every place is
/// tried, as only a few of them can be wrong.
#[test]
fn a_damaged_state_is_refused() {
    let mut client = client(settings(Lags::usual(Tier::Enterprise), true, ListOrder::Id));
    client.create_pool(pool_of(2));
    let whole = client.cloud.save();
    let damages = [serde_json::Value::Null, serde_json::json!({"other": 1}), "text".into(), 0.into(), u64::MAX.into()];
    for pointer in pointers(&whole) {
        for damage in &damages {
            let mut value = whole.clone();
            *value.pointer_mut(&pointer).expect("it is there") = damage.clone();
            if let Ok(cloud) = Cloud::load(&value) {
                assert_eq!(cloud.save().pointer(&pointer), Some(damage), "{pointer}");
            }
        }
    }
}

/// The place of every value in a document.
fn pointers(value: &serde_json::Value) -> Vec<String> {
    let mut all = vec![String::new()];
    let below: Vec<(String, &serde_json::Value)> = match value {
        serde_json::Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), value)).collect(),
        serde_json::Value::Array(list) => list.iter().enumerate().map(|(at, value)| (at.to_string(), value)).collect(),
        _ => Vec::new(),
    };
    for (key, value) in below {
        all.extend(pointers(value).into_iter().map(|rest| format!("/{key}{rest}")));
    }
    all
}

#[test]
fn a_state_of_another_form_is_told_apart() {
    let error = |value| Cloud::load(&value).err();
    assert_eq!(error(serde_json::json!({})), Some(NoState::Schema("none".to_owned())));
    assert_eq!(error(serde_json::json!({"schema": "x/2"})), Some(NoState::Schema("\"x/2\"".to_owned())));
    assert_eq!(error(serde_json::json!({"schema": crate::SCHEMA})), Some(NoState::Broken("settings")));
}

#[test]
fn a_map_whose_keys_are_out_of_order_or_doubled_is_refused() {
    let of_keys = |keys: [u64; 3]| BTreeMap::<u64, u64>::load(&serde_json::json!(keys.map(|key| [key, 7])));
    assert_eq!(of_keys([1, 2, 3]).map(|map| map.len()), Some(3));
    assert_eq!(of_keys([1, 3, 2]), None);
    assert_eq!(of_keys([1, 1, 2]), None);
    assert_eq!(BTreeSet::<u64>::load(&serde_json::json!([2, 1])), None);
}

#[test]
fn counts_that_are_out_of_order_doubled_or_beyond_counting_are_refused() {
    let of = |counts: [[u64; 2]; 2]| Tally::load(&serde_json::json!(counts)).map(|tally| tally.counts().count());
    assert_eq!(of([[1, 7], [2, 1]]), Some(2));
    assert_eq!(of([[2, 7], [1, 1]]), None);
    assert_eq!(of([[1, 7], [1, 1]]), None);
    assert_eq!(of([[1, 0], [2, 1]]), None);
    assert_eq!(of([[1, u64::MAX], [2, 1]]), None);
}
