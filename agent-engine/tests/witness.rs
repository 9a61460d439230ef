//! What must not compile: making, copying or reusing the values that stand for a yes and for leave to run.
//!
//! Is: a program of `witness/no` for each, with the compiler's words beside it (`TRYBUILD=overwrite` writes them anew),
//! and the one of `witness/yes.rs` that compiles. Here and not in `tests`, since the first run checks every crate that this
//! package depends on once more, in a folder of its own under `target`; later ones take seconds. Clauses: AUTH-1. Invariants: I-1, I-7.

use agent_core::grant::GrantRecord;
use agent_engine::authority::Confirmation;
use agent_engine::call::Sent;
use agent_engine::gate::{Admission, Permit};
use agent_engine::grant::Grant;
use agent_engine::request::Resolved;
use agent_engine::session::Widening;
use serde::de::DeserializeOwned;
use std::marker::PhantomData;

#[allow(dead_code)]
#[path = "witness/yes.rs"]
mod yes;

#[test]
fn i_1_i_7_auth_1_witnesses_are_made_in_their_rooms_alone() {
    trybuild::TestCases::new().compile_fail("tests/witness/no/*.rs");
}

/// Whether a type can be had from a text, from nothing or from another of its kind.
struct Probe<T>(PhantomData<T>);

macro_rules! probe {
    ($($trait:ident $name:ident: $bound:path;)*) => {$(
        trait $trait {
            fn $name(&self) -> bool {
                false
            }
        }
        impl<T> $trait for &Probe<T> {}
        impl<T: $bound> Probe<T> {
            fn $name(&self) -> bool {
                true
            }
        }
    )*};
}

probe! {
    Read read: DeserializeOwned;
    Made made: Default;
    Copied copied: Clone;
    Told told: From<String>;
}

macro_rules! ways {
    ($($type:ty),*) => {[$({
        let probe = &Probe::<$type>(PhantomData);
        (stringify!($type), [probe.read(), probe.made(), probe.copied(), probe.told()])
    }),*]};
}

#[test]
fn i_1_i_7_auth_1_no_witness_is_read_from_a_text_made_of_nothing_or_copied() {
    for (name, ways) in ways!(Resolved, Confirmation, Grant, Widening, Admission, Permit, Sent) {
        assert_eq!(ways, [false; 4], "{name}");
    }
    assert_eq!(ways!(GrantRecord, String).map(|(_, ways)| ways), [[true, false, true, false], [true; 4]]);
}
