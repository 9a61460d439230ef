//! Bearer tokens from a terminal: without a host, beside one, and over its end.
//!
//! Is: the built program and a real store. Is not: a request that brings one, which is the business of those on HTTP.

use super::built;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A configuration with one profile, and its state folder beside it.
struct Home(tempfile::TempDir);

struct Said {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("agent-host.toml");
        std::fs::write(&config, "state = \"state\"\n[profiles.work]\ntools = []\n").unwrap();
        std::fs::set_permissions(&config, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        Self(folder)
    }

    fn state(&self) -> PathBuf {
        self.0.path().join("state")
    }

    fn command(&self, line: &str) -> Command {
        let host = built().1.join("agent-host");
        assert!(host.exists(), "{} is missing: run `cargo build -p agent-host`", host.display());
        let mut command = Command::new(host);
        command.args(line.split_whitespace()).arg("--config").arg(self.0.path().join("agent-host.toml")).stdin(Stdio::null());
        command
    }

    fn says(&self, line: &str) -> Said {
        let output = self.command(line).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Said { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    fn done(&self, line: &str) -> Said {
        let said = self.says(line);
        assert_eq!(said.code, Some(0), "{line}: {}{}", said.out, said.err);
        said
    }

    /// The ids of the tokens listed.
    fn listed(&self) -> Vec<String> {
        let tokens: Vec<serde_json::Value> = serde_json::from_str(&self.done("token list --json").out).unwrap();
        tokens.iter().map(|token| token["id"].as_str().unwrap().to_owned()).collect()
    }

    /// A host that listens to operators; what it took back before its end must be on record, for it is killed.
    fn host(&self) -> Host {
        let mut child = self.command("run").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let patience = Instant::now() + Duration::from_secs(60);
        while std::os::unix::net::UnixStream::connect(self.state().join("operator.sock")).is_err() {
            assert!(Instant::now() < patience && child.try_wait().unwrap().is_none(), "no host listens");
            std::thread::sleep(Duration::from_millis(20));
        }
        Host(child)
    }
}

struct Host(Child);

impl Drop for Host {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Every byte of every file of a folder.
fn bytes(folder: &Path) -> Vec<u8> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    files.flat_map(|path| std::fs::read(path).unwrap()).collect()
}

#[test]
fn ses_4_aud_2_tokens_are_made_kept_and_taken_back_and_their_secrets_are_nowhere() {
    let home = Home::new();
    assert_eq!(home.done("token list").out, "no tokens\n");
    assert!(!home.state().exists());
    let slip = home.says("token create --principal ada --profile wrok");
    assert!(slip.code == Some(2) && slip.out.is_empty() && slip.err.contains("there are: work"), "{}", slip.err);

    let made = home.done("token create --principal ada --ttl 12h");
    let first = made.out.trim_end().to_owned();
    assert!(made.out == format!("{first}\n") && first.starts_with("aht_") && first.len() == 68, "a token alone: {}", made.out);
    let ids = home.listed();
    assert!(made.err.contains(&ids[0]) && made.err.contains("it stands until 20") && !made.err.contains(&first), "{}", made.err);

    let host = home.host();
    assert_eq!(home.listed(), ids, "a host finds what was made without one");
    let made = home.done("token create --principal bob --profile work --ttl never --url --json");
    assert!(made.err.is_empty(), "{}", made.err);
    let made: serde_json::Value = serde_json::from_str(&made.out).unwrap();
    let (second, token) = (made["secret"].as_str().unwrap().to_owned(), &made["token"]);
    assert_eq!((token["profile"].as_str(), token["url"].as_bool(), &token["until"]), (Some("work"), Some(true), &serde_json::Value::Null));
    let bob = token["id"].as_str().unwrap().to_owned();
    assert_eq!(home.listed(), [ids[0].clone(), bob.clone()]);
    let table = home.done("token list").out;
    assert!(
        table.contains("bob") && table.contains("never") && table.contains("header or URL") && table.ends_with("2 tokens\n"),
        "{table}"
    );
    let taken = home.done(&format!("token revoke {}", ids[0]));
    assert!(taken.out.contains("is taken back; nobody is let in by it any more"), "{}", taken.out);
    drop(host);

    assert_eq!(home.listed(), std::slice::from_ref(&bob), "what was taken back stays so, and the other stays");
    home.done(&format!("token revoke {bob}"));
    let again = home.says(&format!("token revoke {bob}"));
    assert!(again.code == Some(4) && again.err.contains("is no token that stands"), "{}", again.err);
    assert!(home.listed().is_empty());

    assert!(home.done("audit verify").out.starts_with("the chain is whole"));
    let shown = home.done("audit show").out;
    let count = |kind: &str| shown.lines().filter(|line| line.contains(&format!("  {kind}  "))).count();
    assert_eq!((count("token-made"), count("token-revoked")), (2, 2), "{shown}");
    let kept = bytes(&home.state());
    let holds = |part: &[u8]| kept.windows(part.len()).any(|window| window == part);
    assert!(holds(bob.as_bytes()), "the files are those that the tokens are in");
    for secret in [first, second] {
        for half in [&secret[4..36], &secret[36..]] {
            let raw = u128::from_str_radix(half, 16).unwrap().to_be_bytes();
            assert!(!shown.contains(half) && !holds(half.as_bytes()) && !holds(&raw), "a secret is kept");
        }
    }
}
