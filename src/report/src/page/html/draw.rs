//! Draws charts as SVG: integers alone, so that equal charts are equal bytes.

use super::super::chart::{Bar, Chart, Dot, Drawn, Lane, Line};
use super::escaped;
use std::fmt::Write as _;

const WIDTH: i64 = 860;
/// Room for labels at the left, and for the axis below.
const LEFT: i64 = 170;
const BELOW: i64 = 44;
const TOP: i64 = 14;
const RIGHT: i64 = 70;
/// Between one bar or lane and the next.
const STEP: i64 = 24;
const HEIGHT: i64 = 280;
const COLOURS: usize = 6;
/// Longer labels end in an ellipsis.
const LABEL: usize = 24;

/// A chart with its caption. `id` ties the drawing to its words.
pub fn figure(chart: &Chart, id: &str) -> String {
    let (height, drawn) = match &chart.drawn {
        Drawn::Bars(bars) => draw_bars(bars, chart),
        Drawn::Lines { lines, levels } => draw_lines(lines, levels, chart),
        Drawn::Dots(dots) => draw_dots(dots, chart),
        Drawn::Lanes(lanes) => draw_lanes(lanes, chart),
    };
    let (title, about) = (escaped(&chart.title), escaped(&chart.about));
    format!(
        "<figure tabindex=\"0\" aria-labelledby=\"{id}t\" aria-describedby=\"{id}d\">\n<svg class=\"chart\" role=\"img\" \
         viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" aria-labelledby=\"{id}t {id}d\">\n\
         <title id=\"{id}t\">{title}</title>\n{drawn}</svg>\n<figcaption><strong>{title}</strong> <span \
         id=\"{id}d\">{about}</span></figcaption>\n</figure>\n"
    )
}

/// Where numbers stand on an axis.
struct Scale {
    least: i64,
    most: i64,
    from: i64,
    to: i64,
}

impl Scale {
    /// From the least number, or 0 if that is less, to the most.
    fn of(numbers: impl Iterator<Item = i64>, from: i64, to: i64) -> Scale {
        let (least, most) = numbers.fold((0, 0), |(least, most), number| (number.min(least), number.max(most)));
        Scale { least, most: if most == least { least + 1 } else { most }, from, to }
    }

    fn at(&self, number: i64) -> i64 {
        let along = i128::from(number - self.least) * i128::from(self.to - self.from);
        self.from + i64::try_from(along / i128::from(self.most - self.least)).unwrap_or(0)
    }

    /// About five numbers that are 1, 2 or 5 times a power of ten apart.
    fn ticks(&self) -> Vec<i64> {
        let rough = (self.most - self.least) / 5;
        let mut step = 1;
        for factor in [2, 5, 10].iter().cycle() {
            if step >= rough {
                break;
            }
            step = match factor {
                2 => step * 2,
                5 => step / 2 * 5,
                _ => step * 2,
            };
        }
        let first = self.least.div_euclid(step) * step;
        (0..)
            .map(|n| first + n * step)
            .skip_while(|tick| *tick < self.least)
            .take_while(|tick| *tick <= self.most)
            .collect()
    }
}

fn short(label: &str) -> String {
    match label.chars().count() > LABEL {
        true => escaped(&label.chars().take(LABEL - 1).chain(['…']).collect::<String>()),
        false => escaped(label),
    }
}

/// A number on an axis, in thousands or millions where it is that large.
fn on_axis(number: i64) -> String {
    match number {
        _ if number % 1_000_000 == 0 && number != 0 => format!("{}M", number / 1_000_000),
        _ if number % 1_000 == 0 && number != 0 => format!("{}k", number / 1_000),
        _ => number.to_string(),
    }
}

fn axis_across(scale: &Scale, bottom: i64, name: &str) -> String {
    let mut drawn = String::new();
    for tick in scale.ticks() {
        let x = scale.at(tick);
        let _ = writeln!(drawn, "<path class=\"axis\" d=\"M{x} {TOP}V{bottom}\"/>");
        let text = on_axis(tick);
        let _ = writeln!(
            drawn,
            "<text class=\"soft\" x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{text}</text>",
            bottom + 16
        );
    }
    let (x, y) = ((scale.from + scale.to) / 2, bottom + 34);
    let _ = writeln!(drawn, "<text class=\"soft\" x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{}</text>", escaped(name));
    drawn
}

fn axis_up(scale: &Scale, left: i64, right: i64, name: &str) -> String {
    let mut drawn = String::new();
    for tick in scale.ticks() {
        let y = scale.at(tick);
        let _ = writeln!(drawn, "<path class=\"axis\" d=\"M{left} {y}H{right}\"/>");
        let (x, y, text) = (left - 6, y + 4, on_axis(tick));
        let _ = writeln!(drawn, "<text class=\"soft\" x=\"{x}\" y=\"{y}\" text-anchor=\"end\">{text}</text>");
    }
    let _ = writeln!(drawn, "<text class=\"soft\" x=\"4\" y=\"{}\">{}</text>", TOP + 2, escaped(name));
    drawn
}

fn draw_bars(bars: &[Bar], chart: &Chart) -> (i64, String) {
    let bottom = TOP + STEP * bars.len() as i64;
    let numbers = bars.iter().flat_map(|bar| [bar.value, bar.interval.0, bar.interval.1]);
    let scale = Scale::of(numbers, LEFT, WIDTH - RIGHT * 2);
    let mut drawn = axis_across(&scale, bottom, &chart.across);
    for (bar, n) in bars.iter().zip(0..) {
        let (y, zero, end) = (TOP + STEP * n, scale.at(0), scale.at(bar.value));
        let (middle, colour) = (y + STEP / 2, n as usize % COLOURS);
        let _ = writeln!(
            drawn,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
            LEFT - 8,
            middle + 4,
            short(&bar.label)
        );
        let (from, wide) = (zero.min(end), (end - zero).abs().max(1));
        let high = STEP - 8;
        let _ = writeln!(
            drawn,
            "<rect x=\"{from}\" y=\"{}\" width=\"{wide}\" height=\"{high}\" style=\"fill:var(--c{colour})\"/>",
            y + 4
        );
        if bar.interval.0 != bar.interval.1 {
            let (low, high) = (scale.at(bar.interval.0), scale.at(bar.interval.1));
            let _ = writeln!(
                drawn,
                "<path class=\"interval\" d=\"M{low} {middle}H{high}M{low} {}v8M{high} {}v8\"/>",
                middle - 4,
                middle - 4
            );
        }
        let x = scale.at(bar.value.max(bar.interval.1)).max(zero) + 8;
        let _ = writeln!(drawn, "<text x=\"{x}\" y=\"{}\">{}</text>", middle + 4, escaped(&bar.words));
    }
    (bottom + BELOW, drawn)
}

/// Names of what is drawn, each in its colour, above the right end.
fn key(names: impl Iterator<Item = String>) -> String {
    let mut drawn = String::new();
    for (name, n) in names.zip(0..) {
        let (x, y) = (LEFT + 14 + (n % 4) * 165, TOP + 10 + n / 4 * 16);
        let colour = n as usize % COLOURS;
        let _ = writeln!(
            drawn,
            "<rect x=\"{}\" y=\"{}\" width=\"10\" height=\"10\" style=\"fill:var(--c{colour})\"/>",
            x - 14,
            y - 9
        );
        let _ = writeln!(drawn, "<text x=\"{x}\" y=\"{y}\">{}</text>", short(&name));
    }
    drawn
}

fn draw_lines(lines: &[Line], levels: &[(String, i64)], chart: &Chart) -> (i64, String) {
    let top = TOP + 16 + (lines.len() as i64 + 3) / 4 * 16;
    let (left, bottom) = (LEFT / 2, top + HEIGHT);
    let points = || lines.iter().flat_map(|line| &line.points);
    let mut across = Scale::of(points().map(|point| point.0), left, WIDTH - RIGHT);
    across.least = points().map(|point| point.0).min().unwrap_or(0).min(across.most - 1);
    let up = Scale::of(points().map(|point| point.1).chain(levels.iter().map(|level| level.1)), bottom, top);
    let mut drawn = axis_up(&up, left, WIDTH - RIGHT, &chart.up);
    drawn.push_str(&axis_across(&across, bottom, &chart.across));
    for (name, level) in levels {
        let y = up.at(*level);
        let _ = writeln!(drawn, "<path class=\"level\" d=\"M{left} {y}H{}\"/>", WIDTH - RIGHT);
        let _ = writeln!(
            drawn,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
            WIDTH - RIGHT,
            y - 5,
            escaped(name)
        );
    }
    for (line, n) in lines.iter().zip(0..) {
        let mut path = String::new();
        for (&(x, y), place) in line.points.iter().zip(0..) {
            let (x, y) = (across.at(x), up.at(y));
            let _ = match (place, line.in_steps) {
                (0, _) => write!(path, "M{x} {y}"),
                (_, true) => write!(path, "H{x}V{y}"),
                (_, false) => write!(path, "L{x} {y}"),
            };
        }
        let _ = writeln!(drawn, "<path class=\"line\" style=\"stroke:var(--c{})\" d=\"{path}\"/>", n % COLOURS);
    }
    drawn.push_str(&key(lines.iter().map(|line| line.label.clone())));
    (bottom + BELOW, drawn)
}

fn draw_dots(dots: &[Dot], chart: &Chart) -> (i64, String) {
    let (left, top) = (LEFT / 2, TOP + 16);
    let bottom = top + HEIGHT;
    let across = Scale::of(dots.iter().map(|dot| dot.across), left, WIDTH - RIGHT * 2);
    let up = Scale::of(dots.iter().map(|dot| dot.up), bottom, top);
    let mut drawn = axis_up(&up, left, WIDTH - RIGHT, &chart.up);
    drawn.push_str(&axis_across(&across, bottom, &chart.across));
    let mut front: Vec<(i64, i64)> =
        dots.iter().filter(|dot| dot.stands_out).map(|dot| (across.at(dot.across), up.at(dot.up))).collect();
    front.sort_unstable();
    let path: Vec<String> = front.iter().map(|(x, y)| format!("{x} {y}")).collect();
    if path.len() > 1 {
        let _ = writeln!(drawn, "<path class=\"line\" style=\"stroke:var(--c0)\" d=\"M{}\"/>", path.join("L"));
    }
    for dot in dots {
        let (x, y, colour) = (across.at(dot.across), up.at(dot.up), usize::from(!dot.stands_out));
        let _ = writeln!(drawn, "<circle cx=\"{x}\" cy=\"{y}\" r=\"5\" style=\"fill:var(--c{colour})\"/>");
        let _ = writeln!(drawn, "<text x=\"{}\" y=\"{}\">{}</text>", x + 8, y - 6, short(&dot.label));
    }
    (bottom + BELOW, drawn)
}

fn draw_lanes(lanes: &[Lane], chart: &Chart) -> (i64, String) {
    let bottom = TOP + 16 + STEP * lanes.len() as i64;
    let ends =
        lanes.iter().flat_map(|lane| lane.spans.iter().map(|span| span.1).chain(lane.marks.iter().map(|mark| mark.0)));
    let across = Scale::of(ends, LEFT, WIDTH - RIGHT / 2);
    let mut drawn = axis_across(&across, bottom, &chart.across);
    let mut kinds: Vec<&str> = Vec::new();
    for kind in lanes.iter().flat_map(|lane| lane.spans.iter().map(|span| span.2.as_str())) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    for (lane, n) in lanes.iter().zip(0..) {
        let middle = TOP + 16 + STEP * n + STEP / 2;
        let _ = writeln!(
            drawn,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
            LEFT - 8,
            middle + 4,
            short(&lane.label)
        );
        for (from, to, kind) in &lane.spans {
            let (x, end) = (across.at(*from), across.at(*to));
            let colour = kinds.iter().position(|other| other == kind).unwrap_or(0) % COLOURS;
            let _ = writeln!(
                drawn,
                "<rect x=\"{x}\" y=\"{}\" width=\"{}\" height=\"10\" style=\"fill:var(--c{colour})\"><title>{}</title></rect>",
                middle - 5,
                (end - x).max(1),
                escaped(kind)
            );
        }
        for (at, what) in &lane.marks {
            let x = across.at(*at);
            let _ = writeln!(
                drawn,
                "<path class=\"interval\" d=\"M{x} {}v14\"><title>{}</title></path>",
                middle - 7,
                escaped(what)
            );
        }
    }
    drawn.push_str(&key(kinds.iter().map(ToString::to_string)));
    (bottom + BELOW, drawn)
}
