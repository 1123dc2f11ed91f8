//! Leaf rooms, which import nothing but one another and [`crate::unseen`]: every other room may use
//! them.

pub mod calendar;
pub mod mutex;
pub mod parallel;
pub mod partial_date;
pub mod progress_counters;
pub mod signature;
pub mod sort;
pub mod unicode_form;
pub mod wording;
