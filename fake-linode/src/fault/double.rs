//! Shows an entry of a list twice, as happens when a list changes between two pages: the last entry of a page slips to
//! the next. A list of one page shows its first entry again at the end.

use lkesim_linode_api::{Page, RarerReply, Reply};

/// Adds the entry, if there is one to add. `before` is the reply to the page before, of a page that is not the first.
pub(crate) fn double(reply: &mut Reply, before: Option<&Reply>) {
    match (reply, before) {
        (Reply::Clusters(page), None) => alone(page),
        (Reply::Pools(page), None) => alone(page),
        (Reply::Instances(page), None) => alone(page),
        (Reply::Types(page), None) => alone(page),
        (Reply::Availabilities(page), None) => alone(page),
        (Reply::Clusters(page), Some(Reply::Clusters(before))) => slip(page, before),
        (Reply::Pools(page), Some(Reply::Pools(before))) => slip(page, before),
        (Reply::Instances(page), Some(Reply::Instances(before))) => slip(page, before),
        (Reply::Types(page), Some(Reply::Types(before))) => slip(page, before),
        (Reply::Availabilities(page), Some(Reply::Availabilities(before))) => slip(page, before),
        (Reply::Rarer(rarer), None) => match &mut **rarer {
            RarerReply::ApiEndpoints(page) | RarerReply::Tags(page) => alone(page),
            RarerReply::TaggedObjects(page) => alone(page),
            _ => {}
        },
        (Reply::Rarer(rarer), Some(Reply::Rarer(before))) => match (&mut **rarer, &**before) {
            (RarerReply::ApiEndpoints(page), RarerReply::ApiEndpoints(before))
            | (RarerReply::Tags(page), RarerReply::Tags(before)) => slip(page, before),
            (RarerReply::TaggedObjects(page), RarerReply::TaggedObjects(before)) => slip(page, before),
            _ => {}
        },
        _ => {}
    }
}

/// Of a list of one page, the first entry comes again.
pub(crate) fn alone<T: Clone>(page: &mut Page<T>) {
    let first = page.data.first().filter(|_| page.pages <= 1).cloned();
    page.data = page.data.iter().cloned().chain(first).collect();
}

/// The last entry of the page before comes again.
pub(crate) fn slip<T: Clone>(page: &mut Page<T>, before: &Page<T>) {
    let last = before.data.last().cloned();
    page.data = last.into_iter().chain(page.data.iter().cloned()).collect();
}
