//! The web tools as a host calls them: pages are fetched and searches made, from servers on the loopback.

#[macro_use]
#[path = "../common/at_once.rs"]
mod at_once;

at_once!(8);

#[path = "../common/mod.rs"]
mod common;

mod allowed;
mod answers;
mod bodies;
mod bounded;
mod client;
mod fetch;
mod guard;
mod main_content;
mod messages;
mod names;
mod pages;
#[path = "../common/providers.rs"]
mod providers;
mod proxy;
mod search;
mod search_brave;
mod search_google;
mod search_notes;
mod search_providers;
mod search_routes;
#[path = "../common/searching.rs"]
mod searching;
#[path = "../common/server.rs"]
mod server;
mod stopped;
mod tls;
