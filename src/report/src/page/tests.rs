use super::chart::{Bar, Dot, Drawn, Lane, Line};
use super::*;
use crate::table::Cell;
use proptest::prelude::*;

fn written(page: &Page, layout: Layout) -> String {
    let mut bytes = Vec::new();
    page.write(layout, &mut bytes).expect("memory can be written");
    String::from_utf8(bytes).expect("it is text")
}

fn chart(drawn: Drawn) -> Part {
    let words = |text: &str| text.to_owned();
    Part::Chart(Chart { title: words("Which?"), about: words("This one."), across: words("a"), up: words("b"), drawn })
}

/// A page with one of each kind of part, in which names are `text`.
fn page(text: &str, number: i64) -> Page {
    let mut table = Table::new(&["name", "n"]);
    table.row([Cell::from(text), Cell::toned(number, Tone::Bad)]);
    let label = || text.to_owned();
    let bars = vec![Bar { label: label(), value: number, interval: (number - 1, number + 1), words: label() }];
    let lines = vec![Line { label: label(), points: vec![(0, 0), (10, number)], in_steps: true }];
    let dots = vec![Dot { label: label(), across: number, up: 1, stands_out: true }];
    let lanes = vec![Lane { label: label(), spans: vec![(0, number.abs(), label())], marks: vec![(1, label())] }];
    let parts = vec![
        Part::Text(label()),
        Part::Table(table),
        chart(Drawn::Bars(bars)),
        chart(Drawn::Lines { lines, levels: vec![(label(), number)] }),
        chart(Drawn::Dots(dots)),
        chart(Drawn::Lanes(lanes)),
    ];
    Page { title: label(), lead: vec![(Tone::Good, label())], sections: vec![Section::shown("Parts", parts)] }
}

#[test]
fn each_layout_has_what_it_can_show() {
    let page = page("burst-1", 7);
    insta::assert_snapshot!("text", written(&page, Layout::Text(Style::PLAIN)));
    insta::assert_snapshot!("markdown", written(&page, Layout::Markdown));
    insta::assert_snapshot!("csv", written(&page, Layout::Csv));
    insta::assert_snapshot!("html", written(&page, Layout::Html));
}

#[test]
fn a_page_for_a_browser_fetches_nothing() {
    let html = written(&page("burst-1", 7), Layout::Html);
    for outside in ["http:", "https:", "<script", "src=", "@import", "url("] {
        assert!(!html.contains(outside), "{outside}");
    }
}

#[test]
fn a_formula_in_a_name_is_text_for_a_spreadsheet() {
    let csv = written(&page("=1+1", -3), Layout::Csv);
    assert!(csv.contains("Parts,'=1+1,-3\r\n"), "{csv}");
}

proptest! {
    #[test]
    fn no_name_is_markup(text in any::<String>(), number in -1_000_000_000i64..1_000_000_000) {
        let html = written(&page(&text, number), Layout::Html);
        let plain = written(&page("name", number), Layout::Html);
        let tags = |page: &str| page.matches('<').count();
        prop_assert_eq!(tags(&html), tags(&plain));
    }

    #[test]
    fn a_field_of_a_spreadsheet_comes_back(text in "[a-z,\"\n ]*") {
        let mut table = Table::new(&["name"]);
        table.row([Cell::from(text.as_str())]);
        let sections = vec![Section::shown("s", vec![Part::Table(table)])];
        let csv = written(&Page { sections, ..Page::default() }, Layout::Csv);
        let line = csv.strip_prefix("s,name\r\ns,").and_then(|rest| rest.strip_suffix("\r\n")).expect("two lines");
        let read = match line.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            Some(inside) => inside.replace("\"\"", "\""),
            None => line.to_owned(),
        };
        prop_assert_eq!(read, text);
    }
}
