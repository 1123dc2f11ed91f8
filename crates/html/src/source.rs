//! A page as it is given to the reader, and as it was converted.

use std::time::Instant;

use url::Url;

use iki_markdown::document::{DocumentCuts, OmittedBlocks};
use iki_markdown::model::DocumentModel;

/// The language of a page, as it was served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageSyntax {
    /// HTML.
    Html,
    /// XHTML: `<div/>` is empty, and CDATA is text.
    Xml,
}

/// Deadlines of the two steps of reading; each leaves time for the steps after it.
#[derive(Clone, Copy, Default)]
pub struct StageDeadlines {
    /// That of the parser.
    pub parse: Option<Instant>,
    /// That of the walk through its tree.
    pub walk: Option<Instant>,
}

/// A page, where it was found, and how it is to be read.
pub(super) struct HtmlSource<'a> {
    pub(super) page: &'a str,
    pub(super) base: &'a Url,
    pub(super) syntax: PageSyntax,
    pub(super) ends: StageDeadlines,
}

/// A page as it was converted.
#[derive(Default)]
pub struct ConvertedPage {
    /// Its content.
    pub model: DocumentModel,
    /// Parts that are missing from it.
    pub cuts: DocumentCuts,
    /// A remark about a page that shows nothing.
    pub remark: Option<DocumentModel>,
    /// True if the page has text besides the remark.
    pub has_text_beside: bool,
    /// True if its text is only in its data.
    pub is_from_data: bool,
    /// True if it shows nothing but frames, which the remark names.
    pub is_of_frames: bool,
    /// The blocks that may be missing from its main content.
    pub omitted: OmittedBlocks,
    /// The page to which its `refresh` leads.
    pub refresh: Option<Url>,
}
