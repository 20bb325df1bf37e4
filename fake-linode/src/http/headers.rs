//! The headers of a reply of the API.
//!
//! Recorded in linodego 676b9dbe, `TestLKENodePool_GetFound`; those of the limits, which the recordings strip, as a
//! third party's notes from live runs have them: they ride on every reply, a success's too.

use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use lkesim_linode_api::Headers;
use lkesim_linode_api::UnixSeconds;
use lkesim_linode_api::wire::time;

/// What `Retry-After` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RetryAfter {
    Seconds(u32),
    Text(String),
    Absent,
}

/// What a reply's headers depend on.
pub(super) struct About {
    /// The time.
    pub now: UnixSeconds,
    pub limits: Headers,
    pub retry_after: RetryAfter,
    /// The scopes of the token: `*`, or `unknown` for one that nobody has.
    pub scopes: &'static str,
    pub needed_scope: &'static str,
    pub maintenance: bool,
    pub json: bool,
    /// Whether a nginx before the API answers, which has none of the API's headers.
    pub proxy: bool,
}

/// Newer than what linode-cli 5.69.0 ships would make that client look for an update of itself.
const SPEC_VERSION: &str = "4.229.1";

const ALWAYS: [(HeaderName, &str); 10] = [
    (
        hyper::header::ACCESS_CONTROL_ALLOW_HEADERS,
        "Authorization, Origin, X-Requested-With, Content-Type, Accept, X-Filter",
    ),
    (hyper::header::ACCESS_CONTROL_ALLOW_METHODS, "HEAD, GET, OPTIONS, POST, PUT, DELETE"),
    (hyper::header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
    (hyper::header::CACHE_CONTROL, "max-age=0, no-cache, no-store"),
    (hyper::header::CONTENT_SECURITY_POLICY, "default-src 'none'"),
    (hyper::header::PRAGMA, "no-cache"),
    (hyper::header::STRICT_TRANSPORT_SECURITY, "max-age=31536000"),
    (hyper::header::VARY, "Authorization, X-Filter"),
    (hyper::header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (hyper::header::X_FRAME_OPTIONS, "DENY"),
];

static EXPOSED: &str = "X-OAuth-Scopes, X-Accepted-OAuth-Scopes, X-Status";

pub(super) fn fill(headers: &mut HeaderMap, about: &About) {
    let mut put = |name: &'static str, value: HeaderValue| {
        headers.insert(HeaderName::from_static(name), value);
    };
    let date = text(&http_date(about.now));
    put("date", date.clone());
    put("content-type", HeaderValue::from_static(if about.json { "application/json" } else { "text/html" }));
    match &about.retry_after {
        RetryAfter::Seconds(secs) => put("retry-after", (*secs).into()),
        RetryAfter::Text(set) => put("retry-after", text(set)),
        RetryAfter::Absent => {}
    }
    if about.proxy {
        put("server", HeaderValue::from_static("nginx"));
        return;
    }
    if about.maintenance {
        put("x-maintenance-mode", HeaderValue::from_static("all,All endpoints are temporarily unavailable."));
    }
    put("expires", date);
    put("x-ratelimit-limit", about.limits.limit.into());
    put("x-ratelimit-remaining", about.limits.remaining.into());
    put("x-ratelimit-reset", (about.now.0 + u64::from(about.limits.retry_after_secs)).into());
    put("x-oauth-scopes", HeaderValue::from_static(about.scopes));
    put("x-accepted-oauth-scopes", HeaderValue::from_static(about.needed_scope));
    put("x-spec-version", HeaderValue::from_static(SPEC_VERSION));
    put("x-customer-uuid", HeaderValue::from_static("00000000-0000-0000-0000-000000000001"));
    put("access-control-allow-credentials", HeaderValue::from_static("true"));
    put("access-control-expose-headers", HeaderValue::from_static(EXPOSED));
    for (name, value) in &ALWAYS {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

fn text(set: &str) -> HeaderValue {
    HeaderValue::from_str(set).unwrap_or(HeaderValue::from_static(""))
}

/// `Thu, 01 Jan 2026 00:00:00 GMT`
pub(super) fn http_date(at: UnixSeconds) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let text = time::write(at);
    let (year, rest) = text.split_at(text.len() - 15);
    let month = rest[1..3].parse::<usize>().map_or("", |month| MONTHS[month - 1]);
    let day = DAYS[(at.0 / 86_400 % 7) as usize];
    format!("{day}, {} {month} {year} {} GMT", &rest[4..6], &rest[7..])
}

#[cfg(test)]
mod tests;
