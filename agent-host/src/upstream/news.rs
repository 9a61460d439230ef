//! What a server says of its prompts and resources: that a list of them is another by now.
//!
//! Is: the way from its wire to whoever serves clients. Is not: a reading of those lists, which nobody keeps. Clause: UP-6 (prompts,
//! resources). Neighbours: `gate` hears it, `mcp` tells clients.

use super::relayed::Kind;
use crate::config::Server;
use agent_core::id::Alias;
use rmcp::model::{ServerCapabilities, SubscriptionFilter};
use tokio::sync::broadcast;

/// What is told and not heard yet; who is slower hears that something changed.
const WAITING: usize = 256;

/// Where all servers tell it.
pub(super) type Told = broadcast::Sender<(Alias, Kind)>;

/// Where nobody hears yet.
pub(super) fn told() -> Told {
    broadcast::Sender::new(WAITING)
}

/// One server's.
#[derive(Clone)]
pub(super) struct News {
    alias: Alias,
    /// Whether its prompts are relayed, and its resources.
    relayed: (bool, bool),
    told: Told,
}

impl News {
    pub(super) fn new(alias: &Alias, settings: &Server, told: Told) -> Self {
        Self { alias: alias.clone(), relayed: (settings.prompts, settings.resources), told }
    }

    /// A list of a server's is another.
    pub(super) fn tell(&self, kind: Kind) {
        let (prompts, resources) = self.relayed;
        if if kind == Kind::Prompts { prompts } else { resources } {
            // Without a client there is nobody to hear it.
            let _ = self.told.send((self.alias.clone(), kind));
        }
    }

    /// Whatever was said could not be heard for a while.
    pub(super) fn missed(&self) {
        self.tell(Kind::Prompts);
        self.tell(Kind::Resources);
    }

    /// What a server of the modern era is asked to tell of; nothing where it tells of none of it.
    pub(super) fn filter(&self, capabilities: &ServerCapabilities) -> Option<SubscriptionFilter> {
        let (prompts, resources) = self.relayed;
        let mut filter = SubscriptionFilter::builder();
        let tells = |list_changed: Option<bool>| list_changed == Some(true);
        let (tools, prompts, resources) = (
            capabilities.tools.as_ref().is_some_and(|tools| tells(tools.list_changed)),
            prompts && capabilities.prompts.as_ref().is_some_and(|prompts| tells(prompts.list_changed)),
            resources && capabilities.resources.as_ref().is_some_and(|resources| tells(resources.list_changed)),
        );
        if tools {
            filter = filter.tools_list_changed();
        }
        if prompts {
            filter = filter.prompts_list_changed();
        }
        if resources {
            filter = filter.resources_list_changed();
        }
        (tools || prompts || resources).then(|| filter.build())
    }
}
