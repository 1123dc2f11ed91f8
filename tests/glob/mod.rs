//! The glob tool, and the walk and the wildcards beneath it.

mod calls;
mod like_libc;
mod messages;
mod notes;
mod own_door;
mod walk;
