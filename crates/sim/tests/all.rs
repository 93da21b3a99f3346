//! All tests that use the crate from outside, a module a topic. One binary: it is linked once, and its tests run in parallel.

#![allow(clippy::unwrap_used, reason = "a test may panic, outside its test functions too")]

mod engine;
mod tcp_scripts;
