//! The same scenario with calls as function calls and with calls over HTTP: the provider's code can't tell.
//!
//! The run is on tokio with a paused clock, and so is the server, which serves the run's own cloud. While a request is
//! on its way a blocking task holds the clock: no virtual time passes on a socket.

use crate::parity::{with_constant_delays, without_schedule};
use crate::support::{Run, broken, design};
use fake_linode::http::{Bounds, Server, serve};
use fake_linode::{Cloud, TokenId};
use lkesim_judge::Outcome;
use lkesim_linode_api::http::HttpLinode;
use lkesim_linode_api::{CallNumber, Request};
use lkesim_runtime::Runtime;
use lkesim_runtime::real::on_tokio;
use lkesim_sim::{Carried, Carrier, run_over};
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::{Arc, mpsc};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::{spawn_blocking, spawn_local};

/// Clients of one server, one a token.
struct OverHttp(Vec<HttpLinode>);

impl Carrier for OverHttp {
    fn carry(&self, token: TokenId, number: CallNumber, request: &Request) -> Carried {
        let (client, request) = (self.0[usize::from(token.0)].clone(), request.clone());
        Box::pin(async move {
            let (done, waits) = mpsc::channel::<()>();
            let holds = spawn_blocking(move || waits.recv());
            let answer = client.exchange_numbered(&request, number).await;
            drop(done);
            // It ends as its channel does.
            let _ = holds.await;
            answer
        })
    }
}

/// Serves the cloud, and gives the way to it.
fn connect(cloud: &Rc<RefCell<Cloud>>, runtime: Runtime) -> (Rc<Server>, OverHttp) {
    let names = cloud.borrow().settings().tokens.iter().map(|token| token.client.clone()).collect::<Vec<Arc<str>>>();
    let server = Server::over(cloud.clone(), names.clone(), Rc::new(move || runtime.now()));
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.set_nonblocking(true).expect("a listener that does not block");
    let at = listener.local_addr().expect("an address");
    let listener = TcpListener::from_std(listener).expect("a listener of tokio");
    // The clock leaps through hours in which a connection is idle.
    let bounds = Bounds { head: Duration::from_secs(1 << 30), ..Bounds::default() };
    spawn_local(serve(listener, server.clone(), bounds, std::future::pending()));
    let client = |token: &Arc<str>| HttpLinode::new(at, token).expect("an address of this machine");
    (server, OverHttp(names.iter().map(client).collect()))
}

/// What comes of a run over HTTP, and how many requests there were.
fn over_http(run: &Run) -> (Outcome, u64) {
    let mut tokio = tokio::runtime::Builder::new_current_thread();
    let tokio = tokio.enable_all().start_paused(true).build().expect("a runtime of tokio");
    let request = run.request();
    tokio::task::LocalSet::new().block_on(&tokio, async {
        let runtime = on_tokio();
        let served = OnceCell::new();
        let outcome = run_over(runtime.clone(), &request, |cloud| {
            let (server, carrier) = connect(cloud, runtime);
            let _ = served.set(server);
            Some(Rc::new(carrier) as Rc<dyn Carrier>)
        });
        let outcome = outcome.await.expect("it runs");
        (outcome, served.get().map_or(0, |server| server.requests()))
    })
}

/// With one NodeClaim all is the same: every call, every time, the end.
#[track_caller]
fn check_all_is_the_same(scenario: &str, design_name: &str) {
    let run = with_constant_delays(scenario).design(design(design_name));
    let in_process = without_schedule(run.outcome());
    assert_eq!(in_process.claims.initialized, 1);
    let (served, requests) = over_http(&run);
    assert_eq!(requests, served.api.calls);
    assert_eq!(in_process, without_schedule(served), "{scenario} {design_name}");
}

#[test]
fn one_claim_under_the_document_is_the_same_over_http() {
    check_all_is_the_same("one-claim-standard", "documented");
    check_all_is_the_same("one-claim-enterprise", "documented");
}

#[test]
fn one_claim_under_what_is_shipped_is_the_same_over_http() {
    check_all_is_the_same("one-claim-standard", "shipped");
    check_all_is_the_same("one-claim-enterprise", "shipped");
}

#[test]
fn one_claim_under_v0_1_3_is_the_same_over_http() {
    check_all_is_the_same("one-claim-standard", "v0.1.3");
    check_all_is_the_same("one-claim-enterprise", "v0.1.3");
}

/// Twelve claims of three keys: who is first is the driver's choice, what comes of it is not.
#[test]
fn two_node_pools_come_to_the_same_end_over_http() {
    let run = with_constant_delays("two-pools");
    let (in_process, (served, requests)) = (run.outcome(), over_http(&run));
    assert_eq!(requests, served.api.calls);
    assert_eq!(in_process.claims, served.claims);
    assert_eq!(in_process.instances, served.instances);
    assert_eq!(in_process.ending.settled, served.ending.settled);
    assert_eq!(broken(&in_process), broken(&served));
}
