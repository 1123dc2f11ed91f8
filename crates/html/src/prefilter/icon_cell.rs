//! Cells of a table that hold only an icon, as those of a table of what is supported: the name of
//! the icon is their text.
//!
//! Rules: HTML Living Standard, `title`; WAI-ARIA 1.2, `aria-label`; SVG 2, `title`.

use super::super::{dom, tag};
use super::{PageFilter, memchr};
use iki_base::wording::floor_boundary;
use iki_markdown::entities;

/// Maximum length of a cell with an icon, and of the icon's name, in bytes.
const MAX_CELL_BYTES: usize = 4096;
const MAX_NAME_BYTES: usize = 100;

/// Elements that an icon is made of or that stand around it, besides those with a hyphen.
const ICON_ELEMENTS: &str = "a abbr b div em i p small span strong sup";

/// An icon that is all its cell shows.
struct CellIcon<'a> {
    name: &'a str,
    /// Byte offsets of the start tag and of the end tag of the link around it.
    link: Option<(usize, usize)>,
    /// Byte offset of the end of the cell's contents.
    end: usize,
}

impl PageFilter<'_> {
    /// Emits the name of the icon in the cell at `offset`, if that is all it holds; returns the
    /// offset after the icon.
    pub(super) fn name_icon(&mut self, offset: usize) -> Option<usize> {
        let icon = CellIcon::read(self.page, offset)?;
        let Some((start, close)) = icon.link else {
            return Some(self.emit_words(icon.name, icon.end));
        };
        let end = self.start_tag(start);
        Some(self.emit_words(icon.name, end.max(close)))
    }
}

impl<'a> CellIcon<'a> {
    /// Reads the icon in the cell at `offset`; `None` if the cell shows text or a control as well,
    /// or an icon without a name.
    fn read(page: &'a str, offset: usize) -> Option<Self> {
        let cell = tag::read(page, offset + 1)?;
        let page = &page[..floor_boundary(page, cell.end + MAX_CELL_BYTES)];
        let mut name = None;
        let mut link = None;
        let mut at = cell.end;
        loop {
            let open = at + memchr(b'<', page.as_bytes().get(at..)?)?;
            let is_blank = |c: char| c.is_whitespace() || matches!(c, '\u{e000}'..='\u{f8ff}');
            if !entities::decoded_in_text(&page[at..open])
                .chars()
                .all(is_blank)
            {
                return None;
            }
            let is = |name: &str| tag::is_named(page, open + 1, name);
            let closes = |name: &str| tag::is_named(page, open + 2, name);
            if is("td") || is("th") || is("tr") || page[open..].starts_with("</t") {
                // A cell without an icon may be called after its column.
                let of_cell = cell
                    .get("title")
                    .map(str::trim)
                    .filter(|name| !name.is_empty());
                let of_icon = || (at > cell.end).then(|| name_of(&cell))?;
                return Some(Self {
                    name: name.or(of_cell).or_else(of_icon)?,
                    link,
                    end: open,
                });
            }
            if page[open..].starts_with("<!--") {
                at = tag::comment_end(page, open + 4);
                continue;
            }
            if page[open..].starts_with("</") {
                link = link.map(|(start, end)| (start, if closes("a") { open } else { end }));
                at = tag::past(page, open, b'>');
                continue;
            }
            let element = tag::read(page, open + 1)?;
            let hides = |name: &str| {
                element
                    .get(name)
                    .is_some_and(|value| dom::hides(name, value))
            };
            if hides("hidden") || hides("style") {
                return None;
            }
            name = name.or_else(|| name_of(&element));
            at = element.end;
            if is("svg") && !element.closed {
                let (end, behind) = tag::raw_end(page, at, "svg");
                let inner = &page[at..end];
                if inner.contains("<text") {
                    return None;
                }
                name = name.or_else(|| title_of(inner));
                at = behind;
            } else if is("a") {
                link = Some((open, element.end));
            } else if !dom::lists_any_case(ICON_ELEMENTS, element.name)
                && !element.name.contains('-')
            {
                return None;
            }
        }
    }
}

/// Returns the name that an element has of an icon.
fn name_of<'a>(element: &tag::HtmlTag<'a>) -> Option<&'a str> {
    let names = ["aria-label", "title", "label"].map(|name| element.get(name));
    let mut names = names.into_iter().flatten().map(str::trim);
    names.find(|name| (1..=MAX_NAME_BYTES).contains(&name.len()))
}

/// Returns the title of a drawing.
fn title_of(drawing: &str) -> Option<&str> {
    let (_, title) = drawing.split_once("<title")?;
    let (title, _) = title.split_once('>')?.1.split_once("</title")?;
    Some(title.trim()).filter(|title| (1..=MAX_NAME_BYTES).contains(&title.len()))
}
