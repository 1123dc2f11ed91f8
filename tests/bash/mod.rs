//! The bash tool, called as a host calls it.

mod advice;
mod calls;
mod editors;
pub mod ending;
mod limits;
mod shown;
