//! What the recommendation can't hold on today's API: each pair of invariant and fault has a scenario that asserts it.

use crate::support::{lkesim, read, root};

/// The scenarios beside the page.
fn pairs() -> Vec<String> {
    let folder = std::fs::read_dir(root().join("reports/recommended")).expect("a folder");
    let names = folder.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".yaml")).collect();
    names.sort();
    names
}

#[test]
fn each_pair_breaks_as_its_scenario_says() {
    let pairs = pairs();
    assert!(!pairs.is_empty());
    for name in pairs {
        let path = root().join("reports/recommended").join(&name).display().to_string();
        let (code, out, err) = lkesim(&["run", &path]);
        assert_eq!(code, 0, "{name}: {out}{err}");
        assert!(out.contains("as expected"), "{name}: {out}");
    }
}

#[test]
fn the_page_names_each_of_them() {
    let page = read("reports/recommended/README.md");
    for name in pairs() {
        assert!(page.contains(&format!("]({name})")), "the page does not name {name}");
    }
}
