//! Pages as Markdown: what holds of every page, however hostile.

mod bounds;
mod kinds;
mod main_content;
mod markdown;
mod memory;
mod mutants;
