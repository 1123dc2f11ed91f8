//! Workshop: a bibliography, read and compared with what the providers of papers know.
//!
//! | module | contents |
//! |---|---|
//! | `entry` | an entry of a bibliography |
//! | `bibliography` | the entries of a text, in whatever form it has them |
//! | `bibtex`, `ris`, `csl`, `plain` | the four forms |
//! | `one_line`, `plain_words` | references that share a line; the words of one |
//! | `folding` | letters and words without case, accents and markup |
//! | `tex` | titles in TeX as text |
//! | `names` | persons, compared |
//! | `containers` | journals and their abbreviations, compared |
//! | `comparison` | an entry beside a work |
//! | `check_outcome` | what became of an entry |
//! | `request_gate` | as many requests as a provider takes |
//! | `checker` | a check from start to end |

pub mod bibliography;
mod bibtex;
pub mod check_outcome;
pub mod checker;
pub mod comparison;
pub(crate) mod containers;
mod csl;
pub mod entry;
mod entry_check;
pub(crate) mod folding;
mod names;
mod one_line;
mod plain;
mod plain_words;
mod request_gate;
mod ris;
pub(crate) mod tex;
