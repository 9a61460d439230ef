//! What a relay has to remember of the frames that go by, so that a host can be replaced under its client.
//!
//! Pure. Is: ids, and the very lines that shook hands and opened streams. Is not: MCP. Clause: HOST-1 (relay).

use crate::refusal::{UNKNOWN, UNSERVED, refusal};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// What stands on the wire of one client.
#[derive(Default)]
pub(super) struct Frames {
    /// The client's `initialize` and what it said of having understood the answer, as it wrote them.
    handshake: Vec<Vec<u8>>,
    /// Requests of the client that wait for the host, by id; whether it is the handshake's.
    asked: BTreeMap<String, bool>,
    /// Streams on which the client listens, by id, as it opened them.
    streams: BTreeMap<String, Vec<u8>>,
    /// Requests of this host that wait for the client.
    theirs: BTreeSet<String>,
    /// The handshake that is played again, whose answer the client has already.
    replayed: Option<String>,
}

/// As much of a frame as is looked at.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

/// What opens a stream, as far as it is looked at.
#[derive(Deserialize)]
struct Opening {
    params: Params,
}

#[derive(Deserialize)]
struct Params {
    #[serde(default)]
    notifications: Filter,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Filter {
    #[serde(default)]
    tools_list_changed: bool,
}

#[derive(Deserialize)]
struct Cancelled<'a> {
    #[serde(borrow, rename = "requestId")]
    id: &'a RawValue,
}

impl Frames {
    /// Takes note of a client's frame; whether it goes on to the host. What can't be read does: the host says so.
    pub(super) fn client_wrote(&mut self, line: &[u8]) -> bool {
        let Some(frame) = envelope(line) else { return !line.is_empty() };
        match (frame.id.map(known), frame.method.as_deref()) {
            (Some(id), Some("subscriptions/listen")) => _ = self.streams.insert(id, line.to_owned()),
            (Some(id), Some(method)) => {
                let first = method == "initialize";
                if first {
                    self.handshake = vec![line.to_owned()];
                }
                self.asked.insert(id, first);
            }
            (None, Some("notifications/initialized")) => self.handshake.push(line.to_owned()),
            (None, Some("notifications/cancelled")) => {
                let cancelled = frame.params.and_then(|params| serde_json::from_str::<Cancelled<'_>>(params.get()).ok());
                if let Some(id) = cancelled.map(|cancelled| known(cancelled.id)) {
                    self.asked.remove(&id);
                    self.streams.remove(&id);
                }
            }
            // An answer to what a host asked that is gone by now is nobody's.
            (Some(id), None) => return self.theirs.remove(&id),
            (None, _) => {}
        }
        true
    }

    /// Takes note of a host's frame; whether it goes on to the client.
    pub(super) fn host_wrote(&mut self, line: &[u8]) -> bool {
        let Some(frame) = envelope(line) else { return false };
        match (frame.id.map(known), frame.method.is_some()) {
            (Some(id), true) => {
                self.theirs.insert(id);
            }
            (Some(id), false) if self.replayed.as_ref() == Some(&id) => {
                self.replayed = None;
                return false;
            }
            (Some(id), false) => {
                self.asked.remove(&id);
                self.streams.remove(&id);
            }
            (None, _) => {}
        }
        true
    }

    /// What the client is told once its host is gone: what it asked may have been done, what it was asked is over.
    pub(super) fn lost(&mut self) -> Vec<String> {
        let asked = self.asked.iter().filter(|(_, handshake)| !**handshake).map(|(id, _)| refusal(id, UNSERVED, UNKNOWN));
        let theirs = self.theirs.iter().map(|id| {
            format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id},"reason":"the host is gone"}}}}"#)
        });
        let mut lines: Vec<_> = asked.chain(theirs).collect();
        // Whatever the next host lists, it may be another list.
        if self.handshake.len() > 1 {
            lines.push(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#.to_owned());
        }
        lines.extend(self.streams.iter().filter(|(_, line)| hears_of_tools(line)).map(|(id, _)| {
            let meta = format!(r#""_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}"#);
            format!(r#"{{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{{{meta}}}}}"#)
        }));
        self.asked.retain(|_, handshake| *handshake);
        self.theirs.clear();
        lines
    }

    /// What whoever waits is told where no host will answer.
    pub(super) fn unserved(&self, why: &str) -> Vec<String> {
        self.asked.keys().chain(self.streams.keys()).map(|id| refusal(id, UNSERVED, &format!("agent-host can't serve: {why}"))).collect()
    }

    /// What the next host is told first: the handshake, if there was one, and the streams that are open. The handshake's
    /// answer goes to a client that still waits for it; that a stream is open once more does no harm to hear.
    pub(super) fn again(&mut self) -> Vec<Vec<u8>> {
        let first = self.handshake.first().and_then(|line| envelope(line));
        let id = first.and_then(|first| first.id.map(known));
        self.replayed = id.filter(|id| !self.asked.contains_key(id));
        self.handshake.iter().chain(self.streams.values()).cloned().collect()
    }
}

/// A frame, unless it is a batch, which would read as one.
fn envelope(line: &[u8]) -> Option<Envelope<'_>> {
    serde_json::from_slice(line).ok().filter(|_| line.starts_with(b"{"))
}

fn hears_of_tools(line: &[u8]) -> bool {
    serde_json::from_slice::<Opening>(line).is_ok_and(|opening| opening.params.notifications.tools_list_changed)
}

/// An id as every writer of it writes it: a host may write the same one in other characters than its client did.
fn known(id: &RawValue) -> String {
    serde_json::from_str::<Value>(id.get()).map_or_else(|_| id.get().to_owned(), |id| id.to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const INIT: &[u8] = br#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#;
    const READY: &[u8] = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

    fn greeted() -> Frames {
        let mut frames = Frames::default();
        assert!(frames.again().is_empty());
        assert!(frames.client_wrote(INIT) && frames.host_wrote(br#"{"jsonrpc":"2.0","id":0,"result":{}}"#) && frames.client_wrote(READY));
        frames
    }

    #[test]
    fn host_1_what_was_in_flight_is_answered_as_unknown() {
        let mut frames = greeted();
        for line in [r#"{"id":1,"method":"tools/call"}"#, r#"{"id":"b","method":"tools/list"}"#, r#"{"id":3,"method":"ping"}"#] {
            assert!(frames.client_wrote(line.as_bytes()));
        }
        assert!(frames.host_wrote(br#"{"id":3,"result":{}}"#));
        assert!(frames.client_wrote(br#"{"method":"notifications/cancelled","params":{"requestId":"b"}}"#));
        assert!(frames.host_wrote(br#"{"id":1,"method":"elicitation/create"}"#));
        let lost = frames.lost();
        assert_eq!(lost.len(), 3, "{lost:?}");
        assert!(lost.first().unwrap().starts_with(r#"{"jsonrpc":"2.0","id":1,"error""#), "{lost:?}");
        assert!(lost.iter().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()));
        assert!(!frames.client_wrote(br#"{"id":1,"result":{"action":"accept"}}"#), "the next host never asked that");
        assert_eq!(frames.lost().len(), 1, "the list alone");
    }

    #[test]
    fn host_1_the_handshake_is_played_again_and_answered_once() {
        let mut frames = greeted();
        assert_eq!(frames.again(), [INIT, READY]);
        assert!(!frames.host_wrote(br#"{"jsonrpc":"2.0","id":0,"result":{}}"#), "the client has its answer");
        let mut early = Frames::default();
        assert!(early.client_wrote(INIT));
        assert!(early.lost().is_empty());
        assert_eq!(early.again(), [INIT]);
        assert!(early.host_wrote(br#"{"jsonrpc":"2.0","id":0,"result":{}}"#), "the client still waits");
    }

    #[test]
    fn host_1_streams_are_opened_again() {
        let mut frames = Frames::default();
        let listen =
            |id: &str, filter: &str| format!(r#"{{"id":{id},"method":"subscriptions/listen","params":{{"notifications":{filter}}}}}"#);
        let (tools, none, over) = (listen("1", r#"{"toolsListChanged":true}"#), listen("2", "{}"), listen("3", "{}"));
        for line in [&tools, &none, &over] {
            assert!(frames.client_wrote(line.as_bytes()));
        }
        assert!(frames.host_wrote(br#"{"id":3,"result":{}}"#), "a stream that ended");
        let lost = frames.lost();
        assert_eq!(lost.len(), 1, "who listens for tools hears, and no stream is answered: {lost:?}");
        assert!(lost.first().unwrap().contains(r#""io.modelcontextprotocol/subscriptionId":1"#), "{lost:?}");
        assert_eq!(frames.again(), [tools.as_bytes(), none.as_bytes()]);
        assert!(frames.client_wrote(br#"{"method":"notifications/cancelled","params":{"requestId":1}}"#));
        assert_eq!(frames.again(), [none.as_bytes()]);
    }

    #[test]
    fn host_1_an_id_is_the_same_however_it_is_written() {
        let mut frames = Frames::default();
        for line in [r#"{"id":"\u00e9","method":"initialize"}"#, r#"{"id":"\u00ea","method":"ping"}"#, r#"{"id":"a\/b","method":"ping"}"#] {
            assert!(frames.client_wrote(line.as_bytes()));
        }
        for line in [r#"{"id":"\u00e9","result":{}}"#, r#"{"id":"ê","result":{}}"#, r#"{"id":"a/b","result":{}}"#] {
            assert!(frames.host_wrote(line.as_bytes()));
        }
        assert!(frames.lost().is_empty(), "all were answered");
        assert_eq!(frames.again().len(), 1);
        assert!(!frames.host_wrote("{\"id\":\"é\",\"result\":{}}".as_bytes()), "the client has its answer");
    }

    #[test]
    fn what_cannot_be_read_goes_to_who_can_say_so() {
        let mut frames = greeted();
        assert!(
            frames.client_wrote(b"{")
                && frames.client_wrote(br#"[{"id":1}]"#)
                && frames.client_wrote(br#"[7,"ping",{}]"#)
                && !frames.client_wrote(b"")
        );
        assert!(!frames.host_wrote(b"noise"));
        assert_eq!(frames.lost().len(), 1, "the list alone");
    }
}
