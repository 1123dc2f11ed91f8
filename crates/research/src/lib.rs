#![doc = include_str!("../README.md")]

pub mod papers;
pub mod patents;
pub mod references;
pub mod sessions;
