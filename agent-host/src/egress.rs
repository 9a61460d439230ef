//! Which addresses a server behind a URL may have, and those that its login names; and the one HTTP client that connects to no
//! others.
//!
//! Is: checked where a connection is made, on the very address that is connected to: a name is looked up once for it, by us,
//! and what it leads to a moment later is of no matter. Redirects are not followed and no proxy is taken from the environment.
//! Is not: a list of hosts; which servers there are is the operator's file's. Clause: UP-5 (HTTP). Attack 62.
//! Neighbours: `upstream` and `login` send through it.

mod address;

#[cfg(test)]
mod tests;

use address::{special, unreachable};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use url::{Host, Url};

/// How long a connection may take to be made, a look-up included.
const CONNECT: Duration = Duration::from_secs(10);
/// How long a connection is kept for the next request: less than servers usually wait before they close one.
const KEPT: Duration = Duration::from_secs(4);
/// A peer that is silent for longer is asked whether it is there.
const ALIVE: Duration = Duration::from_secs(30);

/// The clients of one pool of servers. They share connections, and nothing of a request is kept in one.
#[derive(Default)]
pub(crate) struct Clients {
    public: OnceLock<reqwest::Client>,
    private: OnceLock<reqwest::Client>,
}

impl Clients {
    /// The client for a URL, once it is known that an address written in it may be connected to.
    ///
    /// # Errors
    /// Which address may not, or why there is no client.
    pub(crate) fn of(&self, url: &Url, private: bool) -> Result<reqwest::Client, String> {
        let written = match url.host() {
            Some(Host::Ipv4(ip)) => Some(IpAddr::V4(ip)),
            Some(Host::Ipv6(ip)) => Some(IpAddr::V6(ip)),
            Some(Host::Domain(_)) | None => None,
        };
        if let Some(what) = written.and_then(|ip| unreachable(ip, private)) {
            return Err(refused(url.host_str().unwrap_or_default(), what, private));
        }
        let place = if private { &self.private } else { &self.public };
        if let Some(client) = place.get() {
            return Ok(client.clone());
        }
        let made = client(Guard { private, look_up }).map_err(|error| format!("no HTTP client can be made: {error}"))?;
        Ok(place.get_or_init(|| made).clone())
    }
}

/// Says by whose cryptography this process speaks TLS. Whoever comes first does; it is the same for all.
pub(crate) fn crypto() {
    drop(rustls::crypto::ring::default_provider().install_default());
}

fn client(guard: Guard) -> reqwest::Result<reqwest::Client> {
    crypto();
    let builder = reqwest::Client::builder().dns_resolver(Arc::new(guard)).redirect(reqwest::redirect::Policy::none()).no_proxy();
    let builder = builder.referer(false).connect_timeout(CONNECT).pool_idle_timeout(KEPT).tcp_keepalive(ALIVE).tcp_nodelay(true);
    builder.user_agent(concat!("agent-host/", env!("CARGO_PKG_VERSION"))).build()
}

fn refused(host: &str, what: &str, private: bool) -> String {
    let but = if private { "no server may be at one" } else { "only a server with `private = true` may be at one" };
    format!("`{host}` is {what}, and {but}")
}

type Found = std::pin::Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Looks names up, and gives no address that may not be connected to.
struct Guard {
    private: bool,
    look_up: fn(String) -> Found,
}

fn look_up(name: String) -> Found {
    Box::pin(async move { Ok(tokio::net::lookup_host((name, 0)).await?.map(|found| found.ip()).collect()) })
}

impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let (private, look_up) = (self.private, self.look_up);
        Box::pin(async move {
            let found = look_up(name.as_str().to_owned()).await?;
            let first = found.first().copied();
            let allowed: Vec<_> = found.into_iter().filter(|ip| unreachable(*ip, private).is_none()).collect();
            if let (true, Some(what)) = (allowed.is_empty(), first.and_then(special)) {
                return Err(io::Error::other(refused(name.as_str(), what, private)).into());
            }
            let addresses: Addrs = Box::new(allowed.into_iter().map(|ip| SocketAddr::new(ip, 0)));
            Ok(addresses)
        })
    }
}
