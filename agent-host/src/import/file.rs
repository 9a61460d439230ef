//! One file read: what servers it holds, and what there is to know of it.
//!
//! Is: bytes to a tree to entries. A file that can't be read gives its place and nothing else; an entry that can't be used
//! costs no other. Clause: UP-2 (project files).

use super::entry::Entry;
use super::find::{Machine, Source};
use super::note::{Kind, Note};
use super::tree::{Node, Place};
use super::{entry, json, toml};
use std::path::PathBuf;

/// Servers of one file.
const SERVERS: usize = 1_000;

/// Why a file can't be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// Where.
    pub place: Place,
    /// What is wrong there.
    pub what: String,
}

/// What a file holds.
#[derive(Default)]
pub struct File {
    /// Its servers, in the order written.
    pub entries: Vec<Entry>,
    /// What there is to know of it as a whole.
    pub notes: Vec<Note>,
    /// Servers of a project, or of every one, that it switches off.
    pub off: Vec<(Option<PathBuf>, String)>,
}

/// Reads what a client's file holds.
///
/// # Errors
/// It can't be read, and nothing of it counts.
pub fn read(source: &Source, bytes: &[u8], machine: &Machine) -> Result<File, Malformed> {
    let text = text(bytes)?;
    let mut file = File::default();
    let root = match source.path.extension() {
        Some(ending) if ending == "toml" => toml::parse(text)?,
        _ => object(text, source, &mut file)?,
    };
    let ground = entry::Ground { client: source.client, machine, text };
    let mut count = 0;
    for shelf in source.client.shelves(source, &root, &mut file) {
        if !matches!(shelf.servers, Node::Table(_) | Node::Null) {
            file.notes.push(Note::new(Kind::WrongType, "mcpServers"));
        }
        count += shelf.servers.members().len();
        if count > SERVERS {
            let what = format!("it has more than {SERVERS} servers");
            return Err(Malformed { place: Place { line: 1, column: 1 }, what });
        }
        let (dropped, servers) = shelf.servers.twice();
        let told = dropped.into_iter().map(|member| Note::new(Kind::DupKey, member.name.as_str()).at(Place::of(text, member.at)));
        file.notes.extend(told);
        file.entries.extend(servers.into_iter().map(|member| entry::read(member, &shelf, &ground)));
    }
    Ok(file)
}

/// UTF-8, with a byte order mark or without.
fn text(bytes: &[u8]) -> Result<&str, Malformed> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(Malformed { place: Place { line: 1, column: 1 }, what: "it is UTF-16: save it as UTF-8".to_owned() });
    }
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes.get(..error.valid_up_to()).and_then(|before| std::str::from_utf8(before).ok()).unwrap_or_default();
        Malformed { place: Place::of(before, before.len()), what: "this is not UTF-8".to_owned() }
    })
}

/// JSON with a table at its root; a part of one, as pages show it, gets its braces.
fn object(text: &str, source: &Source, file: &mut File) -> Result<Node, Malformed> {
    let bare = text.trim_start().starts_with('"');
    let (root, slip) = match bare.then(|| json::parse(&format!("{{{text}}}"))) {
        Some(Ok((root, _))) => {
            (root, Some(Malformed { place: Place { line: 1, column: 1 }, what: "the braces round it are missing".to_owned() }))
        }
        _ => json::parse(text)?,
    };
    if !matches!(root, Node::Table(_)) {
        return Err(Malformed { place: Place { line: 1, column: 1 }, what: "this is no object".to_owned() });
    }
    if let Some(slip) = slip.filter(|_| !source.client.is_lax() && !text.trim().is_empty()) {
        file.notes.push(Note::new(Kind::TolerantParse, slip.what).at(slip.place));
    }
    Ok(root)
}
