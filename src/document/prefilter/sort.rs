//! What the parser does with an element of each name, as far as its cost depends on it.
//!
//! Rules: HTML Living Standard, "The stack of open elements" and "The rules for parsing tokens
//! in HTML content".

/// How an element takes part in the building of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// Holds text that is no HTML and no part of the conversion.
    Raw,
    /// `title`: holds text alone.
    Title,
    /// `textarea`: holds text alone, and becomes a `span`.
    Area,
    /// `xmp`: holds text alone, and becomes a `pre`.
    Xmp,
    /// `plaintext`: the rest of the page, and becomes a `pre`.
    Plaintext,
    Template,
    /// `svg`, `math`: of another language; only their text counts.
    Foreign,
    /// `select` and its parts, which become spaces.
    Choice,
    /// Becomes a `div`.
    Form,
    /// Becomes a hidden `div`.
    Choices,
    /// Its tags mean nothing to the conversion.
    Empty,
    /// Has no content.
    Void,
    /// `hr`: has no content and ends a paragraph.
    Rule,
    /// `html`, `head`, `body`.
    Root,
    Formatting,
    Paragraph,
    /// Ends a paragraph.
    Block,
    Item,
    Term,
    Heading,
    Table,
    Section,
    Caption,
    Row,
    Cell,
    Button,
    /// `object` and the like: what is open outside cannot be closed inside.
    Wall,
    Ruby,
    Plain,
}

/// How many sorts there are.
pub(super) const SORTS: usize = Sort::Plain as usize + 1;

/// The sort of the element of that name, which is in lower case.
pub(super) fn sort_of(name: &str) -> Sort {
    match name {
        "script" | "style" | "noscript" | "iframe" | "noembed" => Sort::Raw,
        "title" => Sort::Title,
        "textarea" => Sort::Area,
        "xmp" => Sort::Xmp,
        "plaintext" => Sort::Plaintext,
        "template" => Sort::Template,
        "svg" | "math" => Sort::Foreign,
        "select" | "option" | "optgroup" | "selectedcontent" => Sort::Choice,
        "form" => Sort::Form,
        "datalist" => Sort::Choices,
        "link" | "meta" | "param" | "source" | "track" | "area" | "embed" | "col" | "colgroup"
        | "wbr" | "keygen" | "basefont" | "bgsound" | "frame" | "frameset" | "noframes"
        | "nobr" | "font" | "big" | "small" | "u" => Sort::Empty,
        "br" | "img" | "image" | "input" | "base" => Sort::Void,
        "hr" => Sort::Rule,
        "html" | "head" | "body" => Sort::Root,
        "a" | "b" | "code" | "em" | "i" | "s" | "strike" | "strong" | "tt" => Sort::Formatting,
        "p" => Sort::Paragraph,
        "address" | "article" | "aside" | "blockquote" | "center" | "details" | "dialog"
        | "dir" | "div" | "dl" | "fieldset" | "figcaption" | "figure" | "footer" | "header"
        | "hgroup" | "listing" | "main" | "menu" | "nav" | "ol" | "pre" | "search" | "section"
        | "summary" | "ul" => Sort::Block,
        "li" => Sort::Item,
        "dd" | "dt" => Sort::Term,
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => Sort::Heading,
        "table" => Sort::Table,
        "tbody" | "thead" | "tfoot" => Sort::Section,
        "caption" => Sort::Caption,
        "tr" => Sort::Row,
        "td" | "th" => Sort::Cell,
        "button" => Sort::Button,
        "applet" | "marquee" | "object" => Sort::Wall,
        "rb" | "rt" | "rp" => Sort::Ruby,
        _ => Sort::Plain,
    }
}

impl Sort {
    /// Whether a start tag ends an open paragraph.
    pub(super) fn ends_paragraph(self) -> bool {
        matches!(
            self,
            Sort::Paragraph
                | Sort::Block
                | Sort::Form
                | Sort::Choices
                | Sort::Item
                | Sort::Term
                | Sort::Heading
                | Sort::Rule
                | Sort::Xmp
                | Sort::Plaintext
        )
    }

    /// Whether an end tag outside cannot reach in.
    pub(super) fn is_wall(self) -> bool {
        matches!(self, Sort::Table | Sort::Cell | Sort::Caption | Sort::Wall)
    }

    /// Whether the end tag of an ordinary element does not reach past it.
    pub(super) fn is_special(self) -> bool {
        !matches!(self, Sort::Formatting | Sort::Plain | Sort::Ruby)
    }

    /// Whether it holds rows or cells alone, so that other content is moved elsewhere.
    pub(super) fn is_grid(self) -> bool {
        matches!(self, Sort::Table | Sort::Section | Sort::Row)
    }
}
