//! The tools of research, as a host calls them and over MCP.

mod page;
mod page_failures;
mod page_kept;
mod page_scans;
mod page_ways;
mod papers;
mod search;
mod session_exports;
mod sessions;
mod sessions_served;
