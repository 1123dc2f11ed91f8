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

pub use citation::{Citation, CitationMetadata, Formatted};
pub use class::{AuthorityTier, Class, DomainCategory, SourceType, classify};
pub use date::Date;
pub use embedded::{Embedded, StructuredData};
pub use hosts::{Reputation, reputation};

/// Text of a page as one line: whitespace collapsed, without control characters, those of
/// bidirectional text and what has no width, which can hide a text or make it read as what it is
/// not.
fn line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_whitespace() || c.is_control() {
            if !line.is_empty() && !line.ends_with(' ') {
                line.push(' ');
            }
        } else if !is_invisible(c) {
            line.push(c);
        }
    }
    line.truncate(line.trim_end().len());
    line
}

/// Whether `c` takes no room and is no letter's accent: zero-width characters, the controls of
/// bidirectional text, tags, and what may not occur in text.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// The first `most` bytes of `text`, to a boundary between characters.
fn cut(text: &str, most: usize) -> &str {
    let mut at = most.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    &text[..at]
}

#[cfg(test)]
mod tests;
