//! The terminal of the person who typed a command: where they are asked, and what they say.
//!
//! Is: the process's own terminal, whatever standard input and output are. What was typed before a question counts for
//! none. Is not: a channel; an answer counts for what the host makes of it. Nothing is shown here with a character in it
//! that can't be seen. Clauses: AUTH-3, AUTH-4 (passphrase), CAT-5. Neighbours: `approve`, `watch`, `passphrase`,
//! `accept`.

use super::wrap::columns;
use super::{Exit, Failure};
use crate::system::asked_to_end;
use agent_core::safety::visible_lines;
use rustix::termios::{LocalModes, OptionalActions, QueueSelector, Termios, tcflush, tcgetattr, tcsetattr};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::sync::Arc;
use tokio::sync::mpsc;
use zeroize::Zeroizing;

/// Bytes of a line that are read; a terminal gives no more of one.
const LINE_BYTES: usize = 4096;

/// One typed line, its line feed left out. It may be a passphrase.
pub(super) type Line = Zeroizing<Vec<u8>>;

/// A terminal, with somebody at it.
pub(super) struct Tty {
    file: Arc<File>,
    /// Asks the reader for one line.
    demand: std::sync::mpsc::Sender<()>,
    lines: mpsc::UnboundedReceiver<io::Result<Line>>,
    /// Whether the reader waits for a line to be typed.
    reading: bool,
}

impl Tty {
    /// The terminal that this process belongs to.
    pub(super) fn open() -> Result<Self, Failure> {
        let file = OpenOptions::new().read(true).write(true).open("/dev/tty");
        file.map(Self::of).map_err(|error| Failure::new(Exit::Usage, format!("there is no terminal to ask at: {error}")))
    }

    /// As [`Tty::open`], for a command that has another way, which the hint names.
    pub(super) fn open_or(hint: &str) -> Result<Self, Failure> {
        Self::open().map_err(|failed| Failure::new(failed.exit, format!("{}\nhint: {hint}", failed.text)))
    }

    /// A reader of its own, since a read from a terminal can't be given up: it waits for a line only where one was asked for.
    fn of(file: File) -> Self {
        let file = Arc::new(file);
        let (demand, demanded) = std::sync::mpsc::channel();
        let (told, lines) = mpsc::unbounded_channel();
        let reader = file.clone();
        std::thread::spawn(move || {
            while demanded.recv().is_ok() {
                if told.send(line(&reader)).is_err() {
                    return;
                }
            }
        });
        Self { file, demand, lines, reading: false }
    }

    /// How many columns it has.
    pub(super) fn columns(&self) -> Option<usize> {
        columns(&*self.file)
    }

    /// Shows lines.
    pub(super) fn say(&self, text: &str) -> Result<(), Failure> {
        self.write(&(visible_lines(text) + "\n"))
    }

    fn write(&self, text: &str) -> Result<(), Failure> {
        (&*self.file).write_all(text.as_bytes()).map_err(broken)
    }

    /// Whether a line may be on its way that was begun before now.
    pub(super) const fn reading(&self) -> bool {
        self.reading
    }

    /// Asks, after whatever was typed until now is forgotten. [`Tty::answer`] waits for the line.
    pub(super) fn ask(&mut self, prompt: &str) -> Result<(), Failure> {
        tcflush(&*self.file, QueueSelector::IFlush).map_err(|error| broken(error.into()))?;
        if self.lines.try_recv().is_ok() {
            self.reading = false;
        }
        if !self.reading {
            self.demand.send(()).map_err(|_| broken(io::ErrorKind::BrokenPipe.into()))?;
            self.reading = true;
        }
        self.write(prompt)
    }

    /// The line that is typed next. Dropped before it is there, it can be asked for again.
    pub(super) async fn answer(&mut self) -> Result<Line, Failure> {
        let line = self.lines.recv().await.unwrap_or_else(|| Err(io::ErrorKind::BrokenPipe.into()));
        self.reading = false;
        line.map_err(broken)
    }

    /// Asks for what nobody else is to see. The terminal shows again what is typed once this is over, also where this is ended.
    pub(super) async fn secret(&mut self, prompt: &str) -> Result<Zeroizing<String>, Failure> {
        let silent = Silent::new(&self.file)?;
        self.ask(prompt)?;
        let line = tokio::select! {
            line = self.answer() => line,
            () = asked_to_end() => Err(Failure::new(Exit::Undecided, "nothing was done")),
        };
        drop(silent);
        self.write("\n")?;
        let text = std::str::from_utf8(&line?).map(|text| Zeroizing::new(text.to_owned()));
        text.map_err(|_| Failure::new(Exit::Usage, "not a text"))
    }
}

/// Whether a line is an explicit yes (AUTH-3).
pub(super) fn is_yes(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.eq_ignore_ascii_case(b"y") || line.eq_ignore_ascii_case(b"yes")
}

/// One line, however many reads it takes. What ends without a line feed is none.
fn line(file: &File) -> io::Result<Line> {
    let mut line = Zeroizing::new(Vec::with_capacity(LINE_BYTES));
    let mut part = Zeroizing::new([0; LINE_BYTES]);
    loop {
        let read = (&*file).read(&mut *part)?;
        let Some(part) = part.get(..read).filter(|part| !part.is_empty()) else { return Ok(Line::default()) };
        if line.len() + part.len() > LINE_BYTES {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the line is too long"));
        }
        line.extend_from_slice(part);
        if let Some(end) = line.iter().position(|byte| *byte == b'\n') {
            line.truncate(end);
            return Ok(line);
        }
    }
}

fn broken(why: io::Error) -> Failure {
    Failure::new(Exit::Failed, format!("the terminal can't be used: {why}"))
}

/// A terminal that does not show what is typed, until this is dropped.
struct Silent {
    file: Arc<File>,
    before: Termios,
}

impl Silent {
    fn new(file: &Arc<File>) -> Result<Self, Failure> {
        let before = tcgetattr(&**file).map_err(|error| broken(error.into()))?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        tcsetattr(&**file, OptionalActions::Flush, &silent).map_err(|error| broken(error.into()))?;
        Ok(Self { file: file.clone(), before })
    }
}

impl Drop for Silent {
    fn drop(&mut self) {
        if let Err(error) = tcsetattr(&*self.file, OptionalActions::Now, &self.before) {
            tracing::warn!(%error, "the terminal still hides what is typed");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auth_3_only_yes_is_yes_at_a_terminal() {
        for yes in ["y", "Y", "yes", "YES", " yEs \t", "y\r"] {
            assert!(is_yes(yes.as_bytes()), "{yes:?}");
        }
        for no in ["", " ", "n", "no", "ja", "yy", "yes!", "ye", "y y", "true", "1", "\u{ff59}", "y\u{200b}", "\u{1b}[Ay", "ok", "approve"]
        {
            assert!(!is_yes(no.as_bytes()), "{no:?}");
        }
    }
}
