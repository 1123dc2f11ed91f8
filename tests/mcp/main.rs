//! `ikigai-tools mcp` as its clients meet it: through the SDK's own client, and line by line.

#[path = "../common/mod.rs"]
mod common;

mod bounds;
mod files;
mod life;
mod lines;
mod pages;
mod plain;
mod session;
#[path = "../common/steps.rs"]
mod steps;
mod with_sdk;
