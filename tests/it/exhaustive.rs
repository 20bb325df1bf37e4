//! All orders of a tiny scenario: what is proved of `documented`, and that a design without its lock is found.

use crate::planted::locked_by_claim;
use crate::support::design;
use lkesim_explore::exhaustive::Covering;
use lkesim_explore::{Exhausted, Exhaustive};
use lkesim_lke::Design;
use lkesim_scenario::builtin;

fn all(name: &str, design: &'static Design, departures: u32) -> Exhausted {
    let text = builtin::find(name).expect("it is built in").text;
    let scenario = lkesim_scenario::load(name, text, &[], &Default::default()).expect("it is valid");
    let all = Exhaustive { name: name.to_owned(), scenario, design, seed: 1, departures, jobs: 2 };
    all.run(&|| false, &mut |_| {}, &|_| String::new())
}

#[test]
fn no_order_with_one_departure_gives_a_linode_of_documented_to_two_claims() {
    for name in ["tiny-two-claims", "tiny-claim-and-delete"] {
        let proved = all(name, design("documented"), 1);
        assert!(proved.covered && proved.orders[1] > 100, "{proved:?}");
        assert_eq!((proved.verdict, proved.findings), (Covering::Pass, Vec::new()), "{name}");
    }
}

#[test]
fn a_design_whose_lock_keeps_nobody_apart_is_found() {
    let broken = all("tiny-two-claims", locked_by_claim(), 1);
    assert!(broken.covered);
    let names: Vec<&str> = broken.findings.iter().map(|proof| &*proof.invariant).collect();
    assert!(names.contains(&"one-claim-per-instance") || names.contains(&"one-pool-per-key"), "{names:?}");
}
