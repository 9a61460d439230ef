//! What an address is, where it is not one of the public internet's.
//!
//! Is: IANA's special-purpose registries, as far as they say what is not globally reachable, and the forms in which an IPv4
//! address stands in an IPv6 one: each is judged by the address inside. Clause: UP-5 (HTTP). Attack 62.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What an operator can mean by a network of their own.
const OWN: [&str; 3] = [LOOPBACK, PRIVATE, SHARED];
const LOOPBACK: &str = "a loopback address";
const PRIVATE: &str = "a private address";
const SHARED: &str = "an address shared behind a provider";

/// What it is, in words that follow "is"; none for one of the public internet.
pub(super) fn special(ip: IpAddr) -> Option<&'static str> {
    match ip {
        IpAddr::V4(ip) => four(ip),
        IpAddr::V6(ip) => six(ip),
    }
}

/// What it is, where it is not connected to. `private` lets this machine and private networks be reached, and none of the others:
/// at a link-local address clouds keep a machine's credentials.
pub(super) fn unreachable(ip: IpAddr, private: bool) -> Option<&'static str> {
    special(ip).filter(|what| !(private && OWN.contains(what)))
}

fn four(ip: Ipv4Addr) -> Option<&'static str> {
    Some(match ip.octets() {
        [0, ..] => "an address of this machine",
        [127, ..] => LOOPBACK,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => PRIVATE,
        [169, 254, ..] => "a link-local address",
        [100, 64..=127, ..] => SHARED,
        [192, 0, 0, _] | [192, 88, 99, _] => "a reserved address",
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => "an address for documentation",
        [198, 18..=19, ..] => "an address for benchmarks",
        [224..=239, ..] => "a multicast address",
        [240..=255, ..] => "a reserved address",
        _ => return None,
    })
}

fn six(ip: Ipv6Addr) -> Option<&'static str> {
    let inside = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        four(Ipv4Addr::new(a, b, c, d))
    };
    Some(match ip.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0] => "an address of this machine",
        [0, 0, 0, 0, 0, 0, 0, 1] => LOOPBACK,
        // IPv4-mapped, IPv4-compatible, translated (NAT64) and 6to4.
        [0, 0, 0, 0, 0, 0xffff, high, low] => return inside(high, low),
        [0, 0, 0, 0, 0xffff, 0, high, low] => return inside(high, low),
        [0, 0, 0, 0, 0, 0, ..] => "a reserved address",
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => return inside(high, low),
        // A translator of one's own (RFC 8215): where in it the IPv4 address lies is its owner's choice.
        [0x64, 0xff9b, ..] => "a translated address",
        [0x2002, high, low, ..] => return inside(high, low),
        // Teredo: the IPv4 address is hidden in it.
        [0x2001, 0, ..] => "a tunnel's address",
        [0x2001, 2, 0, ..] => "an address for benchmarks",
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => "an address for documentation",
        [0x2001, 0..=0x1ff, ..] | [0x100, ..] | [0x5f00, ..] => "a reserved address",
        [0xfd00, 0xec2, ..] => "an address of a cloud's own",
        [0xfc00..=0xfdff, ..] => PRIVATE,
        [0xfe80..=0xfeff, ..] => "a link-local address",
        [0xff00..=0xffff, ..] => "a multicast address",
        [0x2000..=0x3fff, ..] => return None,
        _ => "a reserved address",
    })
}
