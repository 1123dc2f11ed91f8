//! HTML to Markdown: a page and its address in, its title and its Markdown out.
//!
//! The parser and its tree are `html2md`'s, which is taken over at its documented extension
//! point, a `TagHandler` for the root element: its own handlers and clean-up touch no
//! page. In front of the parser stands [`prefilter`], which keeps a hostile page from costing
//! more than its length; behind it [`render`] walks the tree once and writes front to back.
//!
//! | module | what it is |
//! |---|---|
//! | `prefilter` | the page as the parser gets it |
//! | `parse` | the tree, within bounds of memory and time |
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
use std::time::Instant;

use html2md::{Handle, StructuredPrinter, TagHandler, TagHandlerFactory};
use parse::Short;
use prefilter::Syntax;
use url::Url;

mod code;
mod css;
mod dom;
mod escape;
mod image;
mod inline;
mod link;
mod parse;
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
    /// The page's body as Markdown, without a newline at its end. It is never longer than twice the page and
    /// [`ALLOWANCE`]; what had to be left out is said at its end, in brackets.
    pub markdown: String,
}

/// How much longer than twice its page Markdown may be, in bytes: what absolute addresses add to a short page, and
/// what is said of a cut.
pub const ALLOWANCE: usize = 64 * 1024;

/// What of a page is not in its Markdown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is said by itself")]
struct Cuts {
    /// What did not fit into memory.
    memory: bool,
    /// What there was no time for.
    time: bool,
    /// What would have made the Markdown too long.
    length: bool,
    /// Addresses that would have made it too long.
    addresses: bool,
}

impl Cuts {
    /// Says what was left out.
    fn say(self, markdown: &mut String) {
        for (cut, notice) in [
            (
                self.addresses,
                "[Some links are left as the page has them, or without their address: with it this would be more than twice as long as the page.]",
            ),
            (
                self.length,
                "[Cut off: the rest would make this more than twice as long as the page.]",
            ),
            (
                self.memory,
                "[Cut off: the page has too many elements to be converted whole.]",
            ),
            (
                self.time,
                "[Cut off: there was no time to convert the page whole. Fetch it again.]",
            ),
        ] {
            if cut {
                if !markdown.is_empty() {
                    markdown.push_str("\n\n");
                }
                markdown.push_str(notice);
            }
        }
    }
}

/// Converts an HTML page that was found at `base`. Every page has a conversion; the time it takes is proportional to
/// the page's length, and so is the memory, up to 160 MiB.
#[must_use]
pub fn convert(page: &str, base: &Url) -> Document {
    convert_from(page, base, Syntax::Html, None)
}

/// Converts a page that was served as XHTML, so that `<div/>` is empty and CDATA is text;
/// otherwise like [`convert`]. Nothing is asked of its being well-formed.
#[must_use]
pub fn convert_xhtml(page: &str, base: &Url) -> Document {
    convert_from(page, base, Syntax::Xml, None)
}

/// Converts as much of a page as there is time for until `end`, by the clock; `xhtml` says whether it was served as
/// such. Otherwise like [`convert`].
#[must_use]
pub fn convert_until(page: &str, base: &Url, xhtml: bool, end: Instant) -> Document {
    let syntax = if xhtml { Syntax::Xml } else { Syntax::Html };
    convert_from(page, base, syntax, Some(end))
}

fn convert_from(page: &str, base: &Url, syntax: Syntax, end: Option<Instant>) -> Document {
    // Each step leaves time for those after it.
    let begin = Instant::now();
    let part =
        |eighths: u32| end.map(|end| begin + end.saturating_duration_since(begin) * eighths / 8);
    let (filtered, late) = prefilter::filter(page, syntax, part(2));
    let (tree, short) = parse::parse(&filtered, part(5));
    drop(filtered);
    let document = Rc::new(RefCell::new((Document::default(), Cuts::default())));
    let root = Root {
        base: base.clone(),
        length: page.len(),
        end,
        document: Rc::clone(&document),
    };
    let mut handlers: HashMap<String, Box<dyn TagHandlerFactory>> = HashMap::new();
    handlers.insert("html".to_owned(), Box::new(move || root.clone()));
    html2md::walk(&tree.document, &mut StructuredPrinter::default(), &handlers);
    let (mut document, mut cuts) = document.take();
    cuts.memory |= short == Some(Short::Memory);
    cuts.time |= late || short == Some(Short::Time);
    cuts.say(&mut document.markdown);
    document
}

/// Takes the page over from `html2md` at its root element.
#[derive(Clone)]
struct Root {
    base: Url,
    length: usize,
    end: Option<Instant>,
    document: Rc<RefCell<(Document, Cuts)>>,
}

impl TagHandler for Root {
    fn handle(&mut self, tag: &Handle, _printer: &mut StructuredPrinter) {
        *self.document.borrow_mut() = render::render(tag, &self.base, self.length, self.end);
    }

    fn after_handle(&mut self, _printer: &mut StructuredPrinter) {}

    fn skip_descendants(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_beside;
