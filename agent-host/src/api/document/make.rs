//! The document as the types and their docs give it.
// A member of a JSON object that is not there is made; nothing is indexed that is no object.
#![allow(clippy::indexing_slicing)]

use super::super::login::{Come, Coming};
use super::super::{OPERATIONS, Operation, PREFIX};
use crate::admin::{Request, Response, needs};
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

/// Why a request comes to nothing: the status, its name, when that is, and an example of what is said.
const ERRORS: [(u16, &str, &str, &str, &str); 8] = [
    (
        400,
        "Malformed",
        "The body is not such a request, or the request names no one host.",
        "not a request: missing field `session`",
        "send what the document says",
    ),
    (
        401,
        "NoLogin",
        "There is no bearer token of a login that stands. A client's MCP token is none.",
        "no login",
        "`POST /api/v1/login` gives a bearer token",
    ),
    (
        403,
        "NotAllowed",
        "The operator's role does not allow it; or the request's `Host` or `Origin` is not this host's.",
        "`ada` may not answer, take back or stop: that takes an approver",
        "ask an operator who may",
    ),
    (408, "Late", "The body did not come in time.", "the request did not come in time", "send it again"),
    (409, "NotDone", "Nothing was done, for the reason that is given.", "the stop stands: the disk is full", "try again"),
    (413, "TooLong", "The body is longer than 2 MiB.", "a request has at most 2097152 bytes", "send less"),
    (415, "NotJson", "The body's type is not `application/json`.", "a request is JSON", "send `content-type: application/json`"),
    (
        429,
        "TooMany",
        "Too many requests or logins at a time, or too soon after a wrong passphrase.",
        "too many at a time",
        "try again then",
    ),
];

/// The document.
#[must_use]
pub fn generate() -> Value {
    // What is read and what is written differ: a key that may be left out of a request is there in an answer.
    let settings = || SchemaSettings::draft2020_12().with(|settings| settings.definitions_path = "/components/schemas".into());
    let mut reads = settings().for_deserialize().with_transform(RecursiveTransform(twice)).into_generator();
    let mut writes = settings().for_serialize().into_generator();
    let (requests, answers) = (variants::<Request>(&mut reads, "do"), variants::<Response>(&mut writes, "is"));
    let door = variants::<Come>(&mut writes, "is");
    let of = |all: &Map<String, Value>, name: &str| all.get(name).cloned().unwrap_or_default();
    let mut paths = Map::new();
    for operation in OPERATIONS {
        paths.insert(path(operation.name), post(operation, of(&requests, operation.name), of(&answers, operation.answer)));
    }
    paths.insert(path("login"), login(reads.subschema_for::<Coming>().to_value(), of(&door, "logged-in")));
    paths.insert(path("logout"), logout(of(&door, "logged-out")));
    paths.insert(path("openapi.json"), document());
    // What is read and written both is described as it is read, which leaves more open.
    let mut schemas = writes.take_definitions(true);
    schemas.extend(reads.take_definitions(true));
    schemas.insert("Failed".to_owned(), of(&answers, "failed"));
    json!({
        "openapi": "3.1.0",
        "info": { "title": "agent-host: the operator's API", "version": "1", "description": ABOUT },
        "security": [{ "login": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "login": { "type": "http", "scheme": "bearer", "description": "What `login` gives. A client's MCP token is none." } },
            "responses": ERRORS.map(error).into_iter().collect::<Map<_, _>>(),
            "schemas": schemas,
        },
    })
}

/// A set that is written with a word twice is read all the same.
fn twice(schema: &mut Schema) {
    schema.remove("uniqueItems");
}

const ABOUT: &str = "What an operator asks a running host: the same requests as over the socket in its state folder, by the same handlers. \
Every answer says in `is` what it is; one that says `failed` did nothing, and says why in `what` and what to do in `hint`. \
An operation that is not listed here is 404, another method 405. A role may do what those before it may: viewer, approver, admin.";

fn path(name: &str) -> String {
    format!("{PREFIX}{name}")
}

/// The schemas of an enum's variants by the word that tells them apart, which requests leave out.
fn variants<T: JsonSchema>(generator: &mut SchemaGenerator, tag: &str) -> Map<String, Value> {
    let whole = T::json_schema(generator).to_value();
    let variants = whole.get("oneOf").and_then(Value::as_array).cloned().unwrap_or_default();
    let word = |variant: &Value| variant.pointer(&format!("/properties/{tag}/const")).and_then(Value::as_str).map(str::to_owned);
    variants.into_iter().filter_map(|variant| Some((word(&variant)?, variant))).collect()
}

/// A request without its word, which is in the path.
fn fields(mut request: Value) -> Value {
    if let Some(properties) = request.get_mut("properties").and_then(Value::as_object_mut) {
        properties.remove("do");
        // A login proves as much, and `Operation::request` refuses it.
        properties.remove("passphrase");
    }
    if let Some(required) = request.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| name != "do");
    }
    request
}

fn post(operation: &Operation, request: Value, answer: Value) -> Value {
    let about = request.get("description").cloned().unwrap_or_default();
    let asked = operation.request(operation.example.as_bytes()).ok();
    let (role, over) = asked.map(|asked| needs(&asked)).unzip();
    let example: Value = serde_json::from_str(operation.example).unwrap_or_default();
    let mut made = one(operation.name, about, Some((fields(request), example)), answer, &[400, 401, 403, 408, 409, 413, 415, 429]);
    made["post"]["x-role"] = json!(role);
    made["post"]["x-over"] = json!(if over == Some(true) { "everybody" } else { "some principals" });
    made
}

fn login(request: Value, answer: Value) -> Value {
    let about = json!("A passphrase for a bearer token. What the login proves is what one at the console proves.");
    let example = json!({ "operator": "ada", "passphrase": "correct horse battery" });
    let mut made = one("login", about, Some((request, example)), answer, &[400, 401, 403, 408, 413, 415, 429]);
    made["post"]["security"] = json!([]);
    made
}

fn logout(answer: Value) -> Value {
    one(
        "logout",
        json!("The login of this bearer token ended."),
        Some((nothing(), json!({}))),
        answer,
        &[400, 401, 403, 408, 413, 415, 429],
    )
}

fn document() -> Value {
    let mut made = one("openapi.json", json!("This document."), None, json!({ "type": "object" }), &[400, 401, 403, 429]);
    let get = made["post"].take();
    json!({ "get": get })
}

fn nothing() -> Value {
    json!({ "type": "object", "additionalProperties": false })
}

fn one(name: &str, about: Value, body: Option<(Value, Value)>, answer: Value, errors: &[u16]) -> Value {
    let done = json!({ "description": answer.get("description").cloned().unwrap_or_else(|| json!("Done.")), "content": { "application/json": { "schema": answer } } });
    let mut responses = Map::from_iter([("200".to_owned(), done)]);
    for (status, name, ..) in ERRORS.iter().filter(|(status, ..)| errors.contains(status)) {
        responses.insert(status.to_string(), json!({ "$ref": format!("#/components/responses/{name}") }));
    }
    let mut made = json!({ "post": { "operationId": name, "summary": about, "responses": responses } });
    if let Some((schema, example)) = body {
        made["post"]["requestBody"] =
            json!({ "required": true, "content": { "application/json": { "schema": schema, "example": example } } });
    }
    made
}

fn error((_, name, when, what, hint): (u16, &str, &str, &str, &str)) -> (String, Value) {
    let example = json!({ "is": "failed", "what": what, "hint": hint });
    let content = json!({ "application/json": { "schema": { "$ref": "#/components/schemas/Failed" }, "example": example } });
    (name.to_owned(), json!({ "description": when, "content": content }))
}
