//! Faults, put on and taken off while the cloud runs.

use super::{Done, Said, Wrong, object};
use crate::http::state::Server;
use hyper::Method;
use lkesim_linode_api::wire::unescape;
use serde_json::{Value, json};

/// `/_fake/faults`
pub(super) fn all(server: &Server, method: &Method, body: &[u8]) -> Done {
    match *method {
        Method::GET => Ok(Said::Json(list(server))),
        Method::POST => post(server, &object(body)?),
        Method::DELETE => {
            server.state.borrow_mut().cloud.borrow_mut().remove_faults(|_| true);
            Ok(Said::Json(list(server)))
        }
        _ => Err(Wrong(405, format!("{method} /_fake/faults: expected GET, POST or DELETE"))),
    }
}

/// `/_fake/faults/NAME`
pub(super) fn one(server: &Server, method: &Method, name: &str, body: &[u8]) -> Done {
    let name = unescape(name).unwrap_or_default();
    let state = server.state.borrow_mut();
    let mut cloud = state.cloud.borrow_mut();
    let (meant, said) = match *method {
        Method::DELETE => (cloud.remove_faults(|known| known == name), json!({"name": name, "deleted": true})),
        Method::POST => match object(body)?.get("on") {
            Some(Value::Bool(on)) => (cloud.switch_faults(|known| known == name, *on), json!({"name": name, "on": on})),
            _ => return Err(Wrong::input("the body: expected {\"on\": true} or {\"on\": false}")),
        },
        _ => return Err(Wrong(405, format!("{method} /_fake/faults/{name}: expected DELETE or POST"))),
    };
    match meant {
        0 => Err(Wrong::absent(format!("there is no fault `{name}`; GET /_fake/faults names those that there are"))),
        _ => Ok(Said::Json(said)),
    }
}

fn list(server: &Server) -> Value {
    let state = server.state.borrow();
    let fault = |(name, on, hits): (&std::sync::Arc<str>, bool, u64)| json!({"name": &**name, "on": on, "hits": hits});
    let cloud = state.cloud.borrow();
    json!({"faults": cloud.faults().map(fault).collect::<Vec<_>>()})
}

fn post(server: &Server, written: &Value) -> Done {
    let mut fault = server.source.fault(written).map_err(Wrong::input)?;
    let kind = written.as_object().and_then(|map| map.keys().next().cloned()).unwrap_or_default();
    let mut state = server.state.borrow_mut();
    let now = server.now();
    state.advance(now);
    state.posted += 1;
    fault.name = format!("{kind}-{}", state.posted).into();
    let name = fault.name.clone();
    state.cloud.borrow_mut().add_fault(fault);
    Ok(Said::Json(json!({"name": &*name})))
}
