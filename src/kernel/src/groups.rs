//! Groups of tasks that end together: processes.

use crate::ready::NOWHERE;
use lkesim_runtime::GroupId;

/// A group's tasks are a list through their slots, in the order of their spawns.
pub(crate) struct Group {
    pub(crate) name: String,
    pub(crate) head: u32,
    pub(crate) tail: u32,
    pub(crate) cancelled: bool,
}

impl Group {
    fn new(name: &str) -> Group {
        Group { name: name.to_owned(), head: NOWHERE, tail: NOWHERE, cancelled: false }
    }
}

/// All groups of a run. Ids are not used again after a reset, so a process of an earlier run can't stop one of this
/// run.
pub(crate) struct Groups {
    list: Vec<Group>,
    base: u32,
}

impl Groups {
    pub(crate) fn new() -> Groups {
        Groups { list: vec![Group::new("")], base: 0 }
    }

    /// Forgets all groups but the run itself, which is open again.
    pub(crate) fn clear(&mut self) {
        self.base += self.list.len() as u32 - 1;
        self.list.truncate(1);
        self.list[0].cancelled = false;
    }

    pub(crate) fn open(&mut self, name: &str) -> GroupId {
        self.list.push(Group::new(name));
        GroupId(self.base + self.list.len() as u32 - 1)
    }

    /// The index of a group of this run.
    #[inline]
    pub(crate) fn index(&self, id: GroupId) -> Option<u32> {
        if id.0 == 0 {
            return Some(0);
        }
        let index = id.0.checked_sub(self.base)?;
        (index > 0 && (index as usize) < self.list.len()).then_some(index)
    }

    #[inline]
    pub(crate) fn at(&mut self, index: u32) -> &mut Group {
        &mut self.list[index as usize]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Group> {
        self.list.iter()
    }

    pub(crate) fn len(&self) -> u32 {
        self.list.len() as u32
    }
}
