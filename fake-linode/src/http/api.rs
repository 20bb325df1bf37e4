//! One request of the API: whose it is, what it asks for, what the cloud says, and how that looks on the wire.

use super::auth::{self, Who};
use super::headers::{About, RetryAfter};
use super::log::Entry;
use super::object::Version;
use super::state::State;
use super::statics::{self, NotStill, Static};
use super::{beta, render, scopes};
use crate::{Handled, TokenId};
use hyper::body::Bytes;
use lkesim_linode_api::wire::{HttpRequest, Method, NoRequest};
use lkesim_linode_api::{ApiError, Call, CallError, CallNumber, ErrorBody, Headers, RateClass, Request, UnixSeconds};
use lkesim_runtime::Time;
use std::sync::Arc;
use std::time::Duration;

/// The reply to a method that a path does not have. Its real body is *unknown*.
pub const WRONG_METHOD: &str = "Method not allowed";

/// The reply to a body of more than a server takes. Its real text is *unknown*.
pub const TOO_LARGE: &str = "Request body is too large";

/// A request as it came.
pub(super) struct Asked {
    pub method: String,
    pub path: String,
    pub query: String,
    pub authorization: Option<String>,
    pub x_filter: Option<String>,
    /// The number that who drives the cloud gives it.
    pub call: Option<CallNumber>,
    /// None where it is larger than is taken.
    pub body: Option<Bytes>,
}

/// What comes of a request.
pub(super) struct Outcome {
    /// The reply; none where it is lost.
    pub reply: Option<Reply>,
    /// How much later it comes.
    pub delay: Duration,
}

/// A reply.
pub(super) struct Reply {
    pub status: u16,
    pub body: Bytes,
    pub about: About,
}

/// A reply before it has its headers.
struct Draft {
    result: Result<Bytes, ApiError>,
    limits: Headers,
    retry_after: Option<RetryAfter>,
    fault: Option<Arc<str>>,
    lost: bool,
    delay: Duration,
}

impl Draft {
    fn new(result: Result<Bytes, ApiError>, limits: Headers) -> Draft {
        Draft { result, limits, retry_after: None, fault: None, lost: false, delay: Duration::ZERO }
    }

    /// The same with this in place of the reply.
    fn failed(self, error: CallError) -> Draft {
        match error {
            CallError::Api(error) => {
                let retry_after = match (&error.retry_after_text, error.retry_after_secs) {
                    (Some(text), _) => RetryAfter::Text(text.to_string()),
                    (None, Some(secs)) => RetryAfter::Seconds(secs),
                    (None, None) => RetryAfter::Absent,
                };
                Draft { result: Err(error), retry_after: Some(retry_after), ..self }
            }
            CallError::Unreadable(_) => Draft { result: Ok(Bytes::from_static(b"{\"id\": ")), ..self },
            CallError::Timeout | CallError::ConnectionLost | CallError::RetryAfter(_) => Draft { lost: true, ..self },
        }
    }
}

impl State {
    /// Judges a request that has come whole at `now`.
    pub fn answer(&mut self, now: Time, asked: Asked) -> Outcome {
        self.requests += 1;
        let (version, path) = split_version(&asked.path);
        let method = Method::named(&asked.method);
        let who = auth::judge(asked.authorization.as_deref(), &self.tokens, method.unwrap_or(Method::Post), path);
        self.number = asked.call.filter(|_| self.is_driven).unwrap_or(self.requests);
        let draft = self.judge(now, &asked, version, method, path, who);
        self.forget_changes();
        let epoch = self.cloud.borrow().settings().epoch;
        let about = About {
            now: UnixSeconds(epoch.0 + now.as_secs()),
            limits: draft.limits,
            retry_after: draft.retry_after.unwrap_or(RetryAfter::Seconds(draft.limits.retry_after_secs)),
            scopes: if who == Who::Nobody { "unknown" } else { "*" },
            needed_scope: method.map_or("*", |method| scopes::needed(method, path)),
            maintenance: draft.result.as_ref().is_err_and(|error| error.maintenance),
            json: true,
            proxy: false,
        };
        let reply = match draft.result {
            Ok(body) => Reply { status: 200, body, about },
            Err(error) => {
                let (body, json) = render::error(&error);
                let proxy = error.body == ErrorBody::NginxPage;
                Reply { status: error.status, body, about: About { json, proxy, ..about } }
            }
        };
        self.note(now, who, asked, &reply, draft.lost, draft.fault);
        Outcome { reply: (!draft.lost).then_some(reply), delay: draft.delay }
    }

    fn note(&mut self, at: Time, who: Who, asked: Asked, reply: &Reply, lost: bool, fault: Option<Arc<str>>) {
        let token = match who {
            Who::Known(token) => Some(self.tokens[usize::from(token.0)].clone()),
            Who::Anybody(_) | Who::Nobody => None,
        };
        let body = asked.body.filter(|body| !body.is_empty());
        self.log.push(Entry {
            n: self.requests,
            at,
            token,
            method: asked.method,
            path: asked.path,
            query: asked.query,
            x_filter: asked.x_filter,
            body: body.map(|body| String::from_utf8_lossy(&body).into_owned()),
            status: (!lost).then_some(reply.status),
            reply: reply.body.clone().into(),
            fault,
        });
    }

    fn judge(
        &mut self,
        now: Time,
        asked: &Asked,
        version: Option<Version>,
        method: Option<Method>,
        path: &str,
        who: Who,
    ) -> Draft {
        let token = match who {
            Who::Known(token) | Who::Anybody(token) => token,
            Who::Nobody => {
                let anybody = TokenId(self.tokens.len() as u16);
                let limits =
                    self.cloud.borrow_mut().spend(now, anybody, RateClass::Other).unwrap_or_else(|limits| limits);
                return Draft::new(Err(ApiError::new(401, "Invalid Token")), limits);
            }
        };
        let (Some(version), Some(method)) = (version, method) else {
            let error = match (version, &*asked.method) {
                (None, _) => ApiError::not_found(),
                // The live API says that it has them; what they answer, no source tells.
                (_, "HEAD" | "OPTIONS") => not_modelled(format!("the method {}", asked.method)),
                _ => ApiError::new(405, WRONG_METHOD),
            };
            return self.spent(now, token, RateClass::Other, Err(error));
        };
        let http = match http(asked, method, path) {
            Ok(http) => http,
            Err(error) => return self.spent(now, token, class(method, path), Err(error)),
        };
        match http.request() {
            Ok(request) => match beta::field(&request).filter(|_| version == Version::V4) {
                Some(field) => {
                    let error = not_modelled(format!("`{field}` under /v4, which has it in beta alone"));
                    self.spent(now, token, request.endpoint().class(), Err(error))
                }
                None => self.call(now, token, request, version),
            },
            Err(NoRequest::UnknownPath) => match statics::find(&http, version, token) {
                Some(Ok(found)) => self.still(now, token, found),
                Some(Err(NotStill::NotModelled(what))) => {
                    self.spent(now, token, RateClass::Other, Err(not_modelled(what.to_owned())))
                }
                Some(Err(NotStill::WrongMethod)) => {
                    self.spent(now, token, RateClass::Other, Err(ApiError::new(405, WRONG_METHOD)))
                }
                None => {
                    let error = match statics::exists(path) {
                        true => not_modelled(format!("{method} {path}")),
                        false => ApiError::not_found(),
                    };
                    self.spent(now, token, RateClass::Other, Err(error))
                }
            },
            Err(other) => self.spent(now, token, class(method, path), Err(refusal(other))),
        }
    }

    /// A read whose answer never changes.
    fn still(&mut self, now: Time, token: TokenId, found: Static) -> Draft {
        let still = self.cloud.borrow_mut().judge_still(now, token, self.number, &self.purpose, found.endpoint);
        let draft = Draft {
            fault: still.fault.clone(),
            lost: still.lost,
            delay: still.extra_delay,
            ..Draft::new(Ok(Bytes::new()), still.headers)
        };
        match (&still.instead, found.answer) {
            (Some(error), _) => draft.failed(error.clone()),
            (None, Ok(shown)) => Draft { result: Ok(shown.body(&still)), ..draft },
            (None, Err(refused)) => Draft { result: Err(refusal(refused)), ..draft },
        }
    }

    /// A reply that the cloud does not make, which counts against a limit all the same.
    fn spent(&mut self, now: Time, token: TokenId, class: RateClass, result: Result<Bytes, ApiError>) -> Draft {
        match self.cloud.borrow_mut().spend(now, token, class) {
            Ok(limits) => Draft::new(result, limits),
            Err(limits) => Draft::new(Err(ApiError::new(429, "Too many requests")), limits),
        }
    }

    fn call(&mut self, now: Time, token: TokenId, request: Request, version: Version) -> Draft {
        let call = Call { purpose: self.purpose.clone(), attempt: 0, request };
        // Taken out of the match, which would hold the cloud to its end.
        let handled = self.cloud.borrow_mut().handle(now, token, self.number, &call);
        let handled = match handled {
            Ok(handled) => handled,
            Err(what) => {
                let limits =
                    self.cloud.borrow_mut().spend(now, token, RateClass::Other).unwrap_or_else(|limits| limits);
                return Draft::new(Err(not_modelled(what.0)), limits);
            }
        };
        let Handled { answer, extra_delay, lost, fault, .. } = handled;
        let draft = Draft { fault, lost, delay: extra_delay, ..Draft::new(Ok(Bytes::new()), answer.headers) };
        match answer.result {
            Ok(reply) => Draft { result: Ok(self.renderer.reply(&call.request, &reply, version)), ..draft },
            Err(error) => draft.failed(error),
        }
    }
}

/// The version that a path names, and what stands behind it.
fn split_version(path: &str) -> (Option<Version>, &str) {
    for (root, version) in [("/v4/", Version::V4), ("/v4beta/", Version::V4Beta)] {
        if path.starts_with(root) {
            return (Some(version), &path[root.len() - 1..]);
        }
    }
    (None, path)
}

fn http(asked: &Asked, method: Method, path: &str) -> Result<HttpRequest, ApiError> {
    let Some(body) = &asked.body else {
        return Err(ApiError::new(400, TOO_LARGE));
    };
    let Ok(text) = std::str::from_utf8(body) else {
        return Err(ApiError::new(400, lkesim_linode_api::wire::body::INVALID_JSON));
    };
    Ok(HttpRequest {
        method,
        path: path.to_owned(),
        query: asked.query.clone(),
        x_filter: asked.x_filter.clone(),
        body: (!text.is_empty()).then(|| text.to_owned()),
    })
}

fn refusal(error: NoRequest) -> ApiError {
    match error {
        NoRequest::Refused(error) => error,
        NoRequest::UnknownPath => ApiError::not_found(),
        NoRequest::WrongMethod => ApiError::new(405, WRONG_METHOD),
        NoRequest::NotModelled(what) => not_modelled(what),
    }
}

/// The answer to what nothing here models: no status of the live API, so that nobody takes it for one.
fn not_modelled(what: String) -> ApiError {
    ApiError::new(501, format!("not modelled by the fake: {what}"))
}

/// The limit that a call counts against which never became one. Of windows that are kept for endpoints it opens none,
/// and whether a refused body counts in truth is *unknown*.
fn class(method: Method, path: &str) -> RateClass {
    match method {
        Method::Get if is_list(path) => RateClass::List,
        Method::Post if path == "/linode/instances" => RateClass::CreateInstance,
        _ => RateClass::Other,
    }
}

/// Whether a path, without its version, is a list's.
pub(super) fn is_list(path: &str) -> bool {
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    match segments[..] {
        // The bare array.
        ["regions", _, "availability"] => false,
        ["tags", _] => true,
        _ => segments.last().is_some_and(|last| LISTS.contains(last)),
    }
}

/// What the paths of lists end with.
const LISTS: [&str; 9] =
    ["clusters", "pools", "instances", "types", "availability", "tags", "regions", "versions", "api-endpoints"];
