//! The fullest of a limiter's windows.
//!
//! They are laid as the limiter lays them: a window opens with the first request that arrives after the end of the one
//! before it. Refused requests count, so that a peak above the limit is by so many above it.

use super::FiguresSettings;
use crate::event::Arrival;
use lkesim_linode_api::{Endpoint, RateClass};
use lkesim_runtime::Time;
use std::time::Duration;

/// Arrivals are told with their answers, so that they come out of order: by less than this.
const LATE: u64 = 600_000_000_000;
/// How many arrivals are kept until some are so old that none before them can come.
const KEPT: usize = 4_096;

/// Follows the fullest window of one limiter.
#[derive(Clone, Debug)]
pub struct WindowPeak {
    /// Arrivals that may not be all of their time yet, in order.
    recent: Vec<u64>,
    /// How many of them make it worth a look for some that are.
    look_at: usize,
    counted: Counted,
}

/// What came of the arrivals that were counted.
#[derive(Clone, Copy, Debug)]
struct Counted {
    window: u64,
    /// The window that is open.
    end: u64,
    used: u64,
    peak: u64,
}

impl Counted {
    fn count(&mut self, at: u64) {
        if at >= self.end {
            self.end = at.saturating_add(self.window);
            self.used = 0;
        }
        self.used += 1;
        self.peak = self.peak.max(self.used);
    }
}

impl WindowPeak {
    /// For windows of this length.
    pub fn new(window: Duration) -> WindowPeak {
        let window = u64::try_from(window.as_nanos()).unwrap_or(u64::MAX);
        let counted = Counted { window, end: 0, used: 0, peak: 0 };
        WindowPeak { recent: Vec::new(), look_at: KEPT, counted }
    }

    /// Counts a request that arrived then.
    #[inline]
    pub fn add(&mut self, at: Time) {
        let at = at.as_nanos();
        match self.recent.last() {
            Some(&latest) if latest > at => self.add_late(at),
            _ => self.recent.push(at),
        }
        if self.recent.len() >= self.look_at {
            self.count_old();
        }
    }

    fn add_late(&mut self, at: u64) {
        let place = self.recent.partition_point(|&other| other <= at);
        self.recent.insert(place, at);
    }

    /// The most of one window so far.
    pub fn peak(&self) -> u64 {
        let mut counted = self.counted;
        self.recent.iter().for_each(|&at| counted.count(at));
        counted.peak
    }

    fn count_old(&mut self) {
        let limit = self.recent.last().map_or(0, |latest| latest.saturating_sub(LATE));
        let old = self.recent.partition_point(|&at| at < limit);
        self.recent.drain(..old).for_each(|at| self.counted.count(at));
        // Twice what is left: a look that finds nothing old must not be taken again at each arrival.
        self.look_at = (2 * self.recent.len()).max(KEPT);
    }
}

/// The limiters of all tokens.
#[derive(Clone, Debug)]
pub(super) struct Windows {
    per_call: bool,
    lengths: [Duration; RateClass::ALL.len()],
    /// By token, then by class or call.
    tokens: Vec<Vec<WindowPeak>>,
}

impl Windows {
    pub fn new(settings: &FiguresSettings) -> Windows {
        let lengths = settings.limits.map(|limit| limit.window);
        Windows { per_call: settings.limit_per_call, lengths, tokens: Vec::new() }
    }

    /// A request arrived.
    #[inline]
    pub fn arrived(&mut self, arrival: Arrival, endpoint: Endpoint) {
        let token = arrival.token as usize;
        while self.tokens.len() <= token {
            self.tokens.push(self.of_a_token());
        }
        let place = if self.per_call { endpoint as usize } else { endpoint.class() as usize };
        self.tokens[token][place].add(arrival.at);
    }

    /// The most in one window of the class, whichever token's it is.
    pub fn peak(&self, class: RateClass) -> u64 {
        let of_class = |token: &Vec<WindowPeak>| match self.per_call {
            true => {
                let own = Endpoint::PROVIDER.into_iter().filter(|endpoint| endpoint.class() == class);
                own.map(|endpoint| token[endpoint as usize].peak()).max().unwrap_or(0)
            }
            false => token[class as usize].peak(),
        };
        self.tokens.iter().map(of_class).max().unwrap_or(0)
    }

    fn of_a_token(&self) -> Vec<WindowPeak> {
        let of = |class: RateClass| WindowPeak::new(self.lengths[class as usize]);
        match self.per_call {
            true => Endpoint::PROVIDER.into_iter().map(|endpoint| of(endpoint.class())).collect(),
            false => RateClass::ALL.into_iter().map(of).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
