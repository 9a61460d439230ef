//! One page of a list of tools, read from its bytes tool by tool.
//!
//! Clauses: CAT-3 (raw listing), CAT-4 (listing).

use agent_core::canon::Node;
use agent_core::definition::DefinitionError;
use agent_core::limits::{DEFINITION_BYTES, DEFINITION_DEPTH, DEFINITION_NODES, TOOLS_PER_SOURCE};
use agent_core::safety::{echo, prose};
use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::fmt;

/// Bytes of a cursor; a longer one is no cursor.
const CURSOR_BYTES: usize = 64 * 1024;

/// One tool of a list.
pub(in crate::upstream) enum Entry {
    /// JSON of its own, without white space.
    Read {
        /// Its name; empty where it has none.
        name: String,
        /// All of it.
        text: String,
    },
    /// Too large, too deep, a key twice.
    Refused {
        /// Its name, cut and made visible.
        name: String,
        /// Why.
        why: String,
    },
}

/// One page.
pub(in crate::upstream) struct Page {
    pub(in crate::upstream) entries: Vec<Entry>,
    /// Whether it had more tools than any server may have; those are left out.
    pub(super) more: bool,
    pub(super) next: Option<String>,
}

#[derive(Deserialize)]
struct Sent<'a> {
    #[serde(borrow)]
    tools: Tools<'a>,
    #[serde(rename = "nextCursor", default)]
    next: Option<String>,
}

struct Tools<'a> {
    texts: Vec<&'a RawValue>,
    more: bool,
}

impl Page {
    /// Reads the result of one request.
    ///
    /// # Errors
    /// The text says why it is no page.
    pub(in crate::upstream) fn read(text: &str) -> Result<Self, String> {
        let sent: Sent<'_> =
            serde_json::from_str(text).map_err(|error| format!("its answer is not a list of tools: {}", prose(&error.to_string(), 200)))?;
        if sent.next.as_ref().is_some_and(|next| next.len() > CURSOR_BYTES) {
            return Err(format!("it names a next page by more than {CURSOR_BYTES} bytes"));
        }
        Ok(Self {
            entries: sent.tools.texts.into_iter().map(|tool| Entry::read(tool.get())).collect(),
            more: sent.tools.more,
            next: sent.next,
        })
    }
}

impl Entry {
    fn read(text: &str) -> Self {
        let node = match text.len() {
            ..=DEFINITION_BYTES => Node::parse(text, DEFINITION_DEPTH, DEFINITION_NODES).map_err(|error| error.to_string()),
            _ => Err(DefinitionError::Size.to_string()),
        };
        match node {
            Ok(node) => Self::Read { name: node.get("name").and_then(Node::as_str).unwrap_or_default().to_owned(), text: node.text() },
            Err(why) => Self::Refused { name: name_in(text), why },
        }
    }
}

/// The name in a text of any size and depth.
fn name_in(text: &str) -> String {
    #[derive(Deserialize)]
    struct Named {
        name: String,
    }
    serde_json::from_str::<Named>(text).map_or_else(|_| "(no name)".to_owned(), |named| echo(&named.name))
}

impl<'de: 'a, 'a> Deserialize<'de> for Tools<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Texts)
    }
}

struct Texts;

impl<'de> Visitor<'de> for Texts {
    type Value = Tools<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of tools")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Tools<'de>, A::Error> {
        let mut texts = Vec::new();
        while texts.len() < TOOLS_PER_SOURCE {
            match sequence.next_element()? {
                Some(text) => texts.push(text),
                None => return Ok(Tools { texts, more: false }),
            }
        }
        let mut more = false;
        while sequence.next_element::<IgnoredAny>()?.is_some() {
            more = true;
        }
        Ok(Tools { texts, more })
    }
}
