//! Whose call it is.

use crate::TokenId;
use lkesim_linode_api::wire::Method;
use std::sync::Arc;

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    /// The holder of a token.
    Known(TokenId),
    /// Who shows none, on a path that needs none. All of them share one window of each limit.
    Anybody(TokenId),
    /// Who shows none where one is needed, or one that nobody has.
    Nobody,
}

/// Judges the header `Authorization`.
///
/// Source: OpenAPI 4.189.0 names no security for the public paths.
pub(super) fn judge(authorization: Option<&str>, tokens: &[Arc<str>], method: Method, path: &str) -> Who {
    let anybody = TokenId(tokens.len() as u16);
    let Some(authorization) = authorization else {
        return if is_public(method, path) { Who::Anybody(anybody) } else { Who::Nobody };
    };
    let token = authorization.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    let place = token.and_then(|(_, token)| tokens.iter().position(|known| **known == *token.trim()));
    place.map_or(Who::Nobody, |place| Who::Known(TokenId(place as u16)))
}

/// Whether a path needs no token: regions, their availability, types.
fn is_public(method: Method, path: &str) -> bool {
    let below = |root: &str| path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    method == Method::Get && (below("/regions") || below("/linode/types") || path == "/lke/types")
}
