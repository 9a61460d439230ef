//! The other end: an MCP server written without rmcp, so that it can misbehave.

use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
#[ignore = "the server that the other tests start"]
fn plays_a_server() {
    let part = std::env::var("PLAY").unwrap();
    play(&part);
}

fn send(message: &Value) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{message}").unwrap();
    out.flush().unwrap();
}

fn folder() -> PathBuf {
    std::env::var_os("FOLDER").unwrap().into()
}

/// Leaves a line for the test to read.
fn mark(file: &str, line: &str) {
    let mut marks = std::fs::OpenOptions::new().create(true).append(true).open(folder().join(file)).unwrap();
    marks.write_all(format!("{line}\n").as_bytes()).unwrap();
}

/// A grandchild, which holds this process's own pipes open where it is told to.
fn have_a_child(inherits: bool) {
    let pipe = || if inherits { Stdio::inherit() } else { Stdio::null() };
    let mut child = Command::new("sleep").arg("1000").stdin(pipe()).stdout(pipe()).spawn().unwrap();
    mark("grandchildren", &child.id().to_string());
    std::thread::spawn(move || child.wait());
}

fn say_that_the_list_changed() {
    send(&json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}));
}

/// Plays one part until its input ends.
fn play(part: &str) {
    mark("starts", &std::process::id().to_string());
    match part {
        "dead" => {
            std::io::stderr().write_all(b"\nno license found\n").unwrap();
            std::process::exit(3);
        }
        "noisy" => std::io::stderr().write_all(&vec![b'x'; 1 << 20]).unwrap(),
        "family" => have_a_child(false),
        "crash" => have_a_child(true),
        _ => {}
    }
    let mut turned = false;
    let mut subscriber = None::<Value>;
    for line in std::io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let method = message["method"].as_str().unwrap_or_default();
        if matches!(method, "initialize" | "server/discover") {
            mark("greetings", method);
        }
        let answer = match method {
            "server/discover" if part == "modern" => Ok(json!({
                "supportedVersions": ["2026-07-28"],
                "capabilities": {"tools": {"listChanged": true}},
                "resultType": "complete",
                "ttlMs": 60_000,
                "cacheScope": "public",
            })),
            "initialize" if part == "modern" => Err((-32601, "no handshakes here")),
            "subscriptions/listen" if part == "modern" => {
                let meta = json!({"io.modelcontextprotocol/subscriptionId": message["id"]});
                subscriber = Some(meta.clone());
                let params = json!({"notifications": {"toolsListChanged": true}, "_meta": meta});
                send(&json!({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": params}));
                continue;
            }
            "initialize" | "server/discover" if part == "silent" => continue,
            "initialize" if part == "locked" => Err((-32042, "go to the login page")),
            "initialize" => Ok(json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {"listChanged": true}},
                "serverInfo": {"name": "play", "version": "1"},
            })),
            "tools/list"
                if {
                    mark("listings", part);
                    part == "nothing"
                } =>
            {
                Err((-32601, "no tools here"))
            }
            "tools/list" if part == "lazy" && turned => {
                std::thread::sleep(Duration::from_millis(400));
                Ok(list(part, None, turned))
            }
            "tools/list" => Ok(list(part, message["params"]["cursor"].as_str(), turned)),
            "tools/call" => {
                let name = message["params"]["name"].as_str().unwrap();
                if name == "turn" {
                    turned = true;
                    match &subscriber {
                        Some(meta) => {
                            send(&json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": {"_meta": meta}}))
                        }
                        None => say_that_the_list_changed(),
                    }
                }
                if name == "storm" {
                    std::thread::spawn(|| {
                        loop {
                            say_that_the_list_changed();
                            std::thread::sleep(Duration::from_millis(2));
                        }
                    });
                }
                if name == "steps" {
                    steps(&message["params"]["_meta"]["progressToken"]);
                }
                match call(name, &message["params"]) {
                    Some(answer) => answer,
                    None => continue,
                }
            }
            "notifications/cancelled" => {
                mark("cancelled", message["params"]["reason"].as_str().unwrap());
                continue;
            }
            _ if message["id"].is_null() => continue,
            _ => Err((-32601, "no such method")),
        };
        let id = &message["id"];
        send(&match answer {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err((code, text)) => json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": text}}),
        });
    }
}

fn tool(name: &str, description: &str) -> Value {
    json!({"name": name, "description": description, "inputSchema": {"type": "object"}})
}

fn list(part: &str, cursor: Option<&str>, turned: bool) -> Value {
    match part {
        "odd" => json!({"tools": [tool("good", ""), {"name": "no_schema"}, tool("twice", "1"), tool("twice", "2")]}),
        "crowd" => json!({"tools": (0..5000).map(|at| tool(&format!("t{at}"), "")).collect::<Vec<_>>()}),
        "spoilt" if turned => json!({"tools": [tool(cursor.unwrap_or("first"), "")], "nextCursor": "again"}),
        "circle" => json!({"tools": [tool(cursor.unwrap_or("first"), "")], "nextCursor": "again"}),
        "endless" => {
            let at: u32 = cursor.map_or(0, |cursor| cursor.parse().unwrap());
            json!({"tools": [tool(&format!("t{at}"), "")], "nextCursor": (at + 1).to_string()})
        }
        _ => {
            let names = [
                "fail",
                "burst",
                "refuse",
                "odd",
                "die",
                "slow",
                "turn",
                "environment",
                "meta",
                "steps",
                "input",
                "task",
                "partial",
                "login",
                "descriptors",
                "storm",
            ];
            if part == "gone" && turned {
                return json!({"tools": [{"name": "echo", "description": "x".repeat(17_000), "inputSchema": {"type": "object"}}]});
            }
            let echo = tool("echo", if turned { "says it differently" } else { "says it again" });
            json!({"tools": std::iter::once(echo).chain(names.map(|name| tool(name, ""))).collect::<Vec<_>>()})
        }
    }
}

/// Tells steps of the call with this token, of one that is not running, and of none.
fn steps(token: &Value) {
    let others = [json!(4_000_000), json!("x"), json!(null)];
    let tell = |params: Value| send(&json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}));
    others.iter().for_each(|other| tell(json!({"progressToken": other, "progress": 2})));
    tell(json!({"progressToken": token, "progress": 1, "total": 3, "message": "half \u{202e} way"}));
    tell(json!({"progressToken": token, "progress": 1, "total": 3}));
    tell(json!({"progressToken": token, "progress": 3, "total": 3}));
}

fn call(name: &str, params: &Value) -> Option<Result<Value, (i32, &'static str)>> {
    let arguments = &params["arguments"];
    let text = |text: &str, error: bool| {
        let block = json!({"type": "text", "text": text, "_meta": {"secret": 1}});
        Some(Ok(json!({"content": [block], "structuredContent": arguments, "isError": error, "_meta": {"secret": 2}})))
    };
    match name {
        "fail" => text("it failed", true),
        "burst" => Some(Err((-32602, "something burst"))),
        "refuse" => Some(Err((-32601, "no calls here"))),
        "odd" => Some(Ok(json!({"content": "none"}))),
        "input" => Some(Ok(json!({"resultType": "input_required", "inputRequests": {}, "requestState": "s"}))),
        "task" => Some(Ok(json!({"resultType": "task", "taskId": "1", "status": "working", "createdAt": "2026-01-01T00:00:00Z",
            "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttlMs": null}))),
        "partial" => Some(Ok(json!({"resultType": "partial", "content": []}))),
        "login" => Some(Err((-32042, "visit us"))),
        "meta" => Some(Ok(json!({"content": [], "structuredContent": params["_meta"]}))),
        "die" => std::process::exit(4),
        "slow" => None,
        "environment" => {
            let names: Vec<_> = std::env::vars().map(|(name, _)| name).collect();
            Some(Ok(json!({"content": [], "structuredContent": {"names": names}})))
        }
        "descriptors" => {
            let open = std::fs::read_dir("/proc/self/fd").unwrap().filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
            let open: Vec<_> = open.map(|path| path.display().to_string()).collect();
            Some(Ok(json!({"content": [], "structuredContent": {"open": open}})))
        }
        _ => text(&arguments.to_string(), false),
    }
}
