#![allow(clippy::unwrap_used, clippy::indexing_slicing)]
use super::*;

fn define(rest: &str) -> Result<Definition, DefinitionError> {
    Definition::parse(&format!(r#"{{"name":"t","inputSchema":{{"type":"object"}}{rest}}}"#))
}

#[test]
fn cat_3_every_field_counts_and_spelling_does_not() {
    let plain = define("").unwrap().digest;
    assert_ne!(plain, define(r#","xfoo":1"#).unwrap().digest);
    assert_ne!(plain, define(r#","annotations":{"vendorHint":7}"#).unwrap().digest);
    let spelled = r#" { "inputSchema" : {"type":"obj\u0065ct"}, "name":"t" } "#;
    assert_eq!(plain, Definition::parse(spelled).unwrap().digest);
}

#[test]
fn cat_4_bounds_quarantine_with_a_reason() {
    let long = "x".repeat(DESCRIPTION_BYTES + 1);
    assert_eq!(define(&format!(r#","description":"{long}""#)), Err(DefinitionError::Description));
    let large = "x".repeat(DEFINITION_BYTES);
    assert_eq!(define(&format!(r#","x":"{large}""#)), Err(DefinitionError::Size));
    let deep = format!(r#","x":{}{}"#, "[".repeat(40), "]".repeat(40));
    assert_eq!(define(&deep), Err(DefinitionError::Json(CanonError::Depth(DEFINITION_DEPTH))));
    let many = format!(r#","x":[{}1]"#, "1,".repeat(DEFINITION_NODES));
    assert_eq!(define(&many), Err(DefinitionError::Json(CanonError::Nodes(DEFINITION_NODES))));
}

#[test]
fn attack_47_bad_kinds_are_named() {
    use DefinitionError::Field;
    assert_eq!(Definition::parse(r#"{"name":"t"}"#), Err(Field("inputSchema")));
    assert_eq!(Definition::parse(r#"{"name":null,"inputSchema":{}}"#), Err(Field("name")));
    assert_eq!(Definition::parse(r#"{"name":"t","inputSchema":true}"#), Err(Field("inputSchema")));
    assert_eq!(define(r#","outputSchema":false"#), Err(Field("outputSchema")));
    assert_eq!(define(r#","annotations":{"readOnlyHint":"yes"}"#), Err(Field("readOnlyHint")));
}

#[test]
fn attack_53_references_stay_inside() {
    let refer = |target: &str| define(&format!(r#","outputSchema":{{"anyOf":[{{"$ref":"{target}"}}]}}"#));
    assert!(refer("#/$defs/a").is_ok() && refer("#").is_ok());
    for target in ["http://169.254.169.254/", "file:///etc/passwd", "other.json#/a"] {
        assert_eq!(refer(target), Err(DefinitionError::Reference(target.into())));
    }
}

#[test]
fn cat_5_hidden_characters_flag() {
    assert!(!define(r#","description":"two\nlines""#).unwrap().flagged);
    assert!(define(r#","description":"a\u202eb""#).unwrap().flagged);
    assert!(define(r#","x":{"a\u200b":1}"#).unwrap().flagged);
}

#[test]
fn parameters_come_required_first() {
    let schema =
        r#"{"name":"t","inputSchema":{"properties":{"a":{"type":["null","string"],"enum":["x",1,null]},"b":true},"required":["b"]}}"#;
    let found = Definition::parse(schema).unwrap();
    assert_eq!(found.parameters[0].name, "b");
    assert_eq!(found.parameters[1].kind.as_deref(), Some("string"));
    assert_eq!(found.parameters[1].values, ["x", "1"]);
    assert_eq!(found.input_schema(), r#"{"properties":{"a":{"type":["null","string"],"enum":["x",1,null]},"b":true},"required":["b"]}"#);
}
