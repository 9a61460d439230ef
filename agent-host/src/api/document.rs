//! The API's OpenAPI document: what is checked in and served, and, with the feature `schema`, what the types give.
//!
//! Is: made of the operations' table, the types' schemas and their docs; a test compares both. Is not: what reads a request; the
//! reader checks more. Clause: HOST-3 (login). Source: OpenAPI 3.1.

#[cfg(feature = "schema")]
mod make;

#[cfg(feature = "schema")]
pub use make::generate;

/// The document as checked in.
pub const DOCUMENT: &str = include_str!("../../../spec/schemas/operator-api.json");
