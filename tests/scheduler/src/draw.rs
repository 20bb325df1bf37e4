//! Draws of a problem: the same for the same seed, on every machine.

/// A stream of draws (SplitMix64).
#[derive(Clone, Debug)]
pub struct Draw(u64);

impl Draw {
    /// The stream of a problem.
    pub fn new(seed: u64, number: u64) -> Draw {
        Draw(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number.wrapping_mul(0xd1b5_4a32_d192_ed03))
    }

    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.word() % bound
    }

    /// A number of a range, both ends included.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }

    /// Whether something with so many chances in a hundred is.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of them.
    pub fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[usize::try_from(self.below(from.len() as u64)).expect("a place")]
    }

    /// One of these numbers.
    pub fn number(&mut self, from: &[u64]) -> u64 {
        from[usize::try_from(self.below(from.len() as u64)).expect("a place")]
    }

    /// Some of them, at least one, in their order.
    pub fn some<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> Vec<&'a T> {
        let mut found: Vec<&T> = from.iter().filter(|_| self.chance(50)).copied().collect();
        if found.is_empty() {
            found.push(self.pick(from));
        }
        found
    }
}
