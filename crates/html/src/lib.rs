//! The reader of HTML: a page and its address in, a
//! [`DocumentModel`](crate::model::DocumentModel) out.
//!
//! The parser and its tree are `html2md`'s; its own conversion touches no page. The tokens of the
//! tree come from [`prefilter`], which keeps a hostile page from costing more than its length;
//! [`walk`] goes through the tree once, front to back.
//!
//! | module | contents |
//! |---|---|
//! | `react_streaming` | text that React streams late, moved to its slot |
//! | `main` | the page's main content |
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

use url::Url;

use crate::document::DocumentCuts;
use prefilter::WantedContent;

mod address;
mod code;
mod css;
mod declared;
mod dom;
mod elements_by_class;
mod fallback_content;
mod flow;
mod framed;
mod image;
mod listing;
pub(super) mod main;
mod math_prefix;
mod original_image;
mod page_data;
mod parse;
mod prefilter;
mod preformatted;
mod react_streaming;
mod repeated_links;
mod reveal;
mod source;
mod table;
pub(super) mod tag;
mod tokens;
mod tree;
mod unseen_text;
mod walk;

#[cfg(fuzzing)]
pub use self::css::hides;
pub use self::declared::MetaKind;
pub use self::declared::{MetaElement, read_declared};
pub use self::elements_by_class::find_by_class;
pub(super) use self::fallback_content::refresh_target;
use self::source::HtmlSource;
pub(super) use self::source::{ConvertedPage, PageSyntax, StageDeadlines};
use self::tree::PageTree;

/// Reads the page found at `base`, within its bounds of memory and time.
pub(super) fn read(
    page: &str,
    base: &Url,
    syntax: PageSyntax,
    ends: StageDeadlines,
) -> ConvertedPage {
    let page = math_prefix::remove_prefixes(page);
    let source = HtmlSource {
        page: &framed::inline_frames(&page),
        base,
        syntax,
        ends,
    };
    let tree = source.parse(WantedContent::Shown);
    let (model, cuts) = source.walk(&tree);
    if cuts != DocumentCuts::default()
        || model.count_letters(fallback_content::EMPTY_PAGE_LETTERS)
            == fallback_content::EMPTY_PAGE_LETTERS
    {
        return ConvertedPage {
            model,
            cuts,
            ..ConvertedPage::default()
        };
    }
    fallback_content::convert_with_fallback(&source, tree, model)
}

/// Reads the main content of the page found at `base`. The flag is true if the choice is surely
/// complete; `None` if there is no main content of a useful length.
pub(super) fn read_main(
    page: &str,
    base: &Url,
    syntax: PageSyntax,
    ends: StageDeadlines,
) -> Option<(ConvertedPage, bool)> {
    main::read(&HtmlSource {
        page: &framed::inline_frames(&math_prefix::remove_prefixes(page)),
        base,
        syntax,
        ends,
    })
}

#[cfg(test)]
mod tests;
