//! Facts about a page other than its text: its own declarations, and its kind of source. Nothing
//! here fetches but [`retraction`], which asks Crossref about a DOI.
//!
//! A page's own statements are used for facts that only the page can know, such as its title; its
//! authority comes from its host.
//!
//! | module | contents |
//! |---|---|
//! | `embedded` | declarations of a page, parsed once |
//! | `json_ld` | its blocks of JSON-LD |
//! | `author` | names of persons and organisations |
//! | `citation` | citations: APA, MLA, BibTeX |
//! | `class` | kind of source, authority, subject |
//! | `hosts` | facts about hosts |
//! | [`doi`] | its DOI |
//! | [`retraction`] | retractions of its work |
//! | [`forum`] | votes and comments |

pub(crate) mod author;
mod citation;
mod class;
pub mod doi;
mod embedded;
pub mod forum;
mod hosts;
mod json_ld;
pub mod retraction;

pub use crate::partial_date::PartialDate;
pub use citation::{Citation, Reference, is_paired};
pub use class::{PageClass, SourceType, classify};
pub use embedded::{EmbeddedData, StructuredData};
pub use hosts::reputation;

#[cfg(test)]
mod tests;
