//! Calls and answers as HTTP carries them, both ways.
//!
//! [`HttpRequest::of`] writes a [`Request`] as linodego v2.3.0 sends it, [`HttpRequest::request`] reads what any client
//! sends: reading what was written gives the request back. Replies are read by [`read_answer`] with the fields of their
//! objects alone; who serves them writes all fields of the live API, in its order.
//!
//! The wire knows no host, no version and no token: `/v4` or `/v4beta` before a path is the server's matter.

pub mod body;
mod decode;
pub mod dumps;
mod encode;
mod path;
mod query;
mod reply;
pub mod time;

pub use dumps::dumps;
pub use path::{escape, unescape};
pub use query::{beyond_all_pages, page_of};
pub use reply::{Arrived, read_answer};

use crate::error::ApiError;
use crate::request::Request;
use std::fmt;

/// The methods of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    /// Reads.
    Get,
    /// Makes, or starts an action.
    Post,
    /// Changes the fields that it names.
    Put,
    /// Removes.
    Delete,
}

impl Method {
    /// Its name in HTTP.
    pub const fn name(self) -> &'static str {
        match self {
            Method::Get => "GET",
            Method::Post => "POST",
            Method::Put => "PUT",
            Method::Delete => "DELETE",
        }
    }

    /// The method of this name, if the API has it.
    pub fn named(name: &str) -> Option<Method> {
        [Method::Get, Method::Post, Method::Put, Method::Delete].into_iter().find(|method| method.name() == name)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What of a HTTP request the API judges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpRequest {
    /// The method.
    pub method: Method,
    /// The path behind the version: `/lke/clusters`.
    pub path: String,
    /// What stands behind the `?`; empty where nothing does.
    pub query: String,
    /// The header `X-Filter`.
    pub x_filter: Option<String>,
    /// The body, where there is one.
    pub body: Option<String>,
}

/// Why a HTTP request is none that is carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoRequest {
    /// No path of the API that is modelled here: 404, unless who serves it knows better.
    UnknownPath,
    /// The path does not have this method: 405.
    WrongMethod,
    /// The API refuses what is asked.
    Refused(ApiError),
    /// Nothing here models what is asked, so that no answer may stand for it.
    NotModelled(String),
}

impl From<ApiError> for NoRequest {
    fn from(error: ApiError) -> NoRequest {
        NoRequest::Refused(error)
    }
}

impl HttpRequest {
    /// The request as linodego v2.3.0 sends it.
    pub fn of(request: &Request) -> HttpRequest {
        encode::encode(request)
    }

    /// The call that it asks for.
    ///
    /// # Errors
    /// Where it asks for none, see [`NoRequest`].
    pub fn request(&self) -> Result<Request, NoRequest> {
        decode::decode(self)
    }
}

#[cfg(test)]
mod tests;
