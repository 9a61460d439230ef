//! Where on this machine clients keep their files, and of whom a file is.
//!
//! Is: paths, and the word of the environment on where they begin. Is not: a reader; what is at a path, if anything, is for
//! the caller. Clause: UP-2 (project files).

use super::Client;
use crate::config::in_project;
use std::path::{Path, PathBuf};

/// Whose servers a file holds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// The user's own, for everything.
    User,
    /// The user's own, for one project.
    Local(PathBuf),
    /// A checkout's: whoever wrote to it chose them.
    Project(PathBuf),
}

impl Scope {
    /// The project's folder.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Self::User => None,
            Self::Local(folder) | Self::Project(folder) => Some(folder),
        }
    }
}

/// One file that a client reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Whose it is.
    pub client: Client,
    /// For whom.
    pub scope: Scope,
    /// Where it lies.
    pub path: PathBuf,
}

impl Source {
    /// The same as whoever it belongs to by where it really lies: a user's file counts as a checkout's where it lies in the
    /// project at hand, or where a link leads to it and a repository is around it. A variable such as `CODEX_HOME`, or a link,
    /// makes nothing of a checkout the user's own.
    #[must_use]
    pub fn settled(self, project: Option<&Path>, home: &Path) -> Self {
        if self.scope != Scope::User {
            return self;
        }
        let checkout = match project.filter(|project| in_project(&self.path, project, Some(home))) {
            Some(project) => Some(project.to_owned()),
            None => linked(&self.path, home),
        };
        Self { scope: checkout.map_or(Scope::User, Scope::Project), ..self }
    }
}

/// The checkout that a link leads into, if one does.
fn linked(path: &Path, home: &Path) -> Option<PathBuf> {
    let (real, home) = (path.canonicalize().ok()?, home.canonicalize().ok()?);
    let plain = path.strip_prefix(&home).map_or_else(|_| path.to_owned(), |below| home.join(below));
    let checkout = project_of(real.parent()?, &home).filter(|folder| folder.join(".git").exists())?;
    (real != plain && !plain.starts_with(&checkout)).then_some(checkout)
}

/// An operating system, as far as clients keep files elsewhere on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    /// And whatever else follows XDG.
    Linux,
    /// By Apple.
    MacOs,
    /// By Microsoft.
    Windows,
}

/// What has to be known of a machine to find files on it.
#[derive(Debug, Clone)]
pub struct Machine {
    /// The user's home.
    pub home: PathBuf,
    /// Where programs keep their settings.
    pub settings: PathBuf,
    /// `CLAUDE_CONFIG_DIR`, where it is set.
    pub claude: Option<PathBuf>,
    /// `CODEX_HOME`, where it is set.
    pub codex: Option<PathBuf>,
    /// Folders of VS Code's profiles.
    pub profiles: Vec<PathBuf>,
}

impl Machine {
    /// A machine with nothing set.
    #[must_use]
    pub fn new(platform: Platform, home: PathBuf) -> Self {
        let settings = home.join(match platform {
            Platform::Linux => ".config",
            Platform::MacOs => "Library/Application Support",
            Platform::Windows => "AppData/Roaming",
        });
        Self { home, settings, claude: None, codex: None, profiles: Vec::new() }
    }

    /// This one. None where there is no home.
    #[must_use]
    pub fn here() -> Option<Self> {
        let named = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let platform = match std::env::consts::OS {
            "macos" => Platform::MacOs,
            "windows" => Platform::Windows,
            _ => Platform::Linux,
        };
        let mut machine = Self::new(platform, named("HOME")?);
        if platform == Platform::Linux {
            machine.settings = named("XDG_CONFIG_HOME").unwrap_or(machine.settings);
        }
        (machine.claude, machine.codex) = (named("CLAUDE_CONFIG_DIR"), named("CODEX_HOME"));
        let profiles = |root: PathBuf| std::fs::read_dir(root.join("profiles")).into_iter().flatten().flatten().map(|found| found.path());
        machine.profiles = Client::editors(&machine).into_iter().flat_map(profiles).collect();
        machine.profiles.sort();
        Some(machine)
    }

    /// Every file that could be there: the user's, and a project's.
    #[must_use]
    pub fn sources(&self, project: Option<&Path>) -> Vec<Source> {
        Client::ALL.into_iter().flat_map(|client| client.sources(self, project)).collect()
    }
}

/// The project that a folder belongs to: the nearest folder above it with a repository, below the home folder; else itself.
/// A home folder, and one above it, is nobody's project.
#[must_use]
pub fn project_of(folder: &Path, home: &Path) -> Option<PathBuf> {
    let below = |folder: &&Path| !home.starts_with(folder);
    let repository = folder.ancestors().take_while(below).find(|above| above.join(".git").exists());
    repository.or(Some(folder).filter(below)).map(Path::to_owned)
}

/// A file that somebody named. One that is none of the user's own counts as a checkout's.
#[must_use]
pub fn named(path: &Path, client: Option<Client>, machine: &Machine) -> Source {
    if let Some(source) = machine.sources(None).into_iter().find(|source| source.path == path) {
        return Source { client: client.unwrap_or(source.client), ..source };
    }
    let folder = path.parent().unwrap_or(Path::new("/"));
    let hidden = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let known = Client::ALL.into_iter().find(|client| client.is_of(hidden, path));
    let inside = [".claude", ".cursor", ".vscode", ".codex"].contains(&hidden);
    let project = if inside { folder.parent().unwrap_or(folder) } else { folder };
    Source { client: client.or(known).unwrap_or(Client::Other), scope: Scope::Project(project.to_owned()), path: path.to_owned() }
}
