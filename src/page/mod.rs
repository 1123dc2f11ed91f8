//! What a page says of itself, and what kind of source it is: the facts beside its text. Nothing
//! here fetches but [`retraction`], which asks Crossref about a DOI.
//!
//! A page's own word is believed for what only the page can know, such as its title, and for no
//! more than that: how far it is relied on is told by its host.
//!
//! | module | what it is |
//! |---|---|
//! | `embedded` | what a page declares, read once |
//! | `json_ld` | its blocks of JSON-LD |
//! | `date` | days, and parts of dates |
//! | `author` | names of persons and organisations |
//! | `citation` | how to cite it: APA, MLA, BibTeX |
//! | `class` | what kind of source it is, how far it is relied on, what it is about |
//! | `hosts` | what is known of hosts |
//! | [`doi`] | its DOI |
//! | [`retraction`] | whether that was retracted |
//! | [`forum`] | votes and comments |

mod author;
mod citation;
mod class;
mod date;
pub mod doi;
mod embedded;
pub mod forum;
mod hosts;
mod json_ld;
pub mod retraction;

pub use citation::Citation;
pub use class::classify;
pub use date::Date;
pub use embedded::Embedded;
pub use hosts::{Reputation, reputation};

/// Text of a page as one line: whitespace collapsed, without control characters and unseen ones.
fn line(text: &str) -> String {
    crate::web::quote::on_one_line(text)
}

/// The first `most` bytes of `text`, to a boundary between characters.
fn cut(text: &str, most: usize) -> &str {
    &text[..crate::document::boundary(text, most)]
}

#[cfg(test)]
mod tests;
