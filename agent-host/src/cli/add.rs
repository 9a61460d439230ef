//! `add`, `remove`, `enable`, `disable`: the operator's file changed by one server.
//!
//! Is: words in, the file changed, lines for a person out. Is not: a start of anything; `sync` and `serve` do that.
//! Clause: UP-2 (operator's files).

use super::{Exit, Failure};
use crate::config::{Added, ConfigError, Edit, Era, Server, Variable, looks_secret};
use agent_core::id::Alias;
use agent_core::safety::visible;
use clap::Args;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct Add {
    /// The name it gets: a lower-case letter, then letters, digits and `-`.
    #[arg(value_name = "NAME", value_parser = Alias::parse)]
    name: Alias,
    /// A variable of its environment, kept in the file.
    #[arg(short, long, value_name = "KEY=VALUE", value_parser = pair)]
    env: Vec<(String, String)>,
    /// A variable whose value is kept in a file of its own.
    #[arg(long, value_name = "KEY=PATH", value_parser = pair)]
    env_file: Vec<(String, String)>,
    /// The folder it runs in; left out, the configuration's own.
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// Where it is reached over HTTP, in place of a program.
    #[arg(long, value_name = "URL", conflicts_with_all = ["command", "env", "env_file", "cwd"])]
    url: Option<String>,
    /// A header that is sent with each request to its URL, kept in the file.
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair, requires = "url", conflicts_with = "command")]
    header: Vec<(String, String)>,
    /// A header whose value is kept in a file of its own.
    #[arg(long, value_name = "NAME=PATH", value_parser = pair, requires = "url", conflicts_with = "command")]
    header_file: Vec<(String, String)>,
    /// Its URL may lead to this machine or a private network.
    #[arg(long, requires = "url", conflicts_with = "command")]
    private: bool,
    /// Which era of MCP is spoken with it.
    #[arg(long, value_name = "auto|legacy|modern", default_value = "auto", value_parser = era)]
    era: Era,
    /// Its annotations may narrow what is assumed of its tools.
    #[arg(long)]
    trust: bool,
    /// One process serves every principal.
    #[arg(long)]
    shared: bool,
    /// It is started when a tool of it is activated.
    #[arg(long)]
    prewarm: bool,
    /// Takes what stands in front of the `--`, to say so.
    #[arg(hide = true, value_name = "ARG", allow_hyphen_values = true, num_args = 1.., value_parser = stray)]
    stray: Vec<String>,
    /// The program and its arguments, after `--`; no shell reads them.
    #[arg(last = true, required_unless_present = "url", value_name = "COMMAND")]
    command: Vec<String>,
}

fn stray(text: &str) -> Result<String, &'static str> {
    Err(match text.starts_with('-') {
        true => "there is no such option; those of the program stand behind it, after `--`",
        false => "put `--` in front of the program: `agent-host add NAME -- COMMAND`",
    })
}

fn pair(text: &str) -> Result<(String, String), &'static str> {
    let (name, value) = text.split_once('=').ok_or("a variable is `NAME=VALUE`, and a header too")?;
    if name.is_empty() {
        Err("a variable has a name in front of its `=`, and a header too")
    } else {
        Ok((name.to_owned(), value.to_owned()))
    }
}

fn era(text: &str) -> Result<Era, &'static str> {
    match text {
        "auto" => Ok(Era::Auto),
        "legacy" => Ok(Era::Legacy),
        "modern" => Ok(Era::Modern),
        _ => Err("an era is `auto`, `legacy` or `modern`"),
    }
}

/// Gives what is told, and what is warned of.
pub(super) fn add(file: &Path, options: Add) -> Result<(Vec<String>, Vec<String>), Failure> {
    let alias = options.name.clone();
    let kept = [("--env", !options.env.is_empty()), ("--header", !options.header.is_empty())];
    let begun = !file.exists();
    let mut edit = Edit::open(file)?;
    edit.add(&alias, &added(options)?)?;
    let config = edit.save().map_err(unwritten)?;
    let Some(server) = config.servers.get(&alias) else { return Err(Failure::new(Exit::Failed, format!("`{alias}` was not added"))) };
    let mut lines = vec![format!("added `{alias}` to {}{}", config.path.display(), if begun { ", a new file" } else { "" })];
    lines.extend(run(server));
    for (option, _) in kept.into_iter().filter(|(_, kept)| *kept) {
        lines.push(format!(
            "the values of {option} are kept in that file; `{{ env = \"NAME\" }}` or `{{ file = \"PATH\" }}` in place of a value keeps a secret out"
        ));
    }
    let asks = if server.url.is_some() { "connects to" } else { "starts" };
    lines.push(format!("`agent-host sync {alias}` {asks} it once and lists its tools"));
    Ok((lines.iter().map(|line| visible(line)).collect(), doubts(server)))
}

/// A path as the shell means it, from the folder the person is in.
fn from_here(path: &str) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| Failure::new(Exit::Usage, format!("`{}` is not a path: {error}", visible(path))))
}

/// What is given by value and by file, each name once.
fn given(what: &str, plain: Vec<(String, String)>, files: Vec<(String, String)>) -> Result<BTreeMap<String, Variable>, Failure> {
    let mut all: Vec<_> = plain.into_iter().map(|(name, value)| (name, Variable::Plain(value))).collect();
    for (name, file) in files {
        all.push((name, Variable::file(from_here(&file)?)));
    }
    let mut given = BTreeMap::new();
    for (name, value) in all {
        if given.insert(name.clone(), value).is_some() {
            return Err(Failure::new(Exit::Usage, format!("the {what} `{}` is given twice\nhint: give it once", visible(&name))));
        }
    }
    Ok(given)
}

/// As the shell means it: paths are taken from the folder the person is in, and written whole.
fn added(options: Add) -> Result<Added, Failure> {
    let mut words = options.command.into_iter();
    let command = words.next().unwrap_or_default();
    let command = if command.contains('/') { from_here(&command)?.to_string_lossy().into_owned() } else { command };
    let (env, headers) = (given("variable", options.env, options.env_file)?, given("header", options.header, options.header_file)?);
    let cwd = options.cwd.map(|cwd| std::path::absolute(&cwd).unwrap_or(cwd));
    let (era, trust, shared, prewarm) = (options.era, options.trust, options.shared, options.prewarm);
    let (url, private) = (options.url, options.private);
    Ok(Added { command, url, headers, private, args: words.collect(), env, cwd, era, trust, shared, prewarm, ..Added::default() })
}

/// Exactly what will be run, a word on each line, or where it is reached.
fn run(server: &Server) -> Vec<String> {
    if let Some(url) = &server.url {
        let mut lines = vec![format!("it is reached at {}", serde_json::Value::from(url.as_str()))];
        lines.extend(server.headers.iter().map(|(name, value)| format!("  with the header {name} = {value:?}")));
        return lines;
    }
    let mut lines = vec!["it is run, by no shell, as:".to_owned()];
    let words = std::iter::once(&server.command).chain(&server.args);
    lines.extend(words.enumerate().map(|(at, word)| format!("  {at:>2}  {}", serde_json::Value::from(word.as_str()))));
    lines.extend(server.env.iter().map(|(name, value)| format!("  with {name} = {value:?}")));
    lines.extend(server.cwd.iter().map(|cwd| format!("  in {}", cwd.display())));
    lines
}

/// What a person probably did not mean.
fn doubts(server: &Server) -> Vec<String> {
    let mut lines: Vec<String> = absent(server).into_iter().collect();
    let unread = server.given().filter(|(_, value)| matches!(value, Variable::File(_)));
    let unread = unread.filter_map(|(name, value)| Some((name, value.read().err()?)));
    lines.extend(unread.map(|(name, why)| format!("`{name}` has no value yet: {why}; the server does not start before it has")));
    let mut before = None;
    for word in &server.args {
        if looks_secret(before, word) {
            lines
                .push("an argument looks like a secret, and every process here can read arguments; --env or --env-file hide it".to_owned());
        }
        let file = !word.starts_with('-') && Path::new(word).is_relative() && Path::new(word).exists();
        let file = file && server.cwd.as_ref().is_some_and(|cwd| !cwd.join(word).exists());
        if file && word.contains(['/', '.']) {
            lines.push(format!("`{word}` is relative, and will be looked for in the folder named above; --cwd names another"));
        }
        before = Some(word.as_str());
    }
    lines
}

/// Why its program can't be started from here, if it can't.
pub(super) fn absent(server: &Server) -> Option<String> {
    let runs = |path: &Path| std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0);
    let command = &server.command;
    if server.url.is_some() {
        return None;
    }
    if command.contains('/') {
        return (!runs(Path::new(command))).then(|| format!("there is no program at `{command}`"));
    }
    let path = match server.env.get("PATH") {
        Some(told) => told.read().ok().map(Into::into),
        None => std::env::var_os("PATH"),
    };
    let found = std::env::split_paths(&path.unwrap_or_default()).any(|folder| runs(&folder.join(command)));
    (!found).then(|| format!("no program `{command}` is in PATH"))
}

pub(super) fn remove(file: &Path, alias: &Alias) -> Result<Vec<String>, Failure> {
    let mut edit = Edit::open(file)?;
    edit.remove(alias)?;
    let config = edit.save().map_err(unwritten)?;
    Ok(vec![visible(&format!("removed `{alias}` from {}; a host that runs takes that in within seconds", config.path.display()))])
}

pub(super) fn enable(file: &Path, alias: &Alias, enabled: bool) -> Result<Vec<String>, Failure> {
    let word = if enabled { "enabled" } else { "disabled" };
    let mut edit = Edit::open(file)?;
    if !edit.enable(alias, enabled)? {
        return Ok(vec![format!("`{alias}` is {word} already")]);
    }
    let config = edit.save().map_err(unwritten)?;
    Ok(vec![visible(&format!("{word} `{alias}` in {}; a host that runs takes that in within seconds", config.path.display()))])
}

pub(super) fn unwritten(error: ConfigError) -> Failure {
    Failure { exit: Exit::Failed, ..error.into() }
}

#[cfg(test)]
mod tests;
