//! Charts as data: what is drawn, and the words that say what it shows.

/// A chart.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    /// The question that it answers.
    pub title: String,
    /// What it shows, in words, for those who don't see it.
    pub about: String,
    /// What the horizontal axis counts.
    pub across: String,
    /// What the vertical axis counts.
    pub up: String,
    /// What is drawn.
    pub drawn: Drawn,
}

/// What is drawn. Numbers are in units of the axis; their words stand beside them.
#[derive(Clone, Debug)]
pub enum Drawn {
    /// Things side by side, each with one number and where it may be.
    Bars(Vec<Bar>),
    /// Numbers along an axis.
    Lines {
        /// One line each.
        lines: Vec<Line>,
        /// Levels to lay beside them, such as a limit.
        levels: Vec<(String, i64)>,
    },
    /// Two numbers of some things against each other.
    Dots(Vec<Dot>),
    /// What went on in each of some things over time.
    Lanes(Vec<Lane>),
}

impl Default for Drawn {
    fn default() -> Drawn {
        Drawn::Bars(Vec::new())
    }
}

/// A number of something.
#[derive(Clone, Debug, Default)]
pub struct Bar {
    /// What it is of.
    pub label: String,
    /// How much.
    pub value: i64,
    /// Where it may be; the same as `value` where it is known.
    pub interval: (i64, i64),
    /// The number as people read it.
    pub words: String,
}

/// Numbers along an axis.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// What they are of.
    pub label: String,
    /// Across and up.
    pub points: Vec<(i64, i64)>,
    /// Whether a number holds until the next.
    pub in_steps: bool,
}

/// Two numbers of one thing.
#[derive(Clone, Debug, Default)]
pub struct Dot {
    /// What they are of.
    pub label: String,
    /// Across.
    pub across: i64,
    /// Up.
    pub up: i64,
    /// Whether no other is better in both.
    pub stands_out: bool,
}

/// What went on in one thing.
#[derive(Clone, Debug, Default)]
pub struct Lane {
    /// The thing.
    pub label: String,
    /// From when to when, and what.
    pub spans: Vec<(i64, i64, String)>,
    /// At a moment, what.
    pub marks: Vec<(i64, String)>,
}

impl Chart {
    /// What a terminal can draw of it: a label, a number and its words each. None where it is more than that.
    pub fn as_bars(&self) -> Option<Vec<(String, i64, String)>> {
        match &self.drawn {
            Drawn::Bars(bars) => {
                Some(bars.iter().map(|bar| (bar.label.clone(), bar.value, bar.words.clone())).collect())
            }
            Drawn::Lines { .. } | Drawn::Dots(_) | Drawn::Lanes(_) => None,
        }
    }
}
