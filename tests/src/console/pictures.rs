//! The pictures of the console's pages in the book and in README.
//!
//! Is: `docs/src/pictures.md` names the pages, each has its picture in light and in dark, and nothing else lies beside them.
//! `UPDATE_SCREENSHOTS=1` takes them anew. Is not: a comparison of pixels, which differ with a machine's fonts.

use super::played;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Bytes of a picture at the most.
const BYTES: usize = 200 * 1024;
/// Pixels of each, across and down.
const SIZE: (u32, u32) = (1280, 800);
/// What README shows.
const FRONT: [&str; 2] = ["overview", "approvals"];

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("docs/src")
}

fn both(name: &str) -> [String; 2] {
    ["light", "dark"].map(|scheme| format!("{name}-{scheme}.png"))
}

/// The pictures that a page shows, by their names: `console/NAME-light.png`.
fn shown(page: &str) -> BTreeSet<String> {
    let names = page.split("console/").skip(1).filter_map(|rest| rest.split_once(".png"));
    names.map(|(name, _)| format!("{name}.png")).collect()
}

fn number(bytes: &[u8]) -> u32 {
    u32::from_be_bytes(bytes.try_into().unwrap())
}

#[test]
fn screenshots_of_every_page_are_there_in_light_and_in_dark() {
    if std::env::var_os("UPDATE_SCREENSHOTS").is_some() {
        played("screens");
    }
    let book = std::fs::read_to_string(docs().join("pictures.md")).unwrap();
    let headings = book.lines().filter_map(|line| line.strip_prefix("## ")).map(|name| name.to_lowercase().replace(' ', "-"));
    let named: BTreeSet<_> = headings.flat_map(|name| both(&name)).collect();
    assert!(named.len() >= 2 * 9, "{named:?}");
    assert_eq!(named, shown(&book), "each page of the book's has its pictures under its heading");
    let there: BTreeSet<_> =
        std::fs::read_dir(docs().join("console")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(named, there);
    for name in there {
        let bytes = std::fs::read(docs().join("console").join(&name)).unwrap();
        assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n") && bytes.len() < BYTES, "{name}: {} bytes", bytes.len());
        assert_eq!((number(&bytes[16..20]), number(&bytes[20..24])), SIZE, "{name}");
    }
    let readme = std::fs::read_to_string(docs().join("../../README.md")).unwrap();
    assert_eq!(shown(&readme), FRONT.iter().flat_map(|name| both(name)).collect());
}
