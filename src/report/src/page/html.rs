//! A page for a browser: one file that fetches nothing.

mod draw;

use super::{Page, Part};
use crate::style::Tone;
use crate::table::{Align, Table};
use std::fmt::Write as _;
use std::io::{self, Write};

/// Colours of both schemes by name; charts use them too.
const STYLE: &str = include_str!("html/style.css");

pub(super) fn write(page: &Page, out: &mut dyn Write) -> io::Result<()> {
    let title = escaped(&page.title);
    writeln!(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")?;
    writeln!(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")?;
    writeln!(out, "<meta name=\"color-scheme\" content=\"light dark\">")?;
    writeln!(out, "<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>")?;
    writeln!(out, "<a class=\"skip\" href=\"#result\">To the result</a>\n<main id=\"result\">\n<h1>{title}</h1>")?;
    writeln!(out, "<ul class=\"lead\">")?;
    for (tone, sentence) in &page.lead {
        writeln!(out, "<li class=\"{}\">{}</li>", class(*tone), escaped(sentence))?;
    }
    writeln!(out, "</ul>")?;
    let sections = page.sections.iter().filter(|section| !section.is_empty());
    writeln!(out, "<nav aria-label=\"Sections\"><ul>")?;
    for (place, section) in sections.clone().enumerate() {
        writeln!(out, "<li><a href=\"#s{place}\">{}</a></li>", escaped(&section.title))?;
    }
    writeln!(out, "</ul></nav>")?;
    for (place, section) in sections.enumerate() {
        writeln!(out, "<section id=\"s{place}\">\n<h2>{}</h2>", escaped(&section.title))?;
        for (part, n) in section.parts.iter().zip(0..) {
            match part {
                Part::Text(text) => writeln!(out, "<p>{}</p>", escaped(text))?,
                Part::Command(command) => writeln!(out, "<pre tabindex=\"0\"><code>{}</code></pre>", escaped(command))?,
                Part::Table(table) => write_table(table, &section.title, out)?,
                Part::Chart(chart) => out.write_all(draw::figure(chart, &format!("c{place}-{n}")).as_bytes())?,
            }
        }
        writeln!(out, "</section>")?;
    }
    writeln!(out, "</main>\n</body>\n</html>")
}

/// A table that scrolls by itself where it is wide, also by keyboard.
fn write_table(table: &Table, title: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n<table>", escaped(title))?;
    let align = |column| if table.align(column) == Align::Left { "" } else { " class=\"number\"" };
    let mut head = String::new();
    for (column, heading) in table.headings.iter().enumerate() {
        let _ = write!(head, "<th scope=\"col\"{}>{}</th>", align(column), escaped(heading));
    }
    writeln!(out, "<thead><tr>{head}</tr></thead>\n<tbody>")?;
    for row in &table.rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let tag = if column == 0 { "th scope=\"row\"" } else { "td" };
            let end = if column == 0 { "th" } else { "td" };
            let text = match cell.tone {
                Tone::Plain => escaped(&cell.text),
                tone => format!("<span class=\"{}\">{}</span>", class(tone), escaped(&cell.text)),
            };
            let _ = write!(line, "<{tag}{}>{text}</{end}>", align(column));
        }
        writeln!(out, "<tr>{line}</tr>")?;
    }
    writeln!(out, "</tbody>\n</table>\n</div>")
}

fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "plain",
        Tone::Strong => "strong",
        Tone::Good => "good",
        Tone::Bad => "bad",
        Tone::Warn => "warn",
        Tone::Faint => "faint",
    }
}

/// Text that is no markup. Control characters have no place in a page.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            c if c.is_control() && c != '\n' => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}
