#![doc = include_str!("../README.md")]

pub mod sandbox;
pub mod shell;
