//! What a configuration may hold, and what is said of one that doesn't.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::*;
use agent_core::effect::Effect;
use agent_core::request::Strength;
use agent_engine::policy::{NewTool, Verdict};

pub(super) fn parse(text: &str) -> Result<Config, ConfigError> {
    Config::parse(Path::new("/etc/demo/agent-host.toml"), text)
}

fn wrong(text: &str, line: usize, part: &str) {
    let error = parse(text).unwrap_err();
    assert_eq!(error.place().map(|place| place.0), Some(line), "{error}");
    assert!(error.to_string().contains(part) && error.to_string().contains("\nhint: "), "{error}");
}

#[test]
fn pol_1_an_empty_file_prompts() {
    let config = parse("").unwrap();
    assert_eq!(config.policy, Policy::of(Verdict::Prompt));
    assert_eq!(config.wait, Duration::from_secs(25));
    assert!(config.servers.is_empty() && config.state.is_none() && config.surface.is_none() && !config.notify);
}

#[test]
fn pol_1_the_example_holds_every_key() {
    let config = parse(include_str!("../../agent-host.example.toml")).unwrap();
    assert_eq!((config.policy.activation, config.wait, config.starts), (Verdict::Prompt, Duration::from_secs(20), Starts::Durable));
    assert_eq!((config.surface, config.notify), (Some(Surface::Stable), true));
    let [first, second] = &config.policy.rules[..] else { unreachable!() };
    assert!(first.tools[0].matches("mcp:files/delete_all") && !first.tools[0].matches("mcp:files/read"));
    assert_eq!((first.decision, first.strength, first.max_calls), (Verdict::Prompt, Some(Strength::Strong), Some(3)));
    assert_eq!(first.ttl, Some(Length(Duration::from_secs(1800))));
    assert_eq!((second.effect, second.decision, second.new), (Some(Effect::ReadOnly), Verdict::Auto, Some(NewTool::Prompt)));
    assert_eq!(config.policy.profiles[config.profile.as_ref().unwrap()].presets[0].as_str(), "mcp:time/get_current_time");
    let [files, time, tracker] = &config.servers.values().collect::<Vec<_>>()[..] else { unreachable!() };
    assert_eq!(
        (files.command.as_str(), files.enabled, files.timeout),
        ("/etc/demo/bin/files", false, Some(Length(Duration::from_secs(30))))
    );
    assert_eq!((time.command.as_str(), time.enabled, time.cwd.as_deref()), ("mcp-server-time", true, Some(Path::new("/etc/demo"))));
    assert_eq!((tracker.url.as_deref(), tracker.headers.len()), (Some("https://tracker.example.org/mcp"), 2));
    assert_eq!(files.env["ROOT"], Variable::from("/srv/files"));
    assert_eq!(files.env["TOKEN"], Variable::file("/etc/demo/token"));
    assert_eq!((files.era, files.idle(), files.start()), (Era::Auto, Duration::from_secs(600), Duration::from_secs(30)));
    assert_eq!(time.declared().capabilities, Some([].into()));
    assert_eq!(tracker.oauth.as_ref().unwrap().client_secret, Some(Variable::file("/etc/demo/tracker-secret")));
    assert_eq!(config.state.as_deref(), Some(Path::new("/etc/demo/state")));
}

#[test]
fn aud_1_buffered_starts_are_the_operators_word() {
    assert_eq!(parse("[records]\nstart = \"buffered\"\n").unwrap().starts, Starts::Buffered);
    wrong("[records]\nstart = \"never\"\n", 2, "unknown variant `never`");
}

#[test]
fn pol_1_what_is_not_known_is_never_skipped() {
    wrong("activation = \"hide\"\n", 1, "unknown variant `hide`");
    wrong("activation = \"always\"\n", 1, "unknown variant `always`");
    wrong("surface = \"wide\"\n", 1, "unknown variant `wide`");
    wrong("\nactivate = \"auto\"\n", 2, "unknown field `activate`");
    wrong("[[rule]]\ntool = [\"*\"]\ndecision = \"auto\"\n", 2, "unknown field `tool`");
    wrong("[servers.time]\ncommand = \"x\"\nshell = true\n", 3, "unknown field `shell`");
    wrong("[[rule]]\ntools = [\"*\"]\n", 1, "missing field `decision`");
    wrong("[approval]\nwait = 25\n", 2, "expected a string");
    wrong("a = = 1\n", 1, "");
}

#[test]
fn pol_1_the_old_key_of_strength_is_answered_with_the_new_one() {
    for value in ["true", "false", "1"] {
        let text = format!("[[rule]]\ndecision = \"auto\"\n[[rule]]\ndecision = \"prompt\"\nstrong = {value}\n");
        wrong(&text, 5, "write `strength = \"strong\"`");
    }
    wrong("[[rule]]\ndecision = \"prompt\"\nstrength = true\n", 3, "");
}

#[test]
fn pol_1_parts_of_a_file_fit_together() {
    wrong("\n[[rule]]\nserver = \"nope\"\ndecision = \"auto\"\n", 2, "no server `nope`");
    wrong("[[rule]]\nprofile = \"nope\"\ndecision = \"auto\"\n", 1, "no profile `nope`");
    wrong("profile = \"nope\"\n", 1, "no profile `nope`");
    wrong("[[rule]]\ndecision = \"auto\"\nstrength = \"strong\"\n", 1, "asks nobody");
    wrong("[[rule]]\ndecision = \"deny\"\nttl = \"30m\"\n", 1, "gives none");
    wrong("[[rule]]\ndecision = \"prompt\"\nttl = \"13h\"\n", 1, "longer than any grant");
    wrong("[[rule]]\ndecision = \"prompt\"\nttl = 30\n", 3, "expected a string");
    wrong("[[rule]]\ndecision = \"deny\"\nnew = \"prompt\"\n", 1, "is not `auto`");
    wrong("[[rule]]\ndecision = \"deny\"\nmax_calls = 1\n", 1, "gives none");
    wrong("[[rule]]\ndecision = \"auto\"\nmax_calls = 0\n", 1, "`max_calls` is 0");
    wrong("[approval]\nwait = \"26s\"\n", 2, "longer than 25s");
    wrong("[approval]\nwait = \"soon\"\n", 2, "`soon` is not a time");
    wrong("[approval]\nwait = \"18446744073709551615h\"\n", 2, "is not a time");
}

#[test]
fn id_2_aliases_and_ids_are_checked_where_they_are_written() {
    wrong("[servers.Time]\ncommand = \"x\"\n", 1, "lower-case letter");
    wrong("[servers.native]\ncommand = \"x\"\n", 1, "reserved");
    wrong("[profiles.p]\npresets = [\"time/now\"]\n", 2, "an id reads");
    wrong("[profiles.p]\ntools = [\"time\"]\n", 2, "a pattern is");
    wrong("[servers.time]\ncommand = \"\"\n", 1, "neither a `command` nor a `url`");
    wrong("[servers.time]\ncommand = \"x\"\nenv = { \"A=B\" = \"c\" }\n", 1, "can't be given this");
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = Config::read(Path::new("/nowhere/agent-host.toml")).unwrap_err();
    assert!(error.to_string().starts_with("/nowhere/agent-host.toml: can't be read"), "{error}");
}

#[test]
fn an_error_shows_its_line_and_what_was_probably_meant() {
    let error = parse("\n[servers.time]\ncommnd = \"x\"\n").unwrap_err().to_string();
    let expect = "/etc/demo/agent-host.toml:3:1: unknown field `commnd`\n3 | commnd = …\n  | ^\n\
                  hint: did you mean `command`? a key or a word that isn't known is never skipped";
    assert_eq!(error, expect);
    wrong("activation = \"promt\"\n", 1, "did you mean `prompt`?");
    let error = parse("[servers.Time]\ncommand = \"x\"\n").unwrap_err().to_string();
    assert!(error.contains("\n1 | [servers.Time]\n  |          ^\n"), "{error}");
}

#[test]
fn up_2_no_error_repeats_a_value() {
    for text in [
        "[servers.a]\ncommand = \"x\"\nenv = \"hunter2\"\n",
        "[servers.a]\ncommand = \"x\"\nenv = [\"hunter2\"]\n",
        "[servers.a]\ncommand = \"x\"\n[servers.a.env]\nTOKEN = hunter2\n",
        "[servers.a]\ncommand = \"x\"\n[servers.a.env]\nTOKEN = \"hunter2\n",
        "[servers.a]\ncommand = \"x\"\n[servers.a.env]\nTOKEN = \"hunter2\\q\"\n",
        "[servers.a]\ncommand = \"x\"\n[servers.a.env]\nTOKEN = { token = \"hunter2\" }\n",
        "[servers.a]\ncommand = \"x\"\n[servers.a.env]\nTOKEN = [\n\"hunter2\" ]\n",
        "[servers.a]\ncommand = \"x\"\nargs = [\"--token\",\n\"hunter2\" \"y\"]\n",
        "[servers.a]\ncommand = \"x\"\nargs = \"--token hunter2\"\n",
        "[servers.a]\ncommand = \"x\"\nenv = { TOKEN = \"hunter2\", \"A=B\" = \"\" }\n",
        "[servers.a]\ncommand = \"x\"\nenv = { TOKEN = \"hunter2\", TOKEN = \"\" }\n",
        "servers = { a = { command = \"\", env = { TOKEN = \"hunter2\" } } }\n",
        "[servers.a] # hunter2\n",
        "activation = \"auto\" \"hunter2\"\n",
    ] {
        let error = parse(text).unwrap_err();
        assert!(!error.to_string().contains("hunter2") && error.place().is_some(), "{error}");
    }
}

#[test]
fn up_2_no_listing_shows_a_value_of_env_or_a_secret() {
    let text = "[servers.a]\ncommand = \"x\"\nargs = [\"--token\", \"hunter2\"]\nlogin = \"x login --password=hunter2\"\n\
                env = { A = \"hunter2\", B = { env = \"C\" }, D = { file = \"e\" } }\n";
    let config = parse(text).unwrap();
    let lines: Vec<_> = config.rows().iter().map(|row| config.line(row)).collect();
    assert!(!lines.join("\n").contains("hunter2") && !format!("{config:?}").contains("= \"hunter2"), "{lines:#?}");
    for line in [
        "servers.a.args = [\"--token\", \"(hidden)\"]  (agent-host.toml:3)",
        "servers.a.env.A = \"(hidden)\"  (agent-host.toml:5)",
        "servers.a.env.B = \"(hidden, from the variable C)\"  (agent-host.toml:5)",
        "servers.a.env.D = \"(hidden, from /etc/demo/e)\"  (agent-host.toml:5)",
    ] {
        assert!(lines.iter().any(|found| found == line), "{line}: {lines:#?}");
    }
}

#[test]
fn up_2_values_that_others_can_read_are_said() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("agent-host.toml");
    for (env, mode, said) in [("{ A = \"1\" }", 0o644, 1), ("{ A = \"1\" }", 0o600, 0), ("{ A = { env = \"B\" } }", 0o644, 0)] {
        std::fs::write(&file, format!("[servers.a]\ncommand = \"x\"\nenv = {env}\n")).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        let warnings = Config::read(&file).unwrap().warnings;
        assert_eq!(warnings.iter().filter(|line| line.contains("chmod 600")).count(), said, "{env} {mode:o}: {warnings:?}");
    }
}

#[test]
fn up_2_a_file_that_nobody_named_may_be_missing() {
    let folder = tempfile::tempdir().unwrap();
    let (file, flags) = (folder.path().join("agent-host.toml"), Flags::default());
    let environment: Environment = [("AGENT_HOST_ACTIVATION", "deny"), ("AGENT_HOST_ACTIVATE", "auto")].into_iter().collect();
    let config = Config::load(&file, true, &environment, &flags).unwrap();
    assert_eq!((config.policy.activation, config.warnings.len()), (Verdict::Deny, 1));
    assert!(Config::load(&file, false, &environment, &flags).unwrap_err().to_string().contains("can't be read"));
    std::os::unix::fs::symlink("nowhere", &file).unwrap();
    assert!(Config::load(&file, true, &environment, &flags).is_err());
}

#[test]
fn up_10_a_login_is_a_command_that_a_person_can_read() {
    for login in ["", "  ", "gh auth\\u202elogin", "a\\nb"] {
        wrong(&format!("[servers.a]\ncommand = \"x\"\nlogin = \"{login}\"\n"), 1, "`login` is not a command");
    }
    assert_eq!(
        parse("[servers.a]\ncommand = \"x\"\nlogin = \"gh auth login\"\n").unwrap().servers["a"].login.as_deref(),
        Some("gh auth login")
    );
}

#[test]
fn attack_44_aliases_that_look_alike_are_refused() {
    let error = parse("[servers.git-1]\ncommand = \"a\"\n[servers.git-l]\ncommand = \"b\"\n").unwrap_err().to_string();
    assert!(error.contains("`git-l` could be taken for `git-1`"), "{error}");
    assert!(parse("[servers.git-1]\ncommand = \"a\"\n[servers.git-2]\ncommand = \"b\"\n").is_ok());
}

#[test]
fn attack_63_a_server_does_not_run_where_its_client_works() {
    let config = parse("[servers.a]\ncommand = \"a\"\n[servers.b]\ncommand = \"b\"\ncwd = \"sub\"\n").unwrap();
    let folders: Vec<_> = config.servers.values().map(|server| server.cwd.clone().unwrap()).collect();
    assert_eq!(folders, [Path::new("/etc/demo"), Path::new("/etc/demo/sub")]);
}

#[test]
fn cat_4_the_operator_says_how_many_tools_there_may_be() {
    let tools = |text: &str| parse(text).map(|config| config.tools);
    assert_eq!((tools("").unwrap(), tools("[catalog]\ntools = 1000000\n").unwrap()), (100_000, 1_000_000));
    for wrong in ["0", "1000001"] {
        let error = tools(&format!("[catalog]\ntools = {wrong}\n")).unwrap_err().to_string();
        assert!(error.contains(":2:9: `tools` is not from 1 to 1000000"), "{error}");
    }
    let config = parse("[catalog]\ntools = 7\n").unwrap();
    assert!(config.rows().iter().any(|row| config.line(row) == "catalog.tools = 7  (agent-host.toml:2)"));
}

#[test]
fn srch_5_synonyms_are_read_beside_the_configuration() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (file, words) = (folder.path().join("agent-host.toml"), folder.path().join("words.txt"));
    std::fs::write(&file, "[search]\nsynonyms = \"words.txt\"\n").unwrap();
    let wrong = |expect: &str| {
        let error = Config::read(&file).unwrap_err().to_string();
        assert!(error.starts_with(words.to_str().unwrap()) && error.contains(expect), "{error}");
    };
    wrong("can't be read");
    std::fs::write(&words, "# ours\nqticket qcase\nalone\n").unwrap();
    wrong(":3:1: a single word");
    std::fs::write(&words, "#".repeat(agent_core::limits::SYNONYM_BYTES + 1)).unwrap();
    wrong("larger than");
    std::fs::write(&words, "qticket qcase\n").unwrap();
    std::fs::set_permissions(&words, std::fs::Permissions::from_mode(0o666)).unwrap();
    wrong("they could choose what is found");
    std::fs::set_permissions(&words, std::fs::Permissions::from_mode(0o644)).unwrap();
    let config = Config::read(&file).unwrap();
    assert!(config.synonyms != Synonyms::default() && config.files() == [file.clone(), words.clone()]);
    let line = format!("search.synonyms = {:?}  (agent-host.toml:2)", words.display().to_string());
    assert!(config.rows().iter().any(|row| config.line(row) == line), "{line}");
    std::fs::write(&file, "").unwrap();
    let config = Config::read(&file).unwrap();
    assert!(config.synonyms == Synonyms::default() && config.files() == [file]);
}

#[test]
fn up_2_paths_are_taken_from_the_files_folder_however_it_is_named() {
    let here = std::env::current_dir().unwrap();
    for (file, folder) in
        [("agent-host.toml", here.clone()), ("./agent-host.toml", here.clone()), ("sub/agent-host.toml", here.join("sub"))]
    {
        let config = Config::parse(Path::new(file), "[servers.a]\ncommand = \"./a\"\n").unwrap();
        let server = config.servers.values().next().unwrap();
        assert_eq!(server.cwd.as_deref().unwrap(), folder, "{file}");
        assert!(Path::new(&server.command).is_absolute(), "{}", server.command);
    }
}

#[test]
fn ses_4_a_host_names_a_port_that_there_is() {
    for (key, host) in [("hosts", "mcp.example.com:65536"), ("hosts", "[::1]:99999"), ("hosts", "a:0"), ("hosts", "a:")] {
        wrong(&format!("[http]\n{key} = [\"{host}\"]"), 1, &format!("`{host}` names a port that there is not"));
    }
    wrong("[http]\norigins = [\"https://a.example:70000\"]", 1, "names a port that there is not");
    assert!(parse("[http]\nhosts = [\"a\", \"b:1\", \"[::1]:65535\", \"[::1]\"]\norigins = [\"https://a.example:8443\"]").is_ok());
}
