//! Emphasis for terminals: five tones, and none of them where colour is off.

use std::fmt::{self, Display};

/// What a piece of text is meant to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// Nothing special.
    #[default]
    Plain,
    /// A heading.
    Strong,
    /// As it should be.
    Good,
    /// Broken.
    Bad,
    /// Worth a look: near a limit, or broken as expected.
    Warn,
    /// Less important.
    Faint,
}

/// Whether text is emphasized with colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Whether to write escape codes.
    pub colour: bool,
}

impl Style {
    /// No escape codes.
    pub const PLAIN: Style = Style { colour: false };

    /// `text` in a tone.
    pub fn paint<T: Display>(self, tone: Tone, text: T) -> Painted<T> {
        Painted { code: if self.colour { code(tone) } else { None }, text }
    }
}

/// Codes of ECMA-48, which every terminal knows.
fn code(tone: Tone) -> Option<&'static str> {
    match tone {
        Tone::Plain => None,
        Tone::Strong => Some("1"),
        Tone::Good => Some("32"),
        Tone::Bad => Some("1;31"),
        Tone::Warn => Some("33"),
        Tone::Faint => Some("2"),
    }
}

/// Text that knows its code.
pub struct Painted<T> {
    code: Option<&'static str>,
    text: T,
}

impl<T: Display> Display for Painted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code {
            Some(code) => write!(f, "\x1b[{code}m{}\x1b[0m", self.text),
            None => self.text.fmt(f),
        }
    }
}

/// `text` without control characters, which a terminal would obey. Names in a trace are anyone's.
pub fn harmless(text: &str) -> std::borrow::Cow<'_, str> {
    if text.chars().any(char::is_control) {
        text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect::<String>().into()
    } else {
        text.into()
    }
}
