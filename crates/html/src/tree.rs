//! The tree of a page, from its source to its model.

use html2md::RcDom;

use super::prefilter::{self, WantedContent};
use super::source::HtmlSource;
use super::{dom, walk};
use iki_markdown::document::DocumentCuts;
use iki_markdown::model::DocumentModel;

/// The tree of a page, and what is missing from it.
pub(super) struct PageTree {
    pub(super) tree: RcDom,
    pub(super) cuts: DocumentCuts,
}

impl HtmlSource<'_> {
    /// Builds the page's tree and reveals content that the page offers to show.
    pub(super) fn parse(&self, wanted: WantedContent) -> PageTree {
        let (tree, mut veil, cuts) = prefilter::build(self, wanted);
        veil.show_disclosed(&tree.document);
        PageTree { tree, cuts }
    }

    pub(super) fn walk(&self, tree: &PageTree) -> (DocumentModel, DocumentCuts) {
        let children = tree.tree.document.children.borrow();
        let root = children.iter().find(|node| dom::name(node) == "html");
        let walk = |root| walk::walk(root, self.base, self.page.len(), self.ends.walk);
        let (model, cuts) = root.map(walk).unwrap_or_default();
        (model, cuts.and(tree.cuts))
    }
}
