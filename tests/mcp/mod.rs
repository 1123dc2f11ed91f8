//! `ikigai-tools mcp` as its clients meet it: through the SDK's own client, and line by line.

mod background;
mod bounds;
mod ending;
pub mod files;
mod let_through;
mod life;
mod lines;
mod memory;
mod pages;
mod parts;
mod plain;
mod research;
mod research_page;
mod research_read_all;
mod searches;
pub mod session;
mod side_by_side;
mod with_sdk;
