//! One thing that was found, and how it is told.
//!
//! Is not: a judgement; who found it says how bad it is.

use crate::cli::Failure;
use agent_core::safety::visible;
use serde::Serialize;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Level {
    /// As it should be.
    Well,
    /// To be known, and no fault.
    Note,
    /// To be mended.
    Wrong,
}

/// One thing that was found.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Finding {
    pub(super) level: Level,
    /// What it is about, in a word or two.
    about: &'static str,
    what: String,
    /// One by one, where it is a list.
    list: Vec<String>,
    /// What to do, with the exact command where there is one.
    hint: Option<String>,
}

impl Finding {
    fn new(level: Level, about: &'static str, what: impl Into<String>) -> Self {
        Self { level, about, what: what.into(), list: Vec::new(), hint: None }
    }

    pub(super) fn well(about: &'static str, what: impl Into<String>) -> Self {
        Self::new(Level::Well, about, what)
    }

    pub(super) fn note(about: &'static str, what: impl Into<String>) -> Self {
        Self::new(Level::Note, about, what)
    }

    pub(super) fn wrong(about: &'static str, what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Level::Wrong, about, what).hint(hint)
    }

    /// What another command would have failed by; its hint is the last line of it.
    pub(super) fn failed(about: &'static str, failure: &Failure) -> Self {
        match failure.text.rsplit_once("\nhint: ") {
            Some((what, hint)) => Self::wrong(about, what, hint),
            None => Self::new(Level::Wrong, about, failure.text.as_str()),
        }
    }

    pub(super) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    pub(super) fn list(self, list: Vec<String>) -> Self {
        Self { list, ..self }
    }

    /// As a person reads it.
    pub(super) fn lines(&self) -> Vec<String> {
        let word = match self.level {
            Level::Well => "well ",
            Level::Note => "note ",
            Level::Wrong => "wrong",
        };
        let mut lines = vec![format!("{word}  {}: {}", self.about, visible(&self.what))];
        lines.extend(self.list.iter().map(|item| format!("         {}", visible(item))));
        lines.extend(self.hint.iter().map(|hint| format!("       hint: {}", visible(hint))));
        lines
    }
}
