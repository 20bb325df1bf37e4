//! Any event at all.

mod pods;

use crate::event::{CallEnding, ClaimRef, Condition, Event, NodeChange, Returned, Seen, Turn, What};
use lkesim_linode_api::filter::{Filter, Operator};
use lkesim_linode_api::{
    ApiError, Call, CallError, Cause, ClusterId, ErrorBody, InstanceCreate, InstanceId, LkePoolCreate, LkePoolId,
    LkePoolUpdate, Operation, PageRequest, PoolNodeId, Purpose, Request, Tags, Taint,
};
use lkesim_runtime::Time;
use proptest::prelude::*;
use proptest::sample::select;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// One API call at 1.5 s.
pub(crate) fn sample() -> Event {
    Event {
        at: Time::from_millis(1_500),
        what: What::Called {
            call: 7,
            sent: Rc::new(Call {
                purpose: Purpose {
                    caller: "nodeclaim.lifecycle",
                    operation: Operation::Create,
                    invocation: 3,
                    attempt: 1,
                    subject: "burst-07".into(),
                    cause: Cause::Claim,
                    joined: Default::default(),
                },
                attempt: 0,
                request: Request::ListInstances {
                    filter: Some(Filter::tag("karpenter.sh/nodeclaim:burst-07")),
                    page: PageRequest::FIRST,
                },
            }),
        },
    }
}

pub(crate) fn any_event() -> impl Strategy<Value = Event> {
    (any::<u64>(), any_what()).prop_map(|(nanos, what)| Event { at: Time::from_nanos(nanos), what })
}

pub(crate) fn any_what() -> impl Strategy<Value = What> {
    prop_oneof![process(), api(), lke_pool(), instance(), claim(), pods::any(), operation()]
}

fn text() -> impl Strategy<Value = Arc<str>> + Clone {
    prop_oneof![Just("g6-standard-4".to_owned()), ".{0,12}".prop_map(|text: String| text)].prop_map(Arc::from)
}

fn rc_text() -> impl Strategy<Value = Rc<str>> {
    text().prop_map(|text| Rc::from(&*text))
}

fn word() -> impl Strategy<Value = &'static str> {
    select(vec!["nodeclaim.lifecycle", "nodeclaim.garbagecollection", "workload", ""])
}

fn instance_id() -> impl Strategy<Value = InstanceId> {
    any::<u64>().prop_map(InstanceId)
}

fn pool_id() -> impl Strategy<Value = LkePoolId> {
    any::<u64>().prop_map(LkePoolId)
}

fn cluster_id() -> impl Strategy<Value = ClusterId> {
    any::<u64>().prop_map(ClusterId)
}

fn tags() -> impl Strategy<Value = Tags> {
    prop::collection::vec(text(), 0..4).prop_map(|tags| tags.into_iter().collect())
}

fn call() -> impl Strategy<Value = Option<u64>> {
    any::<Option<u64>>()
}

fn claim_ref() -> impl Strategy<Value = ClaimRef> {
    (any::<u64>(), rc_text()).prop_map(|(uid, name)| ClaimRef { uid, name })
}

fn turn() -> impl Strategy<Value = Turn> {
    use Turn::{Leads, LostLease, Paused, ToldToStop, WokeUp};
    let set = any::<i64>().prop_map(|ahead_ms| Turn::ClockSet { ahead_ms });
    prop_oneof![5 => prop::sample::select(vec![Leads, ToldToStop, LostLease, Paused, WokeUp]), 1 => set]
}

fn process() -> BoxedStrategy<What> {
    prop_oneof![
        (cluster_id(), any::<u32>()).prop_map(|(cluster, start)| What::ProcessStarted { cluster, start }),
        (cluster_id(), any::<u32>()).prop_map(|(cluster, start)| What::ProcessStopped { cluster, start }),
        (cluster_id(), any::<u32>(), turn()).prop_map(|(cluster, start, turn)| What::ProcessTurned {
            cluster,
            start,
            turn
        }),
        Just(What::CalmBegan),
        (prop::collection::vec((instance_id(), any::<u32>()), 0..3), prop::collection::vec(claim_ref(), 0..3))
            .prop_map(|(linodes, claims)| {
                let aged = |(linode, millis): (_, u32)| (linode, Duration::from_millis(millis.into()));
                What::StartedWith { linodes: linodes.into_iter().map(aged).collect(), claims: claims.into() }
            }),
    ]
    .boxed()
}

fn api() -> BoxedStrategy<What> {
    prop_oneof![
        (any::<u64>(), purpose(), any::<u32>(), request()).prop_map(|(call, purpose, attempt, request)| What::Called {
            call,
            sent: Rc::new(Call { purpose, attempt, request }),
        }),
        (any::<u64>(), ending()).prop_map(|(call, ending)| What::Answered { call, arrival: None, ending }),
    ]
    .boxed()
}

fn purpose() -> impl Strategy<Value = Purpose> {
    let numbers = (any::<u64>(), any::<u32>());
    (word(), select(&Operation::ALL), numbers, text(), select(&Cause::ALL)).prop_map(
        |(caller, operation, (invocation, attempt), subject, cause)| Purpose {
            caller,
            operation,
            invocation,
            attempt,
            subject,
            cause,
            joined: Default::default(),
        },
    )
}

fn filter() -> impl Strategy<Value = Option<Filter>> {
    let leaf = prop_oneof![
        text().prop_map(|tag| Filter::tag(&tag)),
        any::<u64>().prop_map(|number| Filter::compare("id", Operator::AtLeast, number)),
        any::<bool>().prop_map(|truth| Filter::field("is_public", truth)),
    ];
    let tree = leaf.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Filter::all),
            prop::collection::vec(inner, 0..3).prop_map(Filter::any),
        ]
    });
    prop::option::of(tree)
}

fn page() -> impl Strategy<Value = PageRequest> {
    (any::<u32>(), any::<u32>()).prop_map(|(page, size)| PageRequest { page, size })
}

fn request() -> BoxedStrategy<Request> {
    prop_oneof![lists(), pool_requests(), instance_requests()].boxed()
}

fn lists() -> BoxedStrategy<Request> {
    prop_oneof![
        (filter(), page()).prop_map(|(filter, page)| Request::ListClusters { filter, page }),
        (cluster_id(), filter(), page()).prop_map(|(cluster, filter, page)| Request::ListPools {
            cluster,
            filter,
            page
        }),
        (filter(), page()).prop_map(|(filter, page)| Request::ListInstances { filter, page }),
        page().prop_map(|page| Request::ListTypes { page }),
        (filter(), page()).prop_map(|(filter, page)| Request::ListRegionAvailability { filter, page }),
        text().prop_map(|plan| Request::GetType { plan }),
        text().prop_map(|region| Request::RegionAvailability { region }),
        cluster_id().prop_map(|cluster| Request::GetCluster { cluster }),
    ]
    .boxed()
}

fn pool_requests() -> BoxedStrategy<Request> {
    let update = (any::<Option<u32>>(), prop::option::of(tags()), prop::option::of(text()))
        .prop_map(|(count, tags, k8s_version)| LkePoolUpdate { count, tags, k8s_version, more: None });
    prop_oneof![
        (cluster_id(), pool_create()).prop_map(|(cluster, body)| Request::CreatePool { cluster, body }),
        (cluster_id(), pool_id()).prop_map(|(cluster, lke_pool)| Request::GetPool { cluster, lke_pool }),
        (cluster_id(), pool_id(), update)
            .prop_map(|(cluster, lke_pool, body)| { Request::UpdatePool { cluster, lke_pool, body } }),
        (cluster_id(), pool_id()).prop_map(|(cluster, lke_pool)| Request::DeletePool { cluster, lke_pool }),
        (cluster_id(), node_id()).prop_map(|(cluster, node)| Request::DeleteNode { cluster, node }),
    ]
    .boxed()
}

fn node_id() -> impl Strategy<Value = PoolNodeId> {
    (pool_id(), any::<u32>()).prop_map(|(lke_pool, suffix)| PoolNodeId { lke_pool, suffix })
}

fn pool_create() -> impl Strategy<Value = LkePoolCreate> {
    let taint = (text(), text(), text()).prop_map(|(key, value, effect)| Taint { key, value, effect });
    let taints = prop::collection::vec(taint, 0..2);
    let labels = prop::collection::vec((text(), text()), 0..2);
    (text(), any::<u32>(), tags(), labels, taints, any::<Option<u64>>(), prop::option::of(text())).prop_map(
        |(plan, count, tags, labels, taints, firewall, k8s_version)| LkePoolCreate {
            plan,
            count,
            tags,
            labels,
            taints,
            firewall,
            k8s_version,
            more: None,
        },
    )
}

fn instance_requests() -> BoxedStrategy<Request> {
    let create = (text(), text(), text(), tags()).prop_map(|(label, plan, region, tags)| InstanceCreate {
        label,
        plan,
        region,
        tags,
        more: None,
    });
    prop_oneof![
        instance_id().prop_map(|instance| Request::GetInstance { instance }),
        (instance_id(), tags()).prop_map(|(instance, tags)| Request::UpdateInstance { instance, tags }),
        create.prop_map(|body| Request::CreateInstance { body }),
        instance_id().prop_map(|instance| Request::DeleteInstance { instance }),
        (text(), prop::collection::vec(instance_id(), 0..3))
            .prop_map(|(label, linodes)| Request::CreateTag { label, linodes }),
    ]
    .boxed()
}

fn ending() -> impl Strategy<Value = CallEnding> {
    let counts = prop::collection::vec((pool_id(), any::<u32>()), 0..3).prop_map(Rc::from);
    let seen = (any::<u32>(), any::<u32>(), prop::option::of(counts), any::<bool>()).prop_map(
        |(pages, entries, counts, truncated)| Seen {
            pages,
            entries,
            counts,
            truncated,
            fault: truncated.then(|| "faults[0].partial".into()),
        },
    );
    prop_oneof![
        seen.prop_map(|seen| CallEnding::Ok { seen }),
        (call_error(), any::<bool>(), prop::option::of(text()))
            .prop_map(|(error, throttled, fault)| CallEnding::Failed { error, throttled, fault }),
    ]
}

fn call_error() -> impl Strategy<Value = CallError> {
    let body = prop::sample::select(vec![ErrorBody::Reasons, ErrorBody::NginxPage, ErrorBody::Garbled]);
    let text = prop::option::of("[a-z]{0,3}".prop_map(Into::into));
    let api = (any::<u16>(), ".{0,9}", any::<Option<u32>>(), any::<bool>(), body, text).prop_map(
        |(status, reason, retry_after_secs, maintenance, body, retry_after_text)| {
            let plain = ApiError::new(status, reason);
            CallError::Api(ApiError { retry_after_secs, maintenance, body, retry_after_text, ..plain })
        },
    );
    prop_oneof![api, Just(CallError::Timeout), Just(CallError::ConnectionLost), Just(CallError::Unreadable("body"))]
}

fn lke_pool() -> BoxedStrategy<What> {
    prop_oneof![
        (pool_id(), cluster_id(), text(), any::<u32>(), prop::option::of(text()), tags(), call()).prop_map(
            |(lke_pool, cluster, plan, count, node_pool, tags, call)| {
                What::PoolCreated { lke_pool, cluster, plan, count, node_pool, tags, call }
            }
        ),
        (pool_id(), any::<u32>(), any::<u32>(), call(), any::<bool>()).prop_map(
            |(lke_pool, from, to, call, by_count)| What::PoolCountChanged { lke_pool, from, to, call, by_count }
        ),
        (pool_id(), tags(), tags(), call())
            .prop_map(|(lke_pool, before, after, call)| { What::PoolTagged { lke_pool, before, after, call } }),
        (pool_id(), call()).prop_map(|(lke_pool, call)| What::PoolDeleted { lke_pool, call }),
    ]
    .boxed()
}

fn instance() -> BoxedStrategy<What> {
    prop_oneof![
        (instance_id(), text(), prop::option::of(node_id()), prop::option::of(cluster_id()), text(), tags(), call())
            .prop_map(|(instance, label, node, cluster, plan, tags, call)| {
                let lke_pool = node.map(|node| node.lke_pool);
                What::InstanceCreated { instance, label, lke_pool, node, cluster, plan, tags, call }
            }),
        instance_id().prop_map(|instance| What::InstanceBooted { instance }),
        (instance_id(), tags(), tags(), call())
            .prop_map(|(instance, before, after, call)| { What::InstanceTagged { instance, before, after, call } }),
        (instance_id(), prop::option::of(pool_id()), call())
            .prop_map(|(instance, lke_pool, call)| { What::InstanceDeleted { instance, lke_pool, call } }),
    ]
    .boxed()
}

fn claim() -> BoxedStrategy<What> {
    use Condition::{DisruptionReason, Initialized, InstanceTerminating, Launched, Registered};
    use NodeChange::{
        Deleting, Disrupted, Gone, Identified, Joined, LabelsForeign, LabelsMissing, NotReady, Ready, Spared,
        TaintRemoved,
    };
    let plans = prop::collection::vec(rc_text(), 0..3).prop_map(Rc::from);
    let condition = select(vec![Launched, Registered, Initialized, InstanceTerminating, DisruptionReason]);
    let change = select(vec![
        Joined,
        Ready,
        NotReady,
        TaintRemoved,
        LabelsMissing,
        LabelsForeign,
        Deleting,
        Gone,
        Identified,
        Disrupted,
        Spared,
    ]);
    prop_oneof![
        (claim_ref(), cluster_id(), rc_text(), plans)
            .prop_map(|(claim, cluster, node_pool, plans)| What::ClaimCreated { claim, cluster, node_pool, plans }),
        (claim_ref(), word()).prop_map(|(claim, by)| What::ClaimDeleting { claim, by }),
        claim_ref().prop_map(|claim| What::ClaimGone { claim }),
        (claim_ref(), prop::option::of(instance_id()), prop::option::of(instance_id()))
            .prop_map(|(claim, before, after)| What::ClaimProviderId { claim, before, after }),
        (claim_ref(), condition, any::<Option<bool>>(), rc_text())
            .prop_map(|(claim, condition, status, reason)| What::ClaimCondition { claim, condition, status, reason }),
        (rc_text(), prop::option::of(instance_id()), change).prop_map(|(node, instance, change)| What::Node {
            node,
            instance,
            change
        }),
    ]
    .boxed()
}

fn operation() -> BoxedStrategy<What> {
    let returned = prop_oneof![
        instance_id().prop_map(Returned::Instance),
        prop::collection::vec(instance_id(), 0..3).prop_map(|all| Returned::Instances(all.into())),
        Just(Returned::Done),
        ".{0,9}".prop_map(Returned::NotFound),
        ".{0,9}".prop_map(Returned::InsufficientCapacity),
        ".{0,9}".prop_map(Returned::Failed),
        Just(Returned::Dropped),
    ];
    let about = (prop::option::of(claim_ref()), prop::option::of(instance_id()));
    prop_oneof![
        ((any::<u64>(), cluster_id(), any::<u32>()), select(&Operation::ALL), word(), about).prop_map(
            |((run, cluster, process), operation, caller, (claim, instance))| What::OperationStarted {
                run,
                cluster,
                process,
                operation,
                caller,
                claim,
                instance,
            }
        ),
        (any::<u64>(), returned).prop_map(|(run, result)| What::OperationReturned { run, result }),
    ]
    .boxed()
}
