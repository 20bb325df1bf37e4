//! The scope that a call needs, as the header `X-Accepted-OAuth-Scopes` tells it (recorded).

use lkesim_linode_api::wire::Method;

pub(super) fn needed(method: Method, path: &str) -> &'static str {
    let reads = method == Method::Get;
    match path.split('/').nth(1) {
        Some("lke") if reads => "lke:read_only",
        Some("lke") => "lke:read_write",
        Some("linode") if path.starts_with("/linode/instances") && reads => "linodes:read_only",
        Some("linode") if path.starts_with("/linode/instances") => "linodes:read_write",
        _ => "*",
    }
}
