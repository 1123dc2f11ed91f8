//! The reading of a page or document by its address, which the tools that answer with pages share:
//! from the cache, or by one request where one does.
//!
//! | module | contents |
//! |---|---|
//! | `page_request` | a page as a call wants it |
//! | `cached_page` | answers that were found lately |
//! | `reader` | the ways to a page |
//! | `site_api_page` | sites that have a better way than their pages |
//! | `browser_render` | pages that a script puts together |
//! | `full_page` | a page as one of these ways found it |
//! | `page` | a page as it is answered and kept |
//! | `facts` | facts about a page other than its text |
//! | `content_cut` | content as it is shown |
//! | `failure` | the reason why there is none |

mod browser_render;
pub mod cached_page;
pub mod content_cut;
mod facts;
pub mod failure;
mod full_page;
pub mod page;
pub mod page_request;
mod reader;
mod site_api_page;

/// The tool that reads single pages, under whose name they are cached.
pub const READER: &str = "scrape_page";
