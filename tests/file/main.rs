//! file-read, file-write and file-edit, called as a host calls them.

#[macro_use]
#[path = "../common/at_once.rs"]
mod at_once;

at_once!(4);

mod bounded;
#[path = "../common/mod.rs"]
mod common;
mod edit;
#[path = "../common/files.rs"]
mod files;
mod in_place;
mod messages;
mod near;
mod odd_places;
mod paths;
mod read;
#[path = "../common/refusing.rs"]
mod refusing;
#[path = "../common/steps.rs"]
mod steps;
mod write;
