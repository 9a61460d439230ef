//! The command line as pages, man pages and completions, all from the same definition that parses it.

use super::generated::Files;
use agent_host::cli::Cli;
use clap::{Command, CommandFactory};
use clap_complete::{Shell, generate};

/// The command line, every command built, with a help as wide as a page.
fn built() -> Command {
    let mut command = Cli::command().term_width(100);
    command.build();
    command
}

/// A command and those under it, each with its whole name; clap's own `help` is left out.
fn all(command: &Command) -> Vec<Command> {
    let under = command.get_subcommands().filter(|under| under.get_name() != "help");
    std::iter::once(command.clone()).chain(under.flat_map(all)).collect()
}

/// The name as it is typed.
fn name(command: &Command) -> &str {
    command.get_bin_name().unwrap_or_else(|| command.get_name())
}

/// The page of the book.
fn page() -> String {
    let mut page = "# Commands\n\n<!-- made from the command line: `UPDATE_REFERENCE=1 cargo test -p agent-tests docs::generated` -->\n\n\
        Each as its own `--help` has it.\n"
        .to_owned();
    for mut command in all(&built()) {
        let help = command.render_long_help().to_string();
        let lines: Vec<_> = help.lines().map(str::trim_end).collect();
        page += &format!("\n## {}\n\n```text\n{}\n```\n", name(&command), lines.join("\n").trim_end());
    }
    page
}

/// Each shell's completions, and the file that holds them.
pub(super) const SHELLS: [(Shell, &str); 3] =
    [(Shell::Bash, "agent-host.bash"), (Shell::Zsh, "_agent-host"), (Shell::Fish, "agent-host.fish")];

/// Everything that is made from the command line.
pub(super) fn files() -> Files {
    let mut files = Files::from([("docs/src/reference/cli.md".to_owned(), page())]);
    for command in all(&built()) {
        let (name, mut text) = (name(&command).replace(' ', "-"), Vec::new());
        let source = format!("agent-host {}", env!("CARGO_PKG_VERSION"));
        clap_mangen::Man::new(command).source(source).render(&mut text).unwrap();
        files.insert(format!("agent-host/man/{name}.1"), String::from_utf8(text).unwrap());
    }
    for (shell, file) in SHELLS {
        let mut text = Vec::new();
        generate(shell, &mut Cli::command(), "agent-host", &mut text);
        // In Bash's file clap_complete 4.6.12 looks for a name with `-` under another than it made (clap's issue 6421).
        let text = String::from_utf8(text).unwrap().replace("agent__subcmd__host", "agent__host");
        files.insert(format!("agent-host/completions/{file}"), text);
    }
    files
}

#[test]
fn bash_completes_commands_under_commands() {
    let completes = |words: &str, last: &str| {
        let script = format!(
            "source ../agent-host/completions/agent-host.bash; COMP_WORDS=(agent-host {words} {last}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _agent__host agent-host {last} {words}; echo \"${{COMPREPLY[@]}}\""
        );
        let output = std::process::Command::new("bash").args(["--norc", "-c", &script]).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    assert_eq!(completes("", "rev"), "revoke");
    assert_eq!(completes("audit", "v"), "verify");
    assert_eq!(completes("completions", "z"), "zsh");
    assert_eq!(completes("sample-server", "--fo"), "--folder");
}
