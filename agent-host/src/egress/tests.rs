//! Attack 62: no URL leads to this machine or its networks, whatever it is written like.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::*;

fn of(url: &str, private: bool) -> Result<reqwest::Client, String> {
    Clients::default().of(&Url::parse(url).unwrap(), private)
}

#[test]
fn attack_62_an_address_that_is_not_public_is_refused_in_every_form() {
    for (host, what) in [
        ("127.0.0.1", "loopback"),
        ("127.255.255.254", "loopback"),
        ("2130706433", "loopback"),
        ("0x7f000001", "loopback"),
        ("0x7f.1", "loopback"),
        ("0177.0.0.1", "loopback"),
        ("127.1", "loopback"),
        ("0.0.0.0", "this machine"),
        ("0", "this machine"),
        ("10.0.0.1", "private"),
        ("172.16.0.1", "private"),
        ("172.31.255.255", "private"),
        ("192.168.1.1", "private"),
        ("169.254.169.254", "link-local"),
        ("2852039166", "link-local"),
        ("0251.0376.0251.0376", "link-local"),
        ("100.64.0.1", "shared"),
        ("100.127.255.255", "shared"),
        ("192.0.0.1", "reserved"),
        ("192.0.2.1", "documentation"),
        ("198.51.100.1", "documentation"),
        ("203.0.113.1", "documentation"),
        ("198.18.0.1", "benchmarks"),
        ("224.0.0.1", "multicast"),
        ("239.255.255.255", "multicast"),
        ("240.0.0.1", "reserved"),
        ("255.255.255.255", "reserved"),
        ("[::]", "this machine"),
        ("[::1]", "loopback"),
        ("[::ffff:127.0.0.1]", "loopback"),
        ("[::ffff:7f00:1]", "loopback"),
        ("[::ffff:169.254.169.254]", "link-local"),
        ("[::ffff:0:10.0.0.1]", "private"),
        ("[::127.0.0.1]", "reserved"),
        ("[64:ff9b::127.0.0.1]", "loopback"),
        ("[64:ff9b::a9fe:a9fe]", "link-local"),
        ("[64:ff9b:1::a9fe:a9fe]", "translated"),
        ("[64:ff9b:1::1]", "translated"),
        ("[2002:7f00:1::]", "loopback"),
        ("[2002:c0a8:101::1]", "private"),
        ("[2001:0:4136:e378:8000:63bf:3fff:fdd2]", "tunnel"),
        ("[2001:db8::1]", "documentation"),
        ("[3fff::1]", "documentation"),
        ("[fc00::1]", "private"),
        ("[fd00:ec2::254]", "a cloud's own"),
        ("[fe80::1]", "link-local"),
        ("[fec0::1]", "link-local"),
        ("[ff02::1]", "multicast"),
        ("[100::1]", "reserved"),
        ("[4000::1]", "reserved"),
    ] {
        let error = of(&format!("https://{host}/mcp"), false).unwrap_err();
        assert!(error.contains(what) && error.contains("`private = true`"), "{host}: {error}");
        let own = ["loopback", "private", "shared"].contains(&what);
        assert_eq!(of(&format!("https://{host}/mcp"), true).is_ok(), own, "{host}");
    }
}

#[test]
fn attack_62_public_addresses_are_reached() {
    for host in [
        "1.1.1.1",
        "172.32.0.1",
        "100.128.0.1",
        "198.20.0.1",
        "[2606:4700::1111]",
        "[::ffff:1.1.1.1]",
        "[64:ff9b::101:101]",
        "[2002:101:101::]",
    ] {
        assert!(of(&format!("https://{host}/mcp"), false).is_ok(), "{host}");
    }
}

async fn resolve(guard: &Guard, name: &str) -> Result<Vec<SocketAddr>, String> {
    guard.resolve(name.parse().unwrap()).await.map(Iterator::collect).map_err(|error| error.to_string())
}

#[tokio::test]
async fn attack_62_a_name_that_leads_to_this_machine_is_refused_where_it_is_connected_to() {
    let guard = Guard { private: false, look_up };
    let error = resolve(&guard, "localhost").await.unwrap_err();
    assert!(error.contains("`localhost` is a loopback address"), "{error}");
    assert!(!resolve(&Guard { private: true, look_up }, "localhost").await.unwrap().is_empty());
    let client = client(guard).unwrap();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let error = client.get(format!("http://localhost:{port}/")).send().await.unwrap_err();
    assert!(error.is_connect());
    assert!(tokio::time::timeout(Duration::from_millis(50), listener.accept()).await.is_err(), "nothing was connected to");
}

/// A public address at first, this machine ever after.
fn flips(_: String) -> Found {
    use std::sync::atomic::{AtomicBool, Ordering};
    static ASKED: AtomicBool = AtomicBool::new(false);
    let ip: IpAddr = if ASKED.swap(true, Ordering::SeqCst) { [127, 0, 0, 1].into() } else { [1, 1, 1, 1].into() };
    Box::pin(async move { Ok(vec![ip]) })
}

#[tokio::test]
async fn attack_62_a_name_that_flips_is_judged_at_each_connection() {
    let guard = Guard { private: false, look_up: flips };
    assert_eq!(resolve(&guard, "rebinds.example").await.unwrap(), [SocketAddr::from(([1, 1, 1, 1], 0))]);
    assert!(resolve(&guard, "rebinds.example").await.unwrap_err().contains("loopback"));
}

#[tokio::test]
async fn attack_62_of_several_addresses_only_public_ones_are_connected_to() {
    let look_up = |_| -> Found { Box::pin(async { Ok(vec![[127, 0, 0, 1].into(), [1, 1, 1, 1].into(), [10, 0, 0, 1].into()]) }) };
    let guard = Guard { private: false, look_up };
    assert_eq!(resolve(&guard, "mixed.example").await.unwrap(), [SocketAddr::from(([1, 1, 1, 1], 0))]);
}
