//! The operator's pages, served by the same binary.
//!
//! Is: a listener of its own, a login, and the admin handlers behind it, rendered on this side. Is not: anything that decides;
//! `admin::handle` and the engine do. Reading and deciding work without scripts. Clauses: AUTH-2, AUTH-4 (console, login, OIDC), REV-1,
//! REV-4. Neighbours: `admin` is asked for everything that is shown and done, `web` listens, `app` starts it.
//!
//! Three secrets, none of them a client's: on loopback the path itself, which keeps the cookie from other ports of this machine;
//! the cookie of a login; and the token that each form of that login sends back.

mod action;
mod admission;
mod api;
mod attempts;
mod begun;
pub mod chart;
mod cookie;
mod form;
mod headers;
mod house;
mod live;
mod logins;
mod oidc;
pub mod page;
mod plain;
mod prefix;
mod routes;
pub mod show;
mod told;
mod view;

#[cfg(test)]
mod tests;

use crate::admin::Office;
use crate::config::Config;
use crate::system::SystemClock;
use crate::web::{Listening, NoEndpoint};
use agent_core::time::Clock;
use house::House;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Pages that are served until this is dropped or ended.
pub struct Console {
    house: Arc<House>,
    task: JoinHandle<()>,
    looks: JoinHandle<()>,
}

impl Console {
    /// Serves the pages at an address, for operators as the configuration has them whenever one comes.
    ///
    /// # Errors
    /// [`NoEndpoint`].
    pub async fn open(at: SocketAddr, state: &Path, office: Office, config: watch::Receiver<Arc<Config>>) -> Result<Self, NoEndpoint> {
        Self::open_by(Arc::new(SystemClock::new()), at, state, office, config).await
    }

    async fn open_by(
        clock: Arc<dyn Clock>,
        at: SocketAddr,
        state: &Path,
        office: Office,
        config: watch::Receiver<Arc<Config>>,
    ) -> Result<Self, NoEndpoint> {
        let console = config.borrow().console.clone();
        let listening = Listening::bind(at, (&console).into()).await?;
        let house = Arc::new(House::new(listening.at(), &console, state, office, config, clock).map_err(NoEndpoint::Folder)?);
        house.office.serves(house.url());
        let task = tokio::spawn(listening.accept(routes::router(&house).merge(api::router(&house))));
        let looks = tokio::spawn(live::looks(house.clone()));
        Ok(Self { house, task, looks })
    }

    /// Where a browser finds them. On loopback it holds a secret, and is for the host's own user alone.
    #[must_use]
    pub fn url(&self) -> String {
        self.house.url()
    }

    /// Whether that URL holds a secret of the host's user.
    #[must_use]
    pub fn is_secret(&self) -> bool {
        !self.house.prefix.is_empty()
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        self.task.abort();
        self.looks.abort();
    }
}
