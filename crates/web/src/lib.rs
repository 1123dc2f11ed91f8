#![doc = include_str!("../README.md")]

pub mod allowed_hosts;
pub mod body_text;
pub mod bot_checks;
pub mod browser;
pub mod cache;
pub mod client;
pub mod credentials;
pub mod date;
pub mod exa_pages;
pub mod guard;
pub mod hosts;
pub mod link_check;
pub mod page;
pub mod partial_date;
pub mod provider;
pub mod quote;
pub mod resolve;
pub mod search;
pub mod site_apis;
pub mod status_advice;
pub mod work;

// The store of tests names this crate as other programs do.
#[cfg(test)]
extern crate self as iki_web;

#[cfg(test)]
#[path = "tests/memory_store.rs"]
mod memory_store;
