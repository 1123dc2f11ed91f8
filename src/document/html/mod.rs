//! The reader of HTML: a page and its address in, a [`Model`] out.
//!
//! The parser and its tree are `html2md`'s, which is taken over at its documented extension
//! point, a `TagHandler` for the root element: its own handlers and clean-up touch no
//! page. In front of the parser stands [`prefilter`], which keeps a hostile page from costing
//! more than its length; behind it [`walk`] goes through the tree once, front to back.
//!
//! | module | what it is |
//! |---|---|
//! | `react_streaming` | text that the page streams late, put where it belongs |
//! | `main` | the page's main content |
//! | `prefilter` | the page as the parser gets it |
//! | `parse` | the tree, within bounds of memory and time |
//! | `tokens` | what the tree is built of |
//! | `unseen_text` | text that is too small, too faint or too far away to be seen |
//! | `reveal` | what is hidden, though the page offers to show it |
//! | `rescue` | a page of which next to nothing would be left |
//! | `dom` | what an element is, and whether anyone sees it |
//! | `css` | what a `style` attribute says |
//! | `declared` | what the page declares of itself |
//! | `walk` | the way through the tree: blocks |
//! | `repeated_links` | links that lead where another one has led |
//! | `flow` | paragraphs and what runs in them: text, styles, code, line ends |
//! | `pick` | elements by their classes, for a list of results |
//! | `address`, `image`, `code`, `pre`, `table` | what the walk asks of one kind of content |
//! | `resized` | images that are made to measure |

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Instant;

use html2md::{Handle, RcDom, StructuredPrinter, TagHandler, TagHandlerFactory};
use url::Url;

use super::Cuts;
use super::model::Model;
use parse::ParseLimit;

mod address;
mod code;
mod css;
mod declared;
mod dom;
mod flow;
mod image;
pub(super) mod main;
mod parse;
mod pick;
mod prefilter;
mod preformatted;
mod react_streaming;
mod repeated_links;
mod rescue;
mod resized;
mod reveal;
mod table;
mod tokens;
mod unseen_text;
mod walk;

#[cfg(fuzzing)]
pub use self::css::hides;
#[cfg(feature = "internals")]
pub use self::declared::MetaKind;
pub use self::declared::{MetaElement, read_declared};
pub use self::pick::find_by_class;
pub(super) use self::prefilter::{PageSyntax, tag};

/// By when the three steps of reading are to be done, each leaving time for those after it.
#[derive(Clone, Copy, Default)]
pub(super) struct StageDeadlines {
    pub(super) filter: Option<Instant>,
    pub(super) parse: Option<Instant>,
    pub(super) walk: Option<Instant>,
}

/// What was read of a page.
#[derive(Default)]
pub(super) struct ConvertedPage {
    pub(super) model: Model,
    pub(super) cuts: Cuts,
    /// What is to be said of a page that shows nothing.
    pub(super) remark: Option<Model>,
    /// Whether the remark stands beside a text of the page's own.
    pub(super) beside_text: bool,
}

/// Reads a page that was found at `base`, as far as there is memory and time for it.
pub(super) fn read(
    page: &str,
    base: &Url,
    syntax: PageSyntax,
    ends: StageDeadlines,
) -> ConvertedPage {
    let assembled = react_streaming::assemble(page);
    let source = HtmlSource {
        page: &assembled,
        base,
        syntax,
        ends,
    };
    let tree = source.parse(false);
    let (model, cuts) = source.walk(&tree);
    if cuts != Cuts::default() || model.letters(rescue::LITTLE) == rescue::LITTLE {
        return ConvertedPage {
            model,
            cuts,
            remark: None,
            beside_text: false,
        };
    }
    rescue::rescue(&source, tree, model)
}

/// Reads the main content of a page that was found at `base`, and whether it is sure that this is
/// all of it and nothing else; `None` if there is none to speak of.
pub(super) fn read_main(
    page: &str,
    base: &Url,
    syntax: PageSyntax,
    ends: StageDeadlines,
) -> Option<(ConvertedPage, bool)> {
    main::read(&HtmlSource {
        page: &react_streaming::assemble(page),
        base,
        syntax,
        ends,
    })
}

/// Looks at how the main content of a page is found.
#[cfg(feature = "internals")]
pub(super) fn study(page: &str, base: &Url, syntax: PageSyntax) -> main::study::ContentStudy {
    main::study::study(&HtmlSource {
        page: &react_streaming::assemble(page),
        base,
        syntax,
        ends: StageDeadlines::default(),
    })
}

/// A page, and how it is to be read.
struct HtmlSource<'a> {
    page: &'a str,
    base: &'a Url,
    syntax: PageSyntax,
    ends: StageDeadlines,
}

/// A page's tree.
struct PageTree {
    tree: RcDom,
    cuts: Cuts,
}

impl HtmlSource<'_> {
    /// Builds the page's tree, in which nothing is hidden that the page offers to show;
    /// `scriptless` as a browser would that runs no scripts.
    fn parse(&self, scriptless: bool) -> PageTree {
        let (filtered, late) =
            prefilter::filter(self.page, self.syntax, scriptless, self.ends.filter);
        let mut tree = self.parse_filtered(&filtered);
        tree.cuts.time |= late;
        tree
    }

    /// Builds the tree of a page as the filter leaves one.
    fn parse_filtered(&self, filtered: &str) -> PageTree {
        let (tree, mut veil, short) = parse::parse(filtered, self.ends.parse);
        veil.show_disclosed(&tree.document);
        let mut cuts = Cuts::default();
        cuts.memory |= short == Some(ParseLimit::Memory);
        cuts.time |= short == Some(ParseLimit::Time);
        PageTree { tree, cuts }
    }

    fn walk(&self, tree: &PageTree) -> (Model, Cuts) {
        let read = Rc::new(RefCell::new((Model::default(), Cuts::default())));
        let root = RootHandler {
            base: self.base.clone(),
            length: self.page.len(),
            end: self.ends.walk,
            read: Rc::clone(&read),
        };
        let mut handlers: HashMap<String, Box<dyn TagHandlerFactory>> = HashMap::new();
        handlers.insert("html".to_owned(), Box::new(move || root.clone()));
        let mut printer = StructuredPrinter::default();
        html2md::walk(&tree.tree.document, &mut printer, &handlers);
        let (model, cuts) = read.take();
        (model, cuts.and(tree.cuts))
    }
}

/// Takes the page over from `html2md` at its root element.
#[derive(Clone)]
struct RootHandler {
    base: Url,
    length: usize,
    end: Option<Instant>,
    read: Rc<RefCell<(Model, Cuts)>>,
}

impl TagHandler for RootHandler {
    fn handle(&mut self, tag: &Handle, _printer: &mut StructuredPrinter) {
        *self.read.borrow_mut() = walk::walk(tag, &self.base, self.length, self.end);
    }

    fn after_handle(&mut self, _printer: &mut StructuredPrinter) {}

    fn skip_descendants(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
