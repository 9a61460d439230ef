//! Configurations as people in the field have them, each with what must become of it.
//!
//! Is: the reader of `tests/data/configs.jsonl`, and of every file that `AGENT_FIELD_CONFIGS` names (parted as in `PATH`). A
//! line has `input` (`client`, `scope`, `real_path`, `text`, or a `file` beside it) and `expect` (`servers`, `say`). Of clients
//! that are not read yet, cases are counted and left. Clause: UP-2 (project files).

use super::{reading, said, taken};
use agent_host::config::{FromEnv, Variable};
use agent_host::import::{Client, Entry, How, Note, Plan, Scope, Source};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// The place that a case stands for. Its own path says which of a client's files it is.
fn source(input: &Value) -> Option<Source> {
    let word = input["client"].as_str().unwrap();
    let client = if word == "any" { Client::Other } else { Client::parse(word).ok()? };
    let file = Path::new(input["real_path"].as_str().unwrap().split(" + ").next().unwrap()).file_name().unwrap();
    let scope = if input["scope"] == "project" { Scope::Project("/work/shop".into()) } else { Scope::User };
    Some(Source { client, scope, path: Path::new("/home/ada/x").join(file) })
}

/// An entry as a case writes one down. Secrets are `<secret>` there.
fn written(entry: &Entry) -> Value {
    let mut out = Map::new();
    let mut set = |key: &str, value: Value| drop(out.insert(key.to_owned(), value));
    set("name", entry.name.clone().into());
    set("enabled", entry.enabled.into());
    match &entry.how {
        How::Run(run) => {
            set("transport", "stdio".into());
            set("command", run.command.clone().into());
            set("args", run.args.clone().into());
            let value = |variable: &Variable| match variable {
                Variable::Plain(value) => value.clone(),
                Variable::Env(FromEnv { env, prefix }) => format!("{prefix}${{{env}}}"),
                Variable::File(_) => unreachable!("nothing is read from files yet"),
            };
            set("env", run.env.iter().map(|(name, variable)| (name.clone(), value(variable).into())).collect::<Map<_, _>>().into());
            run.cwd.iter().for_each(|cwd| set("cwd", cwd.to_str().unwrap().into()));
        }
        How::Remote(remote) => {
            set("transport", "http".into());
            set("url", remote.url.clone().into());
            set("headers", json!(remote.headers));
        }
        How::Unusable(why) => set("unusable", why.clone().into()),
    }
    for (key, time) in [("timeout_ms", entry.timeout), ("startup_timeout_ms", entry.start)] {
        time.iter().for_each(|time| set(key, json!(u64::try_from(time.as_millis()).unwrap())));
    }
    entry.allow.iter().for_each(|tools| set("tools_allow", tools.clone().into()));
    if !entry.deny.is_empty() {
        set("tools_deny", entry.deny.clone().into());
    }
    if let Scope::Local(project) = &entry.scope {
        set("scope", project.to_str().unwrap().into());
    }
    out.into()
}

/// Whether a value is as expected, where `<secret>` stands for any run of letters.
fn fits(found: &Value, expected: &Value) -> bool {
    match (found, expected) {
        (Value::String(found), Value::String(expected)) if expected.contains("<secret>") => {
            let (before, after) = expected.split_once("<secret>").unwrap();
            found.starts_with(before) && found.ends_with(after) && found.len() >= expected.len()
        }
        (Value::Array(found), Value::Array(expected)) => {
            found.len() == expected.len() && found.iter().zip(expected).all(|(found, expected)| fits(found, expected))
        }
        (Value::Object(found), Value::Object(expected)) => {
            found.len() == expected.len() && expected.iter().all(|(key, value)| found.get(key).is_some_and(|found| fits(found, value)))
        }
        (found, expected) => found == expected,
    }
}

/// A server as expected, with what cases leave out where there is nothing.
fn whole(expected: &Value) -> Value {
    let mut whole = expected.clone();
    let empty = if expected["transport"] == "stdio" {
        [("args", json!([])), ("env", json!({}))]
    } else {
        [("headers", json!({})), ("headers", json!({}))]
    };
    for (key, value) in empty {
        whole.as_object_mut().unwrap().entry(key).or_insert(value);
    }
    whole
}

/// Whether something was told: `kind`, `kind:subject`, or `kind:server.subject`, with words in brackets.
fn told(plan: &Plan, what: &str) -> bool {
    let what = what.split(" (").next().unwrap();
    let (kind, subject) = what.split_once(':').unwrap_or((what, ""));
    let kebab = |note: &Note| {
        let mut text = String::new();
        for c in format!("{:?}", note.kind).chars() {
            text.push_str(&if c.is_uppercase() && !text.is_empty() {
                format!("-{}", c.to_ascii_lowercase())
            } else {
                c.to_ascii_lowercase().to_string()
            });
        }
        text
    };
    let file = plan.files.iter().flat_map(|file| file.notes.iter().flatten());
    let mut notes = file.map(|note| (String::new(), note)).collect::<Vec<_>>();
    for entry in plan.files.iter().flat_map(|file| &file.offers).map(|offer| &offer.entry) {
        notes.extend(entry.notes.iter().map(|note| (entry.name.clone(), note)));
    }
    let about = |name: &str, note: &Note| {
        [note.subject.clone(), format!("{name}.{}", note.subject), name.to_owned()].iter().any(|about| about == subject)
            || note.subject.contains(subject)
    };
    notes.iter().any(|(name, note)| kebab(note) == kind && (subject.is_empty() || about(name, note)))
}

fn check(case: &Value, folder: &Path) -> bool {
    let id = case["id"].as_str().unwrap();
    let Some(source) = source(&case["input"]) else { return false };
    let text = case["input"]["text"].as_str().unwrap();
    let file = case["input"]["file"].as_str().map(|file| folder.join(file)).filter(|file| file.exists());
    let bytes = file.as_ref().map_or_else(|| text.as_bytes().to_vec(), |file| std::fs::read(file).unwrap());
    let (plan, ours) = taken(vec![reading(source, &bytes)], "");
    let said = said(&plan);
    let entries: Vec<Value> = plan.files[0].offers.iter().map(|offer| written(&offer.entry)).collect();
    let expected: Vec<Value> = case["expect"]["servers"].as_array().unwrap().iter().map(whole).collect();
    assert_eq!(entries.len(), expected.len(), "{id}: {said}");
    for server in &expected {
        assert!(entries.iter().any(|entry| fits(entry, server)), "{id}: {server:#} is not among {entries:#?}");
    }
    for what in case["expect"]["say"].as_array().unwrap() {
        assert!(told(&plan, what.as_str().unwrap()), "{id}: {what} is not told: {said}");
    }
    for secret in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| word.starts_with("tok_FAKE")) {
        assert!(!said.contains(secret), "{id}: {said}");
        let in_words = entries.iter().any(|entry| entry["args"].to_string().contains(secret));
        assert!(in_words || !ours.contains(secret), "{id}: a secret is in our file: {ours}");
    }
    // Ours are those that are run, and those that are reached at a URL that nothing has to be put into; each is on or off as
    // there, and nothing is allowed by what was allowed there.
    let run = expected.iter().filter(|server| server["transport"] == "stdio").count();
    let far = |entry: &Entry| matches!(&entry.how, How::Remote(remote) if remote.why.is_none());
    let far = plan.files[0].offers.iter().filter(|offer| far(&offer.entry)).count();
    assert_eq!(ours.matches("[servers.").count(), run + far, "{id}: {ours}");
    assert!(!ours.contains("auto"), "{id}: {ours}");
    assert!(file.is_none_or(|file| std::fs::read(file).unwrap() == bytes));
    true
}

#[test]
fn up_2_configurations_of_the_field_become_what_they_should() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/configs.jsonl");
    let more = std::env::var_os("AGENT_FIELD_CONFIGS").map(|files| std::env::split_paths(&files).collect::<Vec<PathBuf>>());
    for path in std::iter::once(own).chain(more.into_iter().flatten()) {
        let text = std::fs::read_to_string(&path).unwrap();
        let cases: Vec<Value> = text.lines().filter(|line| !line.is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect();
        let checked = cases.iter().filter(|case| check(case, path.parent().unwrap())).count();
        println!("{}: {checked} of {} cases are of clients that are read", path.display(), cases.len());
        assert!(checked > 5);
    }
}
