//! The page of a comparison, and of a sweep.

use crate::page::chart::{Bar, Chart, Dot, Drawn, Line};
use crate::page::{Page, Part, Section};
use crate::style::Tone;
use crate::table::{Cell, Table};
use crate::units::{count, length};
use lkesim_compare::document::{
    Called, Compared, DesignMeasured, DifferenceRow, Growth, Point, ScenarioCompared, Swept,
};
use lkesim_compare::{FIGURES, Figure, Unit};
use lkesim_judge::outcome::{Dollars, Quantity, Times};
use std::collections::BTreeSet;

/// The page of a comparison.
pub fn compared(of: &Compared) -> Page {
    let last = of.start_seed.wrapping_add(of.seeds.saturating_sub(1));
    let title = format!("{} over seeds {} to {last}", of.designs.join(", "), of.start_seed);
    let lead = of.verdict.iter().map(|sentence| (tone_of(sentence), sentence.clone())).collect();
    let mut sections = Vec::new();
    for scenario in &of.scenarios {
        sections.extend(scenario_sections(scenario, of));
    }
    sections.push(Section::shown("Over all scenarios", vec![Part::Table(summary(of))]));
    sections.extend(of.growth.as_ref().map(growth));
    Page { title, lead, sections }
}

fn tone_of(sentence: &str) -> Tone {
    match sentence.contains(" breaks invariants ") {
        true => Tone::Warn,
        false => Tone::Plain,
    }
}

fn scenario_sections(scenario: &ScenarioCompared, of: &Compared) -> Vec<Section> {
    let mut name = scenario.scenario.clone();
    if !scenario.set.is_empty() {
        name = format!("{name} with {}", scenario.set.join(", "));
    }
    let note = format!(
        "Means over {}; changes from {}, `~` where none is shown with 95 % for {} together, or it is below {} %.",
        count(of.seeds, "seed"),
        of.designs.first().map_or("", String::as_str),
        count(of.corrected_for, "figure"),
        of.smallest_effect_percent,
    );
    let designs = &scenario.designs;
    let more = |title: &str, table: Table| Section::more(&format!("{name}: {title}"), vec![Part::Table(table)]);
    vec![
        Section::shown(&name, vec![Part::Table(figures(scenario)), Part::Text(note)]),
        Section::more(&format!("{name}: what the changes are worth"), vec![Part::Table(differences(scenario))]),
        Section::more(
            &format!("{name}: list calls for each launch"),
            vec![Part::Chart(beside(scenario, "list_calls_per_launch"))],
        ),
        Section::more(&format!("{name}: time to a ready node"), vec![Part::Chart(beside(scenario, "ready_p99"))]),
        more("times of all runs together", times(designs)),
        more("what the limits sustain", sustained(designs)),
        more("invariants broken in 1,000 runs", named(designs, |of| &of.invariants_broken_per_1000)),
        more("calls for each launch, by limit", named(designs, |of| &of.calls.by_class)),
        more("calls for each launch, by endpoint", named(designs, |of| &of.calls.by_endpoint)),
        more("calls for each launch, by operation", named(designs, |of| &of.calls.by_operation)),
        more("calls for each launch, by cause", named(designs, |of| &of.calls.by_cause)),
        more("calls, budget and retries by operation", budgets(designs)),
    ]
}

/// A number of a figure as people read it.
pub fn words(figure: &Figure, number: Quantity) -> String {
    let whole = u64::try_from(number.0 / 1_000_000).unwrap_or(0);
    match figure.unit {
        Unit::Ms => length(whole),
        Unit::Usd => format!("${}", Dollars(u64::try_from(number.0).unwrap_or(0))),
        Unit::Minutes => format!("{}m", decimals(number)),
        Unit::Percent => format!("{} %", decimals(number)),
        Unit::Count => decimals(number),
    }
}

/// A number with at most two decimals.
fn decimals(number: Quantity) -> String {
    let half = if number.0 < 0 { -5_000 } else { 5_000 };
    Quantity((number.0 + half) / 10_000 * 10_000).to_string()
}

/// A change, or `~`.
fn change(row: &DifferenceRow, figure: &Figure) -> Cell {
    let tone = match row.called {
        Called::Same => return Cell::toned("~", Tone::Faint),
        Called::Better => Tone::Good,
        Called::Worse => Tone::Bad,
    };
    let sign = if row.change.0 > 0 { "+" } else { "" };
    match row.change_percent {
        Some(percent) => Cell::toned(format!("{sign}{percent} %"), tone),
        None => Cell::toned(format!("+{}", words(figure, row.change)), tone),
    }
}

fn figures(scenario: &ScenarioCompared) -> Table {
    let mut headings = vec!["figure".to_owned()];
    for (place, design) in scenario.designs.iter().enumerate() {
        headings.push(design.design.clone());
        headings.extend((place > 0).then(|| "change".to_owned()));
    }
    let mut table = Table { headings, ..Table::default() };
    for figure in FIGURES {
        let mut row = vec![Cell::from(figure.name)];
        for (place, design) in scenario.designs.iter().enumerate() {
            row.push(mean(design, figure));
            if place > 0 {
                let found = difference(scenario, &design.design, figure);
                row.push(found.map_or_else(|| Cell::toned("-", Tone::Faint), |row| change(row, figure)));
            }
        }
        table.row(row);
    }
    table
}

fn mean(design: &DesignMeasured, figure: &Figure) -> Cell {
    match design.figures.get(figure.name).filter(|measured| measured.n > 0) {
        Some(measured) => Cell::from(words(figure, measured.mean)),
        None => Cell::toned("-", Tone::Faint),
    }
}

fn difference<'a>(scenario: &'a ScenarioCompared, design: &str, figure: &Figure) -> Option<&'a DifferenceRow> {
    scenario.differences.iter().find(|row| row.design == design && row.figure == figure.name)
}

fn differences(scenario: &ScenarioCompared) -> Table {
    let headings = [
        "figure",
        "design",
        "n",
        "change",
        "95 % from",
        "to",
        "corrected from",
        "to",
        "smallest shown",
        "variance saved",
    ];
    let mut table = Table::new(&headings).words_in(1);
    for row in &scenario.differences {
        let Some(figure) = FIGURES.iter().find(|figure| figure.name == row.figure) else { continue };
        let signed = |number: Quantity| match number.0 {
            0 => "0".to_owned(),
            n if n < 0 => format!("-{}", words(figure, Quantity(-n))),
            _ => format!("+{}", words(figure, number)),
        };
        let saved = row.variance_saved_percent.map_or("-".to_owned(), |percent| format!("{percent} %"));
        table.row([
            Cell::from(row.figure.as_str()),
            Cell::from(row.design.as_str()),
            Cell::number(row.n),
            Cell::toned(signed(row.change), change(row, figure).tone),
            Cell::from(signed(row.interval[0])),
            Cell::from(signed(row.interval[1])),
            Cell::from(signed(row.corrected[0])),
            Cell::from(signed(row.corrected[1])),
            Cell::from(words(figure, row.smallest_shown)),
            Cell::from(saved),
        ]);
    }
    table
}

/// A figure of all designs beside each other, with the interval of each difference laid on the design's bar.
fn beside(scenario: &ScenarioCompared, name: &str) -> Chart {
    let Some(figure) = FIGURES.iter().find(|figure| figure.name == name) else { return Chart::default() };
    let (unit, divisor) = axis(figure);
    let bar = |design: &DesignMeasured| {
        let mean = design.figures.get(name).map_or(0, |measured| measured.mean.0);
        let around = difference(scenario, &design.design, figure)
            .map_or((mean, mean), |row| (row.reference.0 + row.interval[0].0, row.reference.0 + row.interval[1].0));
        Bar {
            label: design.design.clone(),
            value: mean / divisor,
            interval: (around.0 / divisor, around.1 / divisor),
            words: words(figure, Quantity(mean)),
        }
    };
    let bars: Vec<Bar> = scenario.designs.iter().map(bar).collect();
    let said: Vec<String> = bars.iter().map(|bar| format!("{} {}", bar.label, bar.words)).collect();
    Chart {
        title: format!("Which design has least {}?", figure.about),
        about: format!(
            "Mean {}: {}. Whiskers: 95 % of the difference from the reference.",
            figure.about,
            said.join(", ")
        ),
        across: format!("{name} ({unit})"),
        up: String::new(),
        drawn: Drawn::Bars(bars),
    }
}

/// The unit of an axis, and how many millionths make one.
fn axis(figure: &Figure) -> (&'static str, i64) {
    match figure.unit {
        Unit::Ms => ("seconds", 1_000_000_000),
        Unit::Usd => ("hundredths of a dollar", 10_000),
        Unit::Count => ("hundredths", 10_000),
        Unit::Percent => ("%", 1_000_000),
        Unit::Minutes => ("minutes", 1_000_000),
    }
}

fn times(designs: &[DesignMeasured]) -> Table {
    let mut table = Table::new(&["design", "to", "finished", "of", "p50", "p90", "p99", "max"]).words_in(1);
    let mut row = |design: &DesignMeasured, to: &str, times: &Times| {
        table.row([
            Cell::from(design.design.as_str()),
            Cell::from(to),
            Cell::number(times.n),
            Cell::number(times.of),
            Cell::from(length(times.p50_ms)),
            Cell::from(length(times.p90_ms)),
            Cell::from(length(times.p99_ms)),
            Cell::from(length(times.max_ms)),
        ]);
    };
    for design in designs {
        row(design, "launch", &design.time_to.launch);
        row(design, "ready", &design.time_to.ready);
    }
    table
}

fn sustained(designs: &[DesignMeasured]) -> Table {
    let mut table = Table::new(&["design", "launches a minute", "bound by"]).words_in(2);
    for design in designs {
        let cells = match &design.sustained {
            Some(sustained) => (decimals(sustained.launches_per_minute), sustained.bound_by.as_str()),
            None => ("-".to_owned(), "no limit"),
        };
        table.row([Cell::from(design.design.as_str()), Cell::from(cells.0), Cell::from(cells.1)]);
    }
    table
}

type Named = std::collections::BTreeMap<String, Quantity>;

/// A row for each name that some design has, a column for each design.
fn named(designs: &[DesignMeasured], of: fn(&DesignMeasured) -> &Named) -> Table {
    let mut headings = vec!["".to_owned()];
    headings.extend(designs.iter().map(|design| design.design.clone()));
    let mut table = Table { headings, ..Table::default() };
    let names: BTreeSet<&String> = designs.iter().flat_map(|design| of(design).keys()).collect();
    for name in names {
        let mut row = vec![Cell::from(name.as_str())];
        row.extend(designs.iter().map(|design| match of(design).get(name) {
            Some(number) => Cell::from(decimals(*number)),
            None => Cell::toned("0", Tone::Faint),
        }));
        table.row(row);
    }
    table
}

fn budgets(designs: &[DesignMeasured]) -> Table {
    let mut headings = vec!["operation and call".to_owned()];
    headings.extend(designs.iter().map(|design| design.design.clone()));
    let mut table = Table { headings, ..Table::default() };
    let mut lines: Vec<(&str, &str)> = Vec::new();
    for line in designs.iter().flat_map(|design| &design.budgets) {
        let line = (line.operation.as_str(), line.call.as_str());
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    for (operation, call) in lines {
        let mut row = vec![Cell::from(format!("{operation}: {call}"))];
        for design in designs {
            let line = design.budgets.iter().find(|line| line.operation == operation && line.call == call);
            row.push(line.map_or_else(
                || Cell::toned("-", Tone::Faint),
                |line| {
                    let budget = line.budget.map_or("-".to_owned(), |budget| budget.to_string());
                    let retries = if line.retries > 0 { format!("+{}", line.retries) } else { String::new() };
                    let tone =
                        if line.budget.is_some_and(|budget| line.calls > budget) { Tone::Bad } else { Tone::Plain };
                    Cell::toned(format!("{}/{budget}{retries}", line.calls), tone)
                },
            ));
        }
        table.row(row);
    }
    table
}

fn summary(of: &Compared) -> Table {
    let mut table =
        Table::new(&["figure", "design", "better in", "worse in", "no difference in", "mean change"]).words_in(1);
    for row in &of.summary {
        let change = format!("{}{} %", if row.mean_change_percent.0 > 0 { "+" } else { "" }, row.mean_change_percent);
        table.row([
            Cell::from(row.figure.as_str()),
            Cell::from(row.design.as_str()),
            Cell::number(row.better),
            Cell::trouble(row.worse),
            Cell::number(row.same),
            Cell::from(change),
        ]);
    }
    table
}

fn growth(growth: &Growth) -> Section {
    let values = growth.lines.first().map_or(&[][..], |line| &line.per_launch);
    let mut headings = vec!["calls for each launch".to_owned(), "scenario".to_owned(), "design".to_owned()];
    headings.extend(values.iter().map(|point| point.value.clone()));
    headings.push("grows by power".to_owned());
    let mut table = Table { headings, words: vec![1, 2], rows: Vec::new() };
    for line in &growth.lines {
        let mut row =
            vec![Cell::from(line.call.as_str()), Cell::from(line.scenario.as_str()), Cell::from(line.design.as_str())];
        row.extend(line.per_launch.iter().map(|point| Cell::from(decimals(point.calls))));
        row.push(line.exponent.map_or_else(|| Cell::toned("-", Tone::Faint), |power| Cell::from(decimals(power))));
        table.row(row);
    }
    let all: Vec<Line> = growth
        .lines
        .iter()
        .filter(|line| line.call == "all")
        .map(|line| Line {
            label: line.design.clone(),
            points: line
                .per_launch
                .iter()
                .map(|point| (point.value.parse().unwrap_or(0), point.calls.0 / 1_000_000))
                .collect(),
            in_steps: false,
        })
        .collect();
    let about = "A level line costs the same for each launch however many there are.".to_owned();
    let chart = Chart {
        title: format!("How do calls for each launch grow with {}?", growth.path),
        about,
        across: growth.path.clone(),
        up: "calls for each launch".to_owned(),
        drawn: Drawn::Lines { lines: all, levels: Vec::new() },
    };
    Section::shown(&format!("How calls grow with {}", growth.path), vec![Part::Table(table), Part::Chart(chart)])
}

/// The page of a sweep.
pub fn swept(of: &Swept) -> Page {
    let title = format!("{}: {} over {}", of.scenario, of.fields.join(" and "), count(of.seeds, "seed"));
    let lead = of.verdict.iter().map(|sentence| (tone_of(sentence), sentence.clone())).collect();
    let mut sections = vec![Section::shown("Points", vec![Part::Table(points(of, |figure| figure.decides))])];
    sections.push(Section::more("All figures", vec![Part::Table(points(of, |_| true))]));
    sections.extend(pareto(of));
    for figure in FIGURES.iter().filter(|figure| figure.decides) {
        sections.push(Section::more(&format!("{} by point", figure.name), vec![Part::Chart(bars(of, figure))]));
    }
    Page { title, lead, sections }
}

fn label(of: &Swept, point: &Point) -> String {
    let several = of.points.iter().any(|other| other.measured.design != point.measured.design);
    match several {
        true => format!("{} {}", point.values.join(", "), point.measured.design),
        false => point.values.join(", "),
    }
}

fn points(of: &Swept, shown: fn(&Figure) -> bool) -> Table {
    let figures: Vec<&Figure> = FIGURES.iter().filter(|figure| shown(figure)).collect();
    let mut headings = vec![of.fields.join(", ")];
    headings.extend(figures.iter().map(|figure| figure.name.to_owned()));
    headings.push("broken/1000".to_owned());
    let mut table = Table { headings, ..Table::default() };
    for point in &of.points {
        let mut row = vec![Cell::from(label(of, point))];
        for figure in &figures {
            let called = point.differences.iter().find(|row| row.figure == figure.name).map(|row| row.called);
            let mut cell = mean(&point.measured, figure);
            cell.tone = match called {
                Some(Called::Better) => Tone::Good,
                Some(Called::Worse) => Tone::Bad,
                _ => cell.tone,
            };
            row.push(cell);
        }
        row.push(Cell::from(decimals(point.measured.broken_per_1000)));
        table.row(row);
    }
    table
}

fn bars(of: &Swept, figure: &Figure) -> Chart {
    let (unit, divisor) = axis(figure);
    let bars = of.points.iter().map(|point| {
        let mean = point.measured.figures.get(figure.name).map_or(0, |measured| measured.mean.0);
        let value = mean / divisor;
        Bar { label: label(of, point), value, interval: (value, value), words: words(figure, Quantity(mean)) }
    });
    let bars: Vec<Bar> = bars.collect();
    let said: Vec<String> = bars.iter().map(|bar| format!("{} {}", bar.label, bar.words)).collect();
    Chart {
        title: format!("How does {} change?", figure.about),
        about: format!("{}.", said.join("; ")),
        across: format!("{} ({unit})", figure.name),
        up: String::new(),
        drawn: Drawn::Bars(bars),
    }
}

fn pareto(of: &Swept) -> Option<Section> {
    let front = of.front.as_ref()?;
    let figures = [0, 1].map(|place| FIGURES.iter().find(|figure| figure.name == front.figures[place]));
    let [Some(across), Some(up)] = figures else { return None };
    let number = |point: &Point, figure: &Figure| {
        point.measured.figures.get(figure.name).map_or(0, |measured| measured.mean.0) / axis(figure).1
    };
    let dot = |(place, point): (usize, &Point)| Dot {
        label: label(of, point),
        across: number(point, across),
        up: number(point, up),
        stands_out: front.points.contains(&place),
    };
    let dots: Vec<Dot> = of.points.iter().enumerate().map(dot).collect();
    let names: Vec<String> = front.points.iter().map(|place| label(of, &of.points[*place])).collect();
    let about = format!("Not beaten in both {} and {}: {}.", across.name, up.name, names.join("; "));
    let chart = Chart {
        title: format!("What does {} cost in {}?", across.name, up.name),
        about,
        across: format!("{} ({})", across.name, axis(across).0),
        up: format!("{} ({})", up.name, axis(up).0),
        drawn: Drawn::Dots(dots),
    };
    Some(Section::shown("Where two figures pull against each other", vec![Part::Chart(chart)]))
}
