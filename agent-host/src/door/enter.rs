//! From a client's first line to its session, or the reason why it does not come in.
//!
//! Clauses: HOST-1 (socket), SES-1, SES-2 (stdio: whose a session is).

use super::{identity, refused};
use crate::client::{Client, Clients, Launch};
use crate::config::strictness;
use crate::relay::{DOOR, Hello, Refused};
use agent_core::session::{PrincipalId, SessionKey};

/// The host's and a client's words about themselves, where they don't understand each other.
fn strange(client: &str) -> Refused {
    let (ours, pid) = (env!("CARGO_PKG_VERSION"), std::process::id());
    refused(
        format!("this host is agent-host {ours}, the client is {client}: they don't understand each other"),
        format!("`kill {pid}` ends the running host; the next client starts one of its own version"),
    )
}

/// A client that comes from a process of that user.
pub(super) async fn enter(clients: &Clients, uid: u32, line: &[u8]) -> Result<Client, Refused> {
    let hello = hello(line)?;
    let ours = identity(&clients.config().path);
    if hello.config != ours {
        return Err(refused(
            format!("the host of this state folder runs on {}, not on {}", ours.display(), hello.config.display()),
            "give each configuration a folder of its own: `state = \"DIR\"` in it, or `--state DIR`",
        ));
    }
    let activation = clients.config().policy.activation;
    if let Some(told) = hello.activation.filter(|told| strictness(*told) > strictness(activation)) {
        let words = |verdict| serde_json::to_string(&verdict).unwrap_or_default().replace('"', "`");
        return Err(refused(
            format!(
                "AGENT_HOST_ACTIVATION of this client is {}, and the host of this state folder runs on {}",
                words(told),
                words(activation)
            ),
            "unset it, or give this client a host of its own: `serve --standalone --state DIR`",
        ));
    }
    let launch = Launch { principal: principal(uid, hello.principal)?, profile: hello.profile, name: hello.name };
    let again = hello.resume.and_then(|(session, key)| clients.resume(launch.clone(), session, &SessionKey::parse(&key)?));
    if let Some(client) = again {
        return Ok(client);
    }
    let opened = clients.open(launch, true).await;
    let mut client = opened.map_err(|error| refused(error.to_string(), error.hint()))?;
    client.told.insert(0, format!("boundary: {}", clients.boundary.as_str()));
    Ok(client)
}

fn hello(line: &[u8]) -> Result<Hello, Refused> {
    #[derive(serde::Deserialize)]
    struct Version {
        door: u32,
        version: String,
    }
    let odd = |_| refused("the first line of this client is not understood", "this socket is for `agent-host serve`");
    let Version { door, version } = serde_json::from_slice(line).map_err(odd)?;
    let version = agent_core::safety::echo(&version);
    if door != DOOR {
        return Err(strange(&version));
    }
    serde_json::from_slice(line).map_err(|_| strange(&version))
}

/// Whose the session is. The kernel says who connects. Whoever runs as this user may call itself what it likes: it could
/// do so to itself.
fn principal(uid: u32, named: Option<PrincipalId>) -> Result<PrincipalId, Refused> {
    match named {
        Some(_) if uid != rustix::process::geteuid().as_raw() => {
            Err(refused("only this host's own user names a principal", "leave `--principal` out"))
        }
        Some(named) => Ok(named),
        None => PrincipalId::parse(&format!("local:{uid}")).map_err(|why| refused(why, "report this")),
    }
}
