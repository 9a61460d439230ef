//! The terminal of whoever runs a command, also where its input and output are pipes.
//!
//! Is: lines shown, and one question answered there and then. Is not: proof of a person; whatever runs on the terminal can
//! type. Clause: AUTH-2 (nothing but what was shown is asked about).

use rustix::termios::{QueueSelector, tcflush};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

/// Bytes of an answer.
const ANSWER_BYTES: u64 = 1024;

/// An open terminal.
pub(super) struct Terminal(File);

impl Terminal {
    /// The controlling terminal, where there is one.
    pub(super) fn open() -> Option<Self> {
        Self::at(Path::new("/dev/tty")).ok()
    }

    fn at(path: &Path) -> io::Result<Self> {
        OpenOptions::new().read(true).write(true).open(path).map(Self)
    }

    /// Shows lines, all of which a person can see.
    pub(super) fn show(&mut self, lines: &[String]) -> io::Result<()> {
        lines.iter().try_for_each(|line| writeln!(self.0, "{line}"))
    }

    /// Asks; `y` and `yes` are a yes, everything else is none. What was typed before the question is thrown away.
    pub(super) fn ask(&mut self, question: &str) -> io::Result<bool> {
        tcflush(&self.0, QueueSelector::IFlush)?;
        write!(self.0, "{question} [y/N] ")?;
        let mut answer = Vec::new();
        BufReader::new((&self.0).take(ANSWER_BYTES)).read_until(b'\n', &mut answer)?;
        Ok(is_yes(&answer))
    }
}

/// A line that was ended: what breaks off is no answer.
fn is_yes(line: &[u8]) -> bool {
    let word = line.strip_suffix(b"\n").map(<[u8]>::trim_ascii);
    word.is_some_and(|word| word.eq_ignore_ascii_case(b"y") || word.eq_ignore_ascii_case(b"yes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auth_2_only_a_whole_yes_is_a_yes() {
        for yes in ["y\n", "Y\n", "yes\n", " yes \r\n"] {
            assert!(is_yes(yes.as_bytes()), "{yes:?}");
        }
        for no in ["", "\n", "y", "yes", "yy\n", "yes please\n", "n\n", "no\n", "\u{443}\n", "y\u{200b}\n"] {
            assert!(!is_yes(no.as_bytes()), "{no:?}");
        }
    }
}
