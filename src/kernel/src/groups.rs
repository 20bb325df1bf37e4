//! Groups of tasks that end together: processes.

use crate::ready::NOWHERE;
use lkesim_runtime::GroupId;

/// A group's tasks are a list through their slots, in the order of their spawns.
pub(crate) struct Group {
    pub(crate) name: String,
    /// The group that it was opened from, and ends with.
    parent: u32,
    pub(crate) head: u32,
    pub(crate) tail: u32,
    pub(crate) cancelled: bool,
}

impl Group {
    fn new(parent: u32, name: &str) -> Group {
        Group { name: name.to_owned(), parent, head: NOWHERE, tail: NOWHERE, cancelled: false }
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
        Groups { list: vec![Group::new(0, "")], base: 0 }
    }

    /// Forgets all groups but the run itself, which is open again.
    pub(crate) fn clear(&mut self) {
        self.base += self.list.len() as u32 - 1;
        self.list.truncate(1);
        self.list[0].cancelled = false;
    }

    pub(crate) fn open(&mut self, parent: GroupId, name: &str) -> GroupId {
        let parent = self.index(parent);
        // What an earlier run left starts nothing.
        let mut group = Group::new(parent.unwrap_or(0), name);
        group.cancelled = parent.is_none_or(|parent| self.list[parent as usize].cancelled);
        self.list.push(group);
        GroupId(self.base + self.list.len() as u32 - 1)
    }

    /// Lets nothing be spawned any more in a group and in those that were opened from it. Gives their indices, in the
    /// order in which they were opened.
    pub(crate) fn cancel(&mut self, index: u32) -> Vec<u32> {
        let mut ended = vec![index];
        self.list[index as usize].cancelled = true;
        for at in index + 1..self.len() {
            let group = &mut self.list[at as usize];
            if group.parent >= index && ended.contains(&group.parent) {
                group.cancelled = true;
                ended.push(at);
            }
        }
        ended
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
