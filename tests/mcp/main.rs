//! `ikigai-tools mcp` as its clients meet it: through the SDK's own client, and line by line.

#[path = "../common/mod.rs"]
mod common;

mod bounds;
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
#[path = "../common/waiting.rs"]
mod waiting;
mod with_sdk;
