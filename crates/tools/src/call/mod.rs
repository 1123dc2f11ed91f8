//! A call that is carried out: admitted within its confinement, answered as an object, and its file
//! reported to the server that asked.

pub mod answer;
pub mod confined;
mod path_admission;
pub mod reported_file;
