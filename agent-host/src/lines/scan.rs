//! The id of a JSON-RPC message that is too long to keep, found while it goes by.
//!
//! Is: enough of JSON to know strings and nesting. Is not: a parser; of a text that is no JSON it finds nothing or
//! something, and a wrong id is one that nobody waits for. Clause: UP-1 (bounded lines).

/// Bytes of a key or a number that are kept.
const KEPT: usize = 24;

/// Fed with the line, piece by piece.
#[derive(Default)]
pub(super) struct IdScan {
    depth: usize,
    string: bool,
    escaped: bool,
    /// Whether the next value is that of the outermost `id`.
    wanted: bool,
    /// The string or number at hand, in the outermost object.
    word: Vec<u8>,
    id: Option<i64>,
}

impl IdScan {
    pub(super) fn feed(&mut self, part: &[u8]) {
        part.iter().for_each(|byte| self.step(*byte));
    }

    /// What was found.
    pub(super) const fn id(&self) -> Option<i64> {
        self.id
    }

    fn step(&mut self, byte: u8) {
        if self.string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.string = false,
                _ => self.keep(byte),
            }
            return;
        }
        match byte {
            b'"' => {
                self.string = true;
                self.word.clear();
            }
            b'{' | b'[' => {
                self.depth += 1;
                self.wanted = false;
                self.word.clear();
            }
            b':' if self.depth == 1 => {
                self.wanted = self.word == b"id";
                self.word.clear();
            }
            b',' | b'}' | b']' => {
                if self.depth == 1 && self.wanted {
                    self.id = self.id.or_else(|| std::str::from_utf8(&self.word).ok()?.parse().ok());
                }
                self.wanted = false;
                self.word.clear();
                if byte != b',' {
                    self.depth = self.depth.saturating_sub(1);
                }
            }
            _ if byte.is_ascii_whitespace() => {}
            _ => self.keep(byte),
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.word.len() < KEPT {
            self.word.push(byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<i64> {
        let mut scan = IdScan::default();
        text.as_bytes().chunks(3).for_each(|part| scan.feed(part));
        scan.id()
    }

    #[test]
    fn attack_49_the_id_of_a_line_that_is_dropped() {
        assert_eq!(found(r#"{"jsonrpc":"2.0","id":7,"result":{"id":8}}"#), Some(7));
        assert_eq!(found(r#"{"result":{"id":8,"text":"}\",\"id\":9"},"jsonrpc":"2.0", "id" : 10 }"#), Some(10));
        assert_eq!(found(r#"{"result":[{"id":8}],"id":"11"}"#), Some(11));
        assert_eq!(found(r#"{"a":"id","b":3}"#), None);
        assert_eq!(found(r#"{"id":{"id":1},"x":2}"#), None);
        assert_eq!(found(r#"[{"id":1}]"#), None);
        assert_eq!(found("}}}]]],:\"id"), None);
    }
}
