//! Which of MCP's two eras a request belongs to, and under what terms each is served.
//!
//! Is: told from the request itself, so that one connection may speak both. In the modern era a request's own `_meta` is
//! all that is known of its client, and nothing is ever asked of that client. Is not: negotiation, which is rmcp's.
//! Clauses: SES-2, ACT-6. Source: MCP 2026-07-28, basic/versioning and basic/index.

use crate::config::Surface;
use agent_core::request::Covers;
use agent_core::session::{Listing, SessionName};
use agent_engine::projection::Terms;
use rmcp::model::{ClientCapabilities, RequestMetaObject};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};

/// An era.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// Up to 2025-11-25: a connection shakes hands once, and that is the session.
    Legacy,
    /// From 2026-07-28: each request stands by itself.
    Modern,
}

impl Era {
    /// The era of one request: what it says of itself counts, then whether this connection shook hands.
    pub(crate) fn of(context: &RequestContext<RoleServer>) -> Self {
        match context.meta.protocol_version() {
            Some(version) if !version.has_initialize() => Self::Modern,
            _ if shook_hands(&context.peer) => Self::Legacy,
            _ => Self::Modern,
        }
    }
}

/// One request of the modern era: all that is known of its client, and the way back to it while it is answered, where it wants to
/// hear something before.
pub(crate) struct Asked<'a> {
    pub(crate) meta: &'a RequestMetaObject,
    pub(crate) peer: Option<&'a Peer<RoleServer>>,
}

/// Whether the client sent `initialize`.
pub(super) fn shook_hands(peer: &Peer<RoleServer>) -> bool {
    peer.peer_info().is_some()
}

/// Whether a request can be answered with `input_required`: its own version has it.
pub(super) fn has_input_required(meta: &RequestMetaObject) -> bool {
    meta.protocol_version().is_some_and(|version| !version.has_initialize())
}

/// Whether the client shows forms: an `elicitation` that names no mode means forms.
pub(super) fn shows_forms(capabilities: Option<ClientCapabilities>) -> bool {
    capabilities.and_then(|known| known.elicitation).is_some_and(|modes| modes.form.is_some() || modes.url.is_none())
}

/// Whether the client opens links for its user, and asks before it does.
pub(super) fn opens_links(capabilities: Option<ClientCapabilities>) -> bool {
    capabilities.and_then(|known| known.elicitation).is_some_and(|modes| modes.url.is_some())
}

/// How a client came, and what that says of its conversations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Way {
    /// By a process of its own, and what its launcher calls the one conversation it is started for.
    Process(Option<SessionName>),
    /// Over HTTP with a handshake: the conversation is that session's.
    Handshake,
    /// Over HTTP, each request by itself: it names its conversation by a handle.
    Handle,
    /// Over HTTP, each request by itself: its conversation is that of its credential.
    Credential,
}

/// The terms of an era. Nothing tells the conversations of a modern client's process apart, unless its launcher does.
pub(crate) fn terms(era: Era, surface: Option<Surface>, way: &Way) -> Terms {
    let listing = match (surface, era) {
        // Who has no session yet is listed the same.
        _ if *way == Way::Handle => Listing::Builtins,
        (Some(Surface::Stable), _) | (None, Era::Modern) => Listing::Builtins,
        (Some(Surface::Dynamic | Surface::Full), _) | (None, Era::Legacy) => Listing::Held,
    };
    let covers = match (way, era) {
        (Way::Process(Some(name)), _) => Covers::Named(name.clone()),
        (Way::Process(None), Era::Modern) => Covers::Process,
        (Way::Credential, _) => Covers::Credential,
        (Way::Process(None), Era::Legacy) | (Way::Handshake | Way::Handle, _) => Covers::Session,
    };
    Terms { listing, covers, handles: *way == Way::Handle }
}
