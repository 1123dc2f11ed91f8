//! What glob and grep have in common, and the workshop of patterns and lines beneath them.

mod ere_conformance;
mod limits;
mod scan_lines;
mod threads;
