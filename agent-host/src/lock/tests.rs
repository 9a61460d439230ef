//! What a lock says is what servers said, whatever they said; and whatever a file holds, reading it ends in words.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::*;
use proptest::prelude::*;
use std::os::unix::fs::PermissionsExt;

fn listed(definitions: &[&str]) -> Listed {
    let mut listed = Listed::default();
    listed.protocol = Some("2025-11-25".to_owned());
    listed.claims = Some(("demo".to_owned(), "1.2".to_owned()));
    listed.definitions = definitions.iter().map(|raw| (*raw).to_owned()).collect();
    listed
}

fn lock(definitions: &[&str]) -> Lock {
    Lock { servers: BTreeMap::from([(Alias::parse("time").unwrap(), listed(definitions))]) }
}

fn parse(text: &str) -> Result<Lock, LockError> {
    Lock::parse(Path::new("/etc/demo/agent-host.lock"), text.as_bytes())
}

const NOW: &str = r#"{"name":"now","inputSchema":{"type":"object","required":["zone"]},"x":{"max":1.50,"of":[]}}"#;

#[test]
fn cat_7_a_lock_is_text_for_reviewers() {
    let mut lock = lock(&[NOW, "{\"name\":\"a\",\"description\":\"b\u{200b}\u{e0041}é\\n\"}"]);
    let server = lock.servers.values_mut().next().unwrap();
    server.cut = Some("too long".to_owned());
    server.refused = vec![("x\u{1b}".to_owned(), "not JSON".to_owned())];
    let expect = r#"{
  "version": 1,
  "servers": {
    "time": {
      "protocol": "2025-11-25",
      "claims": {
        "name": "demo",
        "version": "1.2"
      },
      "cut": "too long",
      "tools": [
        {
          "name": "a",
          "digest": "DIGEST-A",
          "definition": {
            "name": "a",
            "description": "b\u200b\udb40\udc41é\n"
          }
        },
        {
          "name": "now",
          "digest": "DIGEST-NOW",
          "definition": {
            "name": "now",
            "inputSchema": {
              "type": "object",
              "required": [
                "zone"
              ]
            },
            "x": {
              "max": 1.50,
              "of": []
            }
          }
        }
      ],
      "refused": [
        {
          "name": "x\u001b",
          "why": "not JSON"
        }
      ]
    }
  }
}
"#;
    let of = |raw: &str| digest(&Node::parse(raw, 32, 100).unwrap()).to_string();
    let expect = expect.replace("DIGEST-A", &of(&server_definition(&lock, 1))).replace("DIGEST-NOW", &of(NOW));
    assert_eq!(lock.text(), expect);
    let mut sorted = lock.clone();
    sorted.servers.values_mut().next().unwrap().definitions.reverse();
    assert_eq!(parse(&expect).unwrap(), sorted);
}

fn server_definition(lock: &Lock, at: usize) -> String {
    lock.servers.values().next().unwrap().definitions[at].clone()
}

fn wrong(text: &str, line: Option<usize>, part: &str) {
    let error = parse(text).unwrap_err();
    assert!(error.to_string().contains(part) && error.to_string().contains("\nhint: "), "{error}");
    assert_eq!(error.line(), line, "{error}");
}

#[test]
fn cat_7_a_bad_merge_is_named_with_its_line() {
    let text = lock(&[NOW]).text();
    wrong(&text.replace("\"zone\"", "\"place\""), Some(14), "`now` of server `time`: its definition is not the one of its digest");
    wrong(&text.replacen("\"name\": \"now\"", "\"name\": \"soon\"", 1), Some(14), "has another name");
    wrong(&text.replacen("\"tools\"", "<<<<<<< HEAD\n\"tools\"", 1), Some(10), "key must be a string");
    wrong(&text.replace("\"of\": []", "\"max\": 2"), Some(14), "the key `max` twice");
    wrong(&text.replace("\"version\": 1,", "\"version\": 2,"), None, "of version 2");
    wrong("{\"version\": 2, \"shards\": []}", None, "of version 2");
    wrong(&text.replace("\"version\": 1,", "\"version\": 1, \"more\": 1,"), Some(2), "unknown field");
    wrong(&text.replace("\"time\"", "\"Time\""), Some(4), "lower-case letter");
    let two = text.replacen("\"time\": {", "\"time\": {\"tools\": []}, \"time\": {", 1);
    wrong(&two, Some(4), "the server `time` is there twice");
    assert_eq!(Lock::parse(Path::new("x"), b"{\n\xff").unwrap_err().line(), Some(2));
}

#[test]
fn cat_7_a_lock_is_read_in_no_form_that_hides_what_it_holds() {
    let raw = r#"{"name":"now","description":"a b","x":1}"#;
    let text = lock(&[raw]).text();
    assert_eq!(parse(&text).unwrap(), lock(&[raw]));
    // The same definition, so that only its looks tell.
    let looks = |from: &str, to: &str, line, part| wrong(&text.replacen(from, to, 1), Some(line), part);
    looks("\"a b\"", "\"\\u0061 b\"", 16, "`a` is written in numbers");
    looks("\"name\": \"now\"", "\"n\\u0061me\": \"now\"", 12, "`a` is written in numbers");
    looks("\"x\": 1", &format!("{}\"x\": 1", " ".repeat(101)), 17, "white space");
    looks("\"x\": 1", "\n\n\"x\": 1", 17, "white space");
    looks("\"x\": 1", "\t\"x\": 1", 17, "`\\u{9}`");
    looks("demo", "demo\u{202e}", 7, "`\\u{202e}`");
    looks("demo", &format!("demo{}", "\u{3000}".repeat(101)), 7, "white space");
    looks("demo", "demo\\ud83d\\ude42", 7, "is written in numbers");
    for same in ["demo\\u202e", "demo\\udb40\\udc41", "demo\\\\u0061", "d\\u0020"] {
        assert!(parse(&text.replacen("demo", same, 1)).is_ok(), "{same}");
    }
}

#[test]
fn cat_7_what_a_server_says_is_written_as_it_can_be_read_whatever_its_spaces() {
    let deep = format!("{{\"name\":\"deep\",\"x\":{}{}}}", "[".repeat(DEFINITION_DEPTH - 2) + "1", "]".repeat(DEFINITION_DEPTH - 2));
    let pushed = format!(r#"{{"name":"now","description":"a{}b{}c"}}"#, " ".repeat(3000), "\u{2003}".repeat(33));
    let text = lock(&[&deep, &pushed]).text();
    assert!(text.contains(&format!("a{}\\u0020\\u0020", " ".repeat(32))) && text.contains("\u{2003}\\u2003c"), "{text}");
    assert_eq!(parse(&text).unwrap(), lock(&[&deep, &pushed]));
}

#[test]
fn cat_7_a_lock_is_written_in_one_step_and_only_when_it_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agent-host.lock");
    assert_eq!(Lock::read(&path).unwrap(), Lock::default());
    assert!(lock(&[NOW]).write(&path).unwrap());
    assert_eq!(Lock::read(&path).unwrap(), lock(&[NOW]));
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
    assert!(!lock(&[NOW]).write(&path).unwrap());
    let link = folder.path().join("link.lock");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    assert!(lock(&[]).write(&link).unwrap());
    assert_eq!(Lock::read(&path).unwrap(), lock(&[]));
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left beside it");
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
}

#[test]
fn cat_7_a_lock_that_cannot_be_written_leaves_the_old_one() {
    let error = lock(&[NOW]).write(Path::new("/nowhere/agent-host.lock")).unwrap_err();
    assert!(error.to_string().starts_with("/nowhere/agent-host.lock: can't be written"), "{error}");
}

#[test]
fn cat_4_what_cannot_be_a_definition_is_refused_in_the_lock() {
    let deep = format!("{{\"name\":\"deep\",\"x\":{}{}}}", "[".repeat(40), "]".repeat(40));
    let read = parse(&lock(&[NOW, &deep, "{"]).text()).unwrap();
    let server = read.servers.values().next().unwrap();
    assert_eq!((server.definitions.len(), server.refused.len()), (1, 2));
    assert!(server.refused.iter().any(|(_, why)| why.contains("nested deeper")), "{:?}", server.refused);
}

/// Text with what hides, what is escaped, and pairs beyond the first plane.
fn word() -> impl Strategy<Value = String> {
    let odd = prop::sample::select(vec![
        '"',
        '\\',
        '/',
        '\n',
        '\u{0}',
        '\u{7f}',
        '\u{85}',
        '\u{202e}',
        '\u{feff}',
        '\u{e0041}',
        '\u{10ffff}',
        '🙂',
    ]);
    prop::collection::vec(prop_oneof![prop::char::range('a', 'e'), odd, any::<char>()], 0..6).prop_map(|chars| chars.into_iter().collect())
}

fn json() -> impl Strategy<Value = Node> {
    let literal = prop::sample::select(vec!["0", "-0", "1.50", "1E+3", "12345678901234567890", "1e400", "0.1000"]);
    let leaf = prop_oneof![
        Just(Node::Null),
        any::<bool>().prop_map(Node::Bool),
        literal.prop_map(|literal| Node::Number(literal.to_owned())),
        word().prop_map(Node::String),
    ];
    leaf.prop_recursive(4, 24, 4, |below| {
        let members = prop::collection::btree_map(word(), below.clone(), 0..4);
        prop_oneof![prop::collection::vec(below, 0..4).prop_map(Node::Array), members.prop_shuffle_members(),]
    })
}

trait Members {
    fn prop_shuffle_members(self) -> BoxedStrategy<Node>;
}

impl<S: Strategy<Value = BTreeMap<String, Node>> + 'static> Members for S {
    fn prop_shuffle_members(self) -> BoxedStrategy<Node> {
        self.prop_map(|members| members.into_iter().collect::<Vec<_>>()).prop_shuffle().prop_map(Node::Object).boxed()
    }
}

fn definition() -> impl Strategy<Value = String> {
    (word(), json(), json()).prop_map(|(name, a, b)| {
        let members = vec![("inputSchema".to_owned(), a), ("name".to_owned(), Node::String(name)), ("\u{200b}".to_owned(), b)];
        Node::Object(members).text()
    })
}

fn any_listed() -> impl Strategy<Value = Listed> {
    let pair = || (word(), word());
    let parts = (prop::option::of(word()), prop::option::of(pair()), prop::option::of(word()));
    (parts, prop::collection::vec(definition(), 0..5), prop::collection::vec(pair(), 0..3)).prop_map(|(parts, definitions, refused)| {
        let mut listed = Listed::default();
        (listed.protocol, listed.claims, listed.cut) = parts;
        (listed.definitions, listed.refused) = (definitions, refused);
        listed
    })
}

/// As a lock keeps it: by name, then by digest.
fn in_order(mut listed: Listed) -> Listed {
    listed.definitions.sort_by_cached_key(|raw| {
        let node = Node::parse(raw, 32, 8192).unwrap();
        (print::name(&node).to_owned(), digest(&node))
    });
    listed.refused.sort();
    listed
}

proptest! {
    #[test]
    fn cat_7_a_lock_is_read_back_as_written(said in prop::collection::vec(any_listed(), 0..3)) {
        let servers = said.into_iter().enumerate().map(|(at, listed)| (Alias::parse(&format!("s{at}")).unwrap(), listed));
        let lock = Lock { servers: servers.collect() };
        let text = lock.text();
        let kept = Lock { servers: lock.servers.into_iter().map(|(alias, listed)| (alias, in_order(listed))).collect() };
        prop_assert_eq!(&parse(&text).unwrap(), &kept);
        prop_assert_eq!(kept.text(), text.clone());
        prop_assert!(!text.chars().any(|character| character != '\n' && agent_core::safety::is_hidden(character)));
    }

    #[test]
    fn cat_7_no_bytes_are_too_odd_to_be_read(listed in any_listed(), at in any::<prop::sample::Index>(), with in prop::collection::vec(any::<u8>(), 0..4)) {
        let mut bytes = Lock { servers: BTreeMap::from([(Alias::parse("s").unwrap(), listed)]) }.text().into_bytes();
        let at = at.index(bytes.len());
        bytes.splice(at..(at + 1).min(bytes.len()), with);
        // Either outcome will do, and an error has its words.
        if let Err(error) = Lock::parse(Path::new("x"), &bytes) {
            prop_assert!(error.to_string().contains("hint: "));
        }
    }
}

#[test]
fn attack_48_one_server_does_not_fill_the_file() {
    assert_eq!(Lock::too_much(&listed(&[r#"{"name":"a","inputSchema":{}}"#])), None);
    let nested = format!(r#"{{"name":"a","x":{}{}{}}}"#, "[".repeat(20), vec!["1"; 50_000].join(","), "]".repeat(20));
    let many = listed(&vec![nested.as_str(); 80]);
    assert!(Lock::too_much(&many).unwrap().contains("bytes of the lock file"));
    let one = listed(&[nested.as_str()]);
    let text = Lock { servers: [(Alias::parse("a").unwrap(), one.clone())].into() }.text();
    assert!(text.len() < print::at_most(&one) + 1000, "no more than was told");
}
