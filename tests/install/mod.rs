//! `install.sh`, driven as a person drives it, into directories and a HOME of the test's own.
//!
//! What is laid where, and under which names, is the decisions' sixth point on the host's calls.

mod laying;
mod refusing;
mod room;
