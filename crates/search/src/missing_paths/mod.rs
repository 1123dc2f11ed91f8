//! The path that was meant by one that leads to nothing.
//!
//! Asked only when a call has failed; few directories are looked at, and those for a moment.

mod meant_path;
mod obstacle;
mod same_name_search;
mod similar;
mod unexpanded;

pub use meant_path::{MeantPath, PathSlip, PathWant, meant_path, slips};
pub use obstacle::{PathObstacle, path_obstacle};
pub use same_name_search::{NamePlaces, places_of_name};
pub use similar::has_same_letters;
pub use unexpanded::{UnexpandedPath, unexpanded};
