//! One route per server: several tool hosts as one.
//!
//! Clause: UP-3.

use super::{Absent, Lease, ToolHost};
use agent_core::id::{Alias, ToolId};
use agent_core::outcome::Outcome;
use agent_core::session::Asker;
use async_trait::async_trait;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Two hosts claim one server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("two hosts claim the server `{0}`")]
pub struct RouterError(pub Alias);

/// Tool hosts by the servers they run.
#[derive(Default)]
pub struct Router(BTreeMap<Alias, Arc<dyn ToolHost>>);

impl Router {
    /// Adds a host for its servers.
    ///
    /// # Errors
    /// [`RouterError`] where one of them has a route already; nothing is added then.
    pub fn add(&mut self, servers: &[Alias], host: Arc<dyn ToolHost>) -> Result<(), RouterError> {
        if let Some(taken) = servers.iter().find(|server| self.0.contains_key(*server)) {
            return Err(RouterError(taken.clone()));
        }
        self.0.extend(servers.iter().map(|server| (server.clone(), host.clone())));
        Ok(())
    }
}

#[async_trait]
impl ToolHost for Router {
    async fn reserve(&self, asker: &Asker, id: &ToolId) -> Result<Box<dyn Lease>, Outcome> {
        match self.0.get(&id.server()) {
            Some(host) => host.reserve(asker, id).await,
            None => Err(Outcome::Unreachable(format!("no route to the server `{}`", id.server()))),
        }
    }

    fn activated(&self, asker: &Asker, ids: &[ToolId]) {
        let mut hosts: Vec<(&Arc<dyn ToolHost>, Vec<ToolId>)> = Vec::new();
        for id in ids {
            let Some(host) = self.0.get(&id.server()) else { continue };
            match hosts.iter_mut().find(|(known, _)| Arc::ptr_eq(known, host)) {
                Some((_, its)) => its.push(id.clone()),
                None => hosts.push((host, vec![id.clone()])),
            }
        }
        hosts.into_iter().for_each(|(host, its)| host.activated(asker, &its));
    }

    fn absent(&self) -> Vec<Absent> {
        let of = |(server, host): (&Alias, &Arc<dyn ToolHost>)| host.absent().into_iter().find(|absent| absent.server == *server);
        self.0.iter().filter_map(of).collect()
    }
}
