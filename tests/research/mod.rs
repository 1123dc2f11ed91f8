//! The tools of research, as a host calls them and over MCP: `web_search`, `scrape_page` and
//! `academic_search`.

mod page;
mod page_failures;
mod page_kept;
mod page_scans;
mod page_ways;
mod papers;
mod search;
