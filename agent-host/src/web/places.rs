//! Room for connections: so many at all, and of those so many from one address.
//!
//! Is: counts that are given back by being dropped. One address can't take the room of all others; this machine's own, and a
//! proxy's, stand for many clients and may take most. An IPv6 network of 64 bits is one address: whoever has one has all of them. Is
//! not: who asks, which `http::account` bounds. Clause: SES-4.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

/// Connections at a time; further ones wait for room.
pub(super) const CONNECTIONS: usize = 8192;
/// From one address.
const FROM_ONE: usize = 512;
/// From an address that stands for many.
const FROM_MANY: usize = CONNECTIONS / 4 * 3;

/// Connections by where they come from.
#[derive(Clone)]
pub(super) struct Places {
    /// Whether a proxy stands in front, so that every connection is its.
    proxy: bool,
    from: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

/// One of them, until it is dropped.
pub(super) struct Place {
    from: Arc<Mutex<HashMap<IpAddr, usize>>>,
    at: IpAddr,
}

impl Places {
    pub(super) fn new(proxy: bool) -> Self {
        Self { proxy, from: Arc::default() }
    }

    /// One more from an address; none where it has as many as may be.
    pub(super) fn take(&self, peer: IpAddr) -> Option<Place> {
        let at = counted(peer);
        let most = if self.proxy || at.is_loopback() { FROM_MANY } else { FROM_ONE };
        let mut from = self.from.lock();
        let count = from.entry(at).or_default();
        (*count < most).then(|| {
            *count += 1;
            Place { from: self.from.clone(), at }
        })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut from = self.from.lock();
        if let Some(count) = from.get_mut(&self.at) {
            *count -= 1;
            if *count == 0 {
                from.remove(&self.at);
            }
        }
    }
}

/// What an address is counted as.
fn counted(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(v6) if !v6.is_loopback() => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() >> 64 << 64)),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn taken(places: &Places, from: &str, tries: usize) -> Vec<Place> {
        (0..tries).map_while(|_| places.take(from.parse().unwrap())).collect()
    }

    #[test]
    fn attack_64_one_address_cannot_take_the_room_of_all() {
        let places = Places::new(false);
        let first = taken(&places, "192.0.2.1", CONNECTIONS);
        assert_eq!(first.len(), FROM_ONE);
        assert!(places.take("::ffff:192.0.2.1".parse().unwrap()).is_none(), "the same address, written otherwise");
        assert_eq!(taken(&places, "192.0.2.2", CONNECTIONS).len(), FROM_ONE);
        let six = taken(&places, "2001:db8::1", CONNECTIONS);
        assert!(places.take("2001:db8::ffff:2".parse().unwrap()).is_none(), "one network is one address");
        assert!(places.take("2001:db8:0:1::1".parse().unwrap()).is_some());
        drop((first, six));
        assert!(places.from.lock().is_empty());
    }

    #[test]
    fn attack_64_this_machine_and_a_proxy_stand_for_many_and_leave_room() {
        let own = Places::new(false);
        for (places, from) in [(&own, "127.0.0.1"), (&own, "::1"), (&Places::new(true), "10.0.0.1")] {
            let count = taken(places, from, CONNECTIONS).len();
            assert!(count > FROM_ONE && count < CONNECTIONS, "{from}: {count}");
        }
    }
}
