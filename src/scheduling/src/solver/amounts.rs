//! Resource lists as rows of numbers, one place a resource.

use lkesim_kube::object::ResourceList;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Thousandths of each resource, in the order of [`Names`].
pub type Amounts = Vec<i64>;

/// Which resource has which place.
#[derive(Clone, Debug, Default)]
pub struct Names(BTreeMap<Rc<str>, usize>);

impl Names {
    /// Gives places to the resources of a list.
    pub fn learn(&mut self, list: &ResourceList) {
        for (name, _) in list.iter() {
            let next = self.0.len();
            self.0.entry(name.clone()).or_insert(next);
        }
    }

    /// How many places there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The place of a resource that was learnt.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.0.get(name).copied()
    }

    /// A list as a row; what is not listed is 0.
    pub fn row(&self, list: &ResourceList) -> Amounts {
        let mut row = vec![0; self.len()];
        for (name, quantity) in list.iter() {
            if let Some(place) = self.place(name) {
                row[place] = quantity.milli();
            }
        }
        row
    }
}

/// Adds a row to another.
#[inline]
pub fn add(to: &mut [i64], more: &[i64]) {
    for (to, more) in to.iter_mut().zip(more) {
        *to = to.saturating_add(*more);
    }
}

/// Whether no amount is above that of `total`.
#[inline]
pub fn fits(wanted: &[i64], total: &[i64]) -> bool {
    wanted.iter().zip(total).all(|(wanted, total)| wanted <= total)
}
