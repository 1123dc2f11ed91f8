//! The tools, a file each: the row, what a request's fields mean, and what is answered.
//!
//! A tool turns a request's fields into a workshop's arguments and the workshop's result into a
//! reply; it neither prints nor exits, and knows no other tool.

pub mod bash;
mod bash_output;
mod bash_refusals;
pub mod file;
pub mod glob;
pub mod grep;
mod network;
pub mod research;
pub mod scrape_page;
mod search_answer;
mod search_notes;
mod web_download;
pub mod web_fetch;
mod web_meant;
mod web_notes;
mod web_page;
pub mod web_search;
pub mod web_search_brave;
pub mod web_search_google;
