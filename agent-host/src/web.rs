//! What every address that is listened on shares: connections and TLS, and by which names it is reached.
//!
//! Is: the ground of `http` and of `console`. Is not: a route, nor who asks. Clause: SES-4. Neighbours: `http`, `console`.

mod guard;
mod in_place;
mod lane;
mod listen;
mod owner;
mod patient;
mod places;
mod read;
mod tls;

pub(crate) use guard::{Foreign, From as CameFrom, Guard};
pub(crate) use lane::{Lane, Lanes, Slot};
pub(crate) use listen::{Answers, Listening, Peer};
#[cfg(test)]
pub(crate) use listen::{FIRST, HEAD};
pub(crate) use owner::Owner;
pub(crate) use read::{bearer, is_type, whole};

use crate::config::{Console, Http, Tls};
use std::io;
use std::net::SocketAddr;

/// How an address may be reached, as the operator says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reach<'a> {
    /// The certificate by which it speaks TLS itself.
    pub tls: Option<&'a Tls>,
    /// Whether a proxy in front ends TLS.
    pub proxy: bool,
    /// Names besides its own address.
    pub hosts: &'a [String],
    /// Web pages of other origins that may call.
    pub origins: &'a [String],
}

impl Reach<'_> {
    /// Whether what is said crosses no network in the clear.
    pub(crate) const fn encrypted(&self) -> bool {
        self.tls.is_some() || self.proxy
    }
}

impl<'a> std::convert::From<&'a Http> for Reach<'a> {
    fn from(http: &'a Http) -> Self {
        Self { tls: http.tls.as_ref(), proxy: http.proxy, hosts: &http.hosts, origins: &http.origins }
    }
}

impl<'a> std::convert::From<&'a Console> for Reach<'a> {
    /// No page but its own may ever call the console.
    fn from(console: &'a Console) -> Self {
        Self { tls: console.tls.as_ref(), proxy: console.proxy, hosts: &console.hosts, origins: &[] }
    }
}

/// Why an address is not listened on.
#[derive(Debug, thiserror::Error)]
pub enum NoEndpoint {
    /// Credentials would cross a network in the clear.
    #[error("{0} can be reached from other machines, and nothing encrypts the way there")]
    Clear(SocketAddr),
    /// The certificate or its key can't be used.
    #[error("the certificate can't be used: {0}")]
    Tls(String),
    /// The system does not let it be listened on.
    #[error("{0} can't be listened on: {1}")]
    Listen(SocketAddr, io::Error),
    /// What it keeps in the state folder can't be.
    #[error("its part of the state folder can't be used: {0}")]
    Folder(io::Error),
}

impl NoEndpoint {
    /// What to do about it, in the configuration's table of that name.
    #[must_use]
    pub fn hint(&self, table: &str) -> String {
        match self {
            Self::Clear(_) => format!(
                "give it a certificate (`[{table}.tls]`), or say `[{table}] proxy = true` where a proxy in front ends TLS; 127.0.0.1 needs neither"
            ),
            Self::Tls(_) => format!("`[{table}.tls]` names two PEM files: `certificate`, with those that vouch for it, and `key`"),
            Self::Listen(..) => "see what else listens there, or choose another port".to_owned(),
            Self::Folder(_) => "the state folder and what is in it belong to the host's user alone".to_owned(),
        }
    }
}
