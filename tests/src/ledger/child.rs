//! This very test binary as another process, for what must be killed or starved.
//!
//! Is: how one test runs another, ignored, test apart. Is not: a harness for the host's program.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

/// Names the state folder to the child.
const FOLDER: &str = "AGENT_TESTS_FOLDER";

/// The state folder, in a child that a test started.
pub(super) fn folder() -> Option<PathBuf> {
    std::env::var_os(FOLDER).map(PathBuf::from)
}

/// Starts an ignored test of this binary by its path; its output comes back through a pipe. A write past the file size
/// limit is an error to it, no signal.
pub(super) fn spawn(test: &str, folder: &Path) -> Child {
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; exec \"$@\"", "sh"]).arg(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "--nocapture", "--test-threads=1", test]);
    command.env(FOLDER, folder).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap()
}

/// The whole lines of a child's output, as they come; one that was cut off is none.
pub(super) fn lines(output: ChildStdout) -> impl Iterator<Item = String> {
    let mut output = BufReader::new(output);
    std::iter::from_fn(move || {
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        line.strip_suffix('\n').map(str::to_owned)
    })
}
