//! The most requests within one window.
//!
//! The window slides: the peak is the most requests in any span of the window's length, wherever it begins. A limiter
//! counts in windows that begin at its own moments, so its own fullest window is at most this, and a peak above the
//! limit says that some position of the windows would have refused requests, even where this run's did not.

use lkesim_runtime::Time;
use std::collections::VecDeque;
use std::time::Duration;

/// Follows the fullest window.
#[derive(Clone, Debug)]
pub struct WindowPeak {
    window: u64,
    /// Requests of the window that ends now.
    recent: VecDeque<u64>,
    peak: usize,
}

impl WindowPeak {
    /// For windows of this length.
    pub fn new(window: Duration) -> WindowPeak {
        let window = u64::try_from(window.as_nanos()).unwrap_or(u64::MAX);
        WindowPeak { window, recent: VecDeque::new(), peak: 0 }
    }

    /// Counts a request; two that lie a whole window apart share none. Times do not go back.
    #[inline]
    pub fn add(&mut self, at: Time) {
        let now = at.as_nanos();
        while self.recent.front().is_some_and(|&first| now - first >= self.window) {
            self.recent.pop_front();
        }
        self.recent.push_back(now);
        self.peak = self.peak.max(self.recent.len());
    }

    /// The most so far.
    pub fn peak(&self) -> u64 {
        self.peak as u64
    }
}

#[cfg(test)]
mod tests;
