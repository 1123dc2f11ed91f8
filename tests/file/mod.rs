//! file-read, file-write and file-edit, called as a host calls them.

mod bounded;
mod edit;
mod files;
mod in_place;
mod messages;
mod near;
mod odd_places;
mod paths;
mod read;
mod write;
mod write_large;
