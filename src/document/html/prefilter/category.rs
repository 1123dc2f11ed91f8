//! Categories of elements by their treatment in the parser, as far as its cost depends on it.
//!
//! Rules: HTML Living Standard, "The stack of open elements" and "The rules for parsing tokens
//! in HTML content".

use super::media;

/// The treatment of an element in the parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ElementCategory {
    /// Contains text that is not HTML and is left out.
    Raw,
    /// `title`: contains text alone.
    Title,
    /// `textarea`: contains text alone, and becomes a `span`.
    Area,
    /// `xmp`: contains text alone, and becomes a `pre`.
    Xmp,
    /// `plaintext`: the rest of the page, and becomes a `pre`.
    Plaintext,
    Template,
    /// `svg`, `math`: of another language; only their text is used.
    Foreign,
    /// `select` and its parts, which become spaces.
    Choice,
    /// Becomes a `div`.
    Form,
    /// Becomes a hidden `div`.
    Choices,
    /// Embedded content, which becomes a link. Its contents are for browsers that cannot show it.
    Media,
    /// Void, and unused by the conversion.
    Empty,
    /// A style without an equivalent in Markdown: used only to hide its contents, under another
    /// name.
    Styled,
    /// Void.
    Void,
    /// `hr`: void, and ends a paragraph.
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
    /// `object` and the like: an end tag within it closes nothing outside.
    Wall,
    Ruby,
    Plain,
}

/// Number of categories.
pub(super) const CATEGORIES: usize = ElementCategory::Plain as usize + 1;

/// Returns the category of the element with this lower-case name.
pub(super) fn category_of(name: &str) -> ElementCategory {
    match name {
        "script" | "style" | "noscript" | "noembed" | "noframes" => ElementCategory::Raw,
        "iframe" | "video" | "audio" | "embed" | "object" | "canvas" => ElementCategory::Media,
        "title" => ElementCategory::Title,
        "textarea" => ElementCategory::Area,
        "xmp" => ElementCategory::Xmp,
        "plaintext" => ElementCategory::Plaintext,
        "template" => ElementCategory::Template,
        "svg" | "math" => ElementCategory::Foreign,
        "select" | "option" | "optgroup" | "selectedcontent" => ElementCategory::Choice,
        "form" => ElementCategory::Form,
        "datalist" => ElementCategory::Choices,
        "link" | "meta" | "param" | "source" | "track" | "area" | "col" | "colgroup" | "wbr"
        | "keygen" | "basefont" | "bgsound" | "frame" | "frameset" => ElementCategory::Empty,
        "nobr" | "font" | "big" | "small" | "u" | media::ELEMENT => ElementCategory::Styled,
        "br" | "img" | "image" | "input" | "base" => ElementCategory::Void,
        "hr" => ElementCategory::Rule,
        "html" | "head" | "body" => ElementCategory::Root,
        "a" | "b" | "code" | "em" | "i" | "s" | "strike" | "strong" | "tt" => {
            ElementCategory::Formatting
        }
        "p" => ElementCategory::Paragraph,
        "address" | "article" | "aside" | "blockquote" | "center" | "details" | "dialog"
        | "dir" | "div" | "dl" | "fieldset" | "figcaption" | "figure" | "footer" | "header"
        | "hgroup" | "listing" | "main" | "menu" | "nav" | "ol" | "pre" | "search" | "section"
        | "summary" | "ul" => ElementCategory::Block,
        "li" => ElementCategory::Item,
        "dd" | "dt" => ElementCategory::Term,
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => ElementCategory::Heading,
        "table" => ElementCategory::Table,
        "tbody" | "thead" | "tfoot" => ElementCategory::Section,
        "caption" => ElementCategory::Caption,
        "tr" => ElementCategory::Row,
        "td" | "th" => ElementCategory::Cell,
        "button" => ElementCategory::Button,
        "applet" | "marquee" => ElementCategory::Wall,
        "rb" | "rt" | "rp" => ElementCategory::Ruby,
        _ => ElementCategory::Plain,
    }
}

impl ElementCategory {
    /// True if its contents end at its own end tag alone, except for `textarea`, which leaves a
    /// space.
    pub(super) fn ends_by_name(self) -> bool {
        matches!(
            self,
            ElementCategory::Raw
                | ElementCategory::Template
                | ElementCategory::Title
                | ElementCategory::Xmp
                | ElementCategory::Plaintext
        )
    }

    /// True if it may contain visible content, which its naming attributes describe.
    pub(super) fn holds_content(self) -> bool {
        !self.ends_by_name()
            && !matches!(
                self,
                ElementCategory::Area
                    | ElementCategory::Foreign
                    | ElementCategory::Media
                    | ElementCategory::Empty
                    | ElementCategory::Void
                    | ElementCategory::Rule
                    | ElementCategory::Choices
            )
    }

    /// True if its start tag ends an open paragraph.
    pub(super) fn ends_paragraph(self) -> bool {
        matches!(
            self,
            ElementCategory::Paragraph
                | ElementCategory::Block
                | ElementCategory::Form
                | ElementCategory::Choices
                | ElementCategory::Item
                | ElementCategory::Term
                | ElementCategory::Heading
                | ElementCategory::Rule
                | ElementCategory::Xmp
                | ElementCategory::Plaintext
        )
    }

    /// True if end tags within it close nothing outside.
    pub(super) fn is_wall(self) -> bool {
        matches!(
            self,
            ElementCategory::Table
                | ElementCategory::Cell
                | ElementCategory::Caption
                | ElementCategory::Wall
        )
    }

    /// True if the end tag of an ordinary element does not reach past it.
    pub(super) fn is_special(self) -> bool {
        !matches!(
            self,
            ElementCategory::Formatting | ElementCategory::Plain | ElementCategory::Ruby
        )
    }

    /// True if it contains only rows or cells, so that the parser moves other content elsewhere.
    pub(super) fn is_grid(self) -> bool {
        matches!(
            self,
            ElementCategory::Table | ElementCategory::Section | ElementCategory::Row
        )
    }
}
