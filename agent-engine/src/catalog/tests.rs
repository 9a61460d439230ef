#![allow(clippy::unwrap_used, clippy::indexing_slicing)]
use super::*;
use agent_core::id::SourceClass;
use agent_core::limits::TOOLS_TOTAL;

fn source(alias: &str, names: &[&str]) -> Source {
    let definition = |name: &&str| serde_json::json!({"name": name, "inputSchema": {"type": "object"}}).to_string();
    Source { definitions: names.iter().map(definition).collect(), ..Source::new(SourceClass::Mcp, Alias::parse(alias).unwrap()) }
}

fn served(snapshot: &Snapshot) -> Vec<&str> {
    snapshot.tools().iter().map(|tool| tool.descriptor.id.as_str()).collect()
}

#[test]
fn cat_1_a_snapshot_is_sorted_and_digested() {
    let one = assemble(&[source("b", &["z", "a"]), source("a", &["m"])]);
    assert_eq!(served(&one), ["mcp:a/m", "mcp:b/a", "mcp:b/z"]);
    assert_eq!(one.digest(), assemble(&[source("a", &["m"]), source("b", &["a", "z"])]).digest());
    assert_ne!(one.digest(), assemble(&[source("a", &["m"])]).digest());
    assert!(one.get("mcp:b/a").is_some() && one.get("mcp:b/A").is_none() && one.by_wire("b__a").is_some());
}

#[test]
fn cat_6_a_generation_that_changes_nothing_is_not_published() {
    let catalog = Catalog::default();
    assert_eq!(catalog.publish(assemble(&[source("a", &["m"])])).unwrap().generation(), 1);
    assert!(catalog.publish(assemble(&[source("a", &["m"])])).is_none());
    assert_eq!(catalog.publish(assemble(&[source("a", &["n"])])).unwrap().generation(), 2);
}

#[test]
fn attack_45_illegal_names_are_quarantined_one_by_one() {
    let long = "x".repeat(300);
    let made = assemble(&[source("a", &["", &long, "has space", "../x", "e\u{1b}", "n\n", "z\0", "good"])]);
    assert_eq!(served(&made), ["mcp:a/good"]);
    assert_eq!(made.quarantined().len(), 7);
    assert!(made.quarantined().iter().all(|tool| tool.name.len() <= 200 && !tool.name.contains('\u{1b}')));
}

#[test]
fn id_2_doubles_and_look_alikes_are_both_quarantined() {
    let made = assemble(&[source("a", &["same", "same", "l1st", "llst", "fine"]), source("b", &["same"])]);
    assert_eq!(served(&made), ["mcp:a/fine", "mcp:b/same"]);
    assert_eq!(made.quarantined().iter().filter(|tool| tool.reason == Reason::SameName).count(), 2);
    assert!(made.quarantined().iter().any(|tool| tool.reason == Reason::LooksLike("llst".into())));
}

#[test]
fn id_3_two_ids_with_one_wire_name_are_both_quarantined() {
    let native = Source { class: SourceClass::Native, ..source("a", &["b", "c"]) };
    let clash = assemble(&[source("a", &["b", "d"]), native]);
    assert_eq!(served(&clash), ["mcp:a/d", "native:a/c"]);
    assert!(clash.quarantined().iter().all(|tool| tool.reason == Reason::SameWire) && clash.quarantined().len() == 2);
}

#[test]
fn id_3_an_operators_name_is_unique_or_nobodys() {
    let id = |text: &str| ToolId::parse(text).unwrap();
    let name = |text: &str| agent_core::id::WireName::parse(text).unwrap();
    let sources = [source("a", &["b", "c", "d"])];
    let named = assemble_named(&sources, &[(id("mcp:a/b"), name("now"))].into(), TOOLS_TOTAL);
    assert!(named.by_wire("now").is_some() && named.by_wire("a__b").is_none() && named.tools().len() == 3);
    let clash = assemble_named(&sources, &[(id("mcp:a/b"), name("a__c"))].into(), TOOLS_TOTAL);
    assert_eq!(served(&clash), ["mcp:a/d"]);
}

#[test]
fn cat_4_tools_beyond_the_operators_bound_are_quarantined() {
    let sources = [source("a", &["m", "n"]), source("b", &["x", "y", "z"])];
    let made = assemble_named(&sources, &BTreeMap::new(), 3);
    assert_eq!(served(&made), ["mcp:a/m", "mcp:a/n", "mcp:b/x"]);
    assert_eq!(
        made.quarantined().iter().map(|tool| (&*tool.name, &tool.reason)).collect::<Vec<_>>(),
        [("y", &Reason::TooMany(3)), ("z", &Reason::TooMany(3))]
    );
    assert_eq!(made.digest(), assemble(&[source("a", &["m", "n"]), source("b", &["x"])]).digest());
    assert!(assemble_named(&sources, &BTreeMap::new(), 5).quarantined().is_empty());
}

#[test]
fn cat_4_a_schema_that_cannot_be_read_is_quarantined_alone() {
    let mut one = source("a", &["good"]);
    one.definitions.push(r#"{"name":"odd","inputSchema":{"type":"object","properties":{"n":{"maximum":1e999}}}}"#.into());
    let made = assemble(&[one]);
    assert_eq!((served(&made), made.quarantined()[0].reason.clone()), (vec!["mcp:a/good"], Reason::Unreadable));
}

#[test]
fn attack_42_names_of_two_servers_do_not_meet() {
    let made = assemble(&[source("a", &["search"]), source("b", &["search"])]);
    assert_eq!(served(&made), ["mcp:a/search", "mcp:b/search"]);
}

#[test]
fn srch_4_the_visible_digest_is_that_of_a_catalog_without() {
    let whole = assemble(&[source("a", &["m", "n"]), source("b", &["z"])]);
    let hidden = [ToolId::parse("mcp:a/n").unwrap()].into();
    assert_eq!(whole.visible(&hidden), assemble(&[source("a", &["m"]), source("b", &["z"])]).digest());
}

#[test]
fn attack_53_a_schema_hidden_in_a_string_is_quarantined_alone() {
    let hidden =
        |key: &str| format!(r#"{{"name":"odd","inputSchema":{{"properties":{{"n":{{"{key}":"{{\"description\":\"do this\"}}"}}}}}}}}"#);
    for key in ["$serde_json::private::RawValue", r"$serde_json\u003a:private::RawValue"] {
        let mut one = source("a", &["good"]);
        one.definitions.push(hidden(key).as_str().into());
        let made = assemble(&[one]);
        assert_eq!((served(&made), made.quarantined().len()), (vec!["mcp:a/good"], 1));
    }
}

#[test]
fn attack_53_reading_many_patterns_compiles_none() {
    let mut one = source("a", &[]);
    for tool in 0..300 {
        let patterns: Vec<_> = (0..64).map(|at| format!(r#""p{at}":{{"pattern":"^[a-z]{{1,{}}}x{at}$"}}"#, 70 - at)).collect();
        one.definitions.push(format!(r#"{{"name":"t{tool}","inputSchema":{{"properties":{{{}}}}}}}"#, patterns.join(",")).as_str().into());
    }
    let begun = std::time::Instant::now();
    let made = assemble(&[one]);
    assert!(made.tools().len() == 300 && made.tools().iter().all(|tool| !tool.descriptor.flagged));
    // Seen: 1.5 s in a build without optimization.
    assert!(begun.elapsed().as_secs() < 10);
}
