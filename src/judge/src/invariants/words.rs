//! How violations name things.

use crate::truth::{Claim, Truth, Write};
use lkesim_linode_api::{CallNumber, InstanceId, LkePoolId};

/// `linode/1001`
pub fn linode(instance: InstanceId) -> String {
    format!("linode/{instance}")
}

/// `lke_pool/12`
pub fn lke_pool(lke_pool: LkePoolId) -> String {
    format!("lke_pool/{lke_pool}")
}

/// `nodeclaim/burst-07`
pub fn claim(truth: &Truth, uid: u64) -> String {
    truth.claim(uid).map_or_else(|| format!("nodeclaim with uid {uid}"), Claim::to_string)
}

/// `nodeclaim/a, nodeclaim/b and nodeclaim/c`
pub fn list(names: &[String]) -> String {
    match names {
        [] => "nothing".into(),
        [only] => only.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// Who did it: `PUT /linode/instances/{id} (request 17, Create for nodeclaim/a)`.
pub fn doer(truth: &Truth, call: Option<CallNumber>) -> String {
    let Some(number) = call else {
        return "no request (the cloud itself)".into();
    };
    let Some(write) = truth.write(call) else {
        return format!("request {number}");
    };
    let Write { operation, caller, endpoint, .. } = write;
    let subject = write.claim.map(|uid| format!(" for {}", claim(truth, uid))).unwrap_or_default();
    format!("{endpoint} (request {number}, {}{subject}, asked by {caller})", operation.name())
}
