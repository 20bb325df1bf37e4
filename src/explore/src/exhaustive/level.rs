//! The orders of one number of departures, one after the other: each order of one less, with one more behind its last.

use lkesim_kernel::Turn;

/// An order that ran, from which others depart.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its departures.
    pub turns: Vec<Turn>,
    /// How many tasks were ready at each of its choices.
    pub ready: Vec<u32>,
}

impl Node {
    /// What stands before the order without departures.
    pub fn root() -> Node {
        Node { turns: Vec::new(), ready: Vec::new() }
    }

    /// The first choice at which a further departure may be: departures are listed once, in their order.
    fn first(&self) -> usize {
        self.turns.last().map_or(0, |turn| turn.choice as usize + 1)
    }

    /// How many orders have one departure more.
    fn children(&self) -> u64 {
        self.ready.iter().skip(self.first()).map(|ready| u64::from(ready.saturating_sub(1))).sum()
    }
}

/// The orders of one number of departures.
pub struct Level<'a> {
    parents: &'a [Node],
    departures: u32,
    /// The parent, the choice and the place of the next.
    at: (usize, usize, u32),
}

impl<'a> Level<'a> {
    /// Those of so many departures, whose parents are those of one less.
    pub fn new(departures: u32, parents: &'a [Node]) -> Level<'a> {
        Level { at: (0, parents.first().map_or(0, Node::first), 1), parents, departures }
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        if self.departures == 0 { 1 } else { self.parents.iter().map(Node::children).sum() }
    }
}

impl Iterator for Level<'_> {
    type Item = Vec<Turn>;

    fn next(&mut self) -> Option<Vec<Turn>> {
        if self.departures == 0 {
            let is_first = self.at.0 == 0;
            self.at.0 = 1;
            return is_first.then(Vec::new);
        }
        loop {
            let (parent, choice, place) = self.at;
            let node = self.parents.get(parent)?;
            match node.ready.get(choice) {
                None => self.at = (parent + 1, self.parents.get(parent + 1).map_or(0, Node::first), 1),
                Some(&ready) if place < ready => {
                    self.at.2 += 1;
                    let mut turns = node.turns.clone();
                    turns.push(Turn { choice: choice as u32, place });
                    return Some(turns);
                }
                Some(_) => self.at = (parent, choice + 1, 1),
            }
        }
    }
}
