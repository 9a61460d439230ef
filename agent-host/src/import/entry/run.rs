//! How a server is run: its program, words, variables and folder, with nothing in them left to expand.
//!
//! A variable may stay a reference: it is read when the server is started. A program or an argument can't, since nothing
//! expands one here.

use super::{Kind, Node, Note, Scope};
use crate::config::{FromEnv, Variable};
use crate::import::pinned::unpinned;
use crate::import::reference::{From, Part, is_name, parts};
use crate::import::words::{is_path, is_placeholder, is_relative, is_secret, is_secret_value, is_shell, unseen};
use agent_core::safety::has_hidden;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A process and what it is given.
#[derive(Clone, PartialEq, Eq)]
pub struct Run {
    /// The program, by name or absolute path.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its environment.
    pub env: BTreeMap<String, Variable>,
    /// The folder it runs in, where one is said.
    pub cwd: Option<PathBuf>,
}

pub(super) fn read(node: &Node, command: &Node, scope: &Scope, from: From<'_>, notes: &mut Vec<Note>) -> Result<Run, String> {
    let Node::Text(command) = command else { return Err("its `command` is no text".to_owned()) };
    let (mut command, mut words) = program(command, notes)?;
    words.extend(arguments(node)?);
    command = home(&settled("command", &command, from, notes)?, from);
    let mut args = Vec::new();
    for (at, word) in words.iter().enumerate() {
        args.push(settled(&format!("args[{at}]"), word, from, notes)?);
    }
    let folder =
        ["cwd", "working_directory"].into_iter().find_map(|key| Some((key, node.get(key).filter(|node| !matches!(node, Node::Null))?)));
    let named = match folder {
        Some((key, node)) => Some((key, node.text().ok_or_else(|| format!("its `{key}` is no text"))?)),
        None => None,
    };
    let cwd = match named {
        Some((key, cwd)) => Some(PathBuf::from(home(&settled(key, cwd, from, notes)?, from))),
        None => None,
    };
    let (command, cwd) = placed(command, &args, cwd, scope, notes)?;
    let env = variables(node, from, notes)?;
    let plain = env
        .iter()
        .flat_map(|(name, value)| std::iter::once(name).chain(if let Variable::Plain(value) = value { Some(value) } else { None }));
    if std::iter::once(&command).chain(&args).chain(plain).any(|text| has_hidden(text)) {
        return Err("its command or variables hold characters that can't be seen".to_owned());
    }
    if let (Scope::Project(_) | Scope::Local(_), Some(at)) = (scope, unseen(&command, &args)) {
        return Err(format!("`args[{at}]` looks like a secret, and may be what is run: `agent-host add` takes it, once you have looked"));
    }
    told(&command, &args, scope, notes);
    if let Some(Node::Text(file)) = node.get("envFile") {
        notes.push(Note::new(Kind::EnvFile, file.as_str()));
    }
    Ok(Run { command, args, env, cwd })
}

/// The program, and the words that stand in its place by mistake. A path is one program, spaces and all.
fn program(command: &str, notes: &mut Vec<Note>) -> Result<(String, Vec<String>), String> {
    let whole = command.trim();
    let mut words = whole.split_whitespace().map(str::to_owned);
    let Some(first) = words.next() else { return Err("its `command` is empty".to_owned()) };
    if first == whole || is_path(whole) {
        return Ok((whole.to_owned(), Vec::new()));
    }
    if whole.contains(['"', '\'', '\\', '`']) {
        return Err("its `command` is a whole command line, with quotes that only a shell can take apart".to_owned());
    }
    notes.push(Note::new(Kind::SplitCommand, ""));
    Ok((first, words.collect()))
}

fn arguments(node: &Node) -> Result<Vec<String>, String> {
    match node.get("args") {
        None | Some(Node::Null) => Ok(Vec::new()),
        Some(Node::List(items)) => items.iter().map(|item| item.word().ok_or_else(|| "one of its `args` is no text".to_owned())).collect(),
        Some(_) => Err("its `args` are no list".to_owned()),
    }
}

/// A value with its references put in, where they can be known now.
fn settled(key: &str, value: &str, from: From<'_>, notes: &mut Vec<Note>) -> Result<String, String> {
    let mut text = String::new();
    for part in parts(value, from) {
        match &part {
            Part::Text(piece) => text.push_str(piece),
            Part::Variable { name, default: Some(default) } => {
                notes.push(Note::new(Kind::DefaultTaken, format!("${{{name}:-{}}}", crate::config::veiled(None, default))));
                text.push_str(default);
            }
            Part::Variable { .. } | Part::Input(_) | Part::Folder(_) => {
                return Err(format!(
                    "`{key}` refers to `{}`, and nothing is expanded here: `agent-host add` takes it with the value",
                    part.written()
                ));
            }
        }
    }
    if !from.names && parts(&text, From { names: true, ..from }).iter().any(|part| matches!(part, Part::Variable { .. })) {
        notes.push(Note::new(Kind::LiteralRef, key));
    }
    Ok(text)
}

/// A path from the home folder, as shells write it.
fn home(path: &str, from: From<'_>) -> String {
    path.strip_prefix("~/").map_or_else(|| path.to_owned(), |rest| from.home.join(rest).to_string_lossy().into_owned())
}

/// The program and the folder it runs in, as absolute paths. A project's words may be paths from the project's folder.
fn placed(
    command: String,
    args: &[String],
    cwd: Option<PathBuf>,
    scope: &Scope,
    notes: &mut Vec<Note>,
) -> Result<(String, Option<PathBuf>), String> {
    let project = scope.folder();
    let cwd = match (cwd, project) {
        (Some(cwd), Some(project)) => Some(project.join(cwd)),
        (Some(cwd), None) if cwd.is_relative() && !is_path(&cwd.to_string_lossy()) => {
            return Err(format!("its folder `{}` is a path from nobody knows where", cwd.display()));
        }
        (cwd, _) => cwd,
    };
    let relative = args.iter().find(|word| is_relative(word)).cloned();
    let base = cwd.clone().or(project.map(PathBuf::from));
    let command = match base {
        _ if !command.contains('/') || is_path(&command) => command,
        Some(base) => base.join(command.trim_start_matches("./")).to_string_lossy().into_owned(),
        None => return Err(format!("its program `{command}` is a path from nobody knows where")),
    };
    let Some(word) = relative else { return Ok((command, cwd)) };
    notes.push(Note::new(Kind::RelativePath, word));
    Ok((command, cwd.or(project.map(PathBuf::from))))
}

fn variables(node: &Node, from: From<'_>, notes: &mut Vec<Note>) -> Result<BTreeMap<String, Variable>, String> {
    let mut env = BTreeMap::new();
    if !matches!(node.get("env"), None | Some(Node::Null | Node::Table(_))) {
        return Err("its `env` is no table".to_owned());
    }
    for member in node.get("env").map(Node::members).unwrap_or_default() {
        match &member.node {
            // Nothing to take away: a server gets what is configured and nothing else.
            Node::Null => continue,
            Node::List(_) | Node::Table(_) => return Err(format!("its variable `{}` is no text", member.name)),
            Node::Bool(_) | Node::Number(_) => notes.push(Note::new(Kind::WrongType, format!("env.{}", member.name))),
            Node::Text(_) => {}
        }
        let value = member.node.word().unwrap_or_default();
        env.insert(member.name.clone(), variable("env", &member.name, &value, from, notes));
    }
    if let Some(Node::List(names)) = node.get("env_vars") {
        for name in names.iter().filter_map(|item| item.text().or_else(|| item.get("name")?.text())) {
            notes.push(Note::new(Kind::UnresolvedRef, name));
            env.insert(name.to_owned(), Variable::env(name));
        }
    }
    Ok(env)
}

/// One value of a table, kept or turned into one variable of ours; plain words before a reference, such as `Bearer `, stay before it.
pub(super) fn variable(table: &str, key: &str, value: &str, from: From<'_>, notes: &mut Vec<Note>) -> Variable {
    let pieces = parts(value, From { names: true, ..from });
    let (prefix, pieces) = match pieces.as_slice() {
        [Part::Text(text), rest @ ..] if rest.len() == 1 && !is_secret(None, text) => (text.as_str(), rest),
        pieces => ("", pieces),
    };
    let ours = |name: &str| Variable::Env(FromEnv { env: name.to_owned(), prefix: prefix.to_owned() });
    match pieces {
        [] => Variable::Plain(String::new()),
        [Part::Text(text)] => {
            if is_placeholder(text) {
                let name = named(table, key);
                notes.extend([Note::new(Kind::Placeholder, format!("{table}.{key}")), Note::new(Kind::UnresolvedRef, name.as_str())]);
                return ours(&name);
            }
            if is_secret_value(key, text) {
                notes.push(Note::new(Kind::SecretLiteral, format!("{table}.{key}")));
            }
            Variable::Plain(text.clone())
        }
        [Part::Variable { name, default }] => {
            let kind = if default.is_some() { Kind::DefaultDropped } else { Kind::UnresolvedRef };
            notes.push(Note::new(kind, name.as_str()));
            ours(name)
        }
        // What can't be put together before the server is started is one variable, to be set as a whole.
        pieces => {
            let asked = pieces.iter().filter(|piece| matches!(piece, Part::Input(_)));
            notes.extend(asked.map(|piece| Note::new(Kind::PromptRef, piece.written())));
            let name = named(table, key);
            notes.extend((pieces.len() > 1).then(|| Note::new(Kind::MixedRef, format!("{table}.{key}"))));
            notes.push(Note::new(Kind::UnresolvedRef, name.as_str()));
            ours(&name)
        }
    }
}

/// The variable of ours that stands for a whole value: of the same name, as far as a variable can have it.
fn named(table: &str, key: &str) -> String {
    if table == "env" && is_name(key) {
        return key.to_owned();
    }
    let name = key.replace('-', "_").to_ascii_uppercase();
    if is_name(&name) { name } else { "MCP_VALUE".to_owned() }
}

/// What a look at the words shows.
fn told(command: &str, args: &[String], scope: &Scope, notes: &mut Vec<Note>) {
    if is_shell(command, args) {
        notes.push(Note::new(Kind::ShellScript, command));
    }
    if let Some(what) = unpinned(command, args) {
        notes.push(Note::new(Kind::Unpinned, what));
    }
    let mut before = None;
    for (at, word) in args.iter().enumerate() {
        if is_secret(before, word) {
            notes.push(Note::new(Kind::SecretLiteral, format!("args[{at}]")));
        }
        if word.is_empty() {
            notes.push(Note::new(Kind::EmptyArgument, format!("args[{at}]")));
        }
        before = Some(word.as_str());
    }
    let secret = notes.iter().rev().find(|note| note.kind == Kind::SecretLiteral).map(|note| note.subject.clone());
    if let (Scope::Project(_), Some(subject)) = (scope, secret) {
        notes.push(Note::new(Kind::SecretInRepository, subject));
    }
}
