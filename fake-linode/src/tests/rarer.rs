//! Calls that no design makes.

use super::*;
use crate::Lags;
use lkesim_linode_api::{
    Acl, Alerts, Autoscaler, ClusterCreate, ClusterUpdate, InstanceCreate, InstanceOptions, InstanceStatus,
    InstanceUpdate, LkePoolChange, LkePoolOptions, PoolNodeId, Rarer, RarerReply, Tagged, UpdateStrategy,
};
use lkesim_runtime::Quantiles;
use std::time::Duration;

fn rarer(call: Rarer) -> Request {
    Request::Rarer(Box::new(call))
}

impl Client {
    #[track_caller]
    fn rare(&mut self, call: Rarer) -> RarerReply {
        match self.accepted(rarer(call)) {
            Reply::Rarer(reply) => *reply,
            other => panic!("not a rare reply: {other:?}"),
        }
    }

    #[track_caller]
    fn done(&mut self, call: Rarer) {
        assert_eq!(self.accepted(rarer(call)), Reply::Empty);
    }

    #[track_caller]
    fn status(&mut self, call: Rarer) -> u16 {
        self.refused(rarer(call)).status
    }

    #[track_caller]
    fn create_cluster(&mut self, body: ClusterCreate) -> ClusterId {
        match self.accepted(rarer(Rarer::CreateCluster { body })) {
            Reply::Cluster(cluster) => cluster.id,
            other => panic!("not a cluster: {other:?}"),
        }
    }

    fn status_of(&mut self, id: InstanceId) -> Option<InstanceStatus> {
        self.get(id).map(|shown| shown.status)
    }

    fn tag_labels(&mut self) -> Vec<String> {
        match self.rare(Rarer::ListTags { filter: None, page: PageRequest::FIRST }) {
            RarerReply::Tags(page) => page.data.iter().map(ToString::to_string).collect(),
            other => panic!("not tags: {other:?}"),
        }
    }

    fn tagged(&mut self, label: &str) -> Vec<Tagged> {
        match self.rare(Rarer::ListTaggedObjects { label: label.into(), page: PageRequest::FIRST }) {
            RarerReply::TaggedObjects(page) => page.data.to_vec(),
            other => panic!("not tagged objects: {other:?}"),
        }
    }
}

fn cluster_of(client: &Client, lke_pools: Vec<LkePoolCreate>) -> ClusterCreate {
    let settings = client.cloud.settings();
    ClusterCreate {
        label: "second".into(),
        region: settings.region.clone(),
        k8s_version: settings.k8s_version.clone(),
        tier: settings.tier,
        tags: tags(["team-a"]),
        lke_pools,
        high_availability: None,
        audit_logs_enabled: None,
        acl: None,
    }
}

#[test]
fn a_recycled_node_gives_way_to_another_under_another_id() {
    let mut client = quiet(Tier::Standard);
    let pool = client.create_pool(pool_of(2));
    let (old, kept) = (pool.nodes[0], pool.nodes[1]);
    assert_eq!(client.rare(Rarer::GetNode { cluster: CLUSTER, node: old.id }), RarerReply::Node(client.node(old.id)));
    client.done(Rarer::RecycleNode { cluster: CLUSTER, node: old.id });
    assert_eq!(client.status(Rarer::GetNode { cluster: CLUSTER, node: old.id }), 404);
    assert_eq!(client.status(Rarer::RecycleNode { cluster: CLUSTER, node: old.id }), 404);
    let after = client.pool(pool.id).unwrap();
    assert_eq!((after.count, after.nodes.len()), (2, 2));
    assert!(after.nodes.iter().any(|node| node.id == kept.id && node.instance == kept.instance));
    assert!(after.nodes.iter().all(|node| node.instance != old.instance));
}

impl Client {
    fn node(&mut self, id: PoolNodeId) -> lkesim_linode_api::PoolNode {
        *self.pool(id.lke_pool).unwrap().nodes.iter().find(|node| node.id == id).unwrap()
    }
}

#[test]
fn a_node_that_its_pool_does_not_list_yet_is_not_found_and_can_be_recycled() {
    let lags = Lags { members: Quantiles::constant(Duration::from_secs(40)), ..Lags::zero() };
    let mut client = client(Settings { lags, ..Settings::quiet(Tier::Enterprise) });
    let id = client.create_pool(pool_of(1)).id;
    let node = client.cloud.instance(client.members(id)[0]).unwrap().node.unwrap();
    assert_eq!(client.status(Rarer::GetNode { cluster: CLUSTER, node }), 404);
    assert_eq!(client.at(40).rare(Rarer::GetNode { cluster: CLUSTER, node }), RarerReply::Node(client.node(node)));
}

#[test]
fn recycling_a_pool_or_a_cluster_replaces_all_its_nodes() {
    let mut client = quiet(Tier::Standard);
    let id = client.create_pool(pool_of(3)).id;
    let mut before = client.members(id);
    for call in [Rarer::RecyclePool { cluster: CLUSTER, lke_pool: id }, Rarer::RecycleCluster { cluster: CLUSTER }] {
        client.done(call);
        let after = client.members(id);
        assert_eq!(after.len(), 3);
        assert!(after.iter().all(|id| !before.contains(id)));
        before = after;
    }
    assert_eq!(client.status(Rarer::RecyclePool { cluster: ClusterId(9), lke_pool: id }), 404);
    assert_eq!(client.status(Rarer::RecycleCluster { cluster: ClusterId(9) }), 404);
}

#[test]
fn a_pool_keeps_what_it_is_told_and_a_count_leaves_the_autoscaler_alone() {
    let mut client = quiet(Tier::Enterprise);
    let more = LkePoolOptions { label: Some("workers".into()), ..LkePoolOptions::default() };
    let pool = client.create_pool(LkePoolCreate { more: Some(more.into()), ..pool_of(2) });
    assert_eq!(&*pool.rest.label, "workers");
    assert_eq!(pool.rest.autoscaler, Autoscaler { enabled: false, min: 2, max: 2 });
    let change = LkePoolChange {
        labels: Some(vec![("tier".into(), "web".into())]),
        taints: Some(Vec::new()),
        label: Some("others".into()),
        autoscaler: None,
        firewall: Some(7),
        update_strategy: Some(UpdateStrategy::RollingUpdate),
    };
    let body = LkePoolUpdate { count: Some(3), more: Some(change.into()), ..LkePoolUpdate::default() };
    client.accepted(Request::UpdatePool { cluster: CLUSTER, lke_pool: pool.id, body });
    let after = client.pool(pool.id).unwrap();
    assert_eq!((&*after.labels[0].0, &*after.labels[0].1, after.firewall), ("tier", "web", Some(7)));
    assert_eq!((&*after.rest.label, after.rest.update_strategy), ("others", UpdateStrategy::RollingUpdate));
    assert_eq!(after.rest.autoscaler, Autoscaler { enabled: false, min: 2, max: 2 });
    assert_eq!(client.cloud.node_labels_and_taints(pool.id).unwrap().0.len(), 1, "new nodes join with them");
}

#[test]
fn the_bounds_of_an_autoscaler_that_is_off_follow_the_count_where_the_setting_says() {
    let mut client = client(Settings { count_moves_autoscaler: true, ..Settings::quiet(Tier::Standard) });
    let id = client.create_pool(pool_of(2)).id;
    assert!(client.set_count(id, 5).result.is_ok());
    assert_eq!(client.pool(id).unwrap().rest.autoscaler, Autoscaler { enabled: false, min: 5, max: 5 });
}

#[test]
fn labels_and_bounds_that_a_pool_can_not_have_are_refused() {
    let mut client = quiet(Tier::Standard);
    let label = |label: &str| LkePoolOptions { label: Some(label.into()), ..LkePoolOptions::default() };
    let bounds = |enabled, min, max| LkePoolOptions {
        autoscaler: Some(Autoscaler { enabled, min, max }),
        ..LkePoolOptions::default()
    };
    let long = "a".repeat(33);
    let bad = [label("-a"), label("A"), label(&long), bounds(true, 0, 3), bounds(true, 3, 2), bounds(true, 1, 101)];
    for more in bad {
        let body = LkePoolCreate { more: Some(more.into()), ..pool_of(1) };
        assert_eq!(client.refused(Request::CreatePool { cluster: CLUSTER, body }).status, 400);
    }
    for more in [label("a"), label("a-1"), bounds(false, 0, 0), bounds(true, 1, 100)] {
        client.create_pool(LkePoolCreate { more: Some(more.into()), ..pool_of(1) });
    }
}

#[test]
fn a_cluster_is_made_with_its_pools_and_ready_later_than_it_says() {
    let mut client = client(Settings::usual(Tier::Standard));
    let body = cluster_of(&client, vec![pool_of(2), pool_of(1)]);
    let id = client.create_cluster(body);
    assert_eq!(id, ClusterId(2));
    let request = Request::ListPools { cluster: id, filter: None, page: PageRequest::FIRST };
    let Reply::Pools(pools) = client.accepted(request) else { panic!("not a list of pools") };
    assert_eq!(pools.data.iter().map(|pool| pool.count).collect::<Vec<_>>(), [2, 1]);
    let early = client.refused(rarer(Rarer::GetKubeconfig { cluster: id }));
    assert_eq!((early.status, early.reasons[0].field.as_deref()), (503, None));
    let endpoints = || Rarer::ListApiEndpoints { cluster: id, page: PageRequest::FIRST };
    assert_eq!(client.status(endpoints()), 503);
    assert!(matches!(client.at(10).rare(endpoints()), RarerReply::ApiEndpoints(page) if page.results == 1));
    assert_eq!(client.at(128).status(Rarer::GetKubeconfig { cluster: id }), 503);
    assert!(matches!(client.at(400).rare(Rarer::GetKubeconfig { cluster: id }), RarerReply::Kubeconfig(_)));
    assert!(matches!(client.rare(Rarer::GetKubeconfig { cluster: CLUSTER }), RarerReply::Kubeconfig(_)));
}

#[test]
fn a_cluster_that_can_not_be_is_refused_and_leaves_nothing_behind() {
    let mut client = quiet(Tier::Standard);
    let good = cluster_of(&client, vec![pool_of(1)]);
    let bad = [
        ClusterCreate { label: "".into(), ..good.clone() },
        ClusterCreate { region: "nowhere".into(), ..good.clone() },
        ClusterCreate { k8s_version: "0.1".into(), ..good.clone() },
        ClusterCreate { lke_pools: Vec::new(), ..good.clone() },
        ClusterCreate { lke_pools: vec![pool_of(1), pool_of(101)], ..good.clone() },
        ClusterCreate { lke_pools: vec![LkePoolCreate { plan: "g6-none".into(), ..pool_of(1) }], ..good.clone() },
        ClusterCreate { tags: tags(["a"]), ..good.clone() },
    ];
    let before = (client.cloud.lke_pools().len(), client.cloud.instances().len());
    for body in bad {
        assert_eq!(client.status(Rarer::CreateCluster { body }), 400);
    }
    assert_eq!((client.cloud.lke_pools().len(), client.cloud.instances().len()), before);
    assert_eq!(client.cloud.clusters().len(), 1);
    let other = ClusterCreate { tier: Tier::Enterprise, ..good.clone() };
    assert!(client.handle(rarer(Rarer::CreateCluster { body: other })).is_err());
    let elsewhere = ClusterCreate { region: "us-lax".into(), ..good };
    assert!(client.handle(rarer(Rarer::CreateCluster { body: elsewhere })).is_err());
}

#[test]
fn an_enterprise_cluster_needs_no_pool_and_is_highly_available() {
    let mut client = quiet(Tier::Enterprise);
    let body = cluster_of(&client, Vec::new());
    let id = client.create_cluster(body.clone());
    let Reply::Cluster(shown) = client.accepted(Request::GetCluster { cluster: id }) else { panic!("no cluster") };
    assert!(shown.high_availability && shown.tags.has("team-a"));
    let less = ClusterCreate { label: "third".into(), high_availability: Some(false), ..body };
    assert!(client.handle(rarer(Rarer::CreateCluster { body: less })).is_err());
}

#[test]
fn a_deleted_cluster_takes_pools_and_linodes_with_it_and_stays_visible_for_a_time() {
    let lags = Lags { cluster_deletion: Quantiles::constant(Duration::from_secs(30)), ..Lags::zero() };
    let mut client = client(Settings { lags, ..Settings::quiet(Tier::Standard) });
    let body = cluster_of(&client, vec![pool_of(2)]);
    let id = client.create_cluster(body);
    client.done(Rarer::DeleteCluster { cluster: id });
    assert_eq!(client.status(Rarer::DeleteCluster { cluster: id }), 404);
    assert_eq!(client.cloud.live_instances().filter(|truth| truth.cluster == Some(id)).count(), 0);
    let pools = Request::ListPools { cluster: id, filter: None, page: PageRequest::FIRST };
    assert_eq!(client.refused(pools).status, 404);
    assert!(client.at(29).answer(Request::GetCluster { cluster: id }).result.is_ok());
    assert_eq!(client.at(30).refused(Request::GetCluster { cluster: id }).status, 404);
    let body = cluster_of(&client, vec![pool_of(1)]);
    assert_eq!(client.create_cluster(body), ClusterId(3), "an id is not given twice");
}

#[test]
fn a_change_of_a_cluster_is_partial() {
    let mut client = quiet(Tier::Standard);
    let body = ClusterUpdate { tags: Some(tags(["team-b"])), ..ClusterUpdate::default() };
    client.at(5).accepted(rarer(Rarer::UpdateCluster { cluster: CLUSTER, body }));
    let body = ClusterUpdate { label: Some("other".into()), ..ClusterUpdate::default() };
    let Reply::Cluster(shown) = client.accepted(rarer(Rarer::UpdateCluster { cluster: CLUSTER, body })) else {
        panic!("not a cluster");
    };
    assert_eq!((&*shown.label, shown.tags.has("team-b"), shown.updated.0 - shown.created.0), ("other", true, 5));
    let body = ClusterUpdate { k8s_version: Some("0.1".into()), ..ClusterUpdate::default() };
    assert_eq!(client.status(Rarer::UpdateCluster { cluster: CLUSTER, body }), 400);
}

#[test]
fn rules_of_a_control_plane_are_kept_and_deleted() {
    let mut client = quiet(Tier::Standard);
    let read = |client: &mut Client| match client.rare(Rarer::GetControlPlaneAcl { cluster: CLUSTER }) {
        RarerReply::ControlPlaneAcl(acl) => (acl.enabled, acl.ipv4.clone().unwrap().len()),
        other => panic!("no rules: {other:?}"),
    };
    assert_eq!(read(&mut client), (Some(false), 0));
    let acl = Acl { enabled: Some(true), ipv4: Some(vec!["192.0.2.0/24".into()]), ..Acl::default() };
    client.rare(Rarer::UpdateControlPlaneAcl { cluster: CLUSTER, acl });
    assert_eq!(read(&mut client), (Some(true), 1));
    client.done(Rarer::DeleteControlPlaneAcl { cluster: CLUSTER });
    assert_eq!(read(&mut client), (Some(false), 0));
}

fn new_linode(more: Option<InstanceOptions>) -> Request {
    Request::CreateInstance {
        body: InstanceCreate {
            label: "web-1".into(),
            plan: "g6-standard-1".into(),
            region: "us-ord".into(),
            tags: Tags::default(),
            more: more.map(Box::new),
        },
    }
}

#[track_caller]
fn made(client: &mut Client, more: Option<InstanceOptions>) -> Arc<Instance> {
    match client.accepted(new_linode(more)) {
        Reply::Instance(instance) => instance,
        other => panic!("not a Linode: {other:?}"),
    }
}

/// One that boots: it has an image, and a way to log in.
fn bootable() -> Option<InstanceOptions> {
    Some(InstanceOptions { image: Some("linode/debian12".into()), has_login: true, ..InstanceOptions::default() })
}

#[test]
fn a_linode_without_an_image_ends_up_off_and_one_with_an_image_runs() {
    let mut client = client(Settings::usual(Tier::Standard));
    let off = made(&mut client, Some(InstanceOptions { unnamed: true, ..InstanceOptions::default() }));
    assert_eq!(off.status, InstanceStatus::Provisioning);
    let image = InstanceOptions { image: Some("linode/debian12".into()), ..InstanceOptions::default() };
    let error = client.refused(new_linode(Some(image.clone())));
    assert_eq!((error.status, error.reasons[0].field.as_deref()), (400, None));
    let on = made(&mut client, Some(InstanceOptions { has_login: true, ..image }));
    assert_eq!(on.rest.as_ref().unwrap().image.as_deref(), Some("linode/debian12"));
    client.at(300);
    assert_eq!(client.status_of(off.id), Some(InstanceStatus::Offline));
    assert_eq!(client.status_of(on.id), Some(InstanceStatus::Running));
}

#[test]
fn a_linode_is_shut_down_booted_and_rebooted_one_thing_at_a_time() {
    let mut client = client(Settings { lags: Lags::usual(Tier::Standard), ..Settings::quiet(Tier::Standard) });
    let instance = made(&mut client, bootable()).id;
    assert_eq!(client.status(Rarer::BootInstance { instance }), 400, "it comes up just now");
    client.at(200).done(Rarer::ShutdownInstance { instance });
    assert_eq!(client.status_of(instance), Some(InstanceStatus::ShuttingDown));
    let busy = client.refused(rarer(Rarer::BootInstance { instance }));
    assert_eq!((busy.status, busy.text()), (400, "Linode busy.".to_owned()));
    assert_eq!(client.at(228).status_of(instance), Some(InstanceStatus::Offline));
    assert!(client.handle(rarer(Rarer::ShutdownInstance { instance })).is_err());
    client.done(Rarer::BootInstance { instance });
    assert_eq!(client.status_of(instance), Some(InstanceStatus::Booting));
    assert_eq!(client.at(400).status_of(instance), Some(InstanceStatus::Running));
    client.done(Rarer::RebootInstance { instance });
    assert_eq!(client.status_of(instance), Some(InstanceStatus::Rebooting));
    assert_eq!(client.at(600).status_of(instance), Some(InstanceStatus::Running));
    assert_eq!(client.status(Rarer::RebootInstance { instance: InstanceId(9) }), 404);
}

#[test]
fn a_linode_deleted_while_it_reboots_stays_deleted() {
    let mut client = client(Settings { lags: Lags::usual(Tier::Standard), ..Settings::quiet(Tier::Standard) });
    let instance = made(&mut client, bootable()).id;
    client.at(200).done(Rarer::RebootInstance { instance });
    client.accepted(Request::DeleteInstance { instance });
    assert_eq!(client.status_of(instance), Some(InstanceStatus::Deleting));
    assert_eq!(client.at(900).status_of(instance), None);
}

#[test]
fn a_change_of_a_linode_is_partial_and_its_label_stays_unique() {
    let mut client = quiet(Tier::Standard);
    let (one, other) = (made(&mut client, None), InstanceId(1_001));
    let taken = InstanceUpdate { label: Some(one.label.clone()), ..InstanceUpdate::default() };
    let error = client.refused(rarer(Rarer::UpdateInstance { instance: other, body: taken.clone() }));
    assert!(error.text().contains("Label must be unique"));
    client.accepted(rarer(Rarer::UpdateInstance { instance: one.id, body: taken }));
    let body = InstanceUpdate {
        group: Some("web".into()),
        watchdog_enabled: Some(false),
        alerts: Alerts { cpu: Some(50), ..Alerts::default() },
        ..InstanceUpdate::default()
    };
    client.accepted(rarer(Rarer::UpdateInstance { instance: one.id, body }));
    let shown = client.get(one.id).unwrap();
    let rest = shown.rest.as_ref().unwrap();
    assert_eq!((&*rest.group, rest.watchdog_enabled, rest.alerts.cpu), ("web", false, Some(50)));
    assert_eq!(shown.label, one.label);
    let body = InstanceUpdate { label: Some("web-2".into()), tags: Some(tags(["abc"])), ..InstanceUpdate::default() };
    client.accepted(rarer(Rarer::UpdateInstance { instance: one.id, body }));
    let shown = client.get(one.id).unwrap();
    assert_eq!((&*shown.label, shown.tags.has("abc"), &*shown.rest.as_ref().unwrap().group), ("web-2", true, "web"));
}

#[test]
fn tags_are_listed_in_order_and_a_deleted_one_leaves_all_that_bore_it() {
    let mut client = quiet(Tier::Standard);
    let linode = InstanceId(1_001);
    client.put(linode, tags(["zebra", "apple"]));
    client.accepted(Request::CreateTag { label: "mango".into(), linodes: vec![linode] });
    client.accepted(Request::CreateTag { label: "alone".into(), linodes: Vec::new() });
    let body = ClusterUpdate { tags: Some(tags(["mango"])), ..ClusterUpdate::default() };
    client.accepted(rarer(Rarer::UpdateCluster { cluster: CLUSTER, body }));
    assert_eq!(client.tag_labels(), ["alone", "apple", "mango", "zebra"]);
    assert!(client.tagged("alone").is_empty());
    assert!(matches!(&client.tagged("mango")[..], [Tagged::Instance(one), Tagged::Cluster(_)] if one.id == linode));
    client.done(Rarer::DeleteTag { label: "mango".into() });
    assert_eq!(client.tag_labels(), ["alone", "apple", "zebra"]);
    assert_eq!(client.get(linode).unwrap().tags, tags(["apple", "zebra"]));
    assert_eq!(client.status(Rarer::DeleteTag { label: "mango".into() }), 404);
    assert_eq!(client.status(Rarer::ListTaggedObjects { label: "mango".into(), page: PageRequest::FIRST }), 404);
    let filter = Some(Filter::field("label", "zebra"));
    let found = client.rare(Rarer::ListTags { filter, page: PageRequest::FIRST });
    assert!(matches!(found, RarerReply::Tags(page) if page.results == 1));
}

#[test]
fn lists_of_rarer_calls_meet_faults_of_lists() {
    let faults = vec![crate::Fault::new("cut", crate::Action::Partial(crate::Cut::After(1)))];
    let mut client = client(Settings { faults, ..Settings::quiet(Tier::Standard) });
    client.put(InstanceId(1_001), tags(["zebra", "apple"]));
    assert_eq!(client.tag_labels(), ["apple"]);
}
