//! The id of a JSON-RPC message that is too long to keep, found while it goes by.
//!
//! Is: enough of JSON to know strings and nesting. Is not: a parser; of a text that is no JSON it finds nothing or
//! something, and a wrong id is one that nobody waits for. Clauses: UP-1 (bounded lines), SES-2 (stdio).

use serde_json::Value;

/// Bytes of a key, a number or a string that are kept; a longer one is no id.
const KEPT: usize = 256;

/// Fed with the line, piece by piece.
#[derive(Default)]
pub(super) struct IdScan {
    depth: usize,
    string: bool,
    escaped: bool,
    /// Whether the next value is that of the outermost `id`.
    wanted: bool,
    /// The string or number at hand, in the outermost object, as it is written.
    word: Vec<u8>,
    id: Option<String>,
    asks: bool,
}

impl IdScan {
    pub(super) fn feed(&mut self, part: &[u8]) {
        part.iter().for_each(|byte| self.step(*byte));
    }

    /// What was found: the id as it was written, and whether there was a method beside it.
    pub(super) fn found(self) -> (Option<String>, bool) {
        (self.id, self.asks)
    }

    fn step(&mut self, byte: u8) {
        if self.string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.string = false,
                _ => {}
            }
            return self.keep(byte);
        }
        match byte {
            b'"' => {
                self.string = true;
                self.word.clear();
                self.keep(byte);
            }
            b'{' | b'[' => {
                self.depth += 1;
                self.wanted = false;
                self.word.clear();
            }
            b':' if self.depth == 1 => {
                self.wanted = self.word == br#""id""#;
                self.asks |= self.word == br#""method""#;
                self.word.clear();
            }
            b',' | b'}' | b']' => {
                if self.depth == 1 && self.wanted && self.id.is_none() {
                    self.id = self.word();
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

    /// The word at hand, if it is whole and can be an id.
    fn word(&self) -> Option<String> {
        let value = serde_json::from_slice::<Value>(&self.word).ok()?;
        (value.is_string() || value.is_number()).then(|| String::from_utf8(self.word.clone()).ok()).flatten()
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

    fn found(text: &str) -> (Option<String>, bool) {
        let mut scan = IdScan::default();
        text.as_bytes().chunks(3).for_each(|part| scan.feed(part));
        scan.found()
    }

    fn id(text: &str) -> Option<String> {
        found(text).0
    }

    #[test]
    fn attack_49_the_id_of_a_line_that_is_dropped() {
        assert_eq!(id(r#"{"jsonrpc":"2.0","id":7,"result":{"id":8}}"#).as_deref(), Some("7"));
        assert_eq!(id(r#"{"result":{"id":8,"text":"}\",\"id\":9"},"jsonrpc":"2.0", "id" : 10 }"#).as_deref(), Some("10"));
        assert_eq!(id(r#"{"result":[{"id":8}],"id":"11"}"#).as_deref(), Some(r#""11""#));
        assert_eq!(id(r#"{"id":"a\"b","x":1}"#).as_deref(), Some(r#""a\"b""#));
        assert_eq!(id(r#"{"a":"id","b":3}"#), None);
        assert_eq!(id(r#"{"id":{"id":1},"x":2}"#), None);
        assert_eq!(id(r#"{"id":null,"x":2}"#), None);
        assert_eq!(id(&format!(r#"{{"id":"{}"}}"#, "a".repeat(KEPT))), None);
        assert_eq!(id(r#"[{"id":1}]"#), None);
        assert_eq!(id("}}}]]],:\"id"), None);
    }

    #[test]
    fn ses_2_a_request_is_told_from_an_answer() {
        assert!(found(r#"{"id":7,"method":"ping"}"#).1 && found(r#"{"method":"ping","id":7}"#).1);
        assert!(!found(r#"{"id":7,"result":{"method":"ping"}}"#).1 && !found(r#"{"id":"method","result":"method"}"#).1);
    }
}
