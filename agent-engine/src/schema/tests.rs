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
    assert_eq!(without_patterns(data), left);
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
