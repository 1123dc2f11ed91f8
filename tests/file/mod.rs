//! file-read, file-write and file-edit, called as a host calls them, and as models do.

mod bounded;
mod edit;
mod edits;
mod encodings;
mod files;
mod in_place;
mod legacy_office;
mod more_than_text;
mod near;
mod odd_places;
mod paths;
mod read;
mod replacing;
mod scans;
pub mod sparse;
mod write;
mod write_large;
