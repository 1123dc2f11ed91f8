//! Categories of elements by their treatment in the parser, as far as its cost depends on it.
//!
//! Rules: HTML Living Standard, "The stack of open elements" and "The rules for parsing tokens
//! in HTML content".

use super::super::dom;

/// The treatment of an element in the parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TagCategory {
    /// Contains text that is not HTML and is left out.
    Raw,
    /// `title`: contains only text.
    Title,
    /// `textarea`: contains only text, and becomes a `span`.
    Area,
    /// `xmp`, `plaintext`: contains only text, and becomes a `pre`.
    Xmp,
    Template,
    /// `svg`, `math`: of another language; only their text is used.
    Foreign,
    /// `select` and its parts, which become spaces.
    Choice,
    /// Becomes a `div`, a hidden one if it is a `datalist`.
    Form,
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
pub(super) const CATEGORY_COUNT: usize = TagCategory::Plain as usize + 1;

/// Returns the category of the element with this lower-case name.
pub(super) fn category_of(name: &str) -> TagCategory {
    match name {
        "script" | "style" | "noscript" | "noembed" | "noframes" => TagCategory::Raw,
        "iframe" | "video" | "audio" | "embed" | "object" | "canvas" => TagCategory::Media,
        "title" => TagCategory::Title,
        "textarea" => TagCategory::Area,
        "xmp" | "plaintext" => TagCategory::Xmp,
        "template" => TagCategory::Template,
        "svg" | "math" => TagCategory::Foreign,
        "select" | "option" | "optgroup" | "selectedcontent" => TagCategory::Choice,
        "form" | "datalist" => TagCategory::Form,
        "link" | "meta" | "param" | "source" | "track" | "area" | "col" | "colgroup" | "wbr"
        | "keygen" | "basefont" | "bgsound" | "frame" | "frameset" => TagCategory::Empty,
        "nobr" | "font" | "big" | "small" | "u" | dom::MEDIA_ELEMENT => TagCategory::Styled,
        "br" | "img" | "image" | "input" | "base" => TagCategory::Void,
        "hr" => TagCategory::Rule,
        "html" | "head" | "body" => TagCategory::Root,
        "a" | "b" | "code" | "em" | "i" | "s" | "strike" | "strong" | "tt" => {
            TagCategory::Formatting
        }
        "p" => TagCategory::Paragraph,
        "address" | "article" | "aside" | "blockquote" | "center" | "details" | "dialog"
        | "dir" | "div" | "dl" | "fieldset" | "figcaption" | "figure" | "footer" | "header"
        | "hgroup" | "listing" | "main" | "menu" | "nav" | "ol" | "pre" | "search" | "section"
        | "summary" | "ul" => TagCategory::Block,
        "li" => TagCategory::Item,
        "dd" | "dt" => TagCategory::Term,
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => TagCategory::Heading,
        "table" => TagCategory::Table,
        "tbody" | "thead" | "tfoot" => TagCategory::Section,
        "caption" => TagCategory::Caption,
        "tr" => TagCategory::Row,
        "td" | "th" => TagCategory::Cell,
        "button" => TagCategory::Button,
        "applet" | "marquee" => TagCategory::Wall,
        "rb" | "rt" | "rp" => TagCategory::Ruby,
        _ => TagCategory::Plain,
    }
}

impl TagCategory {
    /// True if its contents end only at its own end tag, except for `textarea`, which leaves a
    /// space.
    pub(super) fn ends_by_name(self) -> bool {
        matches!(self, Self::Raw | Self::Template | Self::Title | Self::Xmp)
    }

    /// True if it may contain visible content, which its naming attributes describe.
    pub(super) fn holds_content(self) -> bool {
        !self.ends_by_name()
            && !matches!(
                self,
                Self::Area | Self::Foreign | Self::Media | Self::Empty | Self::Void | Self::Rule
            )
    }

    /// True if its start tag ends an open paragraph.
    pub(super) fn ends_paragraph(self) -> bool {
        matches!(
            self,
            Self::Paragraph
                | Self::Block
                | Self::Form
                | Self::Item
                | Self::Term
                | Self::Heading
                | Self::Rule
                | Self::Xmp
        )
    }

    /// True for a part of a table.
    pub(super) fn is_table_part(self) -> bool {
        matches!(self, Self::Section | Self::Caption | Self::Row | Self::Cell)
    }

    /// True if end tags within it close nothing outside.
    pub(super) fn is_wall(self) -> bool {
        matches!(self, Self::Table | Self::Cell | Self::Caption | Self::Wall)
    }

    /// True if the end tag of an ordinary element does not reach past it.
    pub(super) fn is_special(self) -> bool {
        !matches!(self, Self::Formatting | Self::Plain | Self::Ruby)
    }

    /// True if it contains only rows or cells, so that the parser moves other content elsewhere.
    pub(super) fn is_grid(self) -> bool {
        matches!(self, Self::Table | Self::Section | Self::Row)
    }
}
