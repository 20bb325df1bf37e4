use super::{ApiClient, Wire};
use crate::answering::{Answering, answering};
use crate::error::{ApiError, CallError};
use crate::filter::Filter;
use crate::object::{ClusterId, Instance, InstanceId, InstanceStatus, Tags, UnixSeconds};
use crate::purpose::{Cause, Operation, Purpose};
use crate::request::{Answer, Call, Headers, Page, Reply, Request};
use crate::retry::RetryPolicy;
use lkesim_runtime::{Runtime, Seed, real};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::Future;
use std::rc::Rc;
use std::sync::Arc;

/// A wire that answers from a list, and notes what was asked at which second. Where the list ends, no answer comes.
struct Script {
    runtime: Runtime,
    answers: RefCell<VecDeque<Result<Reply, CallError>>>,
    asked: RefCell<Vec<(u64, Rc<Call>)>>,
}

impl Wire for Script {
    fn send(&self, call: Rc<Call>) -> Answering {
        self.asked.borrow_mut().push((self.runtime.now().as_secs(), call));
        let (answerer, answering) = answering(0, None);
        if let Some(result) = self.answers.borrow_mut().pop_front() {
            let headers = Headers::default();
            answerer.put(Answer { result, headers });
        }
        answering
    }
}

/// Runs `body` on tokio's paused clock with a client whose wire answers in this order.
fn scripted<T, F: Future<Output = T>>(
    answers: Vec<Result<Reply, CallError>>,
    body: impl FnOnce(ApiClient, Rc<Script>, Runtime) -> F,
) -> T {
    let tokio = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    tokio::task::LocalSet::new().block_on(&tokio, async {
        let runtime = real::on_tokio();
        let script = Rc::new(Script {
            runtime: runtime.clone(),
            answers: RefCell::new(answers.into()),
            asked: RefCell::default(),
        });
        let client = ApiClient::new(runtime.clone(), script.clone(), RetryPolicy::LINODEGO, Seed(1).key("test"));
        body(client, script, runtime).await
    })
}

fn purpose() -> Purpose {
    Purpose {
        caller: "test",
        operation: Operation::List,
        invocation: 1,
        attempt: 1,
        subject: "claim-1".into(),
        cause: Cause::Claim,
        joined: Default::default(),
    }
}

fn refused(status: u16, retry_after: Option<u32>) -> Result<Reply, CallError> {
    let mut error = ApiError::new(status, "no");
    error.retry_after_secs = retry_after;
    Err(CallError::Api(error))
}

fn linode(id: u64) -> Arc<Instance> {
    Arc::new(Instance {
        id: InstanceId(id),
        label: "linode".into(),
        status: InstanceStatus::Running,
        created: UnixSeconds(0),
        plan: "g6-standard-1".into(),
        region: "us-ord".into(),
        tags: Tags::default(),
        lke_cluster: None,
        rest: None,
    })
}

fn page(page: u32, ids: &[u64]) -> Result<Reply, CallError> {
    Ok(Reply::Instances(Page { data: ids.iter().map(|&id| linode(id)).collect(), page, pages: 3, results: 6 }))
}

fn seconds(script: &Script) -> Vec<u64> {
    script.asked.borrow().iter().map(|(second, _)| *second).collect()
}

#[test]
fn each_page_is_one_request() {
    scripted(vec![page(1, &[1, 2]), page(2, &[3, 4]), page(3, &[5])], |client, script, _| async move {
        let all = client.list_instances(&purpose(), Filter::tag("x")).await.unwrap();
        assert_eq!(all.iter().map(|linode| linode.id.0).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
        let asked = script.asked.borrow();
        let pages = asked.iter().map(|(_, call)| match &call.request {
            Request::ListInstances { page, .. } => (page.page, page.size),
            other => panic!("not a list: {other:?}"),
        });
        assert_eq!(pages.collect::<Vec<_>>(), [(1, 100), (2, 100), (3, 100)]);
    });
}

#[test]
fn a_page_is_retried_by_itself_and_an_error_ends_the_walk() {
    let answers = vec![page(1, &[1]), refused(429, Some(5)), page(2, &[2]), refused(500, None)];
    scripted(answers, |client, script, _| async move {
        let error = client.list_instances(&purpose(), Filter::tag("x")).await.unwrap_err();
        assert_eq!(error.status(), Some(500));
        assert_eq!(seconds(&script), [0, 0, 5, 5]);
        let attempts: Vec<u32> = script.asked.borrow().iter().map(|(_, call)| call.attempt).collect();
        assert_eq!(attempts, [0, 0, 1, 0]);
    });
}

#[test]
fn the_first_page_alone_is_one_request() {
    scripted(vec![page(1, &[1, 2])], |client, script, _| async move {
        let first = client.list_first_instances(&purpose(), Filter::tag("x")).await.unwrap();
        assert_eq!((first.len(), script.asked.borrow().len()), (2, 1));
    });
}

#[test]
fn a_throttled_call_waits_3_to_30_seconds_as_told() {
    let asked = [Some(1), None, Some(17), Some(60), Some(0)];
    let mut answers: Vec<_> = asked.iter().map(|&secs| refused(429, secs)).collect();
    answers.push(Ok(Reply::Instance(linode(1))));
    scripted(answers, |client, script, _| async move {
        assert!(client.get_instance(&purpose(), InstanceId(1)).await.is_ok());
        assert_eq!(seconds(&script), [0, 3, 6, 23, 53, 56]);
    });
}

#[test]
fn maintenance_ends_the_call() {
    let mut error = ApiError::new(503, "maintenance");
    error.maintenance = true;
    scripted(vec![Err(CallError::Api(error))], |client, script, _| async move {
        let error = client.delete_pool(&purpose(), ClusterId(1), crate::LkePoolId(1)).await.unwrap_err();
        assert_eq!((error.status(), script.asked.borrow().len()), (Some(503), 1));
    });
}

#[test]
fn an_answer_that_does_not_come_ends_the_call_after_10_seconds() {
    scripted(Vec::new(), |client, script, runtime| async move {
        let error = client.get_instance(&purpose(), InstanceId(1)).await.unwrap_err();
        assert_eq!(error, CallError::Timeout);
        assert_eq!((runtime.now().as_secs(), script.asked.borrow().len()), (10, 1));
    });
}

#[test]
fn a_call_gives_up_after_its_tries() {
    let answers = (0..1_000).map(|_| refused(429, None)).collect();
    scripted(answers, |client, script, runtime| async move {
        let error = client.get_instance(&purpose(), InstanceId(1)).await.unwrap_err();
        assert_eq!((error.status(), script.asked.borrow().len()), (Some(429), 1_000));
        assert_eq!(runtime.now().as_secs(), 3_000, "v2.3.0 waits after the last try too");
    });
}

#[test]
fn an_absent_object_is_told_from_other_errors() {
    scripted(vec![refused(404, None)], |client, _, _| async move {
        assert!(client.get_instance(&purpose(), InstanceId(1)).await.unwrap_err().is_not_found());
    });
}

/// The limit for one answer counts anew for each try: two slow answers and a throttle between them.
#[test]
fn the_time_limit_counts_for_each_try() {
    scripted(vec![refused(429, Some(20))], |client, script, runtime| async move {
        let error = client.get_instance(&purpose(), InstanceId(1)).await.unwrap_err();
        assert_eq!((error, seconds(&script)), (CallError::Timeout, vec![0, 20]));
        assert_eq!(runtime.now().as_secs(), 30);
    });
}

#[test]
fn an_error_without_reasons_is_an_empty_list_or_a_linode_without_id() {
    let nothing = |status| Err(CallError::Api(ApiError::empty(status)));
    scripted(vec![nothing(503), nothing(429), nothing(500)], |client, script, _| async move {
        assert!(client.list_instances(&purpose(), Filter::tag("x")).await.unwrap().is_empty());
        assert!(client.list_pools(&purpose(), ClusterId(1)).await.unwrap().is_empty());
        assert_eq!(client.get_instance(&purpose(), InstanceId(7)).await.unwrap().id, InstanceId(0));
        assert_eq!(seconds(&script), [0, 0, 0], "nothing was asked again");
    });
}

/// linodego takes the number of pages from each page anew, and an answer without fields tells of none.
#[test]
fn a_page_without_reasons_ends_the_walk_as_if_the_list_were_whole() {
    let answers = vec![page(1, &[1]), Err(CallError::Api(ApiError::empty(500))), page(3, &[5])];
    scripted(answers, |client, script, _| async move {
        let all = client.list_instances(&purpose(), Filter::tag("x")).await.unwrap();
        assert_eq!(all.iter().map(|linode| linode.id.0).collect::<Vec<_>>(), [1]);
        assert_eq!(script.asked.borrow().len(), 2);
    });
}

#[test]
fn a_list_that_grows_is_walked_to_its_new_end() {
    let grown = |number, pages, id| match page(number, &[id]) {
        Ok(Reply::Instances(page)) => Ok(Reply::Instances(Page { pages, ..page })),
        other => other,
    };
    scripted(vec![grown(1, 2, 1), grown(2, 3, 2), grown(3, 3, 3)], |client, script, _| async move {
        assert_eq!(client.list_instances(&purpose(), Filter::tag("x")).await.unwrap().len(), 3);
        assert_eq!(script.asked.borrow().len(), 3);
    });
}
