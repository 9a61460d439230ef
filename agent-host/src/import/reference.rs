//! References in values: which there are, and what can be said of each without looking at anything.
//!
//! Only documented forms are references: `${NAME}` and `${NAME:-default}` (Claude Code), `${env:NAME}`, `${input:id}` and
//! the folders' names (VS Code, Cursor). Anything else in `${}` belongs to a shell, and is left alone.

use std::path::Path;

/// A piece of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    Text(String),
    /// `${env:NAME}` and the like.
    Variable {
        name: String,
        default: Option<String>,
    },
    /// `${input:id}`.
    Input(String),
    /// A folder that is not known here.
    Folder(String),
}

/// What references are taken from.
#[derive(Clone, Copy)]
pub(super) struct From<'a> {
    pub(super) home: &'a Path,
    pub(super) project: Option<&'a Path>,
    /// Whether `${NAME}` is one.
    pub(super) names: bool,
}

/// A value in pieces; text next to text is one piece.
pub(super) fn parts(value: &str, from: From<'_>) -> Vec<Part> {
    let (mut parts, mut rest) = (Vec::new(), value);
    while let Some((before, after)) = rest.split_once("${") {
        let found = after.split_once('}').and_then(|(inner, after)| Some((reference(inner, from)?, after)));
        match found {
            Some((part, after)) => {
                push(&mut parts, Part::Text(before.to_owned()));
                push(&mut parts, part);
                rest = after;
            }
            None => {
                push(&mut parts, Part::Text(format!("{before}${{")));
                rest = after;
            }
        }
    }
    push(&mut parts, Part::Text(rest.to_owned()));
    parts
}

fn push(parts: &mut Vec<Part>, part: Part) {
    match (parts.last_mut(), part) {
        (_, Part::Text(text)) if text.is_empty() => {}
        (Some(Part::Text(last)), Part::Text(text)) => last.push_str(&text),
        (_, part) => parts.push(part),
    }
}

fn reference(inner: &str, from: From<'_>) -> Option<Part> {
    let path = |path: &Path| Part::Text(path.to_string_lossy().into_owned());
    let project = |of: fn(&Path) -> Option<&Path>| from.project.and_then(of).map_or_else(|| Part::Folder(inner.to_owned()), path);
    Some(match inner {
        "userHome" | "env:HOME" => path(from.home),
        "workspaceFolder" | "workspaceRoot" => project(|folder| Some(folder)),
        "workspaceFolderBasename" => project(|folder| folder.file_name().map(Path::new)),
        "pathSeparator" | "/" => Part::Text("/".to_owned()),
        _ if inner.starts_with("input:") => Part::Input(inner.trim_start_matches("input:").to_owned()),
        _ if inner.starts_with("env:") => Part::Variable { name: inner.trim_start_matches("env:").to_owned(), default: None },
        _ if from.names => {
            let (name, default) = inner.split_once(":-").map_or((inner, None), |(name, default)| (name, Some(default.to_owned())));
            match (is_name(name), name) {
                (true, "HOME") => path(from.home),
                (true, "CLAUDE_PROJECT_DIR") => project(|folder| Some(folder)),
                (true, _) => Part::Variable { name: name.to_owned(), default },
                (false, _) => return None,
            }
        }
        _ => return None,
    })
}

/// Whether a text can be a variable's name.
pub(super) fn is_name(text: &str) -> bool {
    !text.starts_with(|c: char| c.is_ascii_digit()) && !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

impl Part {
    /// As it was written.
    pub(super) fn written(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Variable { name, .. } => format!("${{{name}}}"),
            Self::Input(id) => format!("${{input:{id}}}"),
            Self::Folder(name) => format!("${{{name}}}"),
        }
    }
}
