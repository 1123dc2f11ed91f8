//! Counts what the main content leaves out of its container and may belong to it: headings, items
//! of lists, paragraphs and fields with choices. The choice is not sure if the page has code, a
//! data table or the signature of a function elsewhere.

use super::blocks::{CONTROL, FIELD, LOCAL, NONE, PageElement, TextBlock, UNSEEN, WAY};
use super::keep::{
    DATA, INSIDE, MIN_LINKS_CHANCE, MIN_LIST_CHANCE, PageParts, chosen_words, doubtful_chances,
    has_more_than_links, is_in_any, is_in_post, is_linked,
};
use super::page::MeasuredPage;
use super::place::{holder, is_button};
use super::tags;
use super::words::{APART, ASIDE, AUTHOR, DOUBTFUL, MARGINAL, SIGNATURE};
use iki_markdown::document::OmittedBlocks;

/// Minimum probability of a heading or an item that is counted, in the container and elsewhere:
/// others are the site's.
const MIN_OMITTED_CHANCE: f64 = 0.05;
const MIN_STRAY_CHANCE: f64 = 0.1;

/// Minimum probability of text in a marginal part that is counted.
const MIN_OMITTED_TEXT_CHANCE: f64 = 0.2;

/// Minimum probability of counted links that are all there is below a heading that stays.
const MIN_ALONE_CHANCE: f64 = 0.04;

/// Blocks that were not chosen, of those that may be missing.
#[derive(Default)]
pub(super) struct RelatedBlocks {
    /// True for each block that is known to be no content by the name of its part.
    pub(super) marginal: Vec<bool>,
    /// True if the page has code, a data table or a signature elsewhere that may belong to the
    /// content.
    pub(super) lacks_data: bool,
    /// Headings, list items, paragraphs and fields that may belong to it.
    pub(super) omitted: OmittedBlocks,
}

/// Counts what is left out and may belong to the content.
pub(super) fn count_omitted(
    page: &MeasuredPage,
    chances: &[f64],
    parts: &PageParts,
    chosen: &[bool],
    marginal: Vec<bool>,
) -> RelatedBlocks {
    let cut = page.cut;
    let words = chosen_words(page, chosen);
    let mut related = RelatedBlocks {
        marginal,
        ..RelatedBlocks::default()
    };
    let mut last_item = NONE;
    // True where nothing has stayed since a heading that stays, other than the main one, below
    // which navigation may be.
    let mut is_below = false;
    for (number, block) in cut.blocks.iter().enumerate() {
        let part = parts.around[block.element as usize];
        let level = cut.elements[block.element as usize].heading;
        let is_heading = level > 0;
        // A heading of unlikely text in the container is the page's own all the same.
        let is_unlikely_heading =
            is_heading && related.marginal[number] && part & (INSIDE | MARGINAL) == INSIDE;
        if block.flags & (UNSEEN | CONTROL) == 0 && (chosen[number] || is_heading) {
            is_below = chosen[number] && level > 1;
        }
        if !chosen[number] && is_left_out(page, block, part, chances[number]) {
            match item_around(page, block.element) {
                Some(item) if item == last_item => {}
                Some(item) => {
                    related.omitted.items += 1;
                    last_item = item;
                }
                None if is_choice(page, block) => related.omitted.fields += 1,
                None => related.omitted.paragraphs += 1,
            }
            continue;
        }
        if chosen[number]
            || (related.marginal[number] && !is_unlikely_heading)
            || block.flags & (UNSEEN | CONTROL) != 0
            || (part & (APART | ASIDE) != 0 && !is_author(page, block, part))
            || (part & DOUBTFUL == 0 && is_in_any(page, block, &tags::SITE_PARTS))
        {
            continue;
        }
        if parts.has_signatures && part & INSIDE == 0 && is_in_signature(page, block) {
            related.lacks_data = true;
        }
        let item = item_around(page, block.element);
        // A link among items of the content is one of them, and any other is a way elsewhere.
        let words_of_list = item.and_then(|item| {
            let list = cut.elements[item as usize].parent;
            words.get(list as usize)
        });
        let is_of_list = words_of_list.is_some_and(|words| *words > 0.0);
        let is_inside = part & INSIDE != 0;
        let is_alone = is_below && is_inside && part & MARGINAL == 0 && is_linked(block);
        if is_alone && block.flags & (LOCAL | WAY) == 0 && chances[number] >= MIN_ALONE_CHANCE {
            match item {
                Some(item) if item == last_item => {}
                Some(item) => {
                    related.omitted.items += 1;
                    last_item = item;
                }
                None => related.omitted.paragraphs += 1,
            }
            continue;
        }
        let may_be_content = is_inside
            && (part & MARGINAL == 0 || chances[number] >= MIN_OMITTED_TEXT_CHANCE)
            && (parts.has_signatures || is_of_list || chances[number] >= MIN_LIST_CHANCE);
        if is_inside
            && item.is_none()
            && !is_heading
            && part & DATA == 0
            && is_paragraph_of_links(page, block, chances[number])
        {
            related.omitted.paragraphs += 1;
            continue;
        }
        // A heading may lead back to the table of contents.
        let leads_back = is_heading && block.flags & LOCAL != 0;
        if is_linked(block) && !may_be_content && !leads_back {
            continue;
        }
        let least = match (is_inside, is_heading) {
            (true, _) if part & DOUBTFUL != 0 => doubtful_chances(block).1,
            (true, false) => 0.0,
            (true, true) if is_unlikely_heading || parts.has_signatures => 0.0,
            (true, true) => MIN_OMITTED_CHANCE,
            (false, _) => MIN_STRAY_CHANCE,
        };
        if part & DATA != 0 {
            related.lacks_data = true;
        } else if chances[number] >= least && is_heading {
            related.omitted.headings += 1;
        } else if chances[number] >= least
            && let Some(item) = item.filter(|item| *item != last_item)
        {
            related.omitted.items += 1;
            last_item = item;
        }
    }
    related
}

/// True if a block of the container, other than a heading or a link, may be missing: text, the
/// choices of a form's field, or an item that is a button.
fn is_left_out(page: &MeasuredPage, block: &TextBlock, part: u16, chance: f64) -> bool {
    let is_inside = part & (INSIDE | APART | ASIDE | DATA) == INSIDE;
    let is_heading = page.cut.elements[block.element as usize].heading > 0;
    is_inside
        && !is_heading
        && !is_linked(block)
        && block.flags & UNSEEN == 0
        && if block.flags & CONTROL != 0 {
            chance >= MIN_OMITTED_CHANCE
                && (is_choice(page, block) || item_around(page, block.element).is_some())
        } else if part & DOUBTFUL != 0 {
            chance >= doubtful_chances(block).1
        } else if is_in_any(page, block, &tags::STRUCTURES) {
            part & MARGINAL != 0 && chance >= MIN_OMITTED_CHANCE
        } else if part & MARGINAL == 0 {
            chance >= MIN_OMITTED_CHANCE
        } else {
            chance >= MIN_OMITTED_TEXT_CHANCE
        }
}

/// True if a block is of a field with choices.
fn is_choice(page: &MeasuredPage, block: &TextBlock) -> bool {
    block.flags & (CONTROL | FIELD) == CONTROL && !is_button(page, block)
}

/// Returns the index of the list item around an element.
fn item_around(page: &MeasuredPage, number: u32) -> Option<u32> {
    holder(page, number, |_, element| {
        element.called.block_kind == tags::ITEM
    })
}

/// True if a block is of the signature of a function or a class.
fn is_in_signature(page: &MeasuredPage, block: &TextBlock) -> bool {
    let signature = holder(page, block.element, |_, element| {
        element.called.parts & SIGNATURE != 0
    });
    signature.is_some_and(|number| !is_in_post(page, number as usize))
}

/// True if a block of an author is a heading of the page's title.
fn is_author(page: &MeasuredPage, block: &TextBlock, part: u16) -> bool {
    let elements = &page.cut.elements;
    let mut next = elements.get(block.element as usize);
    while let Some(element) = next.filter(|element| element.heading > 0) {
        if element.called.parts & AUTHOR != 0 {
            return part & (INSIDE | ASIDE) == INSIDE;
        }
        next = elements.get(element.parent as usize);
    }
    false
}

/// True if a block is a paragraph of links that may belong to the content: one that leads to
/// another page, or a line that has more than links.
fn is_paragraph_of_links(page: &MeasuredPage, block: &TextBlock, chance: f64) -> bool {
    if !is_linked(block) || block.flags & (LOCAL | WAY) != 0 {
        return false;
    }
    let is_paragraph = holder_around(page, block).is_some_and(|holder| {
        let kind = holder.called.block_kind;
        kind == tags::PARAGRAPH_KIND || tags::DESCRIPTIONS.contains(&kind)
    });
    has_more_than_links(block) || (is_paragraph && chance >= MIN_LINKS_CHANCE)
}

/// Returns the nearest element around a block that holds runs of text.
fn holder_around<'a>(page: &'a MeasuredPage, block: &TextBlock) -> Option<&'a PageElement> {
    let number = holder(page, block.element, |_, element| {
        tags::is_holder(element.called.block_kind)
    });
    page.cut.elements.get(number? as usize)
}
