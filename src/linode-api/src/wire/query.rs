//! Pages and filters of a list: the query and the header `X-Filter`.

use super::{HttpRequest, NoRequest, unescape};
use crate::error::ApiError;
use crate::filter::{Filter, FilterError};
use crate::request::PageRequest;

/// The reply to a page that is no number from 1. That pages begin at 1 is *documented*, the text is *unknown*.
pub const PAGE_TEXT: &str = "Must be a positive integer";

/// The reply to a page size that the API does not take (recorded).
pub const PAGE_SIZE_TEXT: &str = "Must be 25-500";

/// The page of a request that asks for more pages than the API counts: of a number above 2^64 divided by the page's
/// size, which is answered with the last page (*documented*, OpenAPI 4.176.0).
pub const fn beyond_all_pages(page: PageRequest) -> bool {
    page.page == u32::MAX
}

/// Writes a page as linodego does: always its number, and its size where that is not the API's own.
pub(super) fn write(page: PageRequest) -> String {
    match page.size {
        size if size == PageRequest::FIRST.size => format!("page={}", page.page),
        size => format!("page={}&page_size={size}", page.page),
    }
}

/// Reads the page that a query asks for. Keys that no list has are ignored, so that a filter in the query finds
/// everything (reported).
///
/// # Errors
/// Status 400 for what is no page.
pub fn page_of(query: &str) -> Result<PageRequest, ApiError> {
    let mut page = PageRequest::FIRST;
    let mut number: u128 = 1;
    for pair in query.split('&') {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        match key {
            // More digits than the number holds are a page beyond all others, like fewer of them.
            "page" => match digits(value).map(|digits| digits.parse().unwrap_or(u128::MAX)) {
                Some(read) if read > 0 => number = read,
                _ => return Err(ApiError::field("page", PAGE_TEXT)),
            },
            "page_size" => match digits(value).map(|digits| digits.parse()) {
                Some(Ok(read @ 25..=500)) => page.size = read,
                _ => return Err(ApiError::field("page_size", PAGE_SIZE_TEXT)),
            },
            _ => {}
        }
    }
    page.page = match number > (1 << 64) / u128::from(page.size) {
        true => u32::MAX,
        // No list has so many pages: all of these are past its end.
        false => u32::try_from(number).unwrap_or(u32::MAX - 1).min(u32::MAX - 1),
    };
    Ok(page)
}

/// A value that is a number, without what escapes it.
fn digits(value: &str) -> Option<String> {
    let value = unescape(value)?;
    (!value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit())).then_some(value)
}

/// The page of a list that no source calls filtered.
///
/// # Errors
/// Where there is a filter: what the server makes of it is *unknown*.
pub(super) fn unfiltered(http: &HttpRequest) -> Result<PageRequest, NoRequest> {
    let (filter, page) = list(http)?;
    match filter.is_none_or(|filter| filter.fields().is_empty()) {
        true => Ok(page),
        false => Err(NoRequest::NotModelled(format!("a filter of GET {}", http.path))),
    }
}

/// Reads page and filter of a list.
pub(super) fn list(http: &HttpRequest) -> Result<(Option<Filter>, PageRequest), NoRequest> {
    let page = page_of(&http.query)?;
    Ok((filter(http)?, page))
}

fn filter(http: &HttpRequest) -> Result<Option<Filter>, NoRequest> {
    let parsed = http.x_filter.as_deref().map(Filter::parse).transpose();
    parsed.map_err(|error: FilterError| match error.answer() {
        Some(answer) => NoRequest::Refused(answer),
        None => NoRequest::NotModelled(error.to_string()),
    })
}
