//! Whether what a command fetches before it runs is held to one version.
//!
//! Is: a guess from the words, for a note. Is not: a guard; the lock file holds what a server lists, whatever it was.

use super::words::program;

/// What is fetched and may be another tomorrow, if anything.
pub(super) fn unpinned(command: &str, args: &[String]) -> Option<String> {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    const NODE: [&str; 2] = ["-p", "--package"];
    const PYTHON: [&str; 2] = ["--from", "--spec"];
    match (program(command), words.as_slice()) {
        ("npx" | "bunx" | "pnpx", rest)
        | ("npm", ["exec" | "x", rest @ ..])
        | ("bun", ["x", rest @ ..])
        | ("pnpm" | "yarn", ["dlx", rest @ ..]) => package(rest, &NODE, &[]).filter(|found| !node(found)),
        ("uvx", rest) | ("uv", ["tool", "run", rest @ ..]) | ("pipx", ["run", rest @ ..]) => {
            package(rest, &PYTHON, &["--python", "-p", "--with", "--index-url", "--directory"]).filter(|found| !python(found))
        }
        ("docker" | "podman", ["run", rest @ ..]) => image(rest).filter(|found| !found.contains("@sha256:")),
        _ => None,
    }
}

/// The package that a runner is told to fetch: what an option names, or the first word that is no option or value of one.
fn package(words: &[&str], naming: &[&str], valued: &[&str]) -> Option<String> {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.split_once('=') {
            Some((option, value)) if naming.contains(&option) => return Some(value.to_owned()),
            _ if naming.contains(word) => return words.next().map(|value| (*value).to_owned()),
            _ if valued.contains(word) => drop(words.next()),
            _ if word.starts_with('-') => {}
            _ => return Some((*word).to_owned()),
        }
    }
    None
}

/// Whether the version behind the last `@` begins with a digit.
fn node(package: &str) -> bool {
    let version = package.rfind('@').filter(|at| *at > 0).and_then(|at| package.get(at + 1..));
    version.is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit()))
}

fn python(package: &str) -> bool {
    if let Some((_, place)) = package.split_once("git+") {
        let commit = place.rsplit('/').next().and_then(|last| last.rsplit_once('@')).map(|(_, commit)| commit);
        return commit.is_some_and(|commit| commit.len() >= 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit()));
    }
    package.contains("==") || node(package) || package.starts_with(['/', '.'])
}

/// The image: the first word that is neither an option nor an option's value.
fn image(words: &[&str]) -> Option<String> {
    const FLAGS: [&str; 8] = ["-i", "-t", "-it", "--rm", "--init", "--read-only", "--interactive", "--privileged"];
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if !word.starts_with('-') {
            return Some((*word).to_owned());
        }
        if !FLAGS.contains(word) && !word.contains('=') {
            words.next();
        }
    }
    None
}
