//! Comparisons are honest: two copies of one design seldom differ, and one that is a tenth worse is seen to be.
//!
//! Both on real runs. A copy with luck of its own is the same design under other seeds: runs of one scenario are split
//! by chance a thousand times. A design that is worse is `documented` with a burden, under the same luck.

mod burdened;

use crate::support::{Run, design};
use burdened::{Burden, burdened};
use lkesim_compare::document::Called;
use lkesim_compare::pair::Difference;
use lkesim_compare::{Bootstrap, FIGURES, Sample};
use lkesim_explore::Grid;
use lkesim_lke::Design;
use lkesim_runtime::Seed;
use lkesim_runtime::random::Entity;

/// A burst so small that thousands of runs of it are cheap, in which most figures vary.
const SCENARIO: &str = "
about: Four NodeClaims at once, one of which goes again.
duration: 6m
workload:
- create: { claims: 4, type: g6-standard-4 }
- delete: { claims: 1, at: 4m }
";

/// How many runs are split.
const RUNS: u64 = 1_000;
/// How many pairs a test has.
const PAIRS: usize = 200;
/// How many tests there are.
const TESTS: u64 = 1_000;

/// The samples of so many seeds, design by design.
fn samples(designs: &[&'static Design], seeds: u64) -> Vec<Vec<Sample>> {
    let scenario = Run::yaml("small-burst", SCENARIO).scenario();
    let scenarios = vec![("small-burst".to_owned(), scenario)];
    let grid = Grid { scenarios, designs: designs.to_vec(), start_seed: 1, seeds, jobs: 2 };
    let mut samples = vec![Vec::new(); designs.len()];
    let read = |ran: lkesim_sim::Ran| Sample::of(&ran.outcome, ran.lasted);
    grid.run(&|| false, &read, &mut |spot, sample| samples[spot.design].push(sample)).expect("all runs end");
    samples
}

/// The values of a figure, where all runs have it.
fn values(samples: &[Sample], place: usize) -> Option<Vec<i64>> {
    samples.iter().map(|sample| Some(sample.values[place]?.0)).collect()
}

/// Whether a figure varies enough for chance to show: its most frequent value is that of at most nine runs of ten.
fn varies(values: &[i64]) -> bool {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let most = sorted.chunk_by(|one, two| one == two).map(<[i64]>::len).max().unwrap_or(0);
    most * 10 <= values.len() * 9
}

/// In how many of the tests two halves of runs, drawn by chance, differ in the figure.
fn differing(values: &[i64], bootstrap: &Bootstrap) -> u64 {
    let differ = |test: &u64| {
        let key = Seed(*test).key("split");
        let mut order: Vec<usize> = (0..values.len()).collect();
        for place in 0..2 * PAIRS {
            let left = (order.len() - place) as u64;
            let other = place + key.draw(Entity::named("place"), place as u64).below(left) as usize;
            order.swap(place, other);
        }
        let pairs: Vec<(i64, i64)> =
            order[..2 * PAIRS].chunks(2).map(|pair| (values[pair[0]], values[pair[1]])).collect();
        let (low, high) = Difference::of(&pairs, bootstrap, 1).expect("there are pairs").interval;
        low.0 > 0 || high.0 < 0
    };
    (0..TESTS).filter(differ).count() as u64
}

#[test]
fn two_copies_of_a_design_differ_in_3_to_7_of_100_tests_in_every_figure_that_varies() {
    let [samples] = &samples(&[design("documented")], RUNS)[..] else { panic!("one design") };
    let bootstrap = Bootstrap::new(PAIRS, 500);
    let mut tested = Vec::new();
    for (place, figure) in FIGURES.iter().enumerate() {
        if let Some(values) = values(samples, place).filter(|values| varies(values)) {
            tested.push((figure.name, differing(&values, &bootstrap)));
        }
    }
    assert!(tested.len() >= 10, "{tested:?}");
    assert!(tested.iter().all(|(_, differed)| (30..=70).contains(differed)), "{tested:?}");
}

/// How a design with a burden is called beside `documented` at 200 seeds, and by how many percent the figure is higher.
fn beside_documented(burden: Burden, figure: &str) -> (Called, i64) {
    let all = samples(&[design("documented"), burdened(burden)], 200);
    let place = FIGURES.iter().position(|one| one.name == figure).expect("a figure");
    let both = |(one, two): (&Sample, &Sample)| Some((one.values[place]?.0, two.values[place]?.0));
    let pairs: Vec<(i64, i64)> = all[0].iter().zip(&all[1]).filter_map(both).collect();
    let deciding = FIGURES.iter().filter(|figure| figure.decides).count() as u64;
    let shown = Difference::of(&pairs, &Bootstrap::new(pairs.len(), Bootstrap::RESAMPLES), deciding).expect("pairs");
    (shown.call(&FIGURES[place], 10_000), shown.change.0 * 100 / shown.reference.0)
}

#[test]
fn a_tenth_more_list_calls_is_shown_worse_at_200_seeds() {
    let (called, percent) = beside_documented(Burden::ListsMore, "list_calls_per_launch");
    assert!((8..=12).contains(&percent), "{percent} %");
    assert_eq!(called, Called::Worse);
}

#[test]
fn launching_a_tenth_later_is_shown_worse_at_200_seeds() {
    let (called, percent) = beside_documented(Burden::LaunchesLater, "launch_p99");
    assert!((8..=12).contains(&percent), "{percent} %");
    assert_eq!(called, Called::Worse);
}
