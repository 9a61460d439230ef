//! What an edit changes, and that it changes nothing else.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::*;
use crate::config::FromEnv;
use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

/// Files as people write them: what an edit has to leave alone.
const FILES: [&str; 8] = [
    "",
    "# only a comment, and no line end",
    "activation='deny'   # odd spaces\n\n\n[servers.time]   # the clock\ncommand   =   \"uvx\"\nargs = [ 'a',\n  # why\n  \"b\", ]\n# at the end\n",
    include_str!("../../../agent-host.example.toml"),
    "[servers]\ntime = { command = \"x\" }\nfiles.command = \"y\" # dotted\n\n[profiles.p]\n",
    "servers = { time = { command = \"x\" } } # inline\nactivation = \"auto\"\n",
    "servers.time.command = \"x\"\nservers.time.args = []\nservers.time.enabled = true # on\n",
    "# head\r\n[servers.time]\r\ncommand = \"x\"\r\n\r\n# about rules\r\n[[rule]]\r\ndecision = \"auto\"\r\n",
];

fn edit(folder: &Path, text: &str) -> Edit {
    let path = folder.join("agent-host.toml");
    std::fs::write(&path, text).unwrap();
    Edit::open(&path).unwrap()
}

fn alias(text: &str) -> Alias {
    Alias::parse(text).unwrap()
}

fn added() -> Added {
    let env = [
        ("PLAIN", Variable::from("a \"quoted\" = value\\")),
        ("HELD", Variable::file("/run/token")),
        ("OURS", Variable::env("TOKEN")),
        ("BEARER", Variable::Env(FromEnv { env: "TOKEN".to_owned(), prefix: "Bearer ".to_owned() })),
    ];
    Added {
        command: "uvx".to_owned(),
        args: vec!["mcp-server-git".to_owned(), "--repository".to_owned(), "/srv/a b/\u{e9}'\"".to_owned()],
        env: env.map(|(name, value)| (name.to_owned(), value)).into(),
        cwd: Some("/srv".into()),
        era: Era::Legacy,
        trust: true,
        ..Added::default()
    }
}

#[test]
fn up_2_what_is_added_reads_back_and_leaves_the_rest_as_written() {
    let folder = tempfile::tempdir().unwrap();
    for text in FILES {
        let mut edit = edit(folder.path(), text);
        edit.add(&alias("git"), &added()).unwrap();
        let server = edit.config().servers["git"].clone();
        let expect = added();
        assert_eq!((server.command, server.args, server.env), (expect.command, expect.args, expect.env), "{text}");
        assert_eq!((server.cwd, server.era, server.trust, server.shared), (expect.cwd, expect.era, true, false));
        let inside = text.starts_with("servers");
        assert!(inside || edit.text().starts_with(text), "{}", edit.text());
        let left: Vec<_> = text.lines().filter(|line| !line.starts_with("servers = ")).collect();
        assert!(left.iter().all(|line| edit.text().lines().any(|found| found == *line)), "{}", edit.text());
        assert_eq!(edit.text().contains("\r\n"), text.contains("\r\n"));
        assert_eq!(edit.text().matches("\r\n").count(), if text.contains("\r\n") { edit.text().matches('\n').count() } else { 0 });
    }
}

#[test]
fn up_2_adding_and_removing_is_as_if_nothing_was_done() {
    let folder = tempfile::tempdir().unwrap();
    for text in FILES {
        let mut edit = edit(folder.path(), text);
        edit.add(&alias("git"), &added()).unwrap();
        edit.remove(&alias("git")).unwrap();
        assert_eq!(edit.text().trim_end(), text.trim_end());
    }
}

#[test]
fn up_2_switching_changes_one_key_and_back_again() {
    let folder = tempfile::tempdir().unwrap();
    for text in FILES.into_iter().filter(|text| text.contains("time")) {
        let mut edit = edit(folder.path(), text);
        assert!(!edit.enable(&alias("time"), true).unwrap());
        assert!(edit.enable(&alias("time"), false).unwrap());
        assert!(!edit.config().servers["time"].enabled && !edit.enable(&alias("time"), false).unwrap());
        let off = edit.text().to_owned();
        assert!(edit.enable(&alias("time"), true).unwrap());
        assert_eq!(edit.text(), off.replacen("enabled = false", "enabled = true", if text.contains("files]") { 1 } else { 9 }), "{off}");
        let lines: Vec<_> = text.lines().filter(|line| !line.contains("time = {") && !line.contains("enabled")).collect();
        assert!(lines.iter().all(|line| off.lines().any(|found| found == *line)), "{off}");
    }
    let mut edit = edit(folder.path(), "[servers.time]\ncommand = \"x\"\nenabled = true   # for now\nargs = []\n");
    edit.enable(&alias("time"), false).unwrap();
    assert_eq!(edit.text(), "[servers.time]\ncommand = \"x\"\nenabled = false   # for now\nargs = []\n");
}

#[test]
fn up_2_a_removed_server_takes_its_own_comments_alone() {
    let folder = tempfile::tempdir().unwrap();
    let text = "# the head\n\n[servers.a]\ncommand = \"a\" # a's\n\n# --- a part ---\n\n# about b\n[servers.b]\ncommand = \"b\"\n[servers.b.env]\nX = \"1\"\n\n\
                # about c\n[servers.c]\ncommand = \"c\"\n# the end\n";
    for (gone, expect) in [
        ("b", text.replace("# about b\n[servers.b]\ncommand = \"b\"\n[servers.b.env]\nX = \"1\"\n", "")),
        ("a", text.replace("[servers.a]\ncommand = \"a\" # a's\n", "")),
        ("c", text.replace("# about c\n[servers.c]\ncommand = \"c\"\n", "")),
    ] {
        let mut edit = edit(folder.path(), text);
        edit.remove(&alias(gone)).unwrap();
        let plain = |text: &str| text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(plain(edit.text()), plain(&expect), "{}", edit.text());
    }
}

#[test]
fn up_2_an_edit_that_can_not_be_made_is_refused_whole() {
    let folder = tempfile::tempdir().unwrap();
    let wrong = |result: Result<(), ConfigError>, part: &str| {
        let error = result.unwrap_err().to_string();
        assert!(error.contains(part) && error.contains("\nhint: "), "{error}");
    };
    let text = "[servers.time]\ncommand = \"x\"\n[[rule]]\nserver = \"time\"\ndecision = \"auto\"\n";
    wrong(edit(folder.path(), text).add(&alias("time"), &added()), ":1:1: there is a server `time`");
    wrong(edit(folder.path(), text).remove(&alias("time")), ":4:1: a rule still names `time`");
    wrong(edit(folder.path(), text).remove(&alias("tmie")), "did you mean `time`?");
    wrong(edit(folder.path(), text).enable(&alias("other"), true).map(drop), "it has: time");
    wrong(edit(folder.path(), text).add(&alias("b"), &Added::default()), "neither a `command` nor a `url`");
    let zero = Added { args: vec!["a\0b".to_owned()], command: "x".to_owned(), ..Added::default() };
    wrong(edit(folder.path(), text).add(&alias("b"), &zero), "can't be given this");
    for (rest, part) in [
        ("[[rule]]\n# why\ntools = [\"mcp:time/*\"]\ndecision = \"auto\"\n", ":5:1: a rule"),
        ("[profiles.p]\ntools = [\"mcp:time/*\"]\n", ":4:1: a profile"),
        ("[profiles.p]\npresets = [\"mcp:time/now\"]\n", ":4:1: a profile"),
    ] {
        wrong(edit(folder.path(), &format!("[servers.time]\ncommand = \"x\"\n{rest}")).remove(&alias("time")), part);
    }
    let path = folder.path().join("agent-host.toml");
    std::fs::write(&path, "= broken").unwrap();
    assert!(Edit::open(&path).unwrap_err().to_string().contains(":1:1: "));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "= broken");
}

#[test]
fn up_2_a_new_file_and_its_folder_are_their_owners_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b/agent-host.toml");
    let mut edit = Edit::open(&path).unwrap();
    edit.add(&alias("git"), &added()).unwrap();
    assert!(!path.exists());
    let config = edit.save().unwrap();
    assert_eq!(config.servers, Config::read(&path).unwrap().servers);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!((mode(&path), mode(path.parent().unwrap()), mode(&folder.path().join("a"))), (0o600, 0o700, 0o700));
    assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn up_2_a_file_is_replaced_behind_its_link_with_its_mode_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (real, link) = (folder.path().join("real.toml"), folder.path().join("agent-host.toml"));
    std::fs::write(&real, FILES[2]).unwrap();
    std::fs::set_permissions(&real, Permissions::from_mode(0o640)).unwrap();
    symlink("real.toml", &link).unwrap();
    let mut edit = Edit::open(&link).unwrap();
    edit.enable(&alias("time"), false).unwrap();
    edit.save().unwrap();
    assert!(link.is_symlink() && std::fs::read_to_string(&real).unwrap().contains("enabled = false"));
    assert_eq!(std::fs::metadata(&real).unwrap().mode() & 0o777, 0o640);
    std::fs::remove_file(&real).unwrap();
    assert!(Edit::open(&link).unwrap_err().to_string().contains("can't be read"));
}

#[test]
fn up_2_a_file_changed_meanwhile_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = edit(folder.path(), FILES[2]);
    let mut second = Edit::open(&folder.path().join("agent-host.toml")).unwrap();
    first.add(&alias("a"), &added()).unwrap();
    second.add(&alias("b"), &added()).unwrap();
    first.save().unwrap();
    assert!(second.save().unwrap_err().to_string().contains("changed meanwhile"));
    let config = Config::read(&folder.path().join("agent-host.toml")).unwrap();
    assert!(config.servers.contains_key("a") && !config.servers.contains_key("b"));
    let fresh = folder.path().join("fresh.toml");
    let (mut one, mut two) = (Edit::open(&fresh).unwrap(), Edit::open(&fresh).unwrap());
    one.add(&alias("a"), &added()).unwrap();
    two.add(&alias("b"), &added()).unwrap();
    one.save().unwrap();
    assert!(two.save().is_err() && Config::read(&fresh).unwrap().servers.contains_key("a"));
}

#[test]
fn up_2_attack_63_a_file_that_others_can_write_is_not_added_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agent-host.toml");
    std::fs::write(&path, "").unwrap();
    std::fs::set_permissions(&path, Permissions::from_mode(0o666)).unwrap();
    assert!(Edit::open(&path).unwrap_err().to_string().contains("others can write"));
}
