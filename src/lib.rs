//! The tools of a coding agent in one executable.
//!
//! Here is what the executable alone has; all else lies in crates, which another program can use.
//! Imports run one way, as the crates stand in this table: each may use those below it.
//!
//! | crate | purpose |
//! |---|---|
//! | [`iki_mcp`] | the Model Context Protocol: a front end, with a server's tokens and limits |
//! | [`iki_tools`] | the tools, a row for each, and what a tool is |
//! | [`iki_research`] | papers, patents, references, and what a research has found |
//! | [`iki_web`] | pages, searches of the web, and what is kept of them |
//! | [`iki_conversion`] | documents that installed programs help to read |
//! | `iki_search` | files found by wildcard, and lines by regular expression |
//! | [`iki_files`] | files read, edited, and replaced whole or not at all |
//! | [`iki_process`] | commands, the directories that they may touch, and who ends before whom |
//! | [`iki_document`] | documents of all kinds, as Markdown |
//! | `iki_html`, `iki_pdf` | its readers of pages and of PDF files |
//! | `iki_markdown` | the model of a document, and the writer of Markdown |
//! | [`iki_base`] | leaf modules, which all the others use |
//!
//! | module | purpose |
//! |---|---|
//! | `entry` | `argv[0]` or a subcommand decides: a host's call, a person's call, MCP, a command |
//! | `front` | the front ends for hosts and persons, which do not know each other |
//! | `commands` | list, schema, doctor, link, completions, man: everything but the tools |
//! | `command_line` | flags of tools and commands, and the help that follows from them |
//! | `allocator` | the allocator of the executable, a module of `main.rs` |
//! | `made_up_tool` | a complete tool for tests of everything that follows from a row |

mod command_line;
mod commands;
mod front;
#[cfg(test)]
mod made_up_tool;

// Public only for the executable.
#[doc(hidden)]
pub mod entry;
