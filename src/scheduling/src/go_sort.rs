//! Go's `sort.Slice`, step by step.
//!
//! It is not stable, yet each Go program leaves equal elements in the same order, and Karpenter's choices hang on that
//! order: which of two in-flight NodeClaims with equally many pods is tried first, which of two types of one price is
//! cut off. So the steps of Go 1.26's pattern-defeating quicksort (`sort/zsortfunc.go`) are taken one by one.

/// Sorts as `sort.Slice` does.
pub fn sort<T>(data: &mut [T], less: impl Fn(&T, &T) -> bool) {
    let limit = usize::BITS - data.len().leading_zeros();
    Sorter { data, less }.sort(0, usize::MAX, limit);
}

struct Sorter<'a, T, L> {
    data: &'a mut [T],
    less: L,
}

/// What the sampled elements say of the order.
#[derive(PartialEq)]
enum Hint {
    Increasing,
    Decreasing,
    Unknown,
}

const MAX_INSERTION: usize = 12;
const SHORTEST_NINTHER: usize = 50;
const MAX_SWAPS: u32 = 12;
const MAX_STEPS: usize = 5;
const SHORTEST_SHIFTING: usize = 50;

impl<T, L: Fn(&T, &T) -> bool> Sorter<'_, T, L> {
    fn less(&self, one: usize, other: usize) -> bool {
        (self.less)(&self.data[one], &self.data[other])
    }

    fn sort(&mut self, mut from: usize, to: usize, mut limit: u32) {
        let mut to = to.min(self.data.len());
        let (mut was_balanced, mut was_partitioned) = (true, true);
        loop {
            let length = to - from;
            if length <= MAX_INSERTION {
                return self.insertion_sort(from, to);
            }
            if limit == 0 {
                return self.heap_sort(from, to);
            }
            if !was_balanced {
                self.break_patterns(from, to);
                limit -= 1;
            }
            let (mut pivot, mut hint) = self.choose_pivot(from, to);
            if hint == Hint::Decreasing {
                self.data[from..to].reverse();
                pivot = (to - 1) - (pivot - from);
                hint = Hint::Increasing;
            }
            if was_balanced && was_partitioned && hint == Hint::Increasing && self.partial_insertion_sort(from, to) {
                return;
            }
            if from > 0 && !self.less(from - 1, pivot) {
                from = self.partition_equal(from, to, pivot);
                continue;
            }
            let middle;
            (middle, was_partitioned) = self.partition(from, to, pivot);
            let (left, right) = (middle - from, to - middle);
            was_balanced = left.min(right) >= length / 8;
            if left < right {
                self.sort(from, middle, limit);
                from = middle + 1;
            } else {
                self.sort(middle + 1, to, limit);
                to = middle;
            }
        }
    }

    fn insertion_sort(&mut self, from: usize, to: usize) {
        for place in from + 1..to {
            let mut at = place;
            while at > from && self.less(at, at - 1) {
                self.data.swap(at, at - 1);
                at -= 1;
            }
        }
    }

    fn heap_sort(&mut self, from: usize, to: usize) {
        let length = to - from;
        for root in (0..length.div_ceil(2)).rev() {
            self.sift_down(root, length, from);
        }
        for end in (0..length).rev() {
            self.data.swap(from, from + end);
            self.sift_down(0, end, from);
        }
    }

    fn sift_down(&mut self, mut root: usize, end: usize, first: usize) {
        loop {
            let mut child = 2 * root + 1;
            if child >= end {
                return;
            }
            if child + 1 < end && self.less(first + child, first + child + 1) {
                child += 1;
            }
            if !self.less(first + root, first + child) {
                return;
            }
            self.data.swap(first + root, first + child);
            root = child;
        }
    }

    /// Scatters three elements, by a generator that starts with the length.
    fn break_patterns(&mut self, from: usize, to: usize) {
        let length = to - from;
        if length < 8 {
            return;
        }
        let mut random = length as u64;
        let modulus = 1_u64 << (usize::BITS - length.leading_zeros());
        let middle = from + (length / 4) * 2;
        for place in middle - 1..=middle + 1 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let mut other = (random & (modulus - 1)) as usize;
            if other >= length {
                other -= length;
            }
            self.data.swap(place, from + other);
        }
    }

    fn choose_pivot(&self, from: usize, to: usize) -> (usize, Hint) {
        let length = to - from;
        let mut swaps = 0;
        let quarter = |count: usize| from + length / 4 * count;
        let (mut low, mut middle, mut high) = (quarter(1), quarter(2), quarter(3));
        if length >= 8 {
            if length >= SHORTEST_NINTHER {
                low = self.median(low - 1, low, low + 1, &mut swaps);
                middle = self.median(middle - 1, middle, middle + 1, &mut swaps);
                high = self.median(high - 1, high, high + 1, &mut swaps);
            }
            middle = self.median(low, middle, high, &mut swaps);
        }
        let hint = match swaps {
            0 => Hint::Increasing,
            MAX_SWAPS => Hint::Decreasing,
            _ => Hint::Unknown,
        };
        (middle, hint)
    }

    fn ordered(&self, one: usize, other: usize, swaps: &mut u32) -> (usize, usize) {
        if self.less(other, one) {
            *swaps += 1;
            (other, one)
        } else {
            (one, other)
        }
    }

    fn median(&self, one: usize, two: usize, three: usize, swaps: &mut u32) -> usize {
        let (one, two) = self.ordered(one, two, swaps);
        let (two, _) = self.ordered(two, three, swaps);
        self.ordered(one, two, swaps).1
    }

    /// Puts up to five pairs in order, and tells whether all is in order then.
    fn partial_insertion_sort(&mut self, from: usize, to: usize) -> bool {
        let mut at = from + 1;
        for _ in 0..MAX_STEPS {
            while at < to && !self.less(at, at - 1) {
                at += 1;
            }
            if at == to {
                return true;
            }
            if to - from < SHORTEST_SHIFTING {
                return false;
            }
            self.data.swap(at, at - 1);
            if at - from >= 2 {
                let mut place = at - 1;
                while place >= 1 && self.less(place, place - 1) {
                    self.data.swap(place, place - 1);
                    place -= 1;
                }
            }
            if to - at >= 2 {
                let mut place = at + 1;
                while place < to && self.less(place, place - 1) {
                    self.data.swap(place, place - 1);
                    place += 1;
                }
            }
        }
        false
    }

    /// Elements equal to the pivot, then those above it; none is below.
    fn partition_equal(&mut self, from: usize, to: usize, pivot: usize) -> usize {
        self.data.swap(from, pivot);
        let (mut low, mut high) = (from + 1, to - 1);
        loop {
            while low <= high && !self.less(from, low) {
                low += 1;
            }
            while low <= high && self.less(from, high) {
                high -= 1;
            }
            if low > high {
                return low;
            }
            self.data.swap(low, high);
            low += 1;
            high -= 1;
        }
    }

    /// Elements below the pivot, the pivot, the others; and whether they stood so.
    fn partition(&mut self, from: usize, to: usize, pivot: usize) -> (usize, bool) {
        self.data.swap(from, pivot);
        let (mut low, mut high) = (from + 1, to - 1);
        let mut stood_so = true;
        loop {
            while low <= high && self.less(low, from) {
                low += 1;
            }
            while low <= high && !self.less(high, from) {
                high -= 1;
            }
            if low > high {
                break;
            }
            stood_so = false;
            self.data.swap(low, high);
            low += 1;
            high -= 1;
        }
        self.data.swap(high, from);
        (high, stood_so)
    }
}

#[cfg(test)]
mod tests;
