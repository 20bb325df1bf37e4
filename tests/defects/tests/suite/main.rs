//! What the table says still holds: each defect breaks with its pinned seed, and no design that is right is accused.

mod frozen;
mod recommended;

use lkesim_defects::{ENTRIES, Hunt, accusations};
use lkesim_explore::Palette;
use lkesim_explore::trial::{Case, Trier};

/// Debug builds are some twenty times slower; CI runs the suite in release.
const SEEDS: u64 = if cfg!(debug_assertions) { 50 } else { 2_000 };

#[test]
fn each_defect_breaks_the_pinned_invariant_with_its_pinned_seed() {
    let mut trier = Trier::new();
    for entry in ENTRIES {
        let Some((seed, invariant)) = entry.pinned else { continue };
        let case = Case::drawn(&Palette::General, &entry.design, seed);
        let trial = trier.run(&case);
        let broke: Vec<&str> = accusations(&case, &trial).into_iter().map(|breach| &*breach.invariant).collect();
        assert!(broke.contains(&invariant), "{} with seed {seed} broke {broke:?}", entry.design.facts.name);
    }
}

#[test]
fn no_design_that_is_right_is_accused() {
    for entry in ENTRIES.iter().filter(|entry| entry.is_right) {
        let hunted = Hunt { least: SEEDS, most: SEEDS, jobs: 2 }.run(entry);
        assert_eq!((hunted.runs, hunted.not_modelled), (SEEDS, 0));
        assert!(hunted.first.is_none(), "{} is accused: {:?}", entry.design.facts.name, hunted.first);
    }
}

#[test]
fn the_suite_has_thirty_defects_and_three_variants_each_with_a_name_of_its_own() {
    let defects = ENTRIES.iter().filter(|entry| !entry.is_right).count();
    assert!(defects >= 30 && ENTRIES.len() - defects >= 4, "{defects} defects of {}", ENTRIES.len());
    let mut names: Vec<&str> = ENTRIES.iter().map(|entry| entry.design.facts.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), ENTRIES.len());
}
