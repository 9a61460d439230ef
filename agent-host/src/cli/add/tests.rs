//! The editing commands as a person types them, on folders of their own.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::*;
use crate::cli::{Cli, Command, Configure};
use crate::config::Config;
use clap::Parser;

fn typed(words: &[&str]) -> Result<Add, clap::Error> {
    let cli = Cli::try_parse_from(["agent-host", "add"].iter().chain(words))?;
    let Command::Configure(Configure::Add(add)) = cli.command else { unreachable!() };
    Ok(add)
}

fn file() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config/agent-host.toml");
    (folder, file)
}

#[test]
fn up_2_a_server_is_added_in_the_words_of_others() {
    let (_folder, file) = file();
    let words = [
        "git",
        "-e",
        "A=1=2",
        "--env",
        "B=",
        "--env-file",
        "TOKEN=/run/token",
        "--era",
        "modern",
        "--trust",
        "--",
        "uvx",
        "mcp-server-git",
        "--x",
    ];
    let (lines, _) = add(&file, typed(&words).unwrap()).unwrap();
    let config = Config::read(&file).unwrap();
    let server = &config.servers["git"];
    assert_eq!(
        (server.command.as_str(), &server.args[..], server.era, server.trust),
        ("uvx", &["mcp-server-git".to_owned(), "--x".to_owned()][..], Era::Modern, true)
    );
    assert_eq!(server.env["A"], Variable::from("1=2"));
    assert_eq!(server.env["TOKEN"], Variable::file("/run/token"));
    for part in [
        "added `git` to ",
        "   0  \"uvx\"",
        "   2  \"--x\"",
        "with A = (hidden)",
        "with TOKEN = (hidden, from /run/token)",
        "`agent-host sync git`",
        "keeps a secret out",
    ] {
        assert!(lines.iter().any(|line| line.contains(part)), "{part}: {lines:#?}");
    }
    assert!(add(&file, typed(&["git", "--", "x"]).unwrap()).unwrap_err().text.contains("`agent-host remove git` first"));
}

#[test]
fn up_5_a_server_at_a_url_is_added_with_its_headers() {
    let (_folder, file) = file();
    let words = ["far", "--url", "https://example.org/mcp", "--header", "X-Team=ops", "--header-file", "Authorization=/run/token"];
    let (lines, doubts) = add(&file, typed(&words).unwrap()).unwrap();
    let config = Config::read(&file).unwrap();
    let server = &config.servers["far"];
    assert_eq!((server.url.as_deref(), server.command.as_str(), server.private), (Some("https://example.org/mcp"), "", false));
    assert_eq!(server.headers["X-Team"], Variable::from("ops"));
    assert_eq!(server.headers["Authorization"], Variable::file("/run/token"));
    for part in
        ["it is reached at \"https://example.org/mcp\"", "the header X-Team = (hidden)", "values of --header are", "connects to it once"]
    {
        assert!(lines.iter().any(|line| line.contains(part)), "{part}: {lines:#?}");
    }
    assert!(doubts[0].contains("`Authorization` has no value yet"), "{doubts:?}");
    let plain = add(&file, typed(&["near", "--url", "http://127.0.0.1:8000/mcp"]).unwrap()).unwrap_err();
    assert!(plain.text.contains("`http` is not encrypted"), "{}", plain.text);
    add(&file, typed(&["near", "--url", "http://127.0.0.1:8000/mcp", "--private"]).unwrap()).unwrap();
    for wrong in [
        &["a", "--url", "https://x.org/", "--", "b"][..],
        &["a", "--url", "https://x.org/", "-e", "A=b"],
        &["a", "--header", "A=b", "--", "x"],
        &["a"],
    ] {
        assert!(typed(wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn up_2_paths_are_meant_from_where_the_person_is() {
    let (_folder, file) = file();
    add(&file, typed(&["own", "--cwd", "sub", "--env-file", "T=token", "--", "./serve", "data/x"]).unwrap()).unwrap();
    let (config, here) = (Config::read(&file).unwrap(), std::env::current_dir().unwrap());
    let server = &config.servers["own"];
    assert_eq!((Path::new(&server.command), server.cwd.as_deref()), (here.join("serve").as_path(), Some(here.join("sub").as_path())));
    assert_eq!((&server.env["T"], server.args[0].as_str()), (&Variable::file(here.join("token")), "data/x"));
}

#[test]
fn up_2_what_was_probably_not_meant_is_said() {
    let (_folder, file) = file();
    let doubts = |words: &[&str]| add(&file, typed(words).unwrap()).unwrap().1;
    let said = doubts(&["own", "--", "sh", "src/lib.rs", "--token", "hunter2"]);
    assert_eq!(said.len(), 2, "{said:#?}");
    assert!(said[0].contains("`src/lib.rs` is relative") && said[1].contains("looks like a secret"), "{said:#?}");
    let said = doubts(&["far", "--env-file", "TOKEN=/nowhere/token", "--", "/nowhere/server"]);
    assert_eq!(said[0], "there is no program at `/nowhere/server`");
    assert!(said[1].starts_with("`TOKEN` has no value yet: `/nowhere/token` can't be read: ") && said.len() == 2, "{said:#?}");
    assert_eq!(doubts(&["typo", "--", "no-such-program-here"]), ["no program `no-such-program-here` is in PATH"]);
    assert_eq!(doubts(&["bare", "-e", "PATH=/nowhere", "--", "sh"]), ["no program `sh` is in PATH"]);
}

#[test]
fn id_2_slips_are_refused_before_anything_is_written() {
    let (_folder, file) = file();
    for (words, part) in [
        (&["Time", "--", "x"][..], "lower-case letter"),
        (&["native", "--", "x"], "reserved"),
        (&["time"], "required"),
        (&["time", "uvx"], "put `--` in front of the program"),
        (&["time", "uvx", "-y", "x"], "put `--` in front of the program"),
        (&["time", "uvx", "--", "x"], "put `--` in front of the program"),
        (&["time", "--trsut", "--", "x"], "no such option"),
        (&["--trsut", "time", "--", "x"], "'--trust'"),
        (&["time", "--env", "A", "--", "x"], "`NAME=VALUE`"),
        (&["time", "--env", "=a", "--", "x"], "a name in front"),
        (&["time", "--era", "old", "--", "x"], "an era is"),
    ] {
        let error = typed(words).unwrap_err();
        assert!(error.exit_code() == Exit::Usage as i32 && error.to_string().contains(part), "{error}");
    }
    let twice = add(&file, typed(&["time", "-e", "A=1", "--env-file", "A=x", "--", "x"]).unwrap()).unwrap_err();
    assert!(twice.exit == Exit::Usage && twice.text.contains("given twice") && !file.parent().unwrap().exists(), "{}", twice.text);
    let empty = add(&file, typed(&["time", "--", ""]).unwrap()).unwrap_err();
    assert!(empty.text.contains("neither a `command` nor a `url`") && !file.parent().unwrap().exists(), "{}", empty.text);
}

#[test]
fn up_2_servers_are_switched_and_removed() {
    let (_folder, file) = file();
    let alias = Alias::parse("time").unwrap();
    assert_eq!(remove(&file, &alias).unwrap_err().exit, Exit::Usage);
    add(&file, typed(&["time", "--", "x"]).unwrap()).unwrap();
    assert!(enable(&file, &alias, true).unwrap()[0].contains("enabled already"));
    assert!(enable(&file, &alias, false).unwrap()[0].starts_with("disabled `time`"));
    assert!(!Config::read(&file).unwrap().servers["time"].enabled);
    assert!(enable(&file, &alias, true).unwrap()[0].starts_with("enabled `time`"));
    assert!(remove(&file, &alias).unwrap()[0].starts_with("removed `time`"));
    assert!(Config::read(&file).unwrap().servers.is_empty());
}
