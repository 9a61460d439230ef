//! What is wrong with a configuration, where, and what to do about it.
//!
//! Is: one error, with its place in the file, or the variable or flag it came by. Is not: an error of anything that runs.
//! No value of a file is repeated from its line: it may be a secret. Neighbours: `config` makes them, `cli` prints them.

use super::near::nearest;
use std::fmt;
use std::path::{Path, PathBuf};

/// Why a configuration is not taken. Nothing of it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// The file, or the variable or flag.
    subject: String,
    place: Option<(usize, usize)>,
    line: Option<String>,
    what: String,
    hint: String,
}

impl ConfigError {
    /// About the file as a whole.
    #[must_use]
    pub fn whole(path: &Path, what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::told(&path.display().to_string(), what, hint)
    }

    /// About a variable or a flag.
    pub(super) fn told(name: &str, what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { subject: name.to_owned(), place: None, line: None, what: what.into(), hint: hint.into() }
    }

    /// About one place in the file's text.
    pub(super) fn at(path: &Path, text: &str, offset: usize, what: impl Into<String>, hint: impl Into<String>) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let number = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let line = text.lines().nth(number - 1).and_then(key);
        Self { place: Some((number, column)), line, ..Self::whole(path, what, hint) }
    }

    /// About one line of a file that is no configuration; it is not shown.
    pub(super) fn line(path: &Path, line: usize, what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { place: Some((line, 1)), ..Self::whole(path, what, hint) }
    }

    /// The file, where it is about one and names it whole.
    pub(crate) fn file(&self) -> Option<PathBuf> {
        Some(PathBuf::from(&self.subject)).filter(|path| path.is_absolute())
    }

    /// From the reader of TOML.
    pub(super) fn of_toml(path: &Path, text: &str, error: &toml::de::Error) -> Self {
        let (what, hint) = words(error.message());
        match error.span() {
            Some(span) => Self::at(path, text, span.start, what, hint),
            None => Self::whole(path, what, hint),
        }
    }

    /// Line and column of the trouble, from 1.
    #[must_use]
    pub const fn place(&self) -> Option<(usize, usize)> {
        self.place
    }
}

/// A reader's message and what to do: a slip in a word is told the nearest one that is known.
pub(super) fn words(message: &str) -> (String, String) {
    let what = unquoted(&message.trim().replace('\n', ", "));
    let known = "a key or a word that isn't known is never skipped";
    if what.starts_with("unknown field") || what.starts_with("unknown variant") {
        let mut words = what.split('`').skip(1).step_by(2);
        let written = words.next().unwrap_or_default().to_owned();
        return match nearest(&written, words) {
            Some(word) => {
                let hint = format!("did you mean `{word}`? {known}");
                (what.split(", expected").next().unwrap_or_default().to_owned(), hint)
            }
            None => (what, format!("{known}; correct or remove it")),
        };
    }
    let hint = if what.starts_with("missing field") { "add the key to this table" } else { "correct this line" };
    (what, hint.to_owned())
}

/// Without the text of a value that has the wrong type: `invalid type: string "…", expected a map`.
fn unquoted(what: &str) -> String {
    match (what.find(": string \""), what.rfind("\", expected")) {
        (Some(from), Some(to)) if from < to => {
            format!("{}: a text{}", what.get(..from).unwrap_or_default(), what.get(to + 1..).unwrap_or_default())
        }
        _ => what.to_owned(),
    }
}

/// A line up to its value; a table's header whole; nothing of any other.
fn key(line: &str) -> Option<String> {
    match line.split_once('=') {
        Some((key, _)) if !key.contains(['"', '\'', '#']) || key.trim_start().starts_with('"') => Some(format!("{key}= …")),
        None if line.trim_start().starts_with('[') && !line.contains(['"', '\'']) => {
            Some(line.split('#').next().unwrap_or_default().trim_end().to_owned())
        }
        _ => None,
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.subject)?;
        if let Some((line, column)) = self.place {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}", self.what)?;
        if let (Some((number, column)), Some(line)) = (self.place, &self.line) {
            let (margin, mark) = (number.to_string().len(), column.min(line.chars().count()));
            write!(f, "\n{number} | {line}\n{:margin$} | {:>mark$}", "", "^")?;
        }
        write!(f, "\nhint: {}", self.hint)
    }
}

impl std::error::Error for ConfigError {}
