//! The web tools as a host calls them: fetches and searches at servers on the loopback.

mod allowed;
mod answers;
// Tests begin in the order of their names, and these wait for long.
mod ask_providers;
mod bodies;
mod bounded;
mod browser;
mod browser_process;
mod client;
mod fetch;
mod guard;
mod main_content;
mod messages;
mod names;
mod native_routes;
mod page_facts;
mod pages;
mod proxy;
mod search;
mod search_brave;
mod search_google;
mod search_notes;
mod search_providers;
mod searching;
mod stopped;
mod tls;
