//! What a body may have under `/v4beta` alone. What `/v4` makes of it is *unknown*.
//!
//! Source: the specification of linode-cli 5.69.0 and OpenAPI of 2026-03, which mark these fields as beta.

use lkesim_linode_api::{LkePoolCreate, Rarer, Request, Tier};

/// A field of the request that is in beta.
pub(super) fn field(request: &Request) -> Option<&'static str> {
    match request {
        Request::CreatePool { body, .. } => of_creation(body),
        Request::UpdatePool { body, .. } => {
            let more = body.more.as_deref();
            first([
                ("firewall_id", more.is_some_and(|more| more.firewall.is_some())),
                ("k8s_version", body.k8s_version.is_some()),
                ("update_strategy", more.is_some_and(|more| more.update_strategy.is_some())),
            ])
        }
        Request::Rarer(call) => match &**call {
            Rarer::CreateCluster { body } => {
                let own = [
                    ("tier", body.tier == Tier::Enterprise),
                    ("audit_logs_enabled", body.audit_logs_enabled.is_some()),
                ];
                first(own).or_else(|| body.lke_pools.iter().find_map(of_creation))
            }
            Rarer::UpdateCluster { body, .. } => first([("audit_logs_enabled", body.audit_logs_enabled.is_some())]),
            _ => None,
        },
        _ => None,
    }
}

fn of_creation(body: &LkePoolCreate) -> Option<&'static str> {
    first([
        ("firewall_id", body.firewall.is_some()),
        ("k8s_version", body.k8s_version.is_some()),
        ("update_strategy", body.more.as_ref().is_some_and(|more| more.update_strategy.is_some())),
    ])
}

fn first<const N: usize>(given: [(&'static str, bool); N]) -> Option<&'static str> {
    given.into_iter().find_map(|(field, is_given)| is_given.then_some(field))
}
