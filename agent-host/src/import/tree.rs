//! A file as a tree, whatever it was written in: every member with its place, and of two of one name both.
//!
//! Is not: a map. Which of two members counts is for a reader to say.

use std::collections::HashMap;
use std::fmt;

/// Where something stands in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
}

impl Place {
    /// Of a byte in a text.
    pub(super) fn of(text: &str, offset: usize) -> Self {
        let before = text.get(..text.floor_char_boundary(offset)).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Self { line, column }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// One value of a file.
#[derive(Clone)]
pub(super) enum Node {
    Null,
    Bool(bool),
    /// As written.
    Number(String),
    Text(String),
    List(Vec<Node>),
    Table(Vec<Member>),
}

/// One member of a table, and the byte that it begins at.
#[derive(Clone)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) at: usize,
    pub(super) node: Node,
}

impl Node {
    /// The members of a table; none of anything else.
    pub(super) fn members(&self) -> &[Member] {
        if let Self::Table(members) = self { members } else { &[] }
    }

    /// A member of a table: of two, the last.
    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        self.members().iter().rev().find(|member| member.name == name).map(|member| &member.node)
    }

    /// Members that a later one of the same name stands in for, and those that count; each in the order written.
    pub(super) fn twice(&self) -> (Vec<&Member>, Vec<&Member>) {
        let last: HashMap<&str, usize> = self.members().iter().map(|member| (member.name.as_str(), member.at)).collect();
        self.members().iter().partition(|member| last.get(member.name.as_str()) != Some(&member.at))
    }

    /// Down several tables.
    pub(super) fn under(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |node, name| node.get(name))
    }

    pub(super) fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    pub(super) fn bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(*value) } else { None }
    }

    /// A text, or what is written as one by mistake.
    pub(super) fn word(&self) -> Option<String> {
        match self {
            Self::Text(text) | Self::Number(text) => Some(text.clone()),
            Self::Bool(value) => Some(value.to_string()),
            Self::Null | Self::List(_) | Self::Table(_) => None,
        }
    }

    /// The texts of a list.
    pub(super) fn texts(&self) -> Vec<String> {
        if let Self::List(items) = self { items.iter().filter_map(Self::text).map(str::to_owned).collect() } else { Vec::new() }
    }
}
