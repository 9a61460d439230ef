//! Tool ids and the names a model sees for them.
//!
//! Is: parsing, and the one function from id to wire name. Is not: resolving, which is a lookup by exact bytes in the
//! catalog. Clauses: ID-1, ID-2, ID-3.

use crate::digest::{Digest, Domain};
use crate::limits::{ALIAS_BYTES, ID_BYTES, WIRE_BYTES};
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

/// Where a tool comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SourceClass {
    /// An MCP server: `mcp:<server>/<tool>`.
    Mcp,
    /// Rust code in the process: `native:<toolbox>/<tool>`.
    Native,
    /// A source added in code: `ext:<plugin>/<tool>`.
    Ext,
    /// Another agent of this host: `agent:<name>/<capability>`.
    Agent,
}

impl SourceClass {
    /// The namespace as ids write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Mcp => "mcp",
            Self::Native => "native",
            Self::Ext => "ext",
            Self::Agent => "agent",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        [Self::Mcp, Self::Native, Self::Ext, Self::Agent].into_iter().find(|class| class.as_str() == text)
    }
}

/// Why a text is not an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IdError {
    /// Longer than 192 bytes.
    #[error("an id has at most {ID_BYTES} bytes")]
    Length,
    /// Not `namespace:server/tool` with a known namespace.
    #[error("an id reads `mcp:<server>/<tool>` (or `native:`, `ext:`, `agent:`)")]
    Form,
    /// The alias breaks ID-2.
    #[error(transparent)]
    Alias(#[from] AliasError),
}

/// Why a text is not an alias.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AliasError {
    /// Not `[a-z][a-z0-9-]{0,31}`.
    #[error("an alias is a lower-case letter, then up to {} lower-case letters, digits or `-`", ALIAS_BYTES - 1)]
    Form,
    /// One of the namespaces.
    #[error("`agent`, `builtin`, `native` and `ext` are reserved")]
    Reserved,
}

/// An operator's name for one source of tools, unique across namespaces (ID-2).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("pattern" = "^(?!(agent|builtin|native|ext)$)[a-z][a-z0-9-]{0,31}$")))]
#[serde(try_from = "String", into = "String")]
pub struct Alias(Arc<str>);

impl Alias {
    /// Checks an operator's alias.
    ///
    /// # Errors
    /// [`AliasError`] says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, AliasError> {
        let mut bytes = text.bytes();
        let well_formed = text.len() <= ALIAS_BYTES
            && bytes.next().is_some_and(|first| first.is_ascii_lowercase())
            && bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        match text {
            "agent" | "builtin" | "native" | "ext" => Err(AliasError::Reserved),
            _ if well_formed => Ok(Self(text.into())),
            _ => Err(AliasError::Form),
        }
    }

    /// The alias as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// One tool's identity, compared byte for byte: `mcp:<server>/<tool>` and its like (ID-1).
/// Builtins have none; they can't be searched, granted or revoked (BLT-1).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("pattern" = "^(mcp|native|ext|agent):[a-z][a-z0-9-]{0,31}/.", "maxLength" = ID_BYTES)))]
#[serde(try_from = "String", into = "String")]
pub struct ToolId(Arc<str>);

impl ToolId {
    /// Reads an id. The tool's own name is taken as it stands; [`crate::name::judge`] says whether it is served.
    ///
    /// # Errors
    /// [`IdError`] says which part is wrong.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        if text.len() > ID_BYTES {
            return Err(IdError::Length);
        }
        let (class, rest) = text.split_once(':').ok_or(IdError::Form)?;
        let (alias, name) = rest.split_once('/').ok_or(IdError::Form)?;
        SourceClass::parse(class).ok_or(IdError::Form)?;
        Alias::parse(alias)?;
        if name.is_empty() {
            return Err(IdError::Form);
        }
        Ok(Self(text.into()))
    }

    /// The id of a source's tool.
    ///
    /// # Errors
    /// As [`ToolId::parse`].
    pub fn new(class: SourceClass, alias: &Alias, name: &str) -> Result<Self, IdError> {
        Self::parse(&format!("{}:{}/{name}", class.as_str(), alias.as_str()))
    }

    /// The whole id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The kind of source.
    #[must_use]
    pub fn class(&self) -> SourceClass {
        self.0.split_once(':').and_then(|(class, _)| SourceClass::parse(class)).unwrap_or(SourceClass::Ext)
    }

    /// The source's alias.
    #[must_use]
    pub fn server(&self) -> Alias {
        Alias(self.parts().0.into())
    }

    /// Whether the source has this alias.
    #[must_use]
    pub fn is_of(&self, server: &Alias) -> bool {
        self.parts().0 == server.as_str()
    }

    /// The upstream's own name of the tool.
    #[must_use]
    pub fn name(&self) -> &str {
        self.parts().1
    }

    fn parts(&self) -> (&str, &str) {
        self.0.split_once(':').and_then(|(_, rest)| rest.split_once('/')).unwrap_or_default()
    }

    /// The name a model sees, a function of the id alone (ID-3). Aliases are unique across namespaces, so leaving the
    /// namespace out loses nothing.
    #[must_use]
    pub fn wire(&self) -> WireName {
        let plain = format!("{}__{}", self.parts().0, self.name());
        let mapped: String =
            plain.bytes().map(|byte| if byte.is_ascii_alphanumeric() || b"_-".contains(&byte) { char::from(byte) } else { '-' }).collect();
        let lossless = mapped == plain && mapped.len() <= WIRE_BYTES;
        if lossless {
            return WireName(mapped.into());
        }
        let suffix = Digest::of(Domain::Id, self.0.as_bytes()).base32();
        let room = WIRE_BYTES - suffix.len() - 1;
        let kept = if mapped.len() <= room {
            mapped
        } else {
            let tail = room / 3;
            let head = room - tail - 1;
            let from = mapped.len() - tail;
            format!("{}-{}", mapped.get(..head).unwrap_or_default(), mapped.get(from..).unwrap_or_default())
        };
        WireName(format!("{kept}-{suffix}").into())
    }
}

/// The builtins' wire names. No tool has one of them: those that ids give hold `__`, and an operator's may not (ID-3).
pub const BUILTINS: [&str; 5] = ["search_tools", "activate_tools", "call_tool", "deactivate_tools", "tool_details"];

/// A name of at most 47 bytes, `[A-Za-z][A-Za-z0-9_-]*`, by which a model calls a tool (ID-3).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("pattern" = "^[A-Za-z][A-Za-z0-9_-]{0,46}$", "not" = { "enum": BUILTINS })))]
#[serde(try_from = "String", into = "String")]
pub struct WireName(Arc<str>);

/// Why a text is not a wire name of an operator's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// Not of the form.
    #[error("a wire name is a letter, then letters, digits, `_` or `-`, at most {WIRE_BYTES} bytes in all")]
    Form,
    /// A builtin's.
    #[error("a builtin has this name")]
    Builtin,
}

impl WireName {
    /// Checks a name that an operator gives to a tool.
    ///
    /// # Errors
    /// [`WireError`] says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, WireError> {
        let mut bytes = text.bytes();
        let well_formed = text.len() <= WIRE_BYTES
            && bytes.next().is_some_and(|first| first.is_ascii_alphabetic())
            && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
        match text {
            _ if BUILTINS.contains(&text) => Err(WireError::Builtin),
            _ if well_formed => Ok(Self(text.into())),
            _ => Err(WireError::Form),
        }
    }

    /// The name as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

macro_rules! text {
    ($($name:ident),*) => {$(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
        impl From<$name> for String {
            fn from(value: $name) -> Self {
                value.0.as_ref().to_owned()
            }
        }
    )*};
}
text!(Alias, ToolId, WireName);

impl fmt::Debug for ToolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", crate::safety::visible(&self.0))
    }
}

impl fmt::Debug for WireName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.0)
    }
}

impl TryFrom<String> for ToolId {
    type Error = IdError;
    fn try_from(text: String) -> Result<Self, IdError> {
        Self::parse(&text)
    }
}

impl TryFrom<String> for WireName {
    type Error = WireError;
    fn try_from(text: String) -> Result<Self, WireError> {
        Self::parse(&text)
    }
}

impl TryFrom<String> for Alias {
    type Error = AliasError;
    fn try_from(text: String) -> Result<Self, AliasError> {
        Self::parse(&text)
    }
}

#[cfg(test)]
mod tests;
