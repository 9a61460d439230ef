//! One case of a file of definitions: what came in, and what is expected of it.
//!
//! A line is JSON: `id`, `title`, `input`, `expect.mcp`. The input is a tool, `{tools}`, `{server, tools}`, `{servers}` by
//! name, `{tool, result}`, or `{generate}`, in which a text is a sum such as `x*40 + U+1F389 + tail`. What is expected is
//! clauses parted by commas: `serve`, `serve-with-note` or `quarantine`, each of the tool that it names or of all the others.

use serde_json::{Value, json};

pub(super) struct Case {
    pub(super) id: String,
    /// Server by server, in the order written.
    pub(super) servers: Vec<(String, Vec<Value>)>,
    /// What the tool answers, where the case says.
    pub(super) result: Option<Value>,
    clauses: Vec<String>,
}

/// What is to become of one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fate {
    /// Served; true where the operator has to be told something.
    Served(bool),
    /// Not served, for a reason that holds these words.
    Quarantined(Vec<String>),
}

pub(super) fn read(text: &str) -> Vec<Case> {
    text.lines().filter(|line| !line.trim().is_empty()).map(|line| case(&serde_json::from_str(line).unwrap())).collect()
}

fn case(line: &Value) -> Case {
    let input = &line["input"];
    let alias = input["server"].as_str().unwrap_or("field").to_owned();
    let list = |tools: &Value| tools.as_array().unwrap().clone();
    let servers = match input {
        _ if input["servers"].is_object() => {
            input["servers"].as_object().unwrap().iter().map(|(alias, server)| (alias.clone(), list(&server["tools"]))).collect()
        }
        _ if input["tools"].is_array() => vec![(alias, list(&input["tools"]))],
        _ if input["tool"].is_object() => vec![(alias, vec![input["tool"].clone()])],
        _ if input["generate"].is_object() => vec![(alias, vec![generated(&input["generate"])])],
        tool => vec![(alias, vec![tool.clone()])],
    };
    Case {
        id: line["id"].as_str().unwrap().to_owned(),
        servers,
        result: input.get("result").cloned(),
        clauses: clauses(line["expect"]["mcp"].as_str().unwrap()),
    }
}

/// Splits at commas and semicolons outside of brackets.
fn clauses(text: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut depth = 0;
    for letter in text.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 && matches!(letter, ',' | ';') {
            out.push(String::new());
        } else {
            out.last_mut().unwrap().push(letter);
        }
    }
    out.iter().map(|clause| clause.trim().to_owned()).collect()
}

fn generated(template: &Value) -> Value {
    let piece = |piece: &str| match (piece.split_once('*'), piece.strip_prefix("U+")) {
        (Some((text, times)), _) => text.repeat(times.trim().parse().unwrap()),
        (None, Some(code)) => char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap().to_string(),
        (None, None) => piece.to_owned(),
    };
    let mut tool = template.clone();
    for text in tool.as_object_mut().unwrap().values_mut().filter(|value| value.is_string()) {
        *text = text.as_str().unwrap().split(" + ").map(piece).collect::<String>().into();
    }
    if tool["inputSchema"].is_null() {
        tool["inputSchema"] = json!({"type": "object", "properties": {}});
    }
    tool
}

impl Case {
    /// What is to become of a tool, by its name.
    pub(super) fn fate(&self, name: &str) -> Fate {
        let names: Vec<&str> = self.servers.iter().flat_map(|(_, tools)| tools).filter_map(|tool| tool["name"].as_str()).collect();
        let verdicts = self.clauses.iter().filter_map(|clause| verdict(clause));
        let of = |subject: &str| subject.split_whitespace().find(|word| names.contains(word)).map(str::to_owned);
        let (mut mine, mut all) = (None, None);
        for (subject, fate) in verdicts {
            match of(&subject) {
                Some(one) if one == name => mine = Some(fate),
                Some(_) => {}
                None => all = Some(fate),
            }
        }
        mine.or(all).unwrap_or_else(|| panic!("{}: nothing is expected of `{name}`", self.id))
    }
}

/// The fate that a clause gives, with whom it is about; none for a clause that says something else.
fn verdict(clause: &str) -> Option<(String, Fate)> {
    let (said, reason) = clause.split_once('(').unwrap_or((clause, ""));
    let (verb, subject) = said.trim().split_once(' ').unwrap_or((said.trim(), ""));
    let reason = reason.trim_end_matches(')').trim_start_matches("reason:").trim();
    let fate = match verb {
        "serve" => Fate::Served(reason.contains("note")),
        "serve-with-note" => Fate::Served(true),
        "quarantine" => Fate::Quarantined(reason.split_whitespace().map(str::to_owned).collect()),
        _ => return None,
    };
    Some((subject.to_owned(), fate))
}
