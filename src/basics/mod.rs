//! Leaf rooms, which import nothing but one another and [`crate::unseen`]: every other room may use
//! them.

pub mod calendar;
pub mod mutex;
pub mod partial_date;
pub mod side_by_side;
pub mod signature;
pub mod sort;
pub mod unicode_form;
pub mod words;
pub mod work_done;
