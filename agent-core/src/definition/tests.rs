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
        for name in ["default", "enum", "const", "examples", "a"] {
            for named in ["properties", "$defs", "definitions", "patternProperties", "dependentSchemas"] {
                let hidden = define(&format!(r#","outputSchema":{{"{named}":{{"{name}":{{"items":{{"$ref":"{target}"}}}}}}}}"#));
                assert_eq!(hidden, Err(DefinitionError::Reference(target.into())), "{named} {name}");
            }
        }
        assert!(define(&format!(r#","outputSchema":{{"default":{{"$ref":"{target}"}}}}"#)).is_ok());
        let led_to = define(&format!(r##","outputSchema":{{"$ref":"#/default","default":{{"$ref":"{target}"}}}}"##));
        assert_eq!(led_to, Err(DefinitionError::Reference(target.into())));
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
    let shown = r#"{"type":"object","properties":{"a":{"type":["null","string"],"enum":["x",1,null]},"b":{}},"required":["b"]}"#;
    assert_eq!((found.input().text().as_str(), found.notes.len()), (shown, 2));
}

#[test]
fn cat_4_field_what_strict_clients_refuse_is_mended_with_a_note() {
    let read = |schema: &str| {
        let raw = format!(r#"{{"name":"t","inputSchema":{schema}}}"#);
        let definition = Definition::parse(&raw).unwrap();
        assert_eq!(definition.digest, Digest::of(Domain::Definition, &crate::canon::canonical(&raw, 32, 8192).unwrap()));
        (definition.input().text(), definition.notes.len())
    };
    let whole = |schema: &str| (schema.to_owned(), 0);
    let mended = |schema: &str| (schema.to_owned(), 1);
    let empty = r#"{"type":"object"}"#;
    assert_eq!(read(r#"{"required":[],"type":"object","properties":{"b":{},"a":{}}}"#).1, 0);
    assert_eq!(read(r#"{"type":"object","default":{"properties":[]}}"#), whole(r#"{"type":"object","default":{"properties":[]}}"#));
    assert_eq!(read("[]"), (empty.to_owned(), 2));
    for schema in ["{}", r#"{"type":null}"#, r#"{"type":["object","null"]}"#, r#"{"type":"object","properties":null}"#] {
        assert_eq!(read(schema), mended(empty), "{schema}");
    }
    let none = r#"{"type":"object","properties":{}}"#;
    assert_eq!(read(r#"{"type":"object","properties":[]}"#), mended(none));
    let deep = r#"{"type":"object","properties":{"a":{"items":{"type":"object","properties":[],"additionalProperties":[]}},"b":[]}}"#;
    assert_eq!(read(deep), mended(&deep.replace("[]", "{}")));
    let tuple = r#"{"type":"object","properties":{"properties":{"items":[]}},"$defs":{"x":{"enum":[]}}}"#;
    assert_eq!(read(tuple), whole(tuple));
    let odd = r#"{"type":"object","properties":{"a":true,"b":false,"c":null,"d":"string"}}"#;
    assert_eq!(read(odd), mended(r#"{"type":"object","properties":{"a":{},"b":{"not":{}},"c":{},"d":{}}}"#));
    for required in ["null", "true", "{}", r#""a""#, r#"[1]"#] {
        assert_eq!(read(&format!(r#"{{"type":"object","required":{required}}}"#)), mended(r#"{"type":"object","required":[]}"#));
    }
    assert_eq!(read(r#"{"type":"object","required":["a",2,"a"]}"#), mended(r#"{"type":"object","required":["a"]}"#));
    assert!(Definition::parse(r#"{"name":"t","inputSchema":{"type":["string"]}}"#).is_err());
    assert!(Definition::parse(r#"{"name":"t","inputSchema":{"properties":"a"}}"#).is_err());
    assert!(define(r#","annotations":[]"#).unwrap().notes.len() == 1 && define(r#","outputSchema":{}"#).unwrap().notes.len() == 1);
}

#[test]
fn srch_5_what_stands_inside_of_a_parameter_is_kept() {
    let schema = r#"{"name":"t","inputSchema":{"properties":{
        "a":{"title":"B","description":"words","properties":{"b":{"description":"half"},"c":{"title":"Note"}}},
        "when_it_is":{"title":"When It Is","anyOf":[{"items":{"title":"Each day"}},true]}}}}"#;
    let found = Definition::parse(schema).unwrap();
    assert_eq!(found.parameters[0].inner, ["b", "half", "c", "Note"]);
    assert_eq!(found.parameters[1].inner, ["Each day"]);
}

#[test]
fn srch_5_values_inside_of_a_parameter_are_kept_wherever_they_are() {
    let schema = r##"{"name":"t","inputSchema":{"$defs":{
        "Color":{"title":"Paint","enum":["red","blue"]},
        "Node":{"description":"a leaf","properties":{"next":{"$ref":"#/$defs/Node"},"color":{"$ref":"#/$defs/Color"}}}},
        "properties":{
        "a":{"anyOf":[{"enum":["north","south"]},{"type":"null"}]},
        "b":{"$ref":"#/$defs/Color"},
        "c":{"type":"array","items":{"description":"each","enum":[1,true,null]}},
        "d":{"const":"only","enum":["only"]},
        "e":{"$ref":"#/$defs/Node"},
        "f":{"properties":{"g":{"enum":["deep"]}}},
        "h":{"prefixItems":[{"const":"first"}],"$ref":"#/$defs/none"}}}}"##;
    let found = Definition::parse(schema).unwrap();
    let inside: Vec<_> = found.parameters.iter().map(|one| (one.inner.join(" "), one.inner_values.join(" "))).collect();
    let told = [
        ("", "north south"),
        ("Paint", "red blue"),
        ("each", "1 true"),
        ("", "only"),
        ("a leaf next color", ""),
        ("g", "deep"),
        ("", "first"),
    ];
    assert_eq!(inside, told.map(|(texts, values)| (texts.to_owned(), values.to_owned())));
    assert!(found.parameters.iter().all(|one| one.values.is_empty() || one.name == "d"), "what is shown is as it was");
}

#[test]
fn cat_4_references_that_lead_on_and_on_are_read_once_and_not_deep() {
    let defs: Vec<_> =
        (0..1500).map(|at| format!(r##""d{at}":{{"description":"w{at}","items":{{"$ref":"#/$defs/d{}"}}}}"##, at + 1)).collect();
    let parameters: Vec<_> = (0..1000).map(|at| format!(r##""p{at}":{{"$ref":"#/$defs/d0"}}"##)).collect();
    let schema = format!(r#"{{"name":"t","inputSchema":{{"$defs":{{{}}},"properties":{{{}}}}}}}"#, defs.join(","), parameters.join(","));
    let found = Definition::parse(&schema).unwrap();
    assert_eq!(found.parameters.iter().filter(|one| !one.inner.is_empty()).count(), 1);
    assert!((2..=DEFINITION_DEPTH).contains(&found.parameters[0].inner.len()));
}
