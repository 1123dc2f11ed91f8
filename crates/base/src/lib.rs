#![doc = include_str!("../README.md")]

pub mod calendar;
pub mod console;
pub mod control_spelling;
pub mod cpu_clock;
pub mod hex;
pub mod mutex;
pub mod own_directories;
pub mod parallel;
pub mod progress_counters;
pub mod signature;
pub mod small_file;
pub mod sparse_file;
pub mod text_encoding;
pub mod unicode_form;
pub mod unseen;
pub mod wording;
