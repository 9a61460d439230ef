//! From the text of the file to what servers said.
//!
//! Is: one pass over the file that leaves each definition raw, then one over each definition. Nothing
//! that isn't known is skipped. Bounded by the file's size; never a panic.

use super::{Lock, LockError, digest, form, print};
use crate::upstream::Listed;
use agent_core::canon::Node;
use agent_core::digest::Digest;
use agent_core::id::Alias;
use agent_core::limits::{DEFINITION_DEPTH, DEFINITION_NODES};
use agent_core::safety::echo;
use rayon::prelude::*;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// The version of the file that is written and read.
const VERSION: u64 = 1;

/// Definitions that one thread reads in a row.
const TOGETHER: usize = 8;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File<'a> {
    version: u64,
    #[serde(borrow)]
    servers: Servers<'a>,
}

/// What is read of a file that is of another version.
#[derive(Deserialize)]
struct Head {
    version: u64,
}

/// By alias; one that stands there twice is refused.
struct Servers<'a>(BTreeMap<Alias, Server<'a>>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Server<'a> {
    protocol: Option<String>,
    claims: Option<Claims>,
    cut: Option<String>,
    #[serde(borrow)]
    tools: Vec<Tool<'a>>,
    #[serde(default)]
    refused: Vec<Refused>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Claims {
    name: String,
    version: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tool<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    digest: Digest,
    #[serde(borrow)]
    definition: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Refused {
    name: String,
    why: String,
}

impl<'de: 'a, 'a> Deserialize<'de> for Servers<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Servers<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("servers by alias")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut servers = BTreeMap::new();
                while let Some(alias) = map.next_key::<Alias>()? {
                    if servers.contains_key(&alias) {
                        return Err(A::Error::custom(format!("the server `{}` is there twice", alias.as_str())));
                    }
                    servers.insert(alias, map.next_value()?);
                }
                Ok(Servers(servers))
            }
        }
        deserializer.deserialize_map(Each)
    }
}

/// The whole file.
pub(super) fn lock(path: &Path, text: &str) -> Result<Lock, LockError> {
    let newer = |version| {
        let what = format!("of version {version}, and this program knows version {VERSION}");
        LockError::whole(path, what, "use the newer program that wrote it, or run `agent-host sync`")
    };
    let file: File<'_> = serde_json::from_str(text).map_err(|error| match serde_json::from_str(text) {
        Ok(Head { version }) if version != VERSION => newer(version),
        _ => LockError::at(path, error.line(), echo(&error.to_string())),
    })?;
    if file.version != VERSION {
        return Err(newer(file.version));
    }
    // INVARIANT: I-3 what a reviewer read is what is parsed.
    form::check(text).map_err(|(line, what)| LockError::at(path, line, what))?;
    let mut servers = BTreeMap::new();
    for (alias, server) in file.servers.0 {
        let read = |tool: &Tool<'_>| {
            definition(tool).map_err(|what| {
                let what = format!("`{}` of server `{}`: {what}", echo(&tool.name), alias.as_str());
                LockError::at(path, line(text, tool.definition.get()), what)
            })
        };
        let read: Vec<_> = server.tools.par_iter().with_min_len(TOGETHER).map(read).collect();
        let definitions = read.into_iter().collect::<Result<_, _>>()?;
        let mut listed = Listed::default();
        listed.protocol = server.protocol;
        listed.claims = server.claims.map(|claims| (claims.name, claims.version));
        listed.cut = server.cut;
        listed.definitions = definitions;
        listed.refused = server.refused.into_iter().map(|tool| (tool.name, tool.why)).collect();
        servers.insert(alias, listed);
    }
    Ok(Lock { servers })
}

fn definition(tool: &Tool<'_>) -> Result<String, String> {
    let node = Node::parse(tool.definition.get(), DEFINITION_DEPTH, DEFINITION_NODES).map_err(|error| error.to_string())?;
    if print::name(&node) != tool.name {
        return Err("its definition has another name".to_owned());
    }
    // INVARIANT: I-3 what stands beside a definition, for a reviewer, is what will be granted and pinned.
    if digest(&node) != tool.digest {
        return Err("its definition is not the one of its digest".to_owned());
    }
    Ok(node.text())
}

/// The line on which a part of the text begins, from 1.
fn line(text: &str, part: &str) -> usize {
    let before = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    text.bytes().take(before).filter(|byte| *byte == b'\n').count() + 1
}
