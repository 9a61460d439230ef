//! The clients whose files are read: what they are called, where they look, and where in a file their servers stand.
//!
//! Is: a way from each to its own module. Clause: UP-2 (project files).

mod claude_code;
mod claude_desktop;
mod codex;
mod cursor;
mod vscode;

use super::file::File;
use super::find::{Machine, Scope, Source};
use super::note::{Kind, Note};
use super::tree::Node;
use std::path::{Path, PathBuf};

/// A client of MCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Client {
    /// Anthropic's application.
    ClaudeDesktop,
    /// Anthropic's command line.
    ClaudeCode,
    /// The editor.
    Cursor,
    /// The editor, with its agent.
    VsCode,
    /// OpenAI's command line.
    Codex,
    /// Whoever wrote a file that somebody named.
    Other,
}

/// A table of servers in a file.
pub(super) struct Shelf<'a> {
    pub(super) servers: &'a Node,
    pub(super) scope: Scope,
    /// Names in it that are switched off elsewhere in the file.
    pub(super) off: Vec<String>,
}

impl Client {
    /// Those whose places are known.
    pub const ALL: [Self; 5] = [Self::ClaudeDesktop, Self::ClaudeCode, Self::Cursor, Self::VsCode, Self::Codex];

    /// Its name for a person.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClaudeDesktop => "Claude Desktop",
            Self::ClaudeCode => "Claude Code",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
            Self::Codex => "Codex",
            Self::Other => "another client",
        }
    }

    /// Its name for a command line.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::ClaudeDesktop => "claude-desktop",
            Self::ClaudeCode => "claude-code",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
            Self::Codex => "codex",
            Self::Other => "other",
        }
    }

    /// By its name on a command line.
    ///
    /// # Errors
    /// Says which there are.
    pub fn parse(word: &str) -> Result<Self, String> {
        let words = || Self::ALL.map(Self::word).join("`, `");
        Self::ALL.into_iter().find(|client| client.word() == word).ok_or_else(|| format!("a client is one of `{}`", words()))
    }

    pub(super) fn sources(self, machine: &Machine, project: Option<&Path>) -> Vec<Source> {
        let (user, in_project) = match self {
            Self::ClaudeDesktop => (claude_desktop::user(machine), &[][..]),
            Self::ClaudeCode => (claude_code::user(machine), &claude_code::PROJECT[..]),
            Self::Cursor => (cursor::user(machine), &cursor::PROJECT[..]),
            Self::VsCode => (vscode::user(machine), &vscode::PROJECT[..]),
            Self::Codex => (codex::user(machine), &codex::PROJECT[..]),
            Self::Other => (Vec::new(), &[][..]),
        };
        let mut sources: Vec<_> = user.into_iter().map(|path| Source { client: self, scope: Scope::User, path }).collect();
        let of = |folder: &Path| (folder.to_owned(), in_project.iter().map(|file| folder.join(file)).collect::<Vec<_>>());
        if let Some((folder, files)) = project.map(of) {
            sources.extend(files.into_iter().map(|path| Source { client: self, scope: Scope::Project(folder.clone()), path }));
        }
        sources
    }

    /// Where VS Code and its like keep a user's settings.
    pub(super) fn editors(machine: &Machine) -> Vec<PathBuf> {
        vscode::editors(machine)
    }

    /// Whether a file of this name in such a folder is one of its own.
    pub(super) fn is_of(self, folder: &str, path: &Path) -> bool {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        match self {
            Self::ClaudeDesktop => name == "claude_desktop_config.json",
            Self::ClaudeCode => [".claude.json", ".mcp.json"].contains(&name) || folder == ".claude",
            Self::Cursor => folder == ".cursor",
            Self::VsCode => folder == ".vscode" || folder == "User",
            Self::Codex => folder == ".codex" || name.ends_with(".toml"),
            Self::Other => false,
        }
    }

    /// Whether it reads JSON with comments and commas too many.
    pub(super) const fn is_lax(self) -> bool {
        matches!(self, Self::VsCode)
    }

    /// Whether `${NAME}` is a variable to it.
    pub(super) const fn expands_names(self) -> bool {
        matches!(self, Self::ClaudeCode)
    }

    /// Whether its `timeout` counts seconds.
    pub(super) const fn counts_seconds(self) -> bool {
        matches!(self, Self::Codex)
    }

    /// The tables of servers in one of its files, and what else the file says.
    pub(super) fn shelves<'a>(self, source: &Source, root: &'a Node, file: &mut File) -> Vec<Shelf<'a>> {
        match self {
            Self::ClaudeDesktop | Self::Cursor => wrapped(self, source, root, &["mcpServers"], file),
            Self::ClaudeCode => claude_code::shelves(source, root, file),
            Self::VsCode => vscode::shelves(source, root, file),
            Self::Codex => wrapped(self, source, root, &["mcp_servers"], file),
            Self::Other => wrapped(self, source, root, &[], file),
        }
    }
}

/// Where servers stand in one client's files or another's.
const WRAPPERS: [&[&str]; 4] = [&["mcpServers"], &["servers"], &["mcp", "servers"], &["mcp_servers"]];

/// The servers where the client looks; else where another one would, or right at the root, and that is told.
fn wrapped<'a>(client: Client, source: &Source, root: &'a Node, expected: &[&str], file: &mut File) -> Vec<Shelf<'a>> {
    let shelf = |servers: &'a Node| vec![Shelf { servers, scope: source.scope.clone(), off: Vec::new() }];
    if let Some(servers) = Some(expected).filter(|expected| !expected.is_empty()).and_then(|expected| root.under(expected)) {
        return shelf(servers);
    }
    let other = WRAPPERS.iter().find_map(|path| Some((path.join("."), root.under(path)?)));
    if let Some((found, servers)) = other {
        if !expected.is_empty() {
            let what = format!("`{found}` is not where {} looks: it reads `{}`", client.name(), expected.join("."));
            file.notes.push(Note::new(Kind::WrongShape, what));
        }
        return shelf(servers);
    }
    let is_server = |node: &Node| node.get("command").is_some() || node.get("url").is_some();
    if !root.members().is_empty() && root.members().iter().all(|member| is_server(&member.node)) {
        file.notes.push(Note::new(Kind::NoWrapper, ""));
        return shelf(root);
    }
    Vec::new()
}
