//! What people read before they read code: the README, the book in `docs`, man pages and completions.
//!
//! Is: `generated` compares what is made from the command line and the configuration's schema with what is checked in;
//! `absent` compares a page with the spec's table; `links` and `blocks` read the pages as a reader would, follow every link and run every command. Is not: a judge of words.

mod absent;
mod blocks;
mod commands;
mod generated;
mod links;
mod pages;
mod settings;
