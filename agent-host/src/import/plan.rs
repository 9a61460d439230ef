//! What could become ours of all that was found, each under a name of its own.
//!
//! Is: what is one server under two names, what is there already, what can't be taken. Is not: a yes; a person gives that.
//! Clauses: UP-2 (project files), ID-2.

use super::alias::Taken;
use super::client::Client;
use super::entry::{Entry, How, Run};
use super::file::{File, Malformed};
use super::find::{Scope, Source};
use super::note::{Kind, Note};
use super::words::program;
use crate::config::{Added, Config, Length, Variable};
use agent_core::id::Alias;
use std::collections::BTreeMap;
use std::collections::btree_map::Keys;
use std::path::{Path, PathBuf};

/// A file, and what reading it came to.
pub struct Reading {
    /// The file.
    pub source: Source,
    /// What it holds.
    pub read: Result<File, Malformed>,
}

/// What there is to take.
pub struct Plan {
    /// File by file, in the order read.
    pub files: Vec<Planned>,
}

/// One file of a plan.
pub struct Planned {
    /// The file.
    pub source: Source,
    /// What there is to know of it; where it can't be read, where and why not.
    pub notes: Result<Vec<Note>, Malformed>,
    /// Its servers.
    pub offers: Vec<Offer>,
}

/// One server, and what could become of it.
pub struct Offer {
    /// As its client has it.
    pub entry: Entry,
    /// What it comes to.
    pub fate: Fate,
}

/// What one server comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// It can be ours, under this name.
    New(Alias),
    /// It is ours, under this name.
    Known(Alias),
    /// It is the same as one that was found before.
    Same(Alias),
    /// It is this program.
    Ourselves,
    /// The entry says why.
    Unusable,
}

impl Plan {
    /// Over everything that was read, beside what is configured. `names` are what a person wants servers to be called.
    #[must_use]
    pub fn of(readings: Vec<Reading>, config: &Config, names: &BTreeMap<String, Alias>) -> Self {
        let off: Vec<_> = readings.iter().filter_map(|reading| reading.read.as_ref().ok()).flat_map(|file| file.off.clone()).collect();
        let mut files: Vec<Planned> = readings.into_iter().map(planned).collect();
        let mut taken = Taken::new(config.servers.keys());
        let mut seen: Vec<(Had, Alias)> = Vec::new();
        // The user's own first: what a project repeats of them is theirs.
        for user in [true, false] {
            for file in &mut files {
                let client = file.source.client;
                for Offer { entry, fate } in file.offers.iter_mut().filter(|offer| (offer.entry.scope == Scope::User) == user) {
                    switched(entry, client, &off);
                    let Some(had) = Had::of(&entry.how) else { continue };
                    let before = seen.iter().find(|(other, _)| *other == had);
                    *fate = match (before, had.known(config)) {
                        _ if had.is_ours() => Fate::Ourselves,
                        (Some((_, alias)), _) => Fate::Same(alias.clone()),
                        (None, Some(alias)) => Fate::Known(alias),
                        (None, None) => {
                            let wanted = names.get(&entry.name).filter(|alias| taken.take(alias)).cloned();
                            match wanted.or_else(|| taken.propose(&entry.name, &entry.scope)) {
                                Some(alias) => Fate::New(alias),
                                None => continue,
                            }
                        }
                    };
                    if let Fate::New(alias) = fate {
                        seen.push((had, alias.clone()));
                    }
                }
            }
        }
        let mut plan = Self { files };
        plan.name();
        plan
    }

    /// What can be taken.
    pub fn new_ones(&self) -> impl Iterator<Item = (&Source, &Offer, &Alias)> {
        self.files.iter().flat_map(|file| file.offers.iter().map(move |offer| (&file.source, offer))).filter_map(|(source, offer)| {
            let Fate::New(alias) = &offer.fate else { return None };
            Some((source, offer, alias))
        })
    }

    /// Tells of names that were changed, and of those that several have.
    fn name(&mut self) {
        let mut count: BTreeMap<String, usize> = BTreeMap::new();
        let new = |offer: &Offer| matches!(offer.fate, Fate::New(_));
        for offer in self.files.iter().flat_map(|file| &file.offers).filter(|offer| new(offer)) {
            *count.entry(offer.entry.name.clone()).or_default() += 1;
        }
        for offer in self.files.iter_mut().flat_map(|file| &mut file.offers).filter(|offer| new(offer)) {
            let name = offer.entry.name.clone();
            if Alias::parse(&name).is_err() {
                offer.entry.notes.push(Note::new(Kind::NameAdjusted, name.as_str()));
            }
            if count.get(&name).is_some_and(|count| *count > 1) {
                offer.entry.notes.push(Note::new(Kind::DupName, name));
            }
        }
    }
}

fn planned(Reading { source, read }: Reading) -> Planned {
    let (entries, notes) = match read {
        Ok(file) => (file.entries, Ok(file.notes)),
        Err(why) => (Vec::new(), Err(why)),
    };
    let offers = entries.into_iter().map(|entry| Offer { fate: Fate::Unusable, entry }).collect();
    Planned { source, notes, offers }
}

/// A project's server that settings of Claude Code switch off. They can't switch one on.
fn switched(entry: &mut Entry, client: Client, off: &[(Option<PathBuf>, String)]) {
    let Scope::Project(folder) = &entry.scope else { return };
    let named = |(of, name): &(Option<PathBuf>, String)| *name == entry.name && of.as_ref().is_none_or(|of| of == folder);
    if client == Client::ClaudeCode && entry.enabled && off.iter().any(named) {
        entry.enabled = false;
        entry.notes.push(Note::new(Kind::DisabledKept, ""));
    }
}

/// What makes two servers one.
#[derive(PartialEq, Eq)]
enum Had {
    Run(Run),
    At(String, BTreeMap<String, Variable>),
}

impl Had {
    /// Of a server that can be ours.
    fn of(how: &How) -> Option<Self> {
        match how {
            How::Run(run) => Some(Self::Run(run.clone())),
            How::Remote(remote) if remote.why.is_none() => Some(Self::At(remote.url.clone(), remote.given.clone())),
            How::Remote(_) | How::Unusable(_) => None,
        }
    }

    /// Whether it is this program, which would stand behind itself. Its sample servers are servers like others.
    fn is_ours(&self) -> bool {
        let Self::Run(run) = self else { return false };
        program(&run.command) == "agent-host" && run.args.first().is_none_or(|word| word != "sample-server")
    }

    fn known(&self, config: &Config) -> Option<Alias> {
        let names = |ours: Keys<'_, String, Variable>, theirs: Keys<'_, String, Variable>| ours.eq(theirs);
        let same = |server: &crate::config::Server| match self {
            Self::Run(run) => server.command == run.command && server.args == run.args && names(server.env.keys(), run.env.keys()),
            Self::At(url, headers) => server.url.as_ref() == Some(url) && names(server.headers.keys(), headers.keys()),
        };
        config.servers.iter().find(|(_, server)| same(server)).map(|(alias, _)| alias.clone())
    }
}

impl Entry {
    /// As it is added to our file, and the secrets of it that go into files of their own, under `secrets`. None where it
    /// can't be ours. No two secrets get one file, nor one that is there: it may be another configuration's.
    #[must_use]
    pub fn added(&self, alias: &Alias, secrets: &Path) -> Option<(Added, Vec<(PathBuf, String)>)> {
        let (start, timeout, disabled) = (self.start.map(Length), self.timeout.map(Length), !self.enabled);
        let common = Added { start, timeout, disabled, ..Added::default() };
        match &self.how {
            How::Run(run) => {
                let (env, kept) = self.kept("env", &run.env, alias, secrets)?;
                let (command, args, cwd) = (run.command.clone(), run.args.clone(), run.cwd.clone());
                Some((Added { command, args, env, cwd, ..common }, kept))
            }
            How::Remote(remote) if remote.why.is_none() => {
                let (headers, kept) = self.kept("headers", &remote.given, alias, secrets)?;
                Some((Added { url: Some(remote.url.clone()), headers, private: remote.is_private(), ..common }, kept))
            }
            How::Remote(_) | How::Unusable(_) => None,
        }
    }

    /// What it is given, with each secret in a file.
    fn kept(&self, table: &str, given: &BTreeMap<String, Variable>, alias: &Alias, secrets: &Path) -> Option<Given> {
        let (mut given, mut kept) = (given.clone(), Vec::<(PathBuf, String)>::new());
        for (name, variable) in &mut given {
            let secret = self.notes.iter().any(|note| note.kind == Kind::SecretLiteral && note.subject == format!("{table}.{name}"));
            if let (true, Variable::Plain(value)) = (secret, &*variable) {
                let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
                let free = |file: &PathBuf| !kept.iter().any(|(other, _)| other == file) && std::fs::symlink_metadata(file).is_err();
                let numbered = (2..).map(|number| secrets.join(format!("{alias}.{plain}-{number}")));
                let file = std::iter::once(secrets.join(format!("{alias}.{plain}"))).chain(numbered).find(free)?;
                kept.push((file.clone(), value.clone()));
                *variable = Variable::file(file);
            }
        }
        Some((given, kept))
    }
}

/// What a server is given, and the files that hold secrets of it.
type Given = (BTreeMap<String, Variable>, Vec<(PathBuf, String)>);
