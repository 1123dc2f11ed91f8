//! HTML to Markdown: a page and its address in, its title and its Markdown out.
//!
//! The parser and its tree are `html2md`'s, which is taken over at its documented extension
//! point, a `TagHandler` for the root element: its own handlers, walk and clean-up touch no
//! page. In front of the parser stands [`prefilter`], which keeps a hostile page from costing
//! more than its length; behind it [`render`] walks the tree once and writes front to back.
//!
//! | module | what it is |
//! |---|---|
//! | `prefilter` | the page as the parser gets it |
//! | `css` | what a `style` attribute says |
//! | `dom` | what an element is, and whether anyone sees it |
//! | `render` | the walk |
//! | `sheet` | lines, prefixes and what stands between blocks |
//! | `inline` | text, whitespace, emphasis, links, code spans |
//! | `escape` | what Markdown would take for markup |
//! | `link`, `image`, `code`, `pre`, `table` | one kind of content each |

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use html2md::{Handle, StructuredPrinter, TagHandler, TagHandlerFactory};
use prefilter::Syntax;
use url::Url;

mod code;
mod css;
mod dom;
mod escape;
mod image;
mod inline;
mod link;
mod pre;
mod prefilter;
mod render;
mod sheet;
mod table;

/// A page as Markdown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// The page's `<title>`, its whitespace collapsed; empty if it has none.
    pub title: String,
    /// The page's body as Markdown, without a newline at its end. Its length is at most twice
    /// the page's, and what absolute links add to that.
    pub markdown: String,
}

/// Converts an HTML page that was found at `base`. Every page has a conversion; the time and
/// the memory it takes are proportional to its length.
#[must_use]
pub fn convert(page: &str, base: &Url) -> Document {
    convert_from(page, base, Syntax::Html)
}

/// Converts a page that was served as XHTML, so that `<div/>` is empty and CDATA is text;
/// otherwise like [`convert`]. Nothing is asked of its being well-formed.
#[must_use]
pub fn convert_xhtml(page: &str, base: &Url) -> Document {
    convert_from(page, base, Syntax::Xml)
}

fn convert_from(page: &str, base: &Url, syntax: Syntax) -> Document {
    let document = Rc::new(RefCell::new(Document::default()));
    let root = Root {
        base: base.clone(),
        length: page.len(),
        document: Rc::clone(&document),
    };
    let mut handlers: HashMap<String, Box<dyn TagHandlerFactory>> = HashMap::new();
    handlers.insert("html".to_owned(), Box::new(move || root.clone()));
    html2md::parse_html_custom(&prefilter::filter(page, syntax), &handlers);
    document.take()
}

/// Takes the page over from `html2md` at its root element.
#[derive(Clone)]
struct Root {
    base: Url,
    length: usize,
    document: Rc<RefCell<Document>>,
}

impl TagHandler for Root {
    fn handle(&mut self, tag: &Handle, _printer: &mut StructuredPrinter) {
        *self.document.borrow_mut() = render::render(tag, &self.base, self.length);
    }

    fn after_handle(&mut self, _printer: &mut StructuredPrinter) {}

    fn skip_descendants(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
