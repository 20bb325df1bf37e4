use super::*;
use crate::tally::{About, Tally};
use crate::trial::{Breach, Ending, Trial};
use proptest::prelude::*;

/// Some are others with more hindrances.
const MECHANISMS: [&str; 6] =
    ["a; under lose", "b", "a; under refuse", "b; under crash", "a; under lose, refuse", "a; under crash, lose"];

const CASES: [&str; 3] = ["answer_lost", "pool_deleted", "throttled"];

fn trial(seed: u64, (kind, mechanisms, cases): &(u8, Vec<u8>, [u64; 3])) -> Trial {
    let breach = |n: &u8| Breach {
        invariant: format!("invariant-{}", u8::from(*n == 5)),
        mechanism: MECHANISMS[usize::from(*n)].to_owned(),
        at_ms: seed * 7,
        text: format!("in seed {seed}"),
        objects: Vec::new(),
    };
    let sometimes = CASES.iter().zip(cases).map(|(case, count)| ((*case).to_owned(), *count)).collect();
    let ending = match kind {
        0 => Ending::Broken,
        1 => Ending::NotModelled("a call".to_owned()),
        _ => Ending::Judged { virtual_ms: seed, steps: 2, digest: String::new(), sometimes },
    };
    let mut breaches: Vec<Breach> = mechanisms.iter().map(breach).collect();
    breaches.dedup();
    Trial { seed, ending, breaches, unmatched: Vec::new() }
}

fn explored(from: u64, trials: &[(u8, Vec<u8>, [u64; 3])], part: Option<Part>) -> Explored {
    let mut tally = Tally::default();
    for (seed, drawn) in (from..).zip(trials) {
        tally.take(&trial(seed, drawn));
    }
    let about = About {
        palette: vec!["general".to_owned()],
        palette_hash: "0".to_owned(),
        design: "documented".to_owned(),
        start_seed: from,
        ended: Ended::Done,
        declared: (CASES.map(str::to_owned).to_vec(), 10),
        part,
    };
    tally.explored(about, &|seed| format!("again {seed}"))
}

/// The parts, as `--shard` cuts them.
fn parts(trials: &[(u8, Vec<u8>, [u64; 3])], of: u64) -> Vec<(String, Explored)> {
    let all = trials.len() as u64;
    let border = |index: u64| (all * index / of) as usize;
    (0..of)
        .map(|index| {
            let own = &trials[border(index)..border(index + 1)];
            let part = Part { index, of, seeds: own.len() as u64 };
            (format!("{index}.json"), explored(5 + border(index) as u64, own, Some(part)))
        })
        .collect()
}

proptest! {
    #[test]
    fn parts_in_any_order_give_the_whole_byte_for_byte(
        trials in prop::collection::vec(
            (0..6u8, prop::collection::vec(0..6u8, 0..4), [0..2u64, 0..2, 0..2]), 0..40),
        of in 1..12u64,
        turn in 0..12usize,
    ) {
        let mut parts = parts(&trials, of);
        let turn = turn % parts.len();
        parts.rotate_left(turn);
        let merged = merge(parts).expect("they are the parts of one search");
        let text = |explored: &Explored| serde_json::to_string_pretty(explored).expect("it is JSON");
        prop_assert_eq!(text(&merged), text(&explored(5, &trials, None)));
    }

    #[test]
    fn a_document_is_read_back_as_it_was_written(drawn in prop::collection::vec(
            (0..6u8, prop::collection::vec(0..6u8, 0..4), [0..2u64, 0..2, 0..2]), 0..10)) {
        for (_, explored) in parts(&drawn, 3) {
            let text = serde_json::to_string(&explored).expect("it is JSON");
            prop_assert_eq!(serde_json::from_str::<Explored>(&text).expect("it is read"), explored);
        }
    }
}

fn quiet(seeds: usize) -> Vec<(u8, Vec<u8>, [u64; 3])> {
    vec![(2, Vec::new(), [1, 1, 1]); seeds]
}

fn refusal(change: impl FnOnce(&mut Vec<(String, Explored)>)) -> String {
    let mut parts = parts(&quiet(12), 4);
    change(&mut parts);
    merge(parts).expect_err("it is refused").to_string()
}

#[test]
fn what_would_not_be_one_search_is_refused_by_name() {
    assert_eq!(refusal(Vec::clear), "there is nothing to merge");
    assert_eq!(refusal(|parts| drop(parts.drain(1..3))), "of 4 shards these are missing: 1, 2");
    let twice = refusal(|parts| parts.push((("again.json").to_owned(), parts[2].1.clone())));
    assert_eq!(twice, "2.json and again.json both ran seed 11");
    let version = refusal(|parts| parts[1].1.version = "9.9".to_owned());
    assert!(version.ends_with("the version is 0.1.0 in one, and 9.9 in the other"), "{version}");
    let design = refusal(|parts| parts[3].1.design = "shipped".to_owned());
    assert!(design.contains("3.json are not parts of one search: the design is documented in one"), "{design}");
    let palette = refusal(|parts| parts[3].1.palette_hash = "1".to_owned());
    assert!(palette.contains("the hash of the palette is 0 in one, and 1 in the other"), "{palette}");
    let schema = refusal(|parts| parts[0].1.schema = "lkesim.run/1".to_owned());
    assert!(schema.contains("0.json is of the format `lkesim.run/1`"), "{schema}");
    let short = refusal(|parts| (parts[1].1.runs, parts[1].1.ended) = (2, Ended::Stopped));
    assert_eq!(short, "1.json, shard 1 of 4, ended after 2 of 3 seeds: run it again to its end");
    let first = refusal(|parts| parts[1].1.ended = Ended::FirstFinding);
    assert_eq!(first, "1.json stopped at its first finding: what it did not run can't be added");
}

#[test]
fn many_missing_shards_are_counted() {
    let one = explored(5, &quiet(1), Some(Part { index: 3, of: u64::MAX, seeds: 1 }));
    let error = merge(vec![("3.json".to_owned(), one)]).expect_err("most lack").to_string();
    assert!(error.ends_with("missing: 0, 1, 2, 4, 5, 6, 7, 8, 9, 10 and 18446744073709551604 more"), "{error}");
}

#[test]
fn searches_that_were_no_shards_are_joined_where_their_seeds_follow() {
    let (one, two) = (("a".to_owned(), explored(1, &quiet(4), None)), ("b".to_owned(), explored(5, &quiet(6), None)));
    let merged = merge(vec![two.clone(), one.clone()]).expect("seeds follow each other");
    assert_eq!((merged.start_seed, merged.runs, merged.missing.len()), (1, 10, 0));
    let gap = merge(vec![one, ("b".to_owned(), explored(8, &quiet(6), None))]).expect_err("seeds lack").to_string();
    assert_eq!(gap, "no document has seed 5 to 7, between a and b");
    let mixed = merge(vec![two, parts(&quiet(12), 4).remove(0)]).expect_err("a shard and a whole").to_string();
    assert!(mixed.contains("the number of shards is"), "{mixed}");
    assert_eq!(merged.hard_cases["throttled"], 10);
}
