#![doc = include_str!("../README.md")]

pub mod call;
pub mod contract;
pub mod registry;
pub mod secrets;
pub mod tools;
