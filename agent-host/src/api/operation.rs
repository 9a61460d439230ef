//! Everything that can be asked, a line each: the request's word, its answer's, and an example of both.
//!
//! Is: what the routes know and the document lists; a test compares it with the types. Is not: what a request means, which
//! `admin` says, nor who may ask, which follows from the example. Clause: HOST-3 (login).

use crate::admin::{Request, misshapen};
use zeroize::Zeroizing;

/// Bytes of any request that holds a passphrase, escapes included.
const ROOM: usize = 16 * 1024;

/// One thing that can be asked.
#[derive(Debug, Clone, Copy)]
pub struct Operation {
    /// The request's word (`do`), which is the end of the path.
    pub name: &'static str,
    /// The answer's word (`is`).
    pub answer: &'static str,
    /// An example of the request's fields.
    pub example: &'static str,
}

const fn operation(name: &'static str, answer: &'static str, example: &'static str) -> Operation {
    Operation { name, answer, example }
}

/// All, in the order in which the document lists them.
pub const OPERATIONS: &[Operation] = &[
    operation("servers", "servers", "{}"),
    operation("sessions", "sessions", "{}"),
    operation("session-list", "session-list", r#"{"list":{"text":"alice","from":200}}"#),
    operation("session", "session", r#"{"session":"s_0000000000000000000000000000002a"}"#),
    operation("approvals", "approvals", "{}"),
    operation(
        "answer",
        "answered",
        r#"{"session":"s_0000000000000000000000000000002a","request":"r_0000000000000000000000000000002b","shown":"0000000000000000000000000000000000000000000000000000000000000000","answer":{"decision":"approve"}}"#,
    ),
    operation("questions", "questions", "{}"),
    operation("reply", "replied", r#"{"session":"s_0000000000000000000000000000002a","index":1,"reply":{"reply":"said","text":"yes"}}"#),
    operation("overview", "overview", r#"{"span":"day"}"#),
    operation("catalog", "catalog", "{}"),
    operation("search", "found", r#"{"words":"what time is it"}"#),
    operation("tool", "tool", r#"{"id":"mcp:time/now"}"#),
    operation("policy", "policy", "{}"),
    operation("records", "records", r#"{"records":{}}"#),
    operation("verify", "verified", "{}"),
    operation("denials", "denials", "{}"),
    operation("clear-denials", "cleared", r#"{"principal":"alice"}"#),
    operation("standing", "standing", "{}"),
    operation("withdraw-standing", "standing-withdrawn", r#"{"principal":"alice"}"#),
    operation("why", "why", r#"{"session":"s_0000000000000000000000000000002a","tool":"mcp:time/now"}"#),
    operation("explain", "explained", r#"{"principal":"alice","tool":"mcp:time/now"}"#),
    operation(
        "revoke",
        "revoked",
        r#"{"scope":{"of":"grant","session":"s_0000000000000000000000000000002a","tool":"mcp:time/now"},"running":"leave"}"#,
    ),
    operation("end-session", "ended", r#"{"session":"s_0000000000000000000000000000002a"}"#),
    operation("stop", "stopped", "{}"),
    operation("resume", "resumed", "{}"),
    operation("reload", "reloaded", "{}"),
    operation(
        "accept",
        "accepted",
        r#"{"bounds":[{"id":"mcp:time/now","digest":"0000000000000000000000000000000000000000000000000000000000000000"}]}"#,
    ),
    operation("create-token", "token-made", r#"{"token":{"principal":"alice","ttl":"30d","url":false}}"#),
    operation("tokens", "tokens", "{}"),
    operation("revoke-token", "token-revoked", r#"{"id":"t_0000000000000000000000000000002a"}"#),
];

impl Operation {
    /// The one of a name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        OPERATIONS.iter().find(|operation| operation.name == name)
    }

    /// The request of a body, which is a JSON object of its fields.
    ///
    /// The word is put in front of the fields as text, so that a field which is there twice, or is the word itself, is
    /// seen by the one reader of requests.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn request(&self, body: &[u8]) -> Result<Request, String> {
        let fields = body.trim_ascii_start().strip_prefix(b"{").ok_or("it is not a JSON object")?;
        // It may hold a passphrase, so it is wiped.
        let mut line = Zeroizing::new(Vec::with_capacity(body.len() + ROOM));
        line.extend_from_slice(self.tag().as_bytes());
        line.extend_from_slice(if fields.trim_ascii_start().starts_with(b"}") { b"" } else { b"," });
        line.extend_from_slice(fields);
        if let Some(why) = misshapen(&line) {
            return Err(why.to_owned());
        }
        match serde_json::from_slice(&line) {
            // Who logged in has proved who they are, and is not tried again with a passphrase of the socket's.
            Ok(Request::Answer { passphrase: Some(_), .. }) => {
                Err("an answer takes no passphrase here, for the login proves as much".to_owned())
            }
            read => read.map_err(|error| error.to_string()),
        }
    }

    /// The word of a request, and its fields as a body. It may hold a passphrase, so it is wiped.
    ///
    /// # Errors
    /// It can't be written as JSON.
    pub fn body(request: &Request) -> Result<(&'static Self, Zeroizing<Vec<u8>>), String> {
        let mut line = Zeroizing::new(Vec::with_capacity(ROOM));
        serde_json::to_writer(&mut *line, request).map_err(|error| error.to_string())?;
        let of = |operation: &&Self| line.starts_with(operation.tag().as_bytes());
        let operation = OPERATIONS.iter().find(of).ok_or("the API has no such operation")?;
        let fields = line.get(operation.tag().len()..).unwrap_or_default();
        let mut body = Zeroizing::new(Vec::with_capacity(ROOM));
        body.push(b'{');
        body.extend_from_slice(fields.strip_prefix(b",").unwrap_or(fields));
        Ok((operation, body))
    }

    fn tag(&self) -> String {
        format!("{{\"do\":\"{}\"", self.name)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn host_3_a_request_is_its_word_and_its_fields() {
        for operation in OPERATIONS {
            let request = operation.request(operation.example.as_bytes()).unwrap();
            let (again, body) = Operation::body(&request).unwrap();
            assert_eq!(again.name, operation.name);
            assert_eq!(again.request(&body).unwrap(), request, "{}", operation.name);
        }
    }

    #[test]
    fn host_3_a_body_says_its_fields_once_and_no_other_word() {
        let revoke = Operation::find("why").unwrap();
        let fields = |text: &str| revoke.request(text.as_bytes());
        let (session, tool) = ("\"session\":\"s_0000000000000000000000000000002a\"", "\"tool\":\"mcp:time/now\"");
        assert!(fields(&format!(" {{ {session},{tool} }} ")).is_ok());
        for wrong in [
            format!("{{{session},{session},{tool}}}"),
            format!("{{\"do\":\"stop\",{session},{tool}}}"),
            format!("{{{session},{tool},\"do\":\"why\"}}"),
            format!("{{{session},{tool},\"more\":1}}"),
            format!("{{{session},{tool}}}{{}}"),
            format!("{{,{session},{tool}}}"),
            format!("[{{{session},{tool}}}]"),
            String::new(),
            "{".to_owned(),
            "{}".to_owned(),
        ] {
            assert!(fields(&wrong).is_err(), "{wrong}");
        }
        assert!(Operation::find("grant").is_none() && Operation::find("Stop").is_none());
    }
}
