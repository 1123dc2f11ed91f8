//! Pages as Markdown: what holds of every page, however hostile.

mod bounds;
mod kinds;
mod main_content;
mod main_links;
mod markdown;
mod memory;
mod mutants;
