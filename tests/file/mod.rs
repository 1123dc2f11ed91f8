//! file-read, file-write and file-edit, called as a host calls them.

mod bounded;
mod edit;
mod files;
mod in_place;
mod near;
mod near_misses;
mod odd_places;
mod paths;
mod read;
mod write;
mod write_large;
