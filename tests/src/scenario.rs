//! The gateway as a whole, between real programs.

mod main_job;
