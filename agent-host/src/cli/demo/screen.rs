//! How the demo looks: who speaks, what they say, wrapped, in colour where a terminal shows it.
//!
//! Colour carries nothing that the words don't.

use crate::cli::wrap::{columns, wrap};
use agent_core::safety::visible;
use std::io::{IsTerminal, Write};

/// Columns of the column that says who speaks.
const WHO: usize = 9;
/// Columns of a line, unless the terminal has fewer.
const COLUMNS: usize = 100;

/// Where the demo is told.
pub(super) struct Screen {
    terminal: bool,
    colour: bool,
    columns: usize,
}

/// A manner of writing.
#[derive(Clone, Copy)]
pub(super) enum Tone {
    Plain,
    Quiet,
    Good,
    Bad,
}

impl Tone {
    const fn code(self) -> &'static str {
        match self {
            Self::Plain => "0",
            Self::Quiet => "2",
            Self::Good => "32",
            Self::Bad => "31",
        }
    }
}

impl Screen {
    pub(super) fn new() -> Self {
        let out = std::io::stdout();
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let columns = columns(&out).unwrap_or(COLUMNS);
        let terminal = out.is_terminal();
        Self { terminal, colour: terminal && !set("NO_COLOR") && !dumb, columns: columns.clamp(60, COLUMNS) }
    }

    /// Whether a person at the terminal sees what is told.
    pub(super) const fn is_seen(&self) -> bool {
        self.terminal
    }

    /// A step's title.
    pub(super) fn step(&self, number: usize, title: &str) {
        self.line("");
        self.line(&self.painted("1", &format!("{number}  {title}")));
    }

    /// What somebody says, line by line.
    pub(super) fn says(&self, who: &str, text: &str, tone: Tone) {
        let mut who = who;
        for line in text.lines() {
            let shown = visible(line);
            let indent = shown.len() - shown.trim_start().len();
            for part in wrap(&shown, self.columns.saturating_sub(WHO + 2), &" ".repeat(indent + 2)) {
                self.line(&format!("{}  {}", self.painted("1", &format!("{who:>WHO$}")), self.painted(tone.code(), part.trim_end())));
                who = "";
            }
        }
    }

    fn painted(&self, code: &str, text: &str) -> String {
        if self.colour && code != "0" && !text.trim().is_empty() { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// One line. Where nobody reads, there is nobody to tell.
    pub(super) fn line(&self, text: &str) {
        let _ = writeln!(std::io::stdout(), "{}", text.trim_end());
    }
}
