//! The tools of research that search and read, as a host calls them: `web_search`, `scrape_page` and
//! `search_and_scrape`.

mod page;
mod page_failures;
mod page_kept;
mod page_scans;
mod page_ways;
mod read_all;
mod read_all_side_by_side;
mod search;
