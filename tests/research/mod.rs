//! The tools of research, as a host calls them and over MCP.

mod page;
mod page_failures;
mod page_kept;
mod page_scans;
mod page_ways;
mod papers;
mod papers_around;
mod patents;
mod plain_files;
mod read_all;
mod read_all_side_by_side;
mod reference_forms;
mod references;
mod search;
mod session_exports;
mod sessions;
mod sessions_served;
mod works;
