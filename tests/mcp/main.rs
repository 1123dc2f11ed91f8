//! `ikigai-tools mcp` as its clients meet it: through the SDK's own client, and line by line.

#[macro_use]
#[path = "../common/at_once.rs"]
mod at_once;

at_once!(8);

#[path = "../common/mod.rs"]
mod common;

mod bounds;
mod ending;
mod files;
mod life;
mod lines;
mod pages;
mod plain;
#[path = "../common/reading.rs"]
mod reading;
mod research;
mod research_page;
#[path = "../common/server.rs"]
mod server;
mod session;
mod side_by_side;
#[path = "../common/steps.rs"]
mod steps;
mod with_sdk;
