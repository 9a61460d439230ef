//! Other clients' configurations, from a file's bytes to what a person reads and what our file holds.
//!
//! Is: the reader of `tests/data/import/<client>/`: a file in the client's own shape, and beside it what is said of it and
//! written because of it (`.said`). With `UPDATE_IMPORT=1` that is written anew; whoever changes one reads it. Clauses: UP-2
//! (project files), ID-2. Neighbours: `field` holds cases that say what they expect.

mod field;

use agent_host::config::{Config, Edit};
use agent_host::import::{Client, Machine, Plan, Platform, Reading, Scope, Source, named, offered, paste, project_of, read};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const PROJECT: &str = "/work/shop";

fn machine() -> Machine {
    Machine::new(Platform::Linux, "/home/ada".into())
}

/// The place that a fixture stands for: by its folder and the first word of its name.
fn source(path: &Path) -> Source {
    let client = Client::parse(path.parent().unwrap().file_name().unwrap().to_str().unwrap()).unwrap();
    let stem = path.file_stem().unwrap().to_str().unwrap();
    let (project, ending) = match stem.split('-').next().unwrap() {
        "project" => (true, ""),
        "settings" => (client == Client::ClaudeCode, "settings.json"),
        "state" => (false, ".claude.json"),
        _ => (false, ""),
    };
    let all = machine().sources(Some(Path::new(PROJECT)));
    let fits = |source: &&Source| {
        let of = matches!(source.scope, Scope::Project(_)) == project;
        of && source.client == client && source.path.to_string_lossy().ends_with(ending)
    };
    all.iter().find(fits).unwrap().clone()
}

/// What becomes of some files, beside a configuration: the plan, and our file once everything is taken.
fn taken(readings: Vec<Reading>, ours: &str) -> (Plan, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("agent-host.toml");
    std::fs::write(&file, ours).unwrap();
    let mut edit = Edit::open(&file).unwrap();
    let plan = Plan::of(readings, edit.config(), &BTreeMap::new());
    for (_, offer, alias) in plan.new_ones() {
        let (added, _) = offer.entry.added(alias, Path::new("/state/secrets")).unwrap();
        edit.add(alias, &added).unwrap();
        if offer.entry.allow.is_some() || !offer.entry.deny.is_empty() {
            edit.narrow(alias, offer.entry.allow.as_deref(), &offer.entry.deny).unwrap();
        }
    }
    (plan, edit.text().to_owned())
}

fn reading(source: Source, bytes: &[u8]) -> Reading {
    Reading { read: read(&source, bytes, &machine()), source }
}

fn said(plan: &Plan) -> String {
    plan.files.iter().flat_map(offered).map(|line| line + "\n").collect()
}

fn fixtures() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for client in Client::ALL {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/import").join(client.word());
        found.extend(
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.extension().unwrap() != "said"),
        );
    }
    found.sort();
    found
}

#[test]
fn up_2_attack_63_files_of_the_five_clients_are_told_and_taken_as_written_down() {
    let fixtures = fixtures();
    let (mut broken, update) = (0, std::env::var_os("UPDATE_IMPORT").is_some());
    for path in &fixtures {
        let bytes = std::fs::read(path).unwrap();
        let (plan, text) = taken(vec![reading(source(path), &bytes)], "");
        let (said, beside) = (said(&plan), path.with_extension("said"));
        // What a terminal is shown is harmless, and no secret.
        assert!(said.chars().all(|c| c == '\n' || !agent_core::safety::is_hidden(c)), "{}: {said:?}", path.display());
        assert!(!said.contains("tok_FAKE"), "{}: {said}", path.display());
        let unread = plan.files[0].notes.is_err();
        assert_eq!(unread, path.to_string_lossy().contains("broken"), "{}: {said}", path.display());
        assert!(!unread || text.is_empty());
        broken += u32::from(unread);
        let made = format!("{said}--- our file\n{text}");
        if update {
            std::fs::write(&beside, made).unwrap();
        } else {
            assert_eq!(std::fs::read_to_string(&beside).unwrap_or_default(), made, "{}: UPDATE_IMPORT=1 writes it anew", path.display());
        }
    }
    assert!(fixtures.len() >= 30 && broken >= 8, "{} files, {broken} broken", fixtures.len());
}

#[test]
fn up_2_a_file_that_can_not_be_read_is_named_by_line_and_column() {
    for (name, place) in [
        ("claude-desktop/user-broken-backslash.json", "3:"),
        ("claude-code/project-broken-comma.json", "3:33:"),
        ("claude-code/state-broken-cut.json", "4:"),
        ("cursor/user-broken-latin1.json", "2:23:"),
        ("codex/user-broken-value.toml", "2:11:"),
        ("codex/user-broken-twice.toml", "3:1:"),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/import").join(name);
        let source = source(&path);
        let (plan, _) = taken(vec![reading(source.clone(), &std::fs::read(&path).unwrap())], "");
        let expect = format!("  {}:{place}", source.path.display());
        assert!(said(&plan).contains(&expect), "{expect}: {}", said(&plan));
    }
}

#[test]
fn up_2_what_several_clients_have_is_taken_once_and_not_again() {
    let [user, project] = [source(Path::new("cursor/user-x.json")), source(Path::new("claude-code/project-x.json"))];
    let text = br#"{ "mcpServers": { "clock": { "command": "demo-clock", "env": { "A": "1" } }, "mcp-clock": { "command": "other" } } }"#;
    let readings = || vec![reading(project.clone(), text), reading(user.clone(), text)];
    let (plan, ours) = taken(readings(), "");
    assert_eq!(ours.matches("[servers.").count(), 2, "{ours}");
    assert!(plan.new_ones().all(|(source, ..)| source.scope == Scope::User), "what a project repeats is the user's");
    assert!(said(&plan).contains("`clock`: the same as `clock`") && ours.contains("[servers.clock-2]"), "{}", said(&plan));
    let (plan, again) = taken(readings(), &ours);
    assert_eq!((again, plan.new_ones().count()), (ours, 0));
    assert!(said(&plan).contains("there already, as `clock-2`"), "{}", said(&plan));
}

#[test]
fn up_2_settings_of_a_project_switch_its_servers_off_and_never_on() {
    let servers = br#"{ "mcpServers": { "legacy": { "command": "demo-legacy" }, "deploy": { "command": "demo-deploy" } } }"#;
    let settings = br#"{ "enableAllProjectMcpServers": true, "disabledMcpjsonServers": ["legacy"] }"#;
    let of = |name: &str| source(Path::new("claude-code").join(name).as_path());
    let (plan, ours) = taken(vec![reading(of("project-x.json"), servers), reading(of("settings-x.json"), settings)], "");
    assert_eq!(ours.matches("enabled = false").count(), 1, "{ours}");
    assert!(plan.new_ones().all(|(_, offer, alias)| offer.entry.enabled == (alias.as_str() == "deploy")));
}

#[test]
fn up_2_lists_of_tools_only_ever_narrow() {
    let text = b"[mcp_servers.a]\ncommand = \"a\"\nenabled_tools = [\"x\", \"*\"]\ndisabled_tools = [\"y\"]\n";
    let (_, ours) = taken(vec![reading(source(Path::new("codex/user-x.toml")), text)], "activation = \"deny\"\n");
    let config = Config::parse(Path::new("/etc/agent-host.toml"), &ours).unwrap();
    let rules: Vec<_> = config.policy.rules.iter().map(|rule| serde_json::to_value(rule).unwrap()).collect();
    assert!(rules.iter().all(|rule| rule["decision"] == "deny"), "a list widens nothing: {rules:?}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("agent-host.toml");
    std::fs::write(&file, "[[rule]]\ntools = [\"mcp:*/x\"]\ndecision = \"prompt\"\nstrength = \"strong\"\n").unwrap();
    let mut edit = Edit::open(&file).unwrap();
    let a = agent_core::id::Alias::parse("a").unwrap();
    edit.add(&a, &agent_host::config::Added { command: "a".to_owned(), ..Default::default() }).unwrap();
    assert!(!edit.could_narrow(&a) && edit.narrow(&a, Some(&["x".to_owned()]), &[]).is_err(), "a rule of the operator's comes first");
}

#[test]
fn up_2_files_are_looked_for_where_each_platform_keeps_them() {
    let at = |platform, name: &str| {
        let all = Machine::new(platform, "/h".into()).sources(Some(Path::new("/p")));
        all.iter().filter(|source| source.path.ends_with(name)).map(|source| source.path.display().to_string()).collect::<Vec<_>>()
    };
    let desktop = "claude_desktop_config.json";
    assert_eq!(at(Platform::Linux, desktop), ["/h/.config/Claude/claude_desktop_config.json"]);
    assert_eq!(at(Platform::MacOs, desktop), ["/h/Library/Application Support/Claude/claude_desktop_config.json"]);
    assert_eq!(at(Platform::Windows, desktop), ["/h/AppData/Roaming/Claude/claude_desktop_config.json"]);
    assert_eq!(at(Platform::MacOs, "Code/User/mcp.json"), ["/h/Library/Application Support/Code/User/mcp.json"]);
    for platform in [Platform::Linux, Platform::MacOs] {
        assert_eq!(at(platform, ".claude.json"), ["/h/.claude.json"]);
        assert_eq!(at(platform, ".mcp.json"), ["/p/.mcp.json"]);
        assert_eq!(at(platform, ".cursor/mcp.json"), ["/h/.cursor/mcp.json", "/p/.cursor/mcp.json"]);
        assert_eq!(at(platform, ".codex/config.toml"), ["/h/.codex/config.toml", "/p/.codex/config.toml"]);
    }
}

/// By its place alone: whoever can write to a checkout can give a file any name.
#[test]
fn up_2_attack_63_a_file_that_is_not_the_users_own_by_its_place_is_a_projects() {
    let scope = |path: &str| named(Path::new(path), None, &machine());
    assert_eq!(scope("/home/ada/.cursor/mcp.json").scope, Scope::User);
    for (path, client, project) in [
        ("/work/shop/.cursor/mcp.json", Client::Cursor, "/work/shop"),
        ("/work/shop/.mcp.json", Client::ClaudeCode, "/work/shop"),
        ("/work/shop/claude_desktop_config.json", Client::ClaudeDesktop, "/work/shop"),
        ("/home/ada/shop/.codex/config.toml", Client::Codex, "/home/ada/shop"),
        ("/tmp/x.json", Client::Other, "/tmp"),
    ] {
        assert_eq!((scope(path).client, scope(path).scope), (client, Scope::Project(project.into())));
    }
    assert_eq!(project_of(Path::new("/home/ada"), Path::new("/home/ada")), None);
    assert_eq!(project_of(Path::new("/"), Path::new("/home/ada")), None);
    assert_eq!(project_of(Path::new("/home/ada/shop"), Path::new("/home/ada")), Some("/home/ada/shop".into()));
}

/// A variable such as `CODEX_HOME`, or a link, can name anything.
#[test]
fn up_2_attack_63_a_place_of_the_users_that_leads_into_a_checkout_is_the_checkouts() {
    let base = tempfile::tempdir().unwrap();
    let home = base.path().canonicalize().unwrap().join("home");
    let (shop, other) = (home.join("shop"), home.join("other"));
    for folder in [shop.join(".git"), shop.join(".codex"), other.join(".git"), home.join(".cursor"), home.join(".config")] {
        std::fs::create_dir_all(folder).unwrap();
    }
    for file in [shop.join(".codex/config.toml"), shop.join("x.json"), other.join("x.json"), home.join(".config/x.json")] {
        std::fs::write(file, "").unwrap();
    }
    let scope = |path: &Path, project: Option<&Path>| {
        Source { client: Client::Codex, scope: Scope::User, path: path.to_owned() }.settled(project, &home).scope
    };
    let of = |folder: &Path| Scope::Project(folder.to_owned());
    assert_eq!(scope(&shop.join(".codex/config.toml"), Some(&shop)), of(&shop));
    assert_eq!(scope(&shop.join(".codex/not-there.toml"), Some(&shop)), of(&shop));
    for (name, target, expect) in [("a", &shop, of(&shop)), ("b", &other, of(&other)), ("c", &home.join(".config"), Scope::User)] {
        let link = home.join(".cursor").join(name);
        std::os::unix::fs::symlink(target.join("x.json"), &link).unwrap();
        assert_eq!(scope(&link, Some(&shop)), expect, "{name}");
        assert_eq!(scope(&link, None), expect, "{name}");
    }
    assert_eq!(scope(&home.join(".codex/config.toml"), Some(&shop)), Scope::User);
}

#[test]
fn up_2_no_two_secrets_get_one_file_nor_one_that_is_there() {
    let text =
        br#"{ "mcpServers": { "a": { "command": "a", "env": { "A-TOKEN": "1x", "A.TOKEN": "2x", "A_TOKEN": "3x", "B_TOKEN": "4x" } } } }"#;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.B_TOKEN"), "another configuration's").unwrap();
    let (plan, _) = taken(vec![reading(source(Path::new("cursor/user-x.json")), text)], "");
    let (_, offer, alias) = plan.new_ones().next().unwrap();
    let (_, files) = offer.entry.added(alias, folder.path()).unwrap();
    let names: std::collections::BTreeSet<_> = files.iter().map(|(path, _)| path.clone()).collect();
    assert_eq!((files.len(), names.len()), (4, 4), "{names:?}");
    assert!(!names.contains(&folder.path().join("a.B_TOKEN")), "{names:?}");
}

#[test]
fn up_2_a_file_of_many_servers_or_many_names_twice_takes_no_time() {
    let began = std::time::Instant::now();
    let of = |count: usize, name: &dyn Fn(usize) -> String| {
        let members: Vec<_> = (0..count).map(|at| format!("\"{}\": {{}}", name(at))).collect();
        let text = format!("{{\"mcpServers\":{{{}}}}}", members.join(","));
        said(&taken(vec![reading(source(Path::new("cursor/user-x.json")), text.as_bytes())], "").0)
    };
    assert!(of(100_000, &|at| format!("a{at}")).contains("more than 1000 servers"));
    assert!(of(1_000, &|_| "a".to_owned()).matches("stands there twice").count() == 999);
    let variables = vec!["\"A\": \"1\""; 100_000].join(",");
    let text = format!("{{\"mcpServers\":{{\"a\":{{\"command\":\"a\",\"env\":{{{variables}}}}}}}}}");
    let told = said(&taken(vec![reading(source(Path::new("cursor/user-x.json")), text.as_bytes())], "").0);
    assert_eq!(told.matches("stands there twice").count(), 20);
    assert!(began.elapsed() < std::time::Duration::from_secs(30), "{:?}", began.elapsed());
}

#[test]
fn up_2_what_to_paste_is_what_each_client_takes() {
    let lines = |client| paste(client, Path::new("/opt/my apps/agent-host"), &["--config".to_owned(), "/etc/a.toml".to_owned()]).join("\n");
    assert!(
        lines(Client::ClaudeCode)
            .ends_with("claude mcp add --scope user agent-host -- '/opt/my apps/agent-host' serve --config /etc/a.toml")
    );
    for client in [Client::ClaudeDesktop, Client::Cursor, Client::VsCode] {
        let json = lines(client).lines().last().unwrap().to_owned();
        let wrapped = format!("{{ \"mcpServers\": {{ {json} }} }}");
        let (plan, _) = taken(vec![reading(source(Path::new("cursor/user-x.json")), wrapped.as_bytes())], "");
        assert!(said(&plan).contains("it is agent-host itself"), "{}", said(&plan));
    }
}
