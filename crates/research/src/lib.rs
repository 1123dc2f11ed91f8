#![doc = include_str!("../README.md")]

pub mod papers;
pub mod patents;
pub mod references;
pub mod sessions;

#[cfg(test)]
#[path = "../../web/src/tests/memory_store.rs"]
mod memory_store;
