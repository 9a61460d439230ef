//! Pages and entries by themselves; whole listings are in `upstream`'s tests.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::*;
use agent_core::canon::canonical;
use agent_core::digest::Domain;

fn listed(tools: &str) -> Listed {
    Listed::of(Page::read(&format!("{{\"tools\":[{tools}]}}")).unwrap().entries)
}

#[test]
fn cat_3_every_field_is_in_the_digest() {
    let tool = r#"{ "name":"a", "inputSchema":{"type":"object"}, "execution":{"taskSupport":"optional"}, "x-vendor":[1.50, 1e3] }"#;
    let found = listed(tool);
    let whole = Digest::of(Domain::Definition, &canonical(tool, 32, 8192).unwrap());
    assert_eq!(found.live["a"], whole);
    assert_eq!(
        found.definitions,
        [r#"{"name":"a","inputSchema":{"type":"object"},"execution":{"taskSupport":"optional"},"x-vendor":[1.50,1e3]}"#]
    );
    let other = listed(&tool.replace("1.50", "1.25"));
    assert_ne!(other.live["a"], whole);
}

#[test]
fn attack_47_one_bad_tool_costs_no_other() {
    let large = format!(r#"{{"name":"large","description":"{}"}}"#, "x".repeat(200_000));
    let found = listed(&format!(
        r#"null, 7, {{"name":null}}, {{"name":"twice","name":"twice"}}, {large}, {{"name":"good","inputSchema":{{}}}}, {{"name":"bare"}}"#
    ));
    assert_eq!(found.live.keys().collect::<Vec<_>>(), ["good"]);
    assert_eq!(found.definitions.len(), 5, "JSON that is no tool is for the catalog to judge");
    let refused: Vec<_> = found.refused.iter().map(|(name, why)| format!("{name}: {why}")).collect();
    assert_eq!(refused.len(), 2, "{refused:?}");
    assert!(refused[0].starts_with("(no name): ") && refused[1].starts_with("large: the definition is larger"), "{refused:?}");
}

#[test]
fn a_server_s_order_changes_nothing() {
    let (a, b) = (r#"{"name":"a","inputSchema":{}}"#, r#"{"name":"b","inputSchema":{}}"#);
    assert_eq!(listed(&format!("{a},{b}")), listed(&format!("{b},{a}")));
}

#[test]
fn cat_4_what_is_no_page_is_said() {
    for (text, why) in [
        ("7", "its answer is not a list of tools"),
        ("{}", "its answer is not a list of tools"),
        (r#"{"tools":{}}"#, "its answer is not a list of tools"),
        (r#"{"tools":[],"nextCursor":7}"#, "its answer is not a list of tools"),
    ] {
        assert!(Page::read(text).err().unwrap().starts_with(why), "{text}");
    }
    let long = format!(r#"{{"tools":[],"nextCursor":"{}"}}"#, "x".repeat(70_000));
    assert!(Page::read(&long).err().unwrap().contains("next page"));
    let crowd = Page::read(&format!(r#"{{"tools":[{}1]}}"#, "1,".repeat(5000))).unwrap();
    assert!(crowd.more && crowd.entries.len() == TOOLS_PER_SOURCE);
}
