//! Leaves entries out of a list that the API should show: a replica that lacks them, or a list that breaks off.
//!
//! The reply says nothing of it: of a list that breaks off, it counts what it shows.

use lkesim_linode_api::{Page, RarerReply, Reply};
use lkesim_runtime::{Entity, Ppm, Word};

/// What a list lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// All but the first so many of the whole list.
    After(u32),
    /// Each entry, with this likelihood.
    Each(Ppm),
}

impl Cut {
    /// Cuts a reply; whether anything is missing.
    pub(crate) fn apply(self, reply: &mut Reply, word: Word) -> bool {
        match reply {
            Reply::Clusters(page) => self.cut(page, word),
            Reply::Pools(page) => self.cut(page, word),
            Reply::Instances(page) => self.cut(page, word),
            Reply::Types(page) => self.cut(page, word),
            Reply::Availabilities(page) => self.cut(page, word),
            Reply::Rarer(rarer) => match &mut **rarer {
                RarerReply::ApiEndpoints(page) | RarerReply::Tags(page) => self.cut(page, word),
                RarerReply::TaggedObjects(page) => self.cut(page, word),
                _ => false,
            },
            _ => false,
        }
    }

    /// Cuts a page; whether anything is missing.
    pub(crate) fn cut<T: Clone>(self, page: &mut Page<T>, word: Word) -> bool {
        let before = page.data.len();
        match self {
            Cut::After(most) => {
                let pages_before = page.page.saturating_sub(1);
                // The size of earlier pages is not in the reply; a list that breaks off has its first page alone.
                let most = if pages_before == 0 { most as usize } else { 0 };
                let cut = before > most || page.pages > 1;
                page.data = page.data.iter().take(most).cloned().collect();
                (page.pages, page.results) = (1, page.data.len() as u32);
                cut
            }
            Cut::Each(chance) => {
                let stays = |n: u64| !draw(word, n).happens(chance);
                page.data =
                    (0..).zip(page.data.iter()).filter(|&(n, _)| stays(n)).map(|(_, one)| one.clone()).collect();
                page.data.len() < before
            }
        }
    }
}

/// A word for the n-th entry.
fn draw(word: Word, n: u64) -> Word {
    Word(Entity::numbered(word.0).and(n).as_u64())
}
