//! The two tools of research, as a host calls them and over MCP: `web_search` and `scrape_page`.

#[macro_use]
#[path = "../common/at_once.rs"]
mod at_once;

at_once!(4);

#[path = "../common/mod.rs"]
mod common;

mod page;
mod page_failures;
mod page_kept;
mod page_ways;
#[path = "../common/providers.rs"]
mod providers;
#[path = "../common/reading.rs"]
mod reading;
mod search;
#[path = "../common/server.rs"]
mod server;
