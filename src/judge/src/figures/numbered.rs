//! Values numbered upwards, each removed after a while: found by index, without a map.

use std::collections::VecDeque;

/// How far back a number is kept. What never ends, such as a call of a process that died, would hold all after it.
const SPAN: usize = 1 << 14;

/// Values by ascending number.
#[derive(Clone, Debug)]
pub(super) struct Numbered<T> {
    /// The number of the first slot.
    base: u64,
    slots: VecDeque<Option<T>>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Numbered<T> {
        Numbered { base: 0, slots: VecDeque::new() }
    }
}

impl<T> Numbered<T> {
    /// Keeps `value` under `number`, which is above all before it.
    #[inline]
    pub fn insert(&mut self, number: u64, value: T) {
        if self.slots.is_empty() {
            self.base = number;
        }
        while self.base + (self.slots.len() as u64) < number {
            self.slots.push_back(None);
            self.forget_oldest();
        }
        self.slots.push_back(Some(value));
        self.forget_oldest();
    }

    /// The value under `number`.
    #[inline]
    pub fn get(&self, number: u64) -> Option<&T> {
        let index = number.checked_sub(self.base)?;
        self.slots.get(usize::try_from(index).ok()?)?.as_ref()
    }

    /// The value under `number`.
    #[inline]
    pub fn get_mut(&mut self, number: u64) -> Option<&mut T> {
        let index = number.checked_sub(self.base)?;
        self.slots.get_mut(usize::try_from(index).ok()?)?.as_mut()
    }

    /// Takes the value under `number`.
    #[inline]
    pub fn remove(&mut self, number: u64) -> Option<T> {
        let index = number.checked_sub(self.base)?;
        let value = self.slots.get_mut(usize::try_from(index).ok()?)?.take();
        while matches!(self.slots.front(), Some(None)) {
            self.slots.pop_front();
            self.base += 1;
        }
        value
    }

    /// All values, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.slots.iter().flatten()
    }

    fn forget_oldest(&mut self) {
        if self.slots.len() > SPAN {
            self.slots.pop_front();
            self.base += 1;
        }
    }
}

#[cfg(test)]
mod tests;
