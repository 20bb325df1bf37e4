use crate::invariants::{INVARIANTS, by_name};

#[test]
fn every_invariant_is_documented_in_three_parts() {
    for info in INVARIANTS {
        let parts = [info.summary(), info.why(), info.how()];
        assert!(parts.iter().all(|part| part.len() > 40 && part.ends_with('.')), "{}: {parts:?}", info.name);
        assert!(!parts[0].contains('\n'), "{}: a summary is one sentence", info.name);
    }
}

#[test]
fn names_are_found_and_unique() {
    for info in INVARIANTS {
        assert_eq!(by_name(info.name).map(|found| found.name), Some(info.name));
        assert_eq!(INVARIANTS.iter().filter(|other| other.name == info.name).count(), 1);
    }
    assert!(by_name("no-such-invariant").is_none());
}

#[test]
fn a_list_in_the_documentation_keeps_its_lines() {
    let how = by_name("state-agrees").unwrap().how();
    assert_eq!(how.lines().filter(|line| line.starts_with("- ")).count(), 5, "{how}");
}
