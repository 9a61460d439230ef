//! Where the configuration and the state are unless the operator says, and what lies too near to a model.
//!
//! Is not: the folders themselves, which `store` and `config` make and guard. Clause: UP-2 (operator's files).

use std::path::{Path, PathBuf};

/// The file of this platform, from the environment: `$XDG_CONFIG_HOME/agent-host/agent-host.toml` or
/// `~/.config/agent-host/agent-host.toml`, and on macOS `~/Library/Application Support/agent-host/agent-host.toml`.
/// None where there is no home.
#[must_use]
pub fn default_config() -> Option<PathBuf> {
    base("XDG_CONFIG_HOME", ".config").map(|base| base.join("agent-host.toml"))
}

/// The folder of this platform, from the environment: `$XDG_STATE_HOME/agent-host` or `~/.local/state/agent-host`, and
/// on macOS `~/Library/Application Support/agent-host`. None where there is no home.
#[must_use]
pub fn default_state() -> Option<PathBuf> {
    base("XDG_STATE_HOME", ".local/state")
}

fn base(variable: &str, under_home: &str) -> Option<PathBuf> {
    let named = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || named("HOME");
    let base = if cfg!(target_os = "macos") {
        home().map(|home| home.join("Library/Application Support"))
    } else {
        named(variable).or_else(|| home().map(|home| home.join(under_home)))
    };
    base.map(|base| base.join("agent-host"))
}

/// Whether a path lies in the folder that a client works in, where its model's own tools write. A home folder, or one
/// above it, is nobody's project: everything lies in there.
#[must_use]
pub fn in_project(path: &Path, folder: &Path, home: Option<&Path>) -> bool {
    let real = |path: &Path| {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        // What is not there yet lies where the nearest part of it that is there lies.
        let there = absolute.ancestors().find_map(|part| Some((part.canonicalize().ok()?, absolute.strip_prefix(part).ok()?)));
        there.map_or_else(|| absolute.clone(), |(real, rest)| real.join(rest))
    };
    let folder = real(folder);
    let above_home = home.is_some_and(|home| real(home).starts_with(&folder)) || folder.parent().is_none();
    !above_home && (real(path).starts_with(&folder) || std::path::absolute(path).is_ok_and(|path| path.starts_with(&folder)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn up_2_a_clients_folder_is_told_from_a_home() {
        let base = tempfile::tempdir().unwrap();
        let base = base.path().canonicalize().unwrap();
        let (home, project) = (base.join("home"), base.join("home/project"));
        std::fs::create_dir_all(&project).unwrap();
        std::os::unix::fs::symlink(&project, base.join("link")).unwrap();
        let inside = |path: &str, folder: &Path| in_project(&base.join(path), folder, Some(&home));
        assert!(inside("home/project/agent-host.toml", &project) && inside("home/project/not/there/yet", &project));
        assert!(inside("link/agent-host.toml", &project) && inside("home/project/x", &base.join("link")));
        assert!(!inside("home/.config/agent-host.toml", &project) && !inside("home/projects", &project));
        assert!(!inside("home/project/x", &home) && !inside("home/project/x", &base) && !inside("home/x", Path::new("/")));
        assert!(in_project(&project.join("x"), &home, None));
    }
}
