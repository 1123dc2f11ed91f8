//! The bash tool, called as a host calls it.

mod advice;
mod calls;
pub mod ending;
mod limits;
mod shown;
