//! Every link of the README, of its neighbours and of the book leads somewhere, and the book has every page once.

use super::pages::{book, prose, root, text};
use std::collections::BTreeSet;
use std::path::Path;

/// Pages at the root that people start from.
const FRONT: [&str; 5] = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "DESIGN.md"];

/// The targets of a page's links.
fn links(page: &str) -> Vec<String> {
    let page = prose(page);
    let targets = page.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target.to_owned()).collect()
}

/// The anchors of a page's headings, as mdbook and code hosts make them.
fn anchors(page: &str) -> BTreeSet<String> {
    let mut fenced = false;
    let heading = |line: &str| {
        fenced ^= line.starts_with("```");
        let words = (!fenced && line.starts_with('#')).then(|| line.trim_start_matches('#').trim().to_lowercase())?;
        Some(words.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c)).map(|c| if c == ' ' { '-' } else { c }).collect())
    };
    page.lines().filter_map(heading).collect()
}

/// What is wrong with a link of a page.
fn wrong(page: &str, target: &str) -> Option<String> {
    if target.contains("://") {
        return None;
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let folder = Path::new(page).parent().unwrap();
    let file = if path.is_empty() { Path::new(page).to_owned() } else { folder.join(path) };
    let Ok(real) = root().join(&file).canonicalize() else { return Some(format!("{page}: `{target}` leads nowhere")) };
    if page.starts_with("docs/src/") && !real.starts_with(root().join("docs/src").canonicalize().unwrap()) {
        return Some(format!("{page}: `{target}` leads out of the book, where a reader of the book has nothing"));
    }
    let missing = !anchor.is_empty() && !anchors(&std::fs::read_to_string(real).unwrap()).contains(anchor);
    missing.then(|| format!("{page}: `{target}`: no heading of that name"))
}

#[test]
fn every_link_leads_somewhere() {
    let pages = book().into_iter().chain(FRONT.map(str::to_owned));
    let links: Vec<_> = pages.flat_map(|page| links(&text(&page)).into_iter().map(move |link| (page.clone(), link))).collect();
    assert!(links.len() > 30, "{} links", links.len());
    let wrong: Vec<_> = links.iter().filter_map(|(page, link)| wrong(page, link)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_book_lists_every_page_once() {
    let listed = links(&text("docs/src/SUMMARY.md"));
    let mut listed: Vec<_> = listed.iter().map(|page| format!("docs/src/{page}")).collect();
    listed.push("docs/src/SUMMARY.md".to_owned());
    listed.sort();
    assert_eq!(listed, book());
    let book: toml::Value = toml::from_str(&text("docs/book.toml")).unwrap();
    assert_eq!(book["book"]["src"].as_str(), Some("src"));
}

#[test]
fn a_link_that_leads_nowhere_is_found() {
    assert_eq!(links("[a](b.md#c) `[x](y)`\n```\n[x](y)\n```\n[d](e)"), ["b.md#c", "e"]);
    assert!(anchors("# A `b-c`: d\n```\n# no\n```\n").contains("a-b-c-d"));
    let wrong = |target| wrong("docs/src/SUMMARY.md", target).is_some();
    assert!(wrong("nowhere.md") && wrong("tutorial.md#nothing") && wrong("../../README.md") && !wrong("tutorial.md"));
}
