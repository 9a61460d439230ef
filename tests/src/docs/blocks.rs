//! Every block of the README and of the book: commands run, settings are taken, JSON is JSON.
//!
//! A page's ```` ```sh ```` blocks are one script, run with an empty home, the built program and the pinned tools. What nobody
//! can run unattended is ```` ```sh,no-run ````, under a comment `<!-- no-run: REASON -->`; its lines must still be command
//! lines that the program takes, but for names that stand for yours. Is not: a comparison of what is printed.

use super::pages::{Block, blocks, book, text};
use agent_host::cli::Cli;
use agent_host::config::Config;
use clap::{Parser, error::ErrorKind};
use std::path::Path;
use std::process::Command;

/// Runs a page's blocks in a home of their own, and says what went wrong.
fn run(script: &str) -> Result<(), String> {
    let (target, profile) = crate::scenario::built();
    let (program, python) = (profile.join("agent-host"), target.join("tools/python/bin"));
    for (needed, by) in [(&program, "cargo build -p agent-host"), (&python, "./tests/tools/install")] {
        assert!(needed.exists(), "{} is missing: run `{by}`, or `./tests/run`, which does it all", needed.display());
    }
    let home = tempfile::tempdir().unwrap();
    let system = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{}:{system}", profile.display(), python.display());
    let mut shell = Command::new("sh");
    shell.args(["-e", "-u", "-v", "-c", script]).current_dir(&home).env_clear().env("HOME", home.path()).env("PATH", path);
    let output = shell.output().unwrap();
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() { Ok(()) } else { Err(format!("{}\n{}\n{}", output.status, said(&output.stdout), said(&output.stderr))) }
}

/// What is wrong with the command lines of a block that is not run.
fn unknown(block: &Block) -> Vec<String> {
    let wrong = |line: &str| {
        let words: Vec<_> = line.split(" #").next()?.split_whitespace().collect();
        let at = words.iter().position(|word| *word == "agent-host" || word.ends_with("/agent-host"))?;
        let ours = at == 0 || words[0] == "sudo";
        let error = ours.then(|| Cli::try_parse_from(&words[at..]).err())??;
        let fine = [ErrorKind::ValueValidation, ErrorKind::DisplayHelp, ErrorKind::DisplayVersion].contains(&error.kind());
        (!fine).then(|| format!("`{line}`: {error}"))
    };
    block.text.lines().filter_map(wrong).collect()
}

/// What is wrong with a block that no shell runs.
fn wrong(block: &Block) -> Vec<String> {
    let refused = match (block.kind.as_str(), &block.reason) {
        ("sh" | "text", None) => return Vec::new(),
        ("sh,no-run", Some(_)) => return unknown(block),
        ("sh,no-run", None) => "say why on the line over it: `<!-- no-run: REASON -->`".to_owned(),
        (_, Some(_)) => "the comment says that it is not run, and its kind does not".to_owned(),
        ("toml", None) => match Config::parse(Path::new("/demo/agent-host.toml"), &block.text) {
            Ok(_) => return Vec::new(),
            Err(error) => error.to_string(),
        },
        ("json", None) => match serde_json::from_str::<serde_json::Value>(&block.text) {
            Ok(_) => return Vec::new(),
            Err(error) => error.to_string(),
        },
        (other, None) => format!("`{other}` is none of sh, text, toml and json"),
    };
    vec![refused]
}

#[test]
fn every_command_of_the_readme_and_the_book_runs() {
    let (mut ran, mut findings) = (0, Vec::new());
    for page in book().into_iter().chain(["README.md".to_owned()]) {
        let blocks = blocks(&text(&page));
        findings.extend(blocks.iter().flat_map(|block| wrong(block).into_iter().map(|why| format!("{page}:{}: {why}", block.line))));
        let script: String = blocks.iter().filter(|block| block.kind == "sh").map(|block| block.text.as_str()).collect();
        if !script.is_empty() {
            ran += 1;
            findings.extend(run(&script).err().map(|why| format!("{page}: {why}")));
        }
    }
    assert!(findings.is_empty(), "{}", findings.join("\n"));
    assert!(ran >= 3, "{ran} pages with commands");
}

#[test]
fn a_block_that_is_wrong_is_found() {
    let found = |page: &str| blocks(page).iter().map(|block| wrong(block).len()).sum::<usize>();
    assert_eq!(found("<!-- no-run: it asks -->\n```sh,no-run\nagent-host approve REQUEST\nagent-host approval # no\n```\n"), 1);
    assert_eq!(found("```sh,no-run\n./tests/run\n```\n<!-- no-run: no -->\n```sh\ntrue\n```\n```bash\n```\n"), 3);
    assert_eq!(found("```toml\nactivate = 1\n```\n```json\n{,}\n```\n```toml\nactivation = \"deny\"\n```\n"), 2);
    let failed = run("true\nagent-host nonsense\n").unwrap_err();
    assert!(failed.contains("unrecognized subcommand"), "{failed}");
}
