//! The gateway binary: nothing but the call into the library.
fn main() {}
