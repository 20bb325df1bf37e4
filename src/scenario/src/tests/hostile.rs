use super::NAMES;
use crate::index::{Limits, MAX_DEPTH};
use crate::{builtin, load, load_bytes};
use proptest::prelude::*;

#[track_caller]
fn check_refused(text: &str, because: &str) {
    let diagnostics = load("hostile.yaml", text, &[], &NAMES).expect_err("it was read");
    let shown = diagnostics.to_string();
    assert!(shown.contains(because), "{shown}");
    assert!(shown.len() < 100_000, "{} bytes of diagnostics", shown.len());
}

#[test]
fn aliases_that_multiply_are_refused_before_they_are_expanded() {
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..30 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
    }
    check_refused(&bomb, "more than 250000 values");
}

#[test]
fn aliases_of_a_long_text_are_refused() {
    let text = format!("a: &a {}\nb: [{}]\n", "x".repeat(1 << 20), "*a, ".repeat(1_000));
    check_refused(&text, "bytes of values");
}

#[test]
fn deep_nesting_is_refused_in_every_style() {
    check_refused(&"[".repeat(200), "nested deeper than 32");
    check_refused(&"- ".repeat(1_000_000), "nested deeper than 32");
    check_refused(&"? ".repeat(1_000_000), "key");
    check_refused(&"[".repeat(1_000_000), "not YAML");
    check_refused(&"{a: ".repeat(MAX_DEPTH + 1), "nested deeper than 32");
    let stairs: String = (0..100).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    check_refused(&stairs, "nested deeper than 32");
}

#[test]
fn large_files_are_refused() {
    check_refused(&" ".repeat(Limits::SCENARIO.bytes + 1), "bytes; expected at most");
    check_refused(&"- x\n".repeat(Limits::SCENARIO.nodes + 1), "more than 250000 values");
}

#[test]
fn long_names_and_long_lines_are_cut() {
    let long = "x".repeat(1 << 20);
    check_refused(&format!("{long}: 1\n"), "");
    check_refused(&format!("about: x\n? {long}\n: 1\nworkload: []\n"), "unknown field");
    check_refused(&format!("about: x\nworkload: [create: {{type: {long}}}]\n"), "unknown instance type");
    check_refused(&format!("about: x\nworkload: [create: {{}}]\ndesign: {long}\n"), "unknown design");
    check_refused(
        &format!("about: x\nworkload: [create: {{}}]\nexpect: {{violates: {{all: [{long}]}}}}\n"),
        "unknown invariant",
    );
    check_refused(
        &format!("about: x\nworkload: [create: {{}}]\nexpect: {{figures: {{{long}: {{api.calls: 1s}}}}}}\n"),
        "",
    );
    check_refused(
        &format!("about: x\nworkload: [create: {{}}]\nnode_pools: [{{name: {long}}}, {{name: {long}}}]\n"),
        "",
    );
}

#[test]
fn many_mistakes_of_one_kind_end_early() {
    check_refused(
        &format!("about: x\nworkload:\n{}", "- create: {at: 5}\n".repeat(20_000)),
        "more mistakes may follow",
    );
    check_refused(&format!("about: x\nworkload:\n{}", "- create: {at: }\n".repeat(20_000)), "more mistakes may follow");
    check_refused(
        &format!("about: x\nworkload:\n{}", "- create: {at: 5h}\n".repeat(20_000)),
        "more mistakes may follow",
    );
    check_refused(
        &format!("about: x\nworkload:\n{}", "- delete: {at: 5m, claims: 1}\n".repeat(20_000)),
        "no NodeClaim is made",
    );
}

/// What this thread has worked, whatever else the machine does.
fn worked() -> i64 {
    rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime).tv_sec
}

#[test]
fn a_file_of_wrong_names_is_refused_at_once() {
    let deleted: String = (0..4_000).map(|n| format!("claim-{n}x, ")).collect();
    let figures: String = (0..4_000).map(|n| format!("      api.cals.{n}: 1\n")).collect();
    let text = format!(
        "about: x\nworkload:\n- create: {{claims: 1000}}\n- delete: {{at: 5m, claims: [{deleted}]}}\n\
         expect:\n  figures:\n    all:\n{figures}"
    );
    let known: Vec<String> = (0..1_000).map(|n| format!("api.by_endpoint.Endpoint{n}.calls")).collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let names = crate::Names { figures: &known, ..NAMES };
    let before = worked();
    let refused = load("hostile.yaml", &text, &[], &names).expect_err("it was read").to_string();
    assert!(refused.contains("no step makes a NodeClaim"), "{refused}");
    // Far above what it takes, and far below what a search for each name would.
    assert!(worked() - before < 10, "{} s", worked() - before);
}

#[test]
fn a_large_right_scenario_is_read() {
    let deletes = "- delete: {at: 5m, claims: 2}\n".repeat(20_000);
    let text = format!("about: x\nworkload:\n- create: {{claims: 100000}}\n{deletes}");
    let scenario = load("large.yaml", &text, &[], &NAMES).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(scenario.deletions().len(), 20_000);
}

#[test]
fn a_byte_order_mark_at_the_start_is_skipped() {
    let text = "\u{feff}about: x\nworkload:\n- create: {}\n";
    let scenario = load_bytes("x.yaml", text.as_bytes(), &[], &NAMES).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(scenario.about, "x");
    let wrong = load("x.yaml", "\u{feff}abuot: x\nworkload:\n- create: {}\n", &[], &NAMES).expect_err("a wrong key");
    assert!(wrong.to_string().contains("x.yaml:1:1"), "{wrong}");
}

#[test]
fn a_file_that_is_no_text_is_refused() {
    let diagnostics = load_bytes("x.yaml", b"about: x\nworkload: \xff\n", &[], &NAMES).unwrap_err();
    let shown = diagnostics.to_string();
    assert!(shown.contains("not UTF-8 text; expected YAML") && shown.contains("x.yaml:2:11"), "{shown}");
    // Columns count characters, and a mark at the start is none.
    let diagnostics = load_bytes("x.yaml", b"\xef\xbb\xbfabout: \xc3\xbc\xc3\x28", &[], &NAMES).unwrap_err();
    assert!(diagnostics.to_string().contains("x.yaml:1:9"), "{diagnostics}");
}

/// Pieces of YAML that mean something, to reach deeper than letters by chance.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "about",
        "workload",
        "cloud",
        "faults",
        "expect",
        "create",
        "delete",
        "lags",
        "boot",
        "claims",
        "refuse",
        "call",
        "at",
        ": ",
        ":",
        "\n",
        "\n  ",
        "\n    ",
        "- ",
        "{",
        "}",
        "[",
        "]",
        ", ",
        "&a ",
        "*a",
        "!t ",
        "!!str ",
        "? ",
        "| ",
        "> ",
        "'",
        "\"",
        "#",
        "---\n",
        "...\n",
        "%YAML 1.2\n",
        "<<",
        "~",
        "5",
        "5s",
        "1..2",
        "10%",
        "null",
        "\t",
        "\r\n",
        "\u{feff}",
        "ü",
        "\u{2028}",
        "\\",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// A right file with some of its bytes changed, taken out or doubled.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let texts: Vec<&str> = builtin::all().iter().map(|builtin| builtin.text).collect();
    let edits = prop::collection::vec((any::<prop::sample::Index>(), 0..3_u8, any::<u8>()), 1..8);
    (prop::sample::select(texts), edits).prop_map(|(text, edits)| {
        let mut bytes = text.as_bytes().to_vec();
        for (at, what, byte) in edits {
            let at = at.index(bytes.len());
            match what {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ if bytes.len() > 1 => drop(bytes.remove(at)),
                _ => {}
            }
        }
        bytes
    })
}

/// Reads bytes and renders what is wrong with them.
fn read_and_render(bytes: &[u8]) {
    if let Err(diagnostics) = load_bytes("x.yaml", bytes, &[], &NAMES) {
        assert!(diagnostics.iter().len() > 0);
        assert!(!diagnostics.render(false).is_empty());
        assert!(!diagnostics.render(true).is_empty());
    }
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read_and_render(&bytes);
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,200}") {
        read_and_render(text.as_bytes());
    }

    #[test]
    fn no_yaml_panics(text in pieces()) {
        read_and_render(text.as_bytes());
    }

    #[test]
    fn no_change_of_a_right_file_panics(bytes in mutated()) {
        read_and_render(&bytes);
    }

    #[test]
    fn no_wrong_value_anywhere_panics(
        document in super::strategy::document(),
        pick in any::<prop::sample::Index>(),
        value in prop::sample::select(vec![
            "null", "5", "-5", "5.5", "true", "\"x\"", "[]", "{}", "[[]]", "{\"x\": 1}", "\"\\u0007\"",
        ]),
    ) {
        let places = super::strategy::places(&document);
        let mut document = document;
        *document.pointer_mut(pick.get(&places[..]).as_str()).unwrap() = serde_json::from_str(value).unwrap();
        read_and_render(document.to_string().as_bytes());
    }
}
