//! The tools of research, as a host calls them: `web_search`, `scrape_page` and `patent_search`.

mod page;
mod page_failures;
mod page_kept;
mod page_scans;
mod page_ways;
mod patents;
mod search;
