//! What people read before they read code: man pages, completions, and references of commands and keys.
//!
//! Is: `generated` compares what is made from the command line and the configuration's schema with what is checked in. Is not:
//! a judge of words.

mod commands;
mod generated;
mod pages;
mod settings;
