//! What the table says still holds: each defect breaks with its pinned seed, and no design that is right is accused.

mod by_hand;
mod frozen;
mod recommended;

use lkesim_defects::{ENTRIES, Hunt, accusations};
use lkesim_explore::Palette;
use lkesim_explore::trial::{Case, Trier};

/// Debug builds are some twenty times slower; CI runs the suite in release.
const SEEDS: u64 = if cfg!(debug_assertions) { 50 } else { 2_000 };

/// The first seeds that once spoke against a design that is right, and of what, before any seed had pods.
const ONCE_ACCUSED: &[(u64, &str)] = &[
    (2397, "orphans-collected: collecting orphans spent what a tight limit let pass"),
    (2500, "scale-matches-demand: who was deleted before it held its Linode still counted"),
    (21695, "orphans-collected: a pool was not noted before the process died, and a hand took its tags"),
    (24153, "one-pool-per-key: as 21695"),
    (28462, "one-pool-per-key: a Delete saw the pool before a hand took its tags, and did not note it"),
    (30734, "launched-has-provider-id: another process had stored the Linode that went"),
    (37233, "scale-matches-demand: an answer about NodeClaims took 11 s"),
    (40782, "one-pool-per-key: as 21695"),
    (44744, "one-pool-per-key: a Create for another type saw the pool, and did not note it"),
    (74882, "create-returns-a-living-linode: a process stood still between its last request and its return"),
    (81408, "launched-has-provider-id: as 30734"),
    (82550, "one-pool-per-key: as 21695"),
    (117186, "scale-matches-demand: who read another type's pool no longer counted as waiting"),
    (136165, "create-returns-a-living-linode: another operation's look counted as this one's"),
    (138101, "orphans-collected: a survey that a limit cut short forgot since when a Linode was nobody's"),
    (159619, "orphans-collected: a pool that was asked for without an answer was not noted when it came"),
    (163726, "orphans-collected: as 2397"),
    (178739, "orphans-collected: as 138101"),
    (182224, "create-returns-a-living-linode: as 136165"),
    (184249, "orphans-collected: as 2397"),
    (187942, "orphans-collected: as 138101"),
    (190755, "orphans-collected: as 138101"),
    (193896, "one-instance-per-claim: one look that a fault answered with 404 hid the Linode that bore the tag"),
];

#[test]
fn what_once_accused_a_design_that_is_right_does_no_more() {
    let designs = if cfg!(debug_assertions) { 1 } else { ENTRIES.len() };
    let mut trier = Trier::new();
    for entry in ENTRIES.iter().filter(|entry| entry.is_right).take(designs) {
        for (seed, of) in ONCE_ACCUSED {
            let case = Case::drawn(&Palette::WithoutPods, &entry.design, *seed);
            let trial = trier.run(&case);
            let accused = accusations(&case, &trial);
            assert!(accused.is_empty(), "{}, seed {seed}, once {of}: {accused:#?}", entry.design.facts.name);
        }
    }
}

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
