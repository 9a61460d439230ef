#![allow(clippy::unwrap_used, clippy::indexing_slicing)]
use super::compile::without_patterns;
use super::*;
use serde_json::json;

fn define(schema: Value, output: Value) -> Definition {
    Definition::parse(&json!({"name": "t", "inputSchema": schema, "outputSchema": output}).to_string()).unwrap()
}

fn enforceable(definition: &Definition) -> bool {
    super::enforceable(definition).unwrap()
}

fn check(schema: Value, arguments: Value) -> Result<(), String> {
    Schemas::default().check(&define(schema, Value::Null), arguments.as_object().unwrap())
}

#[test]
fn gate_1_a_pattern_that_cannot_be_compiled_flags_the_tool() {
    let define = |pattern: &str| define(json!({"properties": {"a": {"pattern": pattern}, "pattern": {"type": "string"}}}), Value::Null);
    assert!(enforceable(&define("^[a-z]+$")));
    assert!(!enforceable(&define("(?<=x)y\\1")));
}

#[test]
fn gate_1_only_patterns_are_left_out() {
    let data = json!({"const": {"pattern": "x"}, "properties": {"patternProperties": {"type": "integer", "pattern": "y"}}, "pattern": "z"});
    let left = json!({"const": {"pattern": "x"}, "properties": {"patternProperties": {"type": "integer"}}});
    let data = agent_core::canon::Node::parse(&data.to_string(), 8, 64).unwrap();
    assert_eq!(without_patterns(&data).value().unwrap(), left);
}

#[test]
fn up_4_structured_content_satisfies_its_schema() {
    let definition = define(json!({}), json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}));
    let schemas = Schemas::default();
    assert!(schemas.check_output(&definition, &json!({"n": 1})).is_ok());
    assert!(schemas.check_output(&definition, &json!({"n": "1"})).is_err());
    assert!(schemas.check_output(&define(json!({}), Value::Null), &json!([1])).is_ok());
}

#[test]
fn gate_1_arguments_satisfy_the_schema() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    assert!(check(schema.clone(), json!({"n": 1})).is_ok());
    assert!(check(schema.clone(), json!({"n": "x"})).unwrap_err().contains("`/n`"));
    assert!(check(schema, json!({})).unwrap_err().contains("required"));
}

#[test]
fn attack_53_schema_bombs_cost_nothing() {
    let reference = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/x"}]}}});
    assert!(check(reference, json!({"a": "s"})).is_ok());
    let catastrophic = json!({"type": "object", "properties": {"a": {"pattern": "^(a+)+$"}}});
    assert!(check(catastrophic, json!({"a": format!("{}b", "a".repeat(5000))})).is_err());
    let unknown = json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "(?<=x)y\\1"}}});
    assert!(check(unknown.clone(), json!({"a": "anything"})).is_ok());
    assert!(check(unknown, json!({"a": 1})).is_err());
}

#[test]
fn attack_53_a_schema_that_unfolds_without_end_is_not_enforced_and_flagged() {
    let level = |at: usize| json!({"anyOf": [{"$ref": format!("#/$defs/x{at}")}, {"$ref": format!("#/$defs/x{at}")}]});
    let mut defs: Map<String, Value> = (1..60).map(|at| (format!("x{at}"), level(at - 1))).collect();
    defs.insert("x0".to_owned(), json!({"type": "integer"}));
    let bomb = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/x59"}}, "$defs": defs});
    assert!(!enforceable(&define(bomb.clone(), Value::Null)) && check(bomb.clone(), json!({"a": "no integer"})).is_ok());
    let output = define(json!({}), bomb);
    assert!(!enforceable(&output) && Schemas::default().check_output(&output, &json!({"a": "no integer"})).is_ok());
    let itself = json!({"properties": {"a": {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}}});
    assert!(!enforceable(&define(itself, Value::Null)));
    let shared = json!({"properties": {"a": {"$ref": "#/$defs/s"}, "b": {"$ref": "#/$defs/s"}}, "$defs": {"s": {"type": "string"}}});
    assert!(enforceable(&define(shared.clone(), Value::Null)) && check(shared, json!({"a": 1})).is_err());
    assert!(!enforceable(&define(json!({"properties": {"a": {"$ref": "#/nowhere"}}}), Value::Null)));
}

#[test]
fn gate_6_arguments_are_bounded() {
    let deep = (0..80).fold(json!(1), |inner, _| json!([inner]));
    assert!(check(json!({}), json!({"a": deep})).is_err());
    assert!(check(json!({}), json!({"a": "x".repeat(ARGUMENT_BYTES)})).is_err());
    assert!(check(json!({}), json!({"a": vec![0; ARGUMENT_NODES]})).is_err());
}

#[test]
fn attack_53_no_name_hides_what_a_schema_unfolds_to() {
    let names = ["const", "enum", "default", "examples", "a"];
    for (named, name) in ["properties", "$defs", "definitions", "patternProperties", "dependentSchemas"]
        .map(|named| names.map(|name| (named, name)))
        .concat()
    {
        let mut schema = json!({"anyOf": [{"type": "integer"}, {"$ref": format!("#/{named}/{name}")}]});
        schema[named] = json!({name: {"anyOf": [{"$ref": "#"}, {"$ref": format!("#/{named}/{name}")}]}});
        assert!(!enforceable(&define(schema.clone(), Value::Null)), "{named} {name}");
        assert!(check(schema, json!({"a": 1})).is_ok());
    }
    let led_to =
        json!({"properties": {"a": {"$ref": "#/examples/0"}}, "examples": [{"anyOf": [{"$ref": "#/examples/%30"}, {"$ref": "#"}]}]});
    assert!(!enforceable(&define(led_to, Value::Null)));
}

#[test]
fn attack_53_a_schema_that_names_its_parts_is_not_enforced_and_flagged() {
    for naming in ["$id", "id", "$anchor", "$dynamicAnchor"] {
        let inner = json!({naming: "x", "$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}]}}});
        let schema = json!({"properties": {"b": inner}, "$defs": {"a": {"type": "integer"}}});
        assert!(!enforceable(&define(schema.clone(), Value::Null)), "{naming}");
        assert!(check(schema, json!({"b": "c"})).is_ok());
    }
    // Of the whole it changes nothing, and as a property's name it is none.
    let whole = json!({"$id": "https://example.org/a", "properties": {"id": {"$ref": "#/$defs/a"}, "$id": {}}, "$defs": {"a": {"type": "integer"}}});
    assert!(enforceable(&define(whole.clone(), Value::Null)) && check(whole, json!({"id": "x"})).is_err());
}

/// How long it takes to compile a schema and hold a value against it; the first by itself is not what is bounded here.
fn taken(output: Value, structured: &Value) -> (bool, std::time::Duration) {
    let (definition, schemas) = (define(json!({}), output), Schemas::default());
    schemas.compiled(&definition, Part::Output);
    let begun = std::time::Instant::now();
    (schemas.check_output(&definition, structured).is_ok(), begun.elapsed())
}

/// Values that take as long as they can be made to, against schemas that do.
fn worst(branches: usize, items: usize) -> [(&'static str, Value, Value); 4] {
    let many = |one: Value, last: Value| (0..branches).map(|_| one.clone()).chain([last]).collect::<Vec<_>>();
    let numbers: Vec<usize> = (0..items).collect();
    let (near, far) = (json!({"a": [1]}), json!({"a": [2]}));
    [
        ("any of", json!({"anyOf": many(json!({"items": {"maximum": items - 2}}), json!({}))}), json!(numbers)),
        ("any of each", json!({"items": {"anyOf": many(json!({"type": "string"}), json!({}))}}), json!(numbers)),
        ("all of each", json!({"items": {"allOf": many(json!({"minimum": 0}), json!({}))}}), json!(numbers)),
        ("enum", json!({"items": {"enum": many(near, far.clone())}}), json!(vec![far; items])),
    ]
}

#[test]
fn gate_6_one_result_takes_a_bounded_time() {
    for (branches, items) in [(1500, 200_000), (1000, 1000), (10, 100_000), (100, 9000)] {
        for (what, schema, value) in worst(branches, items) {
            let (_, time) = taken(schema, &value);
            assert!(time.as_secs() < 10, "{what}: {branches} x {items}: {time:?}");
        }
    }
    let (held, _) = taken(json!({"items": {"type": "string"}}), &json!(vec![1; 100_000]));
    assert!(!held);
}
