#![doc = include_str!("../README.md")]
//!
//! # Modules
//!
//! A page and its address go in, a [`DocumentModel`](iki_markdown::model::DocumentModel) comes out.
//!
//! The parser and its tree are `html2md`'s; its own conversion touches no page. The tokens of the
//! tree come from `prefilter`, which keeps a hostile page from costing more than its length;
//! `walk` goes through the tree once, front to back.
//!
//! | module | contents |
//! |---|---|
//! | `page` | the conversion of pages, with its share of the time for each step |
//! | `declared_charset` | the character set that a page declares |
//! | `react_streaming` | text that React streams late, moved to its slot |
//! | `main_content` | the page's main content |
//! | `framed` | pages of frames that stand in the frame's tag |
//! | `math_prefix` | formulas whose elements have a prefix |
//! | `prefilter` | the tags and texts of the page that its tree is built from |
//! | `tokens` | these on their way to the parser's tree builder |
//! | `parse` | the tree, within its bound of memory |
//! | `unseen_text` | text that is too small, too faint or too far away to be seen |
//! | `reveal` | hidden elements that the page offers to show |
//! | `fallback_content` | alternatives for a page that shows almost nothing |
//! | `page_data` | text that is only in the data of a page |
//! | `source` | a page as it is given, and as it was converted |
//! | `tree` | its tree, from its source to its model |
//! | `dom` | the kind of an element and its visibility |
//! | `css` | the `style` attribute |
//! | `declared` | the page's metadata |
//! | `walk` | from the tree to the model: blocks |
//! | `repeated_links` | links that repeat the target of another |
//! | `flow` | paragraphs and their text, styles, code and line ends |
//! | `elements_by_class` | elements by their classes, for a list of results |
//! | `address`, `image`, `code`, `preformatted`, `listing`, `table` | one kind of content each |
//! | `original_image` | the originals of resized images |

mod address;
mod code;
mod css;
mod declared;
mod declared_charset;
mod dom;
mod elements_by_class;
mod fallback_content;
mod flow;
mod framed;
mod image;
mod listing;
mod main_content;
mod math_prefix;
mod original_image;
mod page;
mod page_data;
mod parse;
mod prefilter;
mod preformatted;
mod react_streaming;
mod repeated_links;
mod reveal;
mod source;
mod table;
pub mod tag;
mod tokens;
mod tree;
mod unseen_text;
mod walk;

#[cfg(fuzzing)]
pub use css::hides;
pub use declared::{MetaElement, MetaKind, read_declared};
pub use declared_charset::declared_charset;
pub use elements_by_class::find_by_class;
pub use main_content::study::{ContentStudy, study_main};
pub use page::{
    MainContentCertainty, convert, convert_main_until, convert_until, convert_xhtml,
    plain_beginning, read, refresh_target,
};
pub use source::{ConvertedPage, PageSyntax, StageDeadlines};

#[cfg(test)]
mod tests;
