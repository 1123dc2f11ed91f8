//! The tools that ask the network: pages are fetched and read, searches made.
//!
//! | module | contents |
//! |---|---|
//! | `fetch`, `fetch_note` | web-fetch, and its notes on a page |
//! | `scrape` | `scrape_page` |
//! | `search` | `web_search` |
//! | `search_and_scrape` | `search_and_scrape` |
//! | `academic_search` | `academic_search` |
//! | `check_references` | `check_references` |
//! | `patent_search` | `patent_search` |
//! | `searching` | searches as `search` makes them |
//! | `search_brave`, `search_google`, `provider_answer` | the tools of one provider |
//! | `page_reading` | pages and documents as `scrape` answers with them |
//! | `page_source` | the way from an address to a text, for `fetch` and pages |
//! | `content_type`, `conversion_lock` | the form of a text, and conversions one at a time |
//! | `paywall` | pages that show a beginning and ask for a subscription |
//! | `placeholder` | logins, consent pages, paywalls and scripts in place of a page |
//! | `resource_link` | answers that are too large for a message |
//! | `intended_url`, `download_command` | advice on addresses and files |
//! | `answer_fields` | the fields of an answer other than its content |
//! | `network`, `research_cache` | settings that these tools have in common |
//! | `research_call` | the course of a call that searches or reads |
//! | `research_failure` | failures of such calls, with advice |
//! | `sessions` | `sequential_search`, `get_research_session`, `research_export` |
//! | `session_record` | what the research tools add to a session |

pub(crate) mod academic_search;
mod answer_fields;
pub(crate) mod check_references;
mod content_type;
mod conversion_lock;
mod download_command;
pub mod fetch;
mod fetch_note;
mod intended_url;
mod network;
mod page_reading;
mod page_source;
pub(crate) mod patent_search;
mod paywall;
mod placeholder;
mod provider_answer;
pub(crate) mod research_cache;
mod research_call;
mod research_failure;
mod resource_link;
pub mod scrape;
pub mod search;
pub(crate) mod search_and_scrape;
pub(crate) mod search_brave;
pub(crate) mod search_google;
mod searching;
mod session_record;
pub(crate) mod sessions;
