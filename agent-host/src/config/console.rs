//! The operator's pages, and the operators who may come to them.
//!
//! Is not: anybody's passphrase, which is kept as a hash in the state folder. Clause: AUTH-4 (console, login).

use super::{Oidc, Tls};
use agent_core::session::PrincipalId;
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::fmt;
use std::net::SocketAddr;
use std::path::Path;

/// The operator's pages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Console {
    /// Where `agent-host run` serves them, such as `127.0.0.1:8751`. Left out, nowhere, unless `--console` says where.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub listen: Option<SocketAddr>,
    /// The names, with a port where one is used, by which browsers reach them, besides their own address and, on loopback,
    /// `localhost`.
    pub hosts: Vec<String>,
    /// The certificate by which they are served over TLS.
    pub tls: Option<Tls>,
    /// Whether a proxy in front ends TLS; without this or `tls` nothing but loopback is listened on.
    pub proxy: bool,
    /// Whether clients of this machine are given links to requests, where the pages lie under a secret path. Such a link holds it: say so
    /// only where clients run as the host's own user, who can read that path anyway.
    pub links: bool,
    /// The OpenID provider at which operators log in, besides by a passphrase. Left out, there is none.
    pub oidc: Option<Oidc>,
}

impl Console {
    pub(super) fn resolved(mut self, folder: &Path) -> Self {
        self.tls = self.tls.map(|tls| tls.resolved(folder));
        self.oidc = self.oidc.map(|oidc| oidc.resolved(folder));
        self
    }
}

/// What an operator may do; each may do what those before it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// See.
    Viewer,
    /// Answer, take back and stop.
    Approver,
    /// Lift the stop, accept definitions, hand out tokens, reload.
    Admin,
}

impl Role {
    /// As it is shown.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Approver => "approver",
            Self::Admin => "admin",
        }
    }
}

/// One operator who logs in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Operator"))]
#[serde(deny_unknown_fields)]
pub struct Entitled {
    /// What they may do.
    pub role: Role,
    /// Over whose sessions and requests: a list of principals, or `"*"` for everybody's.
    pub principals: Principals,
    /// Which principals they are themselves (see `approval.own`).
    #[serde(default)]
    pub is: BTreeSet<PrincipalId>,
    /// Who they are at `[console.oidc]`: what its claim says of them, letter by letter. Left out, they log in by passphrase alone.
    pub oidc: Option<String>,
}

/// Some principals, or everybody.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "neither `\"*\"` nor a list of principals")]
pub enum Principals {
    /// `"*"`
    All(Star),
    /// A list.
    Only(BTreeSet<PrincipalId>),
}

/// Everybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Star {
    /// `"*"`
    #[serde(rename = "*")]
    Star,
}

/// An operator's name: a letter, then up to 31 letters, digits, `-` or `_`, all of them lower case ASCII. It names a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("pattern" = "^[a-z][a-z0-9_-]{0,31}$")))]
#[serde(try_from = "String", into = "String")]
pub struct OperatorName(String);

impl OperatorName {
    /// The one operator of a host that names none.
    #[must_use]
    pub fn owner() -> Self {
        Self("owner".to_owned())
    }

    /// Reads one.
    ///
    /// # Errors
    /// It is no such name.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_');
        let first = text.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
        if first && text.len() <= 32 && text.bytes().all(fits) {
            return Ok(Self(text.to_owned()));
        }
        Err("an operator's name is a lower case letter, then up to 31 of those, digits, `-` or `_`")
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for OperatorName {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<OperatorName> for String {
    fn from(name: OperatorName) -> Self {
        name.0
    }
}

impl Borrow<str> for OperatorName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for OperatorName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::config::Config;

    fn parse(text: &str) -> Result<Config, String> {
        Config::parse(Path::new("/etc/agent-host.toml"), text).map_err(|error| error.to_string())
    }

    #[test]
    fn auth_4_an_operators_name_is_a_files_name_too() {
        for name in ["a", "ada", "on-call_2"] {
            assert_eq!(OperatorName::parse(name).unwrap().as_str(), name);
        }
        for name in ["", "Ada", "2nd", "a/b", "..", "a.b", "ada ", "ä", &"a".repeat(33)] {
            assert!(OperatorName::parse(name).is_err(), "{name}");
        }
    }

    #[test]
    fn auth_4_operators_say_what_they_may_and_over_whom() {
        let config = parse("[operators.ada]\nrole = \"approver\"\nprincipals = [\"alice\"]\nis = [\"alice\"]\n").unwrap();
        let ada = config.operators.get("ada").unwrap();
        assert!(ada.role == Role::Approver && matches!(&ada.principals, Principals::Only(some) if some.len() == 1));
        assert!(!config.own, "who is told apart from others does not approve for themselves unless that is said");
        assert!(parse("").unwrap().own);
        assert!(parse("[approval]\nown = false").is_ok_and(|config| !config.own));
        let all = parse("[operators.ada]\nrole = \"admin\"\nprincipals = \"*\"\n").unwrap();
        assert!(matches!(all.operators.get("ada").unwrap().principals, Principals::All(_)));
        for wrong in ["role = \"admin\"", "role = \"root\"\nprincipals = \"*\"", "role = \"admin\"\nprincipals = \"**\""] {
            assert!(parse(&format!("[operators.ada]\n{wrong}\n")).is_err(), "{wrong}");
        }
        assert!(parse("[operators.Ada]\nrole = \"admin\"\nprincipals = \"*\"\n").is_err());
    }
}
