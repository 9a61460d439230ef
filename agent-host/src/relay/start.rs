//! A host started where none runs: in the background, for whoever comes, with its words in a file.
//!
//! Is not: waiting for it; whoever starts it knocks at its door. Clause: HOST-1.

use crate::config::PROFILE;
use std::ffi::OsString;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::process::{Child, Command};

/// Bytes of a log that is put aside before more is written.
const LOG_BYTES: u64 = 1024 * 1024;
/// Bytes of a host's last words that are told.
const WORDS_BYTES: u64 = 2048;

/// How a host is started.
#[derive(Debug, Clone)]
pub struct Start {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The state folder; its log goes there.
    pub folder: PathBuf,
    /// The exit code of a host that found another one running.
    pub another: i32,
}

/// A host that was started. It goes on when this is dropped, and the runtime buries it when it ends.
pub(super) struct Started {
    child: Child,
    /// Its log, from where it began to write.
    words: File,
    another: i32,
}

/// How a host that was started is.
pub(super) enum Fate {
    Runs,
    /// It ended, for another one was there, or somebody ended it.
    Another,
}

impl Start {
    /// Starts a host that outlives this process: in a group of its own, with nothing of our stdio and no file that this
    /// process was given.
    pub(super) fn now(&self) -> io::Result<Started> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        let path = self.folder.join("host.log");
        let log = log(&path)?;
        let mut words = File::open(path)?;
        words.seek(SeekFrom::End(0))?;
        let mut host = Command::new(&self.program);
        host.args(&self.arguments).current_dir(&self.folder).process_group(0);
        host.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        // Each client asks for its own; this one's is not what others get without a word.
        host.env_remove(PROFILE);
        close_fds::set_fds_cloexec_threadsafe(3, &[]);
        Ok(Started { child: host.spawn()?, words, another: self.another })
    }
}

fn log(path: &Path) -> io::Result<File> {
    if path.metadata().is_ok_and(|meta| meta.len() > LOG_BYTES) {
        match std::fs::rename(path, path.with_extension("log.old")) {
            // Another relay was faster.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            renamed => renamed?,
        }
    }
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)
}

impl Started {
    /// # Errors
    /// It ended by itself; the text is what it said last.
    pub(super) fn fate(&mut self) -> io::Result<Fate> {
        match self.child.try_wait()? {
            None => Ok(Fate::Runs),
            Some(ended) if ended.code().is_none_or(|code| code == 0 || code == self.another) => Ok(Fate::Another),
            Some(ended) => {
                let mut words = Vec::new();
                (&mut self.words).take(WORDS_BYTES).read_to_end(&mut words)?;
                let words = String::from_utf8_lossy(&words);
                let words = words.trim();
                Err(io::Error::other(if words.is_empty() { format!("one was started and ended with {ended}") } else { words.to_owned() }))
            }
        }
    }
}
