//! The two tools of research, as a host calls them and over MCP: `web_search` and `scrape_page`.

mod page;
mod page_failures;
mod page_kept;
mod page_scans;
mod page_ways;
mod search;
