//! Paths that answer the same all the time: types by a filter, regions, types of LKE, versions, the token's profile.
//! And paths that the live API has and nothing here models.

use super::object::Version;
use super::recorded::Recorded;
use super::render::envelope;
use crate::catalogue::k8s_versions;
use crate::{Still, TokenId, pages};
use hyper::body::Bytes;
use lkesim_linode_api::filter::{Filter, Value as Asked};
use lkesim_linode_api::wire::{HttpRequest, Method, NoRequest, dumps, page_of, unescape};
use lkesim_linode_api::{ApiError, Endpoint, PageRequest, Tier};
use serde_json::{Value, json};

/// What such a path answers.
pub(super) struct Static {
    pub endpoint: Endpoint,
    pub answer: Result<Shown, NoRequest>,
}

/// An answer, as far as no fault changes it.
pub(super) enum Shown {
    One(Bytes),
    /// The rows that a filter leaves, and the page of them that is asked for.
    Rows(Vec<Value>, PageRequest),
}

impl Shown {
    /// Its body, once the cloud has judged the call.
    pub fn body(&self, still: &Still) -> Bytes {
        match self {
            Shown::One(body) => body.clone(),
            Shown::Rows(rows, asked) => {
                let slice = |asked: PageRequest| pages::slice(rows, asked, Value::clone);
                let before = || (asked.page > 1).then(|| slice(PageRequest { page: asked.page - 1, ..*asked }));
                let mut page = slice(*asked);
                still.spoil(&mut page, before);
                envelope(&page, |row, body| dumps::write(body, row))
            }
        }
    }
}

/// What a path that exists is not answered with.
pub(super) enum NotStill {
    WrongMethod,
    NotModelled(&'static str),
}

/// Looks a path up; none where it is no such path.
pub(super) fn find(http: &HttpRequest, version: Version, token: TokenId) -> Option<Result<Static, NotStill>> {
    let segments: Vec<&str> = http.path.split('/').skip(1).collect();
    let recorded = Recorded::get();
    let standard = || of_tier(Tier::Standard, false);
    let found = match segments[..] {
        ["regions"] => list(Endpoint::ListRegions, http, &recorded.regions, &["country", "site_type"]),
        ["regions", region] => one(Endpoint::GetRegion, recorded.regions.iter().find(|own| is(own, region))),
        // With a filter, that is: the others are a call of their own.
        ["linode", "types"] => list(Endpoint::ListTypes, http, &recorded.types, &TYPE_FIELDS),
        ["lke", "types"] => list(Endpoint::ListLkeTypes, http, &recorded.lke_types, &["label", "transfer", "price"]),
        ["lke", "versions"] => list(Endpoint::ListVersions, http, &standard(), &[]),
        ["lke", "versions", asked] => one(Endpoint::GetVersion, standard().iter().find(|own| is(own, asked))),
        ["lke", "tiers", tier, "versions", ref asked @ ..] if asked.len() < 2 => tiers(http, version, tier, asked)?,
        ["profile"] => Static { endpoint: Endpoint::GetProfile, answer: Ok(Shown::One(dumps(&profile(token)).into())) },
        _ => return None,
    };
    Some(match http.method {
        Method::Get => Ok(found),
        // The profile can be changed in truth.
        Method::Put if segments == ["profile"] => Err(NotStill::NotModelled("a change of the profile")),
        _ => Err(NotStill::WrongMethod),
    })
}

fn is(own: &Value, id: &str) -> bool {
    own.get("id").and_then(Value::as_str) == unescape(id).as_deref()
}

fn one(endpoint: Endpoint, found: Option<&Value>) -> Static {
    let answer = found.map(|value| Shown::One(dumps(value).into())).ok_or_else(|| ApiError::not_found().into());
    Static { endpoint, answer }
}

/// Versions by tier: the beta alone has them.
fn tiers(http: &HttpRequest, version: Version, tier: &str, asked: &[&str]) -> Option<Static> {
    let tier = Tier::named(tier).filter(|_| version == Version::V4Beta)?;
    let rows = of_tier(tier, true);
    Some(match asked.first() {
        None => list(Endpoint::ListTierVersions, http, &rows, &[]),
        Some(asked) => one(Endpoint::GetTierVersion, rows.iter().find(|own| is(own, asked))),
    })
}

fn of_tier(tier: Tier, with_tier: bool) -> Vec<Value> {
    let row = |id: &&str| if with_tier { json!({"id": id, "tier": tier.name()}) } else { json!({"id": id}) };
    k8s_versions(tier).iter().map(row).collect()
}

fn list(endpoint: Endpoint, http: &HttpRequest, rows: &[Value], fields: &[&str]) -> Static {
    Static { endpoint, answer: found(http, rows, fields) }
}

fn found(http: &HttpRequest, rows: &[Value], fields: &[&str]) -> Result<Shown, NoRequest> {
    let page = page_of(&http.query)?;
    let filter = http.x_filter.as_deref().map(Filter::parse).transpose().map_err(|error| match error.answer() {
        Some(answer) => NoRequest::Refused(answer),
        None => NoRequest::NotModelled(error.to_string()),
    })?;
    let unknown = filter.iter().flat_map(Filter::fields).find(|field| !fields.contains(field));
    if let Some(field) = unknown {
        if http.path == "/linode/types" && field == UNRECORDED {
            return Err(NoRequest::NotModelled(format!("the filter `{field}` of types")));
        }
        return Err(ApiError::field("X-Filter", format!("Cannot filter on {field}")).into());
    }
    if filter.as_ref().is_some_and(|filter| filter.order_by().is_some()) {
        return Err(NoRequest::NotModelled(format!("an order of GET {}", http.path)));
    }
    let found = rows.iter().filter(|row| filter.as_ref().is_none_or(|filter| finds(filter, row)));
    Ok(Shown::Rows(found.cloned().collect(), page))
}

fn finds(filter: &Filter, row: &Value) -> bool {
    filter.matches_with(|atom| atom.holds(|test| row.get(&*atom.field).is_some_and(|value| any(value, test))))
}

fn any(value: &Value, test: &mut dyn FnMut(Asked<'_>) -> bool) -> bool {
    match value {
        Value::Null => test(Asked::Null),
        Value::Bool(truth) => test(Asked::Bool(*truth)),
        Value::String(text) => test(Asked::Text(text)),
        Value::Number(number) => number.as_i128().is_some_and(|number| test(Asked::Number(number))),
        Value::Array(values) => values.iter().any(|value| any(value, test)),
        Value::Object(_) => false,
    }
}

/// The profile of a token's user, with the fields of a recorded one (linodego 676b9dbe, `TestProfile_Get`).
fn profile(token: TokenId) -> Value {
    json!({
        "uid": 1_000 + u64::from(token.0), "username": format!("user-{}", token.0), "email": "user@example.org",
        "verified_phone_number": null, "timezone": "GMT", "email_notifications": true,
        "referrals": {"code": "", "url": "", "total": 0, "completed": 0, "pending": 0, "credit": 0},
        "ip_whitelist_enabled": false, "lish_auth_method": "password_keys", "authorized_keys": null,
        "two_factor_auth": true, "restricted": false, "authentication_type": "password", "user_type": "default"
    })
}

/// What types can be filtered by as well, and the recorded ones do not have.
const UNRECORDED: &str = "accelerated_devices";

/// What types can be filtered by, as the specification 4.229.1 has it.
const TYPE_FIELDS: [&str; 8] = ["class", "disk", "gpus", "label", "memory", "network_out", "transfer", "vcpus"];

/// Where the live API has paths, by their beginnings.
const HAS: [&str; 23] = [
    "account",
    "betas",
    "databases",
    "domains",
    "images",
    "longview",
    "maintenance",
    "managed",
    "monitor",
    "netloadbalancers",
    "networking",
    "nodebalancers",
    "object-storage",
    "placement",
    "profile",
    "security-questions",
    "support",
    "volumes",
    "vpcs",
    "vlans",
    "linode/kernels",
    "linode/stackscripts",
    "iam",
];

/// Paths below objects that are modelled, which the live API has.
const PARTS: [&str; 14] = [
    "backups",
    "clone",
    "configs",
    "disks",
    "firewalls",
    "interfaces",
    "ips",
    "migrate",
    "mutate",
    "rebuild",
    "rescue",
    "resize",
    "stats",
    "vpc-availability",
];

/// Whether the live API has something at this path, as far as is known: it then is not modelled here, rather than
/// absent.
pub(super) fn exists(path: &str) -> bool {
    let rest = path.trim_start_matches('/');
    let begins =
        |root: &&'static str| rest.strip_prefix(*root).is_some_and(|more| more.is_empty() || more.starts_with('/'));
    let is_part = || {
        let below =
            rest.starts_with("lke/clusters/") || rest.starts_with("linode/instances/") || rest.starts_with("regions/");
        below && rest.split('/').skip(2).any(|segment| PARTS.contains(&segment))
    };
    HAS.iter().any(begins) || is_part()
}
