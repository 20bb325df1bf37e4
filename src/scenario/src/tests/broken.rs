//! Broken files, and what is said of them. One snapshot a file keeps the wording in review.

use super::{NAMES, sets};
use crate::load;

#[track_caller]
fn shown(text: &str, overrides: &[&str]) -> String {
    match load("broken.yaml", text, &sets(overrides), &NAMES) {
        Ok(scenario) => panic!("it was read: {scenario:?}"),
        Err(diagnostics) => diagnostics.to_string(),
    }
}

macro_rules! broken {
    ($name:ident, $text:expr $(, $set:expr)*) => {
        #[test]
        fn $name() {
            insta::assert_snapshot!(shown($text, &[$($set),*]));
        }
    };
}

const HEAD: &str = "about: Broken.\nworkload:\n  - create: {claims: 2}\n";

/// The head of a good file with something after it.
macro_rules! after {
    ($name:ident, $text:expr $(, $set:expr)*) => {
        broken!($name, &format!("{HEAD}{}", $text) $(, $set)*);
    };
}

broken!(an_empty_file, "");
broken!(only_a_comment, "# nothing\n");
broken!(a_list_instead_of_a_scenario, "- about: x\n");
broken!(text_instead_of_a_scenario, "hello\n");
broken!(nothing_required_is_there, "duration: 5m\n");
broken!(an_open_quote, "about: \"x\nworkload: []\n");
broken!(an_open_bracket, "about: x\nworkload: [\n");
broken!(a_tab_as_indentation, "about: x\nworkload:\n\t- create: {}\n");
broken!(two_documents, "about: x\nworkload: [create: {}]\n---\nabout: y\n");
broken!(an_own_tag, "about: !secret x\nworkload: [create: {}]\n");
broken!(an_alias_of_nothing, "about: *x\nworkload: [create: {}]\n");
broken!(an_alias_of_itself, "about: x\nworkload: &w [*w]\n");
broken!(a_list_as_key, "about: x\n? [a, b]\n: 1\n");
broken!(
    a_key_twice,
    concat!(
        "about: x\n",
        "workload: [create: {}]\n",
        "cloud:\n",
        "  tier: standard\n",
        "  region: us-ord\n",
        "  tier: enterprise\n",
    )
);
broken!(an_empty_about, "about: ' '\nworkload: [create: {}]\n");
broken!(control_characters_in_text, "about: \"a bell \\a and a \\u2028\"\nworkload: [create: {}]\n");
broken!(
    numbers_beyond_64_bits_beside_other_mistakes,
    concat!(
        "about: -99999999999999999999\n",
        "duraton: 4\n",
        "workload: [create: {claims: 99999999999999999999, typ: g6-standard-4}]\n",
        "99999999999999999999: 1\n",
    ),
    "workload[0].create.every=340282366920938463463374607431768211455"
);
broken!(
    numbers_are_quoted_as_written,
    "about: 0x10\nworkload: [create: {claims: 1e3}, create: {claims: 10000000000000000000000000000000000000000000}]\n",
    "duration=1e3"
);
broken!(an_empty_workload, "about: x\nworkload: []\n");
broken!(a_workload_that_only_deletes, "about: x\nworkload: [delete: {claims: 1, at: 5m}]\n");
broken!(a_workload_as_a_map, "about: x\nworkload: {create: {}}\n");
broken!(an_unknown_step, "about: x\nworkload:\n  - crate: {claims: 5}\n");
broken!(two_steps_in_one_entry, "about: x\nworkload:\n  - create: {claims: 5}\n    delete: {claims: 1, at: 5m}\n");
broken!(an_empty_entry, "about: x\nworkload:\n  -\n  - create: {}\n");
broken!(a_step_without_settings, "about: x\nworkload: [create]\n");
broken!(too_many_claims, "about: x\nworkload:\n  - create: {claims: 90000}\n  - create: {claims: 90000, name: b}\n");
broken!(
    claims_of_every_wrong_kind,
    concat!(
        "about: x\n",
        "workload:\n",
        "  - create: {claims: fifty}\n",
        "  - create: {claims: -1}\n",
        "  - create: {claims: 1.5}\n",
        "  - create: {claims: 0}\n",
        "  - create: {claims: [1]}\n",
        "  - create: {claims: 99999999999}\n",
    )
);
broken!(
    claims_with_names_that_kubernetes_refuses,
    concat!(
        "about: x\n",
        "workload:\n",
        "  - create: {name: Claim}\n",
        "  - create: {name: -x}\n",
        "  - create: {node_pool: a.b}\n",
        "  - create: {name: ''}\n",
    )
);
broken!(
    unknown_types,
    concat!(
        "about: x\n",
        "workload:\n",
        "  - create: {type: g6-standard-3}\n",
        "  - create: {types: [g6-dedicated-2, m5.large]}\n",
    )
);
broken!(
    labels_and_taints_that_kubernetes_refuses,
    concat!(
        "about: x\n",
        "workload:\n",
        "  - create: {labels: {karpenter.sh/nodepool: a, node.kubernetes.io/x: a, -x: a, a/b/c: a, team: -a}}\n",
        "  - create: {labels: {team: 5}, taints: [{key: a, effect: NoScheduling}, {effect: NoExecute}]}\n",
        "  - create: {taints: [{key: a, effect: NoExecute}, {key: a, value: b, effect: NoExecute}]}\n",
    )
);
broken!(
    type_and_types,
    "about: x\nworkload:\n  - create: {type: g6-standard-2, types: [g6-standard-4, g6-standard-4]}\n"
);
broken!(
    steps_after_the_end,
    concat!(
        "about: x\n",
        "duration: 10m\n",
        "workload:\n",
        "  - create: {at: 11m}\n",
        "  - create: {claims: 3, every: 6m}\n",
        "  - delete: {claims: 1, at: 1h}\n",
    )
);
broken!(
    deletions_of_what_is_not_there,
    concat!(
        "about: x\n",
        "workload:\n",
        "  - create: {claims: 3, at: 1m}\n",
        "  - delete: {claims: [claim-2, claim-4, claims-1], at: 2m}\n",
        "  - delete: {claims: [claim-2], at: 3m}\n",
        "  - delete: {claims: 5, at: 4m}\n",
        "  - delete: {claims: [claim-3], at: 30s}\n",
        "  - delete: {claims: [], at: 5m}\n",
        "  - delete: {claims: 0, at: 5m}\n",
    )
);
after!(a_client_without_a_rate, "clients: [{name: ca}]\n");
after!(
    clients_of_every_wrong_kind,
    concat!(
        "karpenter: {token: My Token}\n",
        "clients:\n",
        "  - {name: karpenter, rate: 5/1m}\n",
        "  - {name: ca, rate: 5/1m, calls: [UpdateInstance, ListInstances]}\n",
        "  - {name: ca, rate: 5/1m, calls: []}\n",
        "  - {name: often, rate: 5000/1s}\n",
        "  - {name: late, rate: 5/1m, from: 25m}\n",
        "  - {name: turned, rate: 5/1m, from: 5m, until: 4m}\n",
        "  - {name: odd, rate: 5/1m, calls: ListPods, tokn: x}\n",
    )
);
after!(a_misspelt_field, "desing: documented\n");
after!(a_field_in_another_spelling, "cloud: {listOrder: newest}\nkarpenter: {launchTimeout: 5m}\n");
after!(fields_that_are_not_modelled, "pods: []\ncloud: {pool_tag_filter: applied}\npreset: chart\n");
after!(fields_at_the_wrong_place, "availability_rows: all\ncapacity: {}\njoin_taint: true\npool_tag_resync: never\n");
after!(an_unknown_design, "design: documentd\n");
after!(an_unknown_region, "cloud: {region: us-ordd, base_pool: {type: g6-standard-5, count: 200}}\n");
after!(a_duration_without_unit, "duration: 20\ncalm: 40\n");
after!(durations_that_are_none, "duration: twenty minutes\ncalm: -5m\nprovider: {retry_delay: 2 s}\n");
after!(durations_out_of_bounds, "duration: 0s\ncalm: 31d\nprovider: {retry_delay: 0s}\ncloud: {lags: {boot: 1000h}}\n");
after!(an_unknown_choice, "cloud:\n  tier: enterprize\n  list_order: oldest\n  tag_match: 5\n");
after!(quantiles_that_fall, "cloud:\n  lags:\n    members: {p50: 45s, p90: 60s, p99: 50s}\n");
after!(
    a_start_with_many_mistakes,
    concat!(
        "start:\n",
        "  lke_pools:\n",
        "  - {type: g6-standard-9, claims: 2, age: 90d}\n",
        "  - {managed: false, claims: 1, tags: [a=b, a=b]}\n",
        "  - {orphans: 501}\n",
        "  - linodes:\n",
        "    - {name: a, count: 2}\n",
        "    - {name: twin, tags: ['']}\n",
        "    - {name: twin, dying: yes}\n",
        "  claims:\n",
        "  - {name: claim-2}\n",
        "  - {name: one, linode: twim}\n",
        "  - {name: one, state: registered}\n",
        "  - {name: two, linode: twin, state: created}\n",
        "  - {name: Three, state: broken}\n",
        "  - {linode: twin}\n",
    )
);
after!(
    chaos_that_cannot_be,
    concat!(
        "karpenter: {replicas: 11, lease: {duration: 5s}}\n",
        "chaos:\n",
        "- crash: {}\n",
        "- crash: {at: 1m, after: UpdateInstance}\n",
        "- crash: {at: 20m, nth: 2}\n",
        "- crash: {after: [], nth: 0}\n",
        "- crash: {after: UpdateInstanc}\n",
        "- pause: {at: 1m, for: 0s}\n",
        "- clock_step: {at: 1m}\n",
        "- clock_step: {at: 1m, behind: 2m}\n",
        "- clock_step: {at: 1m, ahead: 1m, behind: 1m}\n",
        "- leader_chnge: {at: 1m}\n",
    )
);
after!(a_leader_change_without_another_replica, "chaos: [leader_change: {at: 1m, overlap: 5s}]\n");
after!(
    clusters_that_cannot_be,
    concat!(
        "clusters:\n",
        "  - {name: blue}\n",
        "  - {name: blue, id: 12345}\n",
        "  - {name: Green, id: 0, design: documentd}\n",
        "  - {name: old, tier: standard, base_pool: {type: g6-standard-9, count: 200}}\n",
        "  - {tier: enterprise}\n",
    )
);
after!(
    clusters_that_are_not_listed,
    concat!(
        "clusters: [{name: blue}, {name: green}]\n",
        "node_pools: [{name: default}, {name: default, cluster: gren}]\n",
        "start:\n",
        "  lke_pools: [{cluster: red, linodes: [{name: one}]}]\n",
        "  claims: [{name: a, linode: one, cluster: green}]\n",
        "chaos: [crash: {at: 1m, cluster: bleu}]\n",
        "by_hand: [delete_linode: {at: 1m, cluster: yellow}]\n",
    )
);
after!(a_cluster_named_where_none_is_listed, "chaos: [crash: {at: 1m, cluster: green}]\n");
after!(
    a_deletion_in_another_cluster,
    "clusters: [{name: blue}, {name: green}]\n",
    "workload[1]={delete: {claims: [claim-1], at: 1m, cluster: green}}"
);
after!(a_start_that_is_a_list, "start: [claims: 5]\n");
after!(
    more_linodes_at_the_start_than_there_can_be,
    "start: {lke_pools: [{claims: 4000000000, orphans: 4000000000}]}\n"
);
after!(
    a_start_in_a_node_pool_that_is_not_listed,
    "node_pools: [{name: default}]\nstart: {lke_pools: [{node_pool: othe}]}\n"
);
after!(
    a_deed_by_hand_in_a_node_pool_that_is_not_listed,
    "node_pools: [{name: default}]\nby_hand: [delete_pool: {at: 1m, node_pool: othe}]\n"
);
after!(
    quantiles_that_are_none,
    concat!(
        "cloud:\n",
        "  lags:\n",
        "    members: {p50: 45s, p98: 60s}\n",
        "    boot: {}\n",
        "    slot_id: [1s, 2s]\n",
        "    deletion: 5\n",
    )
);
after!(rates_that_are_none, "cloud:\n  limits: {list: 200, other: 1600/m, create_instance: 0/15s, scope: token}\n");
after!(limits_that_are_none, "cloud: {limits: off}\n");
after!(a_fault_without_call, "faults:\n  - refuse: {status: 503}\n  - delay: {call: any}\n");
after!(
    an_unknown_call,
    concat!(
        "faults:\n",
        "  - lose: {call: CreateLKENodePol}\n",
        "  - lose: {call: [ListInstances, LsitInstances, any]}\n",
        "  - lose: {call: []}\n",
    )
);
after!(
    faults_that_make_no_sense,
    concat!(
        "faults:\n",
        "  - refuse: {call: any, status: 200, retry_after: 1500ms, nth: 0..3}\n",
        "  - lose: {call: any, from: 5m, until: 4m}\n",
        "  - delay: {call: any, by: 5s, from: 20m, chance: 110%}\n",
        "  - delay: {call: [GetType, GetType], by: 5s, nth: 5..2}\n",
    )
);
after!(an_unknown_fault, "faults:\n  - refus: {call: any}\n  - explode\n");
after!(
    node_pools_that_do_not_fit,
    concat!(
        "node_pools:\n",
        "  - {name: a, types: [g6-standard-2]}\n",
        "  - {name: a, types: [g6-standard-9]}\n",
        "  - {name: Default}\n",
    )
);
after!(a_node_pool_that_forbids_the_type, "node_pools: [{name: default, types: [g6-standard-2]}]\n");
after!(
    expectations_of_unknown_things,
    concat!(
        "expect:\n",
        "  violates:\n",
        "    documentd: [one-pool-per-key]\n",
        "    documented: [one-pool-per-keys, one-pool-per-key, one-pool-per-key]\n",
        "  figures:\n",
        "    all: {api.cals: 5, api.by_endpoint.ListInstances: 3}\n",
        "  sometimes:\n",
        "    all: {throtled: '>= 1'}\n",
    )
);
after!(
    expectations_that_are_none,
    concat!(
        "expect:\n",
        "  violates: {all: [{one-pool-per-key: {count: 3..1, first: 10}}, {one-claim-per-instance: {count: 0}}, {}]}\n",
        "  figures: {all: {api.calls: '<= 60s', claims.launched: '>= x', time_to.launch.p99_ms: 60s}}\n",
    )
);
after!(an_override_without_equals, "", "cloud.tier");
after!(
    overrides_with_broken_paths,
    "",
    "=5",
    "cloud..tier=standard",
    "workload[x]=1",
    "workload[0=1",
    "cloud.=1",
    ".a=1"
);
after!(
    overrides_of_what_does_not_exist,
    "",
    "cloud.lag.members=5s",
    "workload[3].create.claims=5",
    "faults[1].lose.call=any"
);
after!(overrides_through_the_wrong_kind, "", "workload.create.claims=5", "about.x=1", "cloud[0]=1");
after!(
    overrides_with_wrong_values,
    "",
    "cloud.lags.boot=60",
    "workload[0].create={claims: x}",
    "design=docunented",
    "calm=[",
    "about="
);
broken!(
    an_override_beside_a_mistake_of_the_file,
    "about: x\nduration: 5\nworkload: [create: {}]\n",
    "calm=6",
    "duration=7"
);
broken!(a_long_line, &format!("about: x\nworkload: [{}create: {{claims: x}}]\n", "create: {}, ".repeat(40)));
broken!(letters_of_two_columns, "about: 日本語\nworkload:\n  - create: {name: 日本, claims: ü}\n");

after!(
    hands_that_mean_nothing_that_is_there,
    "by_hand:\n- delete_pool: {at: 5s, type: g6-standard-6}\n- recycle_pool: {at: 5s, node_pool: defualt}\n\
     - delete_node: {at: 5s, claim: claim-02}\n"
);
after!(
    two_ways_to_say_one_thing,
    "by_hand:\n- delete_node: {at: 5s, claim: claim-1, which: oldest}\n\
     - retag_linode: {at: 5s, claim: claim-1, node_pool: default, add: [a]}\n\
     faults:\n- partial: {call: ListInstances, keep: 3, missing: 10%}\n"
);
after!(
    values_beyond_all_bounds,
    "duration: 4000000d\ncloud: {limits: {list: 0/1m, other: 5/0s, create_instance: 99999999999/1m}}\n\
     by_hand:\n- resize_pool: {at: 5s, by: 99999999999}\n"
);
broken!(
    a_claim_of_the_start_with_a_name_of_the_workload,
    "about: x\nstart:\n  claims: [{name: claim-1}]\nworkload: [create: {claims: 2}]\n"
);

/// What each design of a test lets be set.
fn settings() -> Vec<(&'static str, Vec<&'static str>)> {
    vec![("documented", vec!["owner_tags", "verify_every"]), ("shipped", vec!["verify_every"])]
}

#[test]
fn settings_that_a_design_lacks_are_refused_where_it_runs() {
    let settings = settings();
    let refused = |text: &str, running: &[&str]| {
        let names = crate::Names { settings: &settings, usual_design: Some("documented"), running, ..NAMES };
        load("broken.yaml", text, &[], &names).err().map(|mistakes| mistakes.to_string())
    };
    let sets = format!("{HEAD}provider: {{owner_tags: any}}\n");
    assert_eq!(refused(&sets, &[]), None);
    let by_command_line = refused(&sets, &["documented", "shipped"]).expect("shipped has no such setting");
    assert!(by_command_line.contains("the design `shipped`, which is to run, has no setting `owner_tags`"));
    let of_cluster = format!("{sets}clusters: [{{name: east}}, {{name: west, design: shipped}}]\n");
    insta::assert_snapshot!(refused(&of_cluster, &[]).expect("the second cluster's design lacks it"));
    assert_eq!(refused(&of_cluster, &["documented"]), None, "the command line's design is that of all clusters");
}

#[test]
fn fifty_mistakes_are_shown_and_then_no_more() {
    let text = format!("about: x\nworkload:\n{}", "  - create: {claims: x}\n".repeat(60));
    let shown = shown(&text, &[]);
    assert_eq!(shown.matches("error:").count(), 50);
    assert!(shown.ends_with("more mistakes may follow: mend these first"));
}
