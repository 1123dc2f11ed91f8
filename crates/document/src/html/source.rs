//! A page as it is given to the reader, and as it was converted.

use std::time::Instant;

use url::Url;

use crate::document::{DocumentCuts, OmittedBlocks};
use crate::model::DocumentModel;

/// The language of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageSyntax {
    Html,
    Xml,
}

/// Deadlines of the two steps of reading; each leaves time for the steps after it.
#[derive(Clone, Copy, Default)]
pub(crate) struct StageDeadlines {
    pub(crate) parse: Option<Instant>,
    pub(crate) walk: Option<Instant>,
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
pub(crate) struct ConvertedPage {
    pub(crate) model: DocumentModel,
    pub(crate) cuts: DocumentCuts,
    /// A remark about a page that shows nothing.
    pub(crate) remark: Option<DocumentModel>,
    /// True if the page has text besides the remark.
    pub(crate) has_text_beside: bool,
    /// True if its text is only in its data.
    pub(crate) is_from_data: bool,
    /// True if it shows nothing but frames, which the remark names.
    pub(crate) is_of_frames: bool,
    /// The blocks that may be missing from its main content.
    pub(crate) omitted: OmittedBlocks,
    /// The page to which its `refresh` leads.
    pub(crate) refresh: Option<Url>,
}
