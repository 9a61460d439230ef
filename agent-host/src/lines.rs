//! One line at a time, of bounded length, from a stream that may be given up at any await.
//!
//! Is not: a reader of what the lines say, but for the id in one that is too long to keep. Clauses: UP-1 (bounded lines), HOST-1 (frames).
//! Neighbours: `upstream` reads servers by it, `mcp` clients, `relay` its client and its host.

mod out;
mod scan;

pub(crate) use out::{Out, Sent};

use scan::IdScan;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// Bytes of one line, its line feed included.
pub(crate) const LINE_BYTES: usize = 16 * 1024 * 1024;

/// What was read.
pub(crate) enum Line {
    /// A line without its end.
    Whole(Vec<u8>),
    /// One beyond [`LINE_BYTES`], which was dropped.
    TooLong(Dropped),
}

/// The id of a message that was dropped, as it was written, if it has one.
pub(crate) struct Dropped {
    /// Of a request.
    pub(crate) request: Option<String>,
    /// Of an answer.
    pub(crate) answer: Option<String>,
}

impl Dropped {
    fn new(scan: IdScan) -> Self {
        match scan.found() {
            (request, true) => Self { request, answer: None },
            (answer, false) => Self { request: None, answer },
        }
    }
}

/// A stream of lines. What was read of a line stays here when a read is given up.
pub(crate) struct Lines<R> {
    read: BufReader<R>,
    line: Vec<u8>,
    /// There while a line is dropped.
    dropping: Option<IdScan>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(read: R) -> Self {
        Self { read: BufReader::with_capacity(64 * 1024, read), line: Vec::new(), dropping: None }
    }

    /// The next line; none at the end of the stream or where it can't be read. Text after the last line feed is no line.
    pub(crate) async fn next(&mut self) -> Option<Line> {
        loop {
            let some = self.read.fill_buf().await.ok().filter(|some| !some.is_empty())?;
            // Nothing is awaited from here to `consume`.
            let end = some.iter().position(|byte| *byte == b'\n');
            let count = end.map_or(some.len(), |end| end + 1);
            let part = some.get(..count).unwrap_or_default();
            match &mut self.dropping {
                Some(scan) => scan.feed(part),
                None if self.line.len() + count > LINE_BYTES => {
                    let mut scan = IdScan::default();
                    scan.feed(&std::mem::take(&mut self.line));
                    scan.feed(part);
                    self.dropping = Some(scan);
                }
                None => self.line.extend_from_slice(part),
            }
            self.read.consume(count);
            if end.is_some() {
                return Some(match self.dropping.take() {
                    Some(scan) => Line::TooLong(Dropped::new(scan)),
                    None => Line::Whole(trimmed(std::mem::take(&mut self.line))),
                });
            }
        }
    }
}

/// Without the line's end, and without a byte order mark at its beginning.
fn trimmed(mut line: Vec<u8>) -> Vec<u8> {
    line.truncate(line.trim_ascii_end().len());
    if line.starts_with(b"\xef\xbb\xbf") {
        line.drain(..3);
    }
    line
}
