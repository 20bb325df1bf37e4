//! Answers to calls that a fault hits and that need the state all the same.

use crate::fault::{Cut, double};
use crate::{Cloud, Handled, NotModelled};
use lkesim_linode_api::{Call, CallError, Headers, PageRequest, Reply, Request};
use lkesim_runtime::Word;
use std::time::Duration;

impl Cloud {
    /// Answers a read as it would have been answered so long ago.
    pub(crate) fn serve_as_of(&mut self, age: Duration, call: &Call, headers: Headers) -> Result<Handled, NotModelled> {
        match self.world.serve_as_of(age, &call.request) {
            Some(served) => self.handled(served, headers),
            None => self.serve(call, headers),
        }
    }

    pub(crate) fn serve_cut(
        &mut self,
        cut: Cut,
        word: Word,
        call: &Call,
        headers: Headers,
    ) -> Result<Handled, NotModelled> {
        let mut handled = self.serve(call, headers)?;
        handled.truncated = handled.answer.result.as_mut().is_ok_and(|reply| cut.apply(reply, word));
        Ok(handled)
    }

    pub(crate) fn serve_doubled(&mut self, call: &Call, headers: Headers) -> Result<Handled, NotModelled> {
        let mut handled = self.serve(call, headers)?;
        let before = page_before(&call.request).map(|request| Call { request, ..call.clone() });
        let before: Option<Reply> = match before {
            Some(before) => self.serve(&before, headers)?.answer.result.ok(),
            None => None,
        };
        if let Ok(reply) = &mut handled.answer.result {
            double(reply, before.as_ref());
        }
        Ok(handled)
    }

    /// Carries a call out whose answer the client can't read. A refusal stays one.
    pub(crate) fn serve_unreadable(
        &mut self,
        what: &'static str,
        call: &Call,
        headers: Headers,
    ) -> Result<Handled, NotModelled> {
        let mut handled = self.serve(call, headers)?;
        if handled.answer.result.is_ok() {
            handled.answer.result = Err(CallError::Unreadable(what));
        }
        Ok(handled)
    }
}

/// The same question for the page before, of a page that is not the first.
fn page_before(request: &Request) -> Option<Request> {
    let mut before = request.clone();
    let page: &mut PageRequest = match &mut before {
        Request::ListClusters { page, .. }
        | Request::ListPools { page, .. }
        | Request::ListInstances { page, .. }
        | Request::ListTypes { page }
        | Request::ListRegionAvailability { page, .. } => page,
        Request::Rarer(call) => call.page_mut()?,
        _ => return None,
    };
    page.page = page.page.checked_sub(1).filter(|&number| number > 0)?;
    Some(before)
}
