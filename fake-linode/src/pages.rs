//! Pages of a list.

use lkesim_linode_api::wire::beyond_all_pages;
use lkesim_linode_api::{ApiError, Page, PageRequest};
use std::sync::Arc;

/// Refuses a page size that the API does not take (recorded text).
pub(crate) fn check(page: PageRequest) -> Result<(), ApiError> {
    match page.size {
        25..=500 => Ok(()),
        _ => Err(ApiError::field("page_size", "Must be 25-500")),
    }
}

/// The asked page of a list whose entries `pick` makes. A page past the end is empty (reported, `hampel/linode-api`
/// `CLAUDE.md`); one beyond all that the API counts is the last one (documented, OpenAPI 4.176.0).
pub(crate) fn slice<S, T>(list: &[S], page: PageRequest, pick: impl Fn(&S) -> T) -> Page<T> {
    let size = page.size as usize;
    let pages = list.len().div_ceil(size).max(1) as u32;
    let number = if beyond_all_pages(page) { pages } else { page.page };
    let from = (number as usize - 1).saturating_mul(size).min(list.len());
    let until = (from + size).min(list.len());
    Page {
        data: list[from..until].iter().map(pick).collect::<Arc<[T]>>(),
        page: number,
        pages,
        results: list.len() as u32,
    }
}
