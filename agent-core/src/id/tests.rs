#![allow(clippy::unwrap_used)]
use super::*;

fn wire(id: &str) -> String {
    ToolId::parse(id).unwrap().wire().as_str().to_owned()
}

#[test]
fn id_1_parsing_is_exact() {
    for id in ["mcp:github/create_issue", "native:box/a", "ext:plug/a/b", "agent:helper/plan", "mcp:a/検索"] {
        assert_eq!(ToolId::parse(id).unwrap().as_str(), id);
    }
    for id in [
        "",
        "github/create_issue",
        "builtin:search_tools",
        "mcp:github",
        "mcp:github/",
        "MCP:github/a",
        "mcp:GitHub/a",
        " mcp:github/a",
        "mcp:/a",
        "mcp:native/a",
        "mcp:*",
    ] {
        assert!(ToolId::parse(id).is_err(), "{id}");
    }
    assert!(ToolId::parse(&format!("mcp:a/{}", "x".repeat(186))).is_ok());
    assert_eq!(ToolId::parse(&format!("mcp:a/{}", "x".repeat(187))), Err(IdError::Length));
}

#[test]
fn id_2_aliases() {
    assert!(Alias::parse("a").is_ok() && Alias::parse("git-2").is_ok());
    for alias in ["agent", "builtin", "native", "ext"] {
        assert_eq!(Alias::parse(alias), Err(AliasError::Reserved));
    }
    for alias in ["", "A", "2a", "a_b", "a.b", "-a", &"a".repeat(33)] {
        assert_eq!(Alias::parse(alias), Err(AliasError::Form), "{alias}");
    }
}

#[test]
fn id_3_lossless_names_stay_plain() {
    assert_eq!(wire("mcp:github/create_issue"), "github__create_issue");
    assert_eq!(wire("mcp:git-hub/read-file"), "git-hub__read-file");
}

#[test]
fn id_3_lossy_names_end_in_a_digest() {
    let dotted = wire("mcp:github/create.issue");
    assert!(dotted.starts_with("github__create-issue-") && dotted.len() == "github__create-issue-".len() + 8);
    assert_ne!(dotted, wire("mcp:github/create/issue"));
    let long = wire(&format!("mcp:github/{}_end", "very_long_".repeat(9)));
    assert!(long.len() <= WIRE_BYTES && long.starts_with("github__very") && long.contains("_end-"), "{long}");
    assert_eq!(wire("native:box/a"), "box__a");
}

#[test]
fn id_3_an_operator_names_within_the_form_and_never_a_builtin() {
    assert_eq!(WireName::parse("now").unwrap().as_str(), "now");
    for name in BUILTINS {
        assert_eq!(WireName::parse(name), Err(WireError::Builtin));
    }
    for name in ["", "1a", "_a", "a b", "a.b", "\u{e4}", &"a".repeat(48)] {
        assert_eq!(WireName::parse(name), Err(WireError::Form), "{name}");
    }
}

#[test]
fn id_3_every_wire_name_is_well_formed() {
    for id in ["mcp:a/検索する", "mcp:a/-x", "ext:a/b.c", "agent:a/q/w/e", "mcp:a/поиск"] {
        let name = wire(id);
        assert!(name.len() <= WIRE_BYTES && name.starts_with(|c: char| c.is_ascii_alphabetic()), "{name}");
        assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'), "{name}");
    }
}
