//! What the parser does with an element of each name, as far as its cost depends on it.
//!
//! Rules: HTML Living Standard, "The stack of open elements" and "The rules for parsing tokens
//! in HTML content".

use super::media;

/// How an element takes part in the building of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ElementCategory {
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
    /// Shows something from elsewhere: becomes a link to it. What it holds is for those who cannot
    /// show that.
    Media,
    /// Has no content, and means nothing to the conversion.
    Empty,
    /// Styles that Markdown has not: counts only where it hides what it holds, under another name.
    Styled,
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

/// How many categories there are.
pub(super) const CATEGORIES: usize = ElementCategory::Plain as usize + 1;

/// The category of the element of that name, which is in lower case.
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
    /// Whether what it holds ends at its own end tag and at nothing else; `textarea`, of which a
    /// space stays, is not meant.
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

    /// Whether it may hold what a reader sees, so that what the page's author calls it says
    /// something of that.
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

    /// Whether a start tag ends an open paragraph.
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

    /// Whether an end tag outside cannot reach in.
    pub(super) fn is_wall(self) -> bool {
        matches!(
            self,
            ElementCategory::Table
                | ElementCategory::Cell
                | ElementCategory::Caption
                | ElementCategory::Wall
        )
    }

    /// Whether the end tag of an ordinary element does not reach past it.
    pub(super) fn is_special(self) -> bool {
        !matches!(
            self,
            ElementCategory::Formatting | ElementCategory::Plain | ElementCategory::Ruby
        )
    }

    /// Whether it holds rows or cells alone, so that other content is moved elsewhere.
    pub(super) fn is_grid(self) -> bool {
        matches!(
            self,
            ElementCategory::Table | ElementCategory::Section | ElementCategory::Row
        )
    }
}
