//! Results as pages.

use super::{Folder, call};

#[test]
fn a_run_is_drawn_and_its_trace_is_kept_as_well() {
    let folder = Folder::new("drawn");
    let (plain, beside) = (folder.path("plain.jsonl"), folder.path("beside.jsonl"));
    let drawn = call(&["run", "one-claim-standard", "--format", "html"]);
    assert_eq!(drawn.code, 0, "{}", drawn.err);
    for chart in ["calls come to their limit", "What was there", "What did each NodeClaim wait for"] {
        assert!(drawn.out.contains(chart), "{chart}");
    }
    assert_eq!(call(&["run", "one-claim-standard", "--trace", &plain]).code, 0);
    let both = call(&["run", "one-claim-standard", "--format", "html", "--trace", &beside]);
    assert_eq!(both.out, drawn.out);
    let read = |path: &str| std::fs::read_to_string(path).expect("it was written");
    assert_eq!(read(&plain), read(&beside));
}

#[test]
fn a_search_and_all_orders_are_written_in_each_format() {
    let search = ["explore", "--design", "shipped", "--seeds", "20", "--format"];
    let orders = ["explore", "tiny-two-claims", "--exhaustive", "1", "--format"];
    for command in [&search[..], &orders[..]] {
        let written = |format| call(&[command, &[format]].concat());
        let (markdown, csv, html) = (written("markdown"), written("csv"), written("html"));
        assert!(markdown.out.starts_with("# "), "{}{}", markdown.out, markdown.err);
        assert!(
            csv.out.starts_with("Findings,invariant,") || csv.out.starts_with("Orders that were tried,"),
            "{}",
            csv.out
        );
        assert!(html.out.ends_with("</html>\n"), "{}", html.out);
        assert_eq!((markdown.code, csv.code), (html.code, written("json").code));
    }
}
