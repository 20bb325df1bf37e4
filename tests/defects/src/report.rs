//! The suite's table, as Markdown.

use crate::accused::EXCUSES;
use crate::defects::Entry;
use crate::hunt::{Hunted, Small};
use crate::interval::wilson;
use lkesim_judge::invariants::INVARIANTS;
use std::fmt::Write;

/// What the page is about.
const HEAD: &str = "\
# The defects suite

How much does the search find? `tests/defects` has a careful design, which is right as far as today's API lets it be, and defects:
each is that design with one decision changed. A few variants are changed too and are right. All are hunted with the palette
`general` alone, from seed 1 on; a test holds a digest of what it draws, which was written before the defects. Pods came to one seed in
eight later, before the defects that they show, and then made to wait longer for a launch; what all other seeds draw stayed as it was.

```sh
cargo run --release -p lkesim-defects -- --right 20000 > reports/defects/README.md   # this page
cargo run --release -p lkesim-defects -- no-lock --seed 6                            # what one seed breaks in one design
```

";

/// What came of one design.
pub struct Row {
    /// The design.
    pub entry: &'static Entry,
    /// What was found.
    pub hunted: Hunted,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
    /// What the first failure was made to.
    pub small: Option<Small>,
}

impl Row {
    fn name(&self) -> &'static str {
        self.entry.design.facts.name
    }

    fn first_seed(&self) -> Option<u64> {
        self.hunted.first.as_ref().map(|(seed, _)| *seed)
    }

    fn has(&self, invariant: &str) -> bool {
        self.hunted.by_invariant.contains_key(invariant)
    }
}

/// The whole report. `least` seeds were run for each defect.
pub fn markdown(rows: &[Row], least: u64) -> String {
    let (right, defects): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row.entry.is_right);
    let mut text = HEAD.to_owned();
    summary(&mut text, &right, &defects);
    found(&mut text, &defects, least);
    matrix(&mut text, &defects);
    alone(&mut text, &defects);
    spared(&mut text, &right);
    excuses(&mut text);
    text
}

fn summary(text: &mut String, right: &[&Row], defects: &[&Row]) {
    let all = defects.len() as u64;
    let within = |seeds: u64| defects.iter().filter(|row| row.first_seed().is_some_and(|seed| seed <= seeds)).count();
    for seeds in [2_000, 20_000] {
        let found = within(seeds) as u64;
        let (low, high) = wilson(found, all);
        let _ = writeln!(
            text,
            "- Found within {} seeds: **{found} of {all}** defects ({} to {}).",
            grouped(seeds),
            percent(low),
            percent(high)
        );
    }
    let runs: u64 = right.iter().map(|row| row.hunted.runs).sum();
    let accused: u64 = right.iter().map(|row| row.hunted.failed).sum();
    let (_, high) = wilson(accused, runs);
    let _ = writeln!(
        text,
        "- Accused of the {} designs that are right: **{}** in {} runs (at most {} of runs).\n",
        right.len(),
        accused,
        grouped(runs),
        percent(high)
    );
}

fn found(text: &mut String, defects: &[&Row], least: u64) {
    let _ = writeln!(
        text,
        "## Found\n\n*One in*: of how many seeds one breaks it, over the first {}, with the interval of 95 %. *Seconds*: \
         until the first, on the machine at hand. *Repro*: NodeClaims, faults (crashes and hands too), departures from \
         first-in-first-out, after shrinking.\n\n\
         | defect | what is wrong | first seed | by | one in | seconds | repro |\n|---|---|--:|---|--:|--:|--:|",
        grouped(least)
    );
    for row in defects {
        let Row { hunted, .. } = row;
        let Some((seed, breach)) = &hunted.first else {
            let _ = writeln!(text, "| `{}` | {} | **not found** | | | | |", row.name(), row.entry.design.summary);
            continue;
        };
        let small = row.small.as_ref().map_or_else(
            || "–".to_owned(),
            |small| format!("{} / {} / {}", small.claims, small.faults, small.deviations),
        );
        let _ = writeln!(
            text,
            "| `{}` | {} | {seed} | `{}` | {} | {} | {small} |",
            row.name(),
            row.entry.design.summary,
            breach.invariant,
            one_in(hunted.failed, hunted.runs),
            seconds(row.took_ms * seed / hunted.runs.max(1)),
        );
    }
}

/// How many seeds one of which breaks it.
fn one_in(failed: u64, runs: u64) -> String {
    let (low, high) = wilson(failed, runs);
    let of = |share: u64| (1_000_000 + share / 2).checked_div(share).map_or_else(|| "∞".to_owned(), grouped);
    let middle = runs.checked_div(failed).map_or_else(|| "∞".to_owned(), grouped);
    format!("{middle} ({} to {})", of(high), of(low))
}

fn matrix(text: &mut String, defects: &[&Row]) {
    let _ = writeln!(text, "\n## Which invariant catches which defect\n");
    for (n, info) in INVARIANTS.iter().enumerate() {
        let _ = writeln!(text, "{}. `{}`", n + 1, info.name);
    }
    let heads: String = (1..=INVARIANTS.len()).map(|n| format!(" {n} |")).collect();
    let lines = "--:|".repeat(INVARIANTS.len());
    let _ = writeln!(
        text,
        "\nSeeds that broke it; **bold** where nothing else broke in one of them.\n\n| defect |{heads}\n|---|{lines}"
    );
    for row in defects {
        let cell = |name: &str| match (row.hunted.by_invariant.get(name), row.hunted.alone.contains_key(name)) {
            (None, _) => " |".to_owned(),
            (Some(count), false) => format!(" {count} |"),
            (Some(count), true) => format!(" **{count}** |"),
        };
        let cells: String = INVARIANTS.iter().map(|info| cell(info.name)).collect();
        let _ = writeln!(text, "| `{}` |{cells}", row.name());
    }
}

fn alone(text: &mut String, defects: &[&Row]) {
    let _ = writeln!(
        text,
        "\nAn invariant alone catches a defect where no seed breaks another one; it alone catches a run where it is all that breaks.\n\n\
         | invariant | defects that it alone catches | of which it alone catches a run | others that it catches |\n\
         |---|---|---|---|"
    );
    for info in INVARIANTS {
        let caught = defects.iter().filter(|row| row.has(info.name));
        let (only, more): (Vec<&&Row>, Vec<&&Row>) = caught.partition(|row| row.hunted.by_invariant.len() == 1);
        let (some, more): (Vec<&&Row>, Vec<&&Row>) =
            more.into_iter().partition(|row| row.hunted.alone.contains_key(info.name));
        let names = |rows: &[&&Row]| match rows {
            [] => "none".to_owned(),
            rows => rows.iter().map(|row| format!("`{}`", row.name())).collect::<Vec<_>>().join(", "),
        };
        let _ = writeln!(text, "| `{}` | {} | {} | {} |", info.name, names(&only), names(&some), names(&more));
    }
}

fn spared(text: &mut String, right: &[&Row]) {
    let _ = writeln!(
        text,
        "\n## Designs that are right\n\n| design | how it differs | runs | accused | excused |\n|---|---|--:|--:|---|"
    );
    for row in right {
        let told = |(how, count): (&&str, &u64)| format!("{count} × {how}");
        let excused: Vec<String> = row.hunted.excused.iter().map(told).collect();
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} | {} |",
            row.name(),
            row.entry.design.summary,
            grouped(row.hunted.runs),
            row.hunted.failed,
            excused.join("; ")
        );
        for (invariant, count) in &row.hunted.by_invariant {
            let _ = writeln!(text, "| | accused of `{invariant}` | | {count} | |");
        }
    }
}

fn excuses(text: &mut String) {
    let _ = writeln!(
        text,
        "\n## What is held against nobody\n\nNo design can keep these on today's API. They are excused in the defects too.\n\n\
         | invariant | how it breaks | why nobody can keep it |\n|---|---|---|"
    );
    for excuse in EXCUSES {
        let _ = writeln!(text, "| `{}` | {} | {} |", excuse.invariant, excuse.how, excuse.why);
    }
}

/// `12 345`
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Millionths as a percentage of two digits after the point.
fn percent(millionths: u64) -> String {
    let hundredths = millionths.div_ceil(100);
    format!("{}.{:02} %", hundredths / 100, hundredths % 100)
}

fn seconds(ms: u64) -> String {
    format!("{}.{:02}", ms / 1_000, ms % 1_000 / 10)
}
