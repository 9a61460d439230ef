//! The events of one SSE stream, of bounded length.
//!
//! Is: bytes in, the data of whole events out; and from where a stream could go on. Is not: a reader of the data. Clause: UP-1
//! (bounded messages).

use crate::lines::LINE_BYTES;
use std::time::Duration;

/// Bytes of an event's id; a longer one is none.
const ID_BYTES: usize = 1024;
/// No server makes us wait for longer before we come back.
const LONGEST_REST: Duration = Duration::from_secs(60);

/// What was read so far.
#[derive(Default)]
pub(super) struct Events {
    line: Vec<u8>,
    data: Vec<u8>,
    /// Whether the event so far is one of messages.
    other: bool,
    id: Option<String>,
    after_cr: bool,
    /// The id of the last event that was whole.
    pub(super) last: Option<String>,
    /// How long to wait before coming back, where the server says so.
    pub(super) retry: Option<Duration>,
}

/// An event, or a line of one, was longer than [`LINE_BYTES`].
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

impl Events {
    /// Of a stream that goes on after an event.
    pub(super) fn after(last: Option<String>) -> Self {
        Self { last, ..Self::default() }
    }

    /// Bytes that are kept until the event is whole.
    pub(super) fn kept(&self) -> usize {
        self.line.len() + self.data.len()
    }

    /// Takes bytes, and gives the data of each event that they complete, in order.
    ///
    /// # Errors
    /// [`TooLong`]; the stream can't be read on.
    pub(super) fn feed(&mut self, mut bytes: &[u8], mut each: impl FnMut(Vec<u8>)) -> Result<(), TooLong> {
        while !bytes.is_empty() {
            if std::mem::take(&mut self.after_cr) && bytes.first() == Some(&b'\n') {
                bytes = bytes.get(1..).unwrap_or_default();
                continue;
            }
            let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let (part, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
            if self.kept() + part.len() > LINE_BYTES {
                return Err(TooLong);
            }
            self.line.extend_from_slice(part);
            if end.is_some() {
                self.after_cr = rest.first() == Some(&b'\r');
                let line = std::mem::take(&mut self.line);
                if let Some(data) = self.take(&line) {
                    each(data);
                }
            }
            bytes = rest.get(1..).unwrap_or_default();
        }
        Ok(())
    }

    /// One line; gives the event that an empty one completes.
    fn take(&mut self, line: &[u8]) -> Option<Vec<u8>> {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        if line.is_empty() {
            let (data, other) = (std::mem::take(&mut self.data), std::mem::take(&mut self.other));
            if let Some(id) = self.id.take() {
                self.last = Some(id);
            }
            return (!data.is_empty() && !other).then_some(data);
        }
        let (name, value) = line.split_at(line.iter().position(|byte| *byte == b':').unwrap_or(line.len()));
        let value = value.get(1..).unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => {
                if !self.data.is_empty() {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
            }
            b"event" => self.other = !matches!(value, b"" | b"message"),
            b"id" if value.len() <= ID_BYTES => {
                self.id = std::str::from_utf8(value).ok().filter(|id| !id.contains('\0')).map(str::to_owned)
            }
            b"retry" => {
                let ms = std::str::from_utf8(value).ok().and_then(|ms| ms.parse().ok()).map(Duration::from_millis);
                self.retry = ms.map(|ms| ms.min(LONGEST_REST)).or(self.retry);
            }
            // A comment, or nothing that is known.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(events: &mut Events, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        // Byte by byte, so that no border of a chunk is special.
        for byte in text.bytes() {
            assert_eq!(events.feed(&[byte], |data| found.push(String::from_utf8_lossy(&data).into_owned())), Ok(()));
        }
        found
    }

    #[test]
    fn up_1_http_events_are_read_whatever_ends_their_lines() {
        for end in ["\n", "\r\n", "\r"] {
            let text = "data: {\"a\":\n: a comment\ndata:1}\nid: 7\n\nevent: ping\ndata: x\n\nretry: 99999999\nevent: message\ndata: 2\n\n\ndata: 3\n";
            let mut events = Events::default();
            assert_eq!(read(&mut events, &text.replace('\n', end)), ["{\"a\":\n1}", "2"]);
            assert_eq!((events.last.as_deref(), events.retry), (Some("7"), Some(LONGEST_REST)));
            assert!(events.kept() > 0, "an event that is not whole is none");
        }
        assert_eq!(read(&mut Events::default(), "\u{feff}data: 1\n\ndata\n\nnonsense\n\n"), ["1"]);
    }

    #[test]
    fn up_1_http_an_endless_event_is_given_up() {
        let mut events = Events::default();
        let piece = vec![b'x'; 1 << 20];
        let fed = (0..17).map(|_| events.feed(&piece, |_| {})).collect::<Result<Vec<_>, _>>();
        assert_eq!(fed, Err(TooLong));
        assert!(events.kept() <= LINE_BYTES);
        let mut events = Events::default();
        let line = [b"data: ".as_slice(), &piece, b"\n"].concat();
        let fed = (0..17).map(|_| events.feed(&line, |_| {})).collect::<Result<Vec<_>, _>>();
        assert_eq!(fed, Err(TooLong));
    }
}
