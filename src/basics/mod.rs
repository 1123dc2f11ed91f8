//! Leaf modules, which import nothing but one another and [`crate::unseen`]: all others may use
//! them.

pub mod calendar;
pub mod hex;
pub mod mutex;
pub mod own_directories;
pub mod parallel;
pub mod partial_date;
pub mod progress_counters;
pub mod signature;
pub mod small_file;
pub mod unicode_form;
pub mod wording;
