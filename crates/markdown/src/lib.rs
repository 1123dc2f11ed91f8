#![doc = include_str!("../README.md")]

pub mod document;
pub mod entities;
pub mod formula;
pub mod limits;
pub mod model;
pub mod reader_panics;
pub mod superscript;
pub mod writer;
pub mod xml;
