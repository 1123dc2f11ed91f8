//! What the parser does with an element of each name, as far as its cost depends on it.
//!
//! Rules: HTML Living Standard, "The stack of open elements" and "The rules for parsing tokens
//! in HTML content".

use super::media;

/// How an element takes part in the building of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Category {
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
pub(super) const CATEGORIES: usize = Category::Plain as usize + 1;

/// The category of the element of that name, which is in lower case.
pub(super) fn category_of(name: &str) -> Category {
    match name {
        "script" | "style" | "noscript" | "noembed" | "noframes" => Category::Raw,
        "iframe" | "video" | "audio" | "embed" | "object" | "canvas" => Category::Media,
        "title" => Category::Title,
        "textarea" => Category::Area,
        "xmp" => Category::Xmp,
        "plaintext" => Category::Plaintext,
        "template" => Category::Template,
        "svg" | "math" => Category::Foreign,
        "select" | "option" | "optgroup" | "selectedcontent" => Category::Choice,
        "form" => Category::Form,
        "datalist" => Category::Choices,
        "link" | "meta" | "param" | "source" | "track" | "area" | "col" | "colgroup" | "wbr"
        | "keygen" | "basefont" | "bgsound" | "frame" | "frameset" => Category::Empty,
        "nobr" | "font" | "big" | "small" | "u" | media::ELEMENT => Category::Styled,
        "br" | "img" | "image" | "input" | "base" => Category::Void,
        "hr" => Category::Rule,
        "html" | "head" | "body" => Category::Root,
        "a" | "b" | "code" | "em" | "i" | "s" | "strike" | "strong" | "tt" => Category::Formatting,
        "p" => Category::Paragraph,
        "address" | "article" | "aside" | "blockquote" | "center" | "details" | "dialog"
        | "dir" | "div" | "dl" | "fieldset" | "figcaption" | "figure" | "footer" | "header"
        | "hgroup" | "listing" | "main" | "menu" | "nav" | "ol" | "pre" | "search" | "section"
        | "summary" | "ul" => Category::Block,
        "li" => Category::Item,
        "dd" | "dt" => Category::Term,
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => Category::Heading,
        "table" => Category::Table,
        "tbody" | "thead" | "tfoot" => Category::Section,
        "caption" => Category::Caption,
        "tr" => Category::Row,
        "td" | "th" => Category::Cell,
        "button" => Category::Button,
        "applet" | "marquee" => Category::Wall,
        "rb" | "rt" | "rp" => Category::Ruby,
        _ => Category::Plain,
    }
}

impl Category {
    /// Whether what it holds ends at its own end tag and at nothing else; `textarea`, of which a
    /// space stays, is not meant.
    pub(super) fn ends_by_name(self) -> bool {
        matches!(
            self,
            Category::Raw
                | Category::Template
                | Category::Title
                | Category::Xmp
                | Category::Plaintext
        )
    }

    /// Whether it may hold what a reader sees, so that what the page's author calls it says
    /// something of that.
    pub(super) fn holds_content(self) -> bool {
        !self.ends_by_name()
            && !matches!(
                self,
                Category::Area
                    | Category::Foreign
                    | Category::Media
                    | Category::Empty
                    | Category::Void
                    | Category::Rule
                    | Category::Choices
            )
    }

    /// Whether a start tag ends an open paragraph.
    pub(super) fn ends_paragraph(self) -> bool {
        matches!(
            self,
            Category::Paragraph
                | Category::Block
                | Category::Form
                | Category::Choices
                | Category::Item
                | Category::Term
                | Category::Heading
                | Category::Rule
                | Category::Xmp
                | Category::Plaintext
        )
    }

    /// Whether an end tag outside cannot reach in.
    pub(super) fn is_wall(self) -> bool {
        matches!(
            self,
            Category::Table | Category::Cell | Category::Caption | Category::Wall
        )
    }

    /// Whether the end tag of an ordinary element does not reach past it.
    pub(super) fn is_special(self) -> bool {
        !matches!(
            self,
            Category::Formatting | Category::Plain | Category::Ruby
        )
    }

    /// Whether it holds rows or cells alone, so that other content is moved elsewhere.
    pub(super) fn is_grid(self) -> bool {
        matches!(self, Category::Table | Category::Section | Category::Row)
    }
}
