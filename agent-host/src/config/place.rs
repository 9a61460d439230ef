//! Where state is kept unless the operator says.
//!
//! Is not: the folder itself, which `store` makes and guards.

use std::path::PathBuf;

/// The folder of this platform, from the environment: `$XDG_STATE_HOME/agent-host` or `~/.local/state/agent-host`, and
/// on macOS `~/Library/Application Support/agent-host`. None where there is no home.
#[must_use]
pub fn default_state() -> Option<PathBuf> {
    let named = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || named("HOME");
    let base = if cfg!(target_os = "macos") {
        home().map(|home| home.join("Library/Application Support"))
    } else {
        named("XDG_STATE_HOME").or_else(|| home().map(|home| home.join(".local/state")))
    };
    base.map(|base| base.join("agent-host"))
}
