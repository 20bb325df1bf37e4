//! What Karpenter's scheduler decided, as `tests/conformance/karpenter-scheduler/run --record` kept it.

use lkesim_scheduler_tests::{compare, generate};

const OUTCOMES: &str = include_str!("../../conformance/karpenter-scheduler/recorded/outcomes");

#[test]
fn our_solver_decides_what_karpenters_decided() {
    let lines: Vec<&str> = OUTCOMES.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(lines.len() >= 1000, "{} outcomes", lines.len());
    for (number, line) in (0..).zip(lines) {
        let problem = generate::problem(1, number);
        let name = problem["name"].as_str().expect("a name");
        let digest = compare::ours(&problem).digest();
        assert_eq!(format!("{name} {digest:016x}"), line);
    }
}
