//! Each invariant: the smallest stream that breaks it, and a near miss that does not.

mod cloud;
mod docs;
mod ending;
mod holding;
mod operations;
mod pods;
mod tagging;

use super::Judge;
use super::stream::{Stream, clusters};

/// A judge that has seen the stream.
fn judged(stream: &Stream) -> Judge {
    let mut judge = Judge::new(clusters());
    for event in &stream.events {
        judge.see(event);
    }
    judge
}

/// Tells a stream and gives the texts of what broke this invariant.
fn breaches(name: &str, tell: impl FnOnce(&mut Stream)) -> Vec<String> {
    let mut stream = Stream::default();
    tell(&mut stream);
    let judge = judged(&stream);
    let (_, found) = judge.findings().find(|(known, _)| *known == name).expect("a known invariant");
    assert_eq!(found.count(), found.first_few().len() as u64);
    found.first_few().iter().map(|violation| violation.text.clone()).collect()
}

/// Tells a stream and gives what it has not settled.
fn pending(tell: impl FnOnce(&mut Stream)) -> Vec<String> {
    let mut stream = Stream::default();
    tell(&mut stream);
    let mut judge = judged(&stream);
    assert_eq!(judge.is_settled(), judge.unsettled().is_empty(), "quick and slow answer agree");
    judge.unsettled()
}
