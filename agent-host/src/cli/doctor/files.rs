//! The files that a host rests on: what each is, and which of them are nobody else's to read.
//!
//! Is not: who could do what with them, which is `reach`'s. Clauses: AUTH-9, UP-2 (operator's files).

use super::Patient;
use super::finding::Finding;
use crate::config::{Config, FromFile, Server, Variable};
use crate::lock::Lock;
use crate::shell::quoted;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Files looked at in the state folder, at the most.
const MOST: usize = 4096;

/// What a file is to a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Whoever writes it chooses what runs, who may, or what is on record.
    Base,
    /// As that, and whoever reads it holds something that is not theirs.
    Secret,
    /// A program: whoever writes it is it.
    Program,
}

/// One file, by what a person calls it.
#[derive(Debug, Clone)]
pub(super) struct Named {
    pub(super) what: String,
    pub(super) path: PathBuf,
    pub(super) kind: Kind,
}

impl Named {
    fn new(what: impl Into<String>, path: impl Into<PathBuf>, kind: Kind) -> Self {
        Self { what: what.into(), path: path.into(), kind }
    }

    /// As a line has it.
    pub(super) fn told(&self) -> String {
        format!("{}: {}", self.what, self.path.display())
    }
}

/// Every file that is there.
pub(super) fn all(patient: &Patient<'_>) -> Vec<Named> {
    let mut files: Vec<Named> = patient.config.iter().flat_map(|config| configured(config)).collect();
    files.push(Named::new("the state folder", patient.state, Kind::Secret));
    kept(patient.state, &mut files);
    if let Ok(program) = std::env::current_exe() {
        files.push(Named::new("the program agent-host", program, Kind::Program));
    }
    files.retain(|file| file.path.exists());
    files
}

fn configured(config: &Config) -> Vec<Named> {
    let plain = config.servers.values().flat_map(Server::given).any(|(_, value)| matches!(value, Variable::Plain(_)));
    let kind = if plain { Kind::Secret } else { Kind::Base };
    let mut files = vec![Named::new("the configuration", &config.path, kind), Named::new("the lock file", Lock::path(config), Kind::Base)];
    files.extend(config.synonyms_file.iter().map(|path| Named::new("the synonyms", path, Kind::Base)));
    for tls in [&config.http.tls, &config.console.tls].into_iter().flatten() {
        files.push(Named::new("the certificate's key", &tls.key, Kind::Secret));
        files.push(Named::new("the certificate", &tls.certificate, Kind::Base));
    }
    for (alias, server) in &config.servers {
        files.extend(server.given().filter_map(|(name, value)| match value {
            Variable::File(FromFile { file, .. }) => Some(Named::new(format!("`{name}` of server `{alias}`"), file, Kind::Secret)),
            Variable::Plain(_) | Variable::Env(_) => None,
        }));
        files.extend(program(server).map(|path| Named::new(format!("the program of server `{alias}`"), path, Kind::Program)));
    }
    files
}

/// What a server's command is, where it is one of this machine and there.
pub(super) fn program(server: &Server) -> Option<PathBuf> {
    if server.url.is_some() {
        return None;
    }
    if server.command.contains('/') {
        return Some(server.cwd.as_deref().unwrap_or(Path::new("")).join(&server.command)).filter(|path| runs(path));
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).map(|folder| folder.join(&server.command)).find(|path| runs(path))
}

fn runs(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// What a state folder keeps that is secret, by its name. What this user can't look into is left out.
fn kept(state: &Path, files: &mut Vec<Named>) {
    let mut folders = vec![(state.to_owned(), None)];
    while let Some((folder, inside)) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten().take(MOST) {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            let what = match name.as_str() {
                _ if inside.is_some() => inside,
                "logins" => Some("a login at a server"),
                "console-path" => Some("where the console is"),
                "operator.sock" => Some("the operators' socket"),
                "client.sock" => Some("the clients' socket"),
                name if name.starts_with("ledger.sqlite") => Some("the records"),
                name if name.starts_with("passphrase") => Some("a passphrase's hash"),
                _ => None,
            };
            match (what, entry.file_type()) {
                (Some(_), Ok(kind)) if kind.is_dir() => folders.push((path, what)),
                (Some(what), Ok(_)) => files.push(Named::new(what, path, Kind::Secret)),
                _ => {}
            }
            if files.len() >= MOST {
                return;
            }
        }
    }
}

/// Secrets whose own modes let others have them, whoever the client is.
pub(super) fn open(files: &[Named]) -> Vec<Finding> {
    let mode = |file: &&Named| std::fs::metadata(&file.path).is_ok_and(|meta| meta.permissions().mode() & 0o077 != 0);
    let secret = files.iter().filter(|file| file.kind == Kind::Secret);
    let open = secret.filter(mode).map(|file| {
        let fix = format!("`chmod go-rwx {}`", quoted(&file.path.to_string_lossy()));
        Finding::wrong("secrets", format!("others may use {}", file.told()), fix)
    });
    let open: Vec<_> = open.collect();
    if open.is_empty() { vec![Finding::well("secrets", "no file that holds one is open to others")] } else { open }
}
