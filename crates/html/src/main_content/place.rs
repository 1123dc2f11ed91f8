//! Adds blocks that belong to the chosen ones by where they stand: the text of buttons in a text,
//! the lines below a heading, captions, the sources of quotations and values beside their labels.

use std::collections::HashMap;

use super::blocks::{
    CONTACT, CONTROL, FIELD, LOCAL, NONE, OPENER, PageElement, TextBlock, UNSEEN, WAY,
};
use super::keep::{DATA, INSIDE, chosen_words, has_more_than_links, is_in_any, is_linked};
use super::page::MeasuredPage;
use super::tags;
use super::words::{APART, ASIDE, AUTHOR, MARGINAL, NAME, POST};

/// Minimum number of words of a line below a heading.
const MIN_LEDE_WORDS: u32 = 8;

/// Minimum number of words of a text that is no line of names and dates.
pub(super) const MIN_PROSE_WORDS: u32 = 20;

/// Minimum probability of a line below a heading.
const MIN_LEDE_CHANCE: f64 = 0.05;

/// Maximum number of blocks from the main heading to its lede.
const MAX_LEDE_DISTANCE: usize = 3;

/// Minimum probability of such a line in a part whose name says that it is apart.
const MIN_TEASER_CHANCE: f64 = 0.2;

/// Minimum probability of a link beside its label.
const MIN_VALUE_CHANCE: f64 = 0.24;

/// Minimum probability of a link in one block with its label.
const MIN_OWN_VALUE_CHANCE: f64 = 0.2;

/// Minimum probability of a quotation amid chosen blocks.
const MIN_QUOTATION_CHANCE: f64 = 0.3;

/// Minimum probability of text between two chosen blocks.
const MIN_BETWEEN_CHANCE: f64 = 0.4;

/// Minimum number of chosen words of a post.
const MIN_POST_WORDS: f64 = 3.0;

/// Maximum number of elements from the name of who wrote a post up to the one that is named so.
const MAX_NAME_DEPTH: usize = 3;

/// Maximum share of the chosen words in a post of a thread.
const MAX_POST_SHARE: f64 = 0.9;

/// Maximum number of words of a label.
const MAX_LABEL_WORDS: u32 = 4;

/// Maximum number of blocks of a label with its values.
const MAX_ROW_BLOCKS: f64 = 4.0;

pub(super) fn keep_by_place(
    page: &MeasuredPage,
    parts: &[u16],
    chances: &[f64],
    chosen: &mut [bool],
) {
    keep_kicker(page, parts, chosen);
    keep_ledes(page, parts, chances, chosen);
    keep_beside(page, parts, chances, chosen);
    keep_buttons(page, parts, chosen);
    keep_names(page, parts, chosen);
}

/// Adds the name of who wrote each chosen post of a thread: of the lines that are named so, the
/// first one that is marked as the author's, else the first.
fn keep_names(page: &MeasuredPage, parts: &[u16], chosen: &mut [bool]) {
    let elements = &page.cut.elements;
    let words = chosen_words(page, chosen);
    let mut names: HashMap<u32, (bool, usize)> = HashMap::new();
    for (number, block) in page.cut.blocks.iter().enumerate() {
        let is_heading = elements[block.element as usize].heading > 0;
        let most = if is_heading {
            MIN_LEDE_WORDS
        } else {
            MAX_LABEL_WORDS
        };
        if block.flags & (UNSEEN | CONTROL) != 0
            || block.text.words > most
            || block.text.digits + 1 >= block.text.chars
            || parts[block.element as usize] & INSIDE == 0
        {
            continue;
        }
        let posts = MIN_POST_WORDS..MAX_POST_SHARE * words[0];
        let post = holder(page, block.element, |number, _| {
            let number = number as usize;
            page.alike[number].count > 1.0 && posts.contains(&words[number])
        });
        let Some(post) = post else { continue };
        let is_named = |_, element: &PageElement| element.called.parts & POST != 0;
        let is_post = holder(page, block.element, is_named).is_some_and(|named| named >= post);
        if !is_post {
            continue;
        }
        let (mut called, mut around) = (0, block.element);
        for _ in 0..MAX_NAME_DEPTH {
            if called & NAME == 0 && around != NONE && around > post {
                let element = &elements[around as usize];
                called |= element.called.parts;
                around = element.parent;
            }
        }
        if called & NAME != 0 {
            let is_author = called & AUTHOR != 0;
            let name = names.entry(post).or_insert((is_author, number));
            if is_author && !name.0 {
                *name = (true, number);
            }
        }
    }
    for (_, number) in names.into_values() {
        chosen[number] = true;
    }
}

/// Adds the line above the first heading that stays, where an element holds nothing but the two, as
/// the package above the name of a class.
fn keep_kicker(page: &MeasuredPage, parts: &[u16], chosen: &mut [bool]) {
    let (blocks, elements) = (&page.cut.blocks, &page.cut.elements);
    let is_seen = |number: &usize| blocks[*number].flags & (UNSEEN | CONTROL) == 0;
    let mut seen = (0..blocks.len()).filter(is_seen);
    let mut above = None;
    let heading = seen.find(|number| {
        let is_heading = chosen[*number] && elements[blocks[*number].element as usize].heading > 0;
        above = if is_heading { above } else { Some(*number) };
        is_heading
    });
    if let (Some(heading), Some(above)) = (heading, above) {
        let both = holder(page, blocks[above].element, |number, _| {
            page.is_in(number, blocks[heading].element)
        });
        let part = parts[blocks[above].element as usize];
        chosen[above] |= both.is_some_and(|both| page.sums[both as usize].blocks < 2.5)
            && part & (INSIDE | APART | ASIDE) == INSIDE
            && blocks[above].flags & (LOCAL | WAY) == 0;
    }
}

/// Adds the line below each chosen heading: in its header or, below the main heading, near it or
/// in the nearest element that holds more text after the heading.
fn keep_ledes(page: &MeasuredPage, parts: &[u16], chances: &[f64], chosen: &mut [bool]) {
    let (blocks, elements) = (&page.cut.blocks, &page.cut.elements);
    for number in 0..blocks.len() {
        let heading = &blocks[number];
        let is_heading = elements[heading.element as usize].heading > 0;
        if !chosen[number] || !is_heading || heading.flags & UNSEEN != 0 {
            continue;
        }
        let is_main = Some(number) == page.heading;
        let header = holder(page, heading.element, |_, element| {
            element.called.categories >> tags::HEADER & 1 == 1
        });
        let mut next = (number + 1..blocks.len())
            .filter(|next| blocks[*next].flags & UNSEEN == 0)
            .peekable();
        let group = next.peek().filter(|_| is_main).and_then(|next| {
            holder(page, heading.element, |number, _| {
                page.is_in(number, blocks[*next].element)
            })
        });
        let next = next.take(if is_main { MAX_LEDE_DISTANCE } else { 1 });
        let mut next = next.take_while(|next| !chosen[*next]).enumerate();
        let lede = next.find(|(distance, next)| {
            let block = &blocks[*next];
            let is_in =
                |group: Option<u32>| group.is_some_and(|group| page.is_in(group, block.element));
            let is_in_header = is_in(header);
            let is_beside =
                is_main && (is_in_header || (is_in(group) && block.text.words >= MIN_LEDE_WORDS));
            let part = parts[block.element as usize];
            let is_inside = part & ASIDE == 0 && (part & INSIDE != 0 || is_beside);
            let least = if part & APART == 0 || (is_beside && block.text.ends_sentence) {
                MIN_LEDE_CHANCE
            } else {
                MIN_TEASER_CHANCE
            };
            let is_prose = block.text.digits == 0
                || block.text.ends_sentence
                || block.text.words >= MIN_PROSE_WORDS;
            let is_lede = if elements[block.element as usize].heading > 0 {
                is_main && *distance == 0
            } else if is_main {
                is_prose && block.text.words >= MIN_LEDE_WORDS
            } else {
                is_prose && is_in_header
            };
            is_lede
                && is_inside
                && chances[*next] >= least
                && block.flags & CONTROL == 0
                && !is_linked(block)
                && !is_in_any(page, block, &tags::STRUCTURES)
        });
        if let Some((_, lede)) = lede {
            chosen[lede] = true;
        }
    }
}

/// Adds captions amid the content, the sources of quotations, values beside their labels, and
/// single blocks between chosen ones.
fn keep_beside(page: &MeasuredPage, parts: &[u16], chances: &[f64], chosen: &mut [bool]) {
    let blocks = &page.cut.blocks;
    let words = chosen_words(page, chosen);
    let first = chosen.iter().position(|chosen| *chosen).unwrap_or(0);
    let last = chosen.iter().rposition(|chosen| *chosen).unwrap_or(0);
    let is_seen = |block: &TextBlock| block.flags & (UNSEEN | CONTROL) == 0;
    let seen: Vec<usize> = (0..blocks.len())
        .filter(|number| is_seen(&blocks[*number]))
        .collect();
    for (place, number) in seen.iter().copied().enumerate() {
        let (block, chance) = (&blocks[number], chances[number]);
        let part = parts[block.element as usize];
        if chosen[number] || part & INSIDE == 0 {
            continue;
        }
        let before = place
            .checked_sub(1)
            .map(|before| seen[before])
            .filter(|before| chosen[*before]);
        let is_between = before.is_some() && seen.get(place + 1).is_some_and(|next| chosen[*next]);
        let is_part = |category: usize| {
            move |_, element: &PageElement| element.called.categories >> category & 1 == 1
        };
        let is_amid = part & APART == 0 && (first..last).contains(&number);
        let is_caption = is_amid
            && (!is_linked(block) || chance >= MIN_OWN_VALUE_CHANCE)
            && holder(page, block.element, |_, element| {
                element.called.block_kind == tags::CAPTION
            })
            .is_some();
        let quotation = holder(page, block.element, is_part(tags::QUOTATION));
        let is_of_quotation = quotation.is_some_and(|quotation| {
            words[quotation as usize] > 0.0 || (is_amid && chance >= MIN_QUOTATION_CHANCE)
        });
        let is_value = before.is_some_and(|label| is_label(page, &blocks[label], block));
        let is_own_value =
            before.is_some() && (has_more_than_links(block) || block.flags & CONTACT != 0);
        chosen[number] = is_caption
            || is_of_quotation
            || (part & (APART | ASIDE) == 0
                && ((is_linked(block)
                    && part & MARGINAL == 0
                    && ((is_value && chance >= MIN_VALUE_CHANCE)
                        || (is_own_value && chance >= MIN_OWN_VALUE_CHANCE)))
                    || (is_between && !is_linked(block) && chance >= MIN_BETWEEN_CHANCE)));
    }
}

/// True if `label` is a short text without a link, in a row of few blocks with `value`.
fn is_label(page: &MeasuredPage, label: &TextBlock, value: &TextBlock) -> bool {
    let elements = &page.cut.elements;
    let row = holder(page, value.element, |number, _| {
        page.is_in(number, label.element)
    });
    row.is_some_and(|row| {
        label.text.words <= MAX_LABEL_WORDS
            && label.linked == 0
            && elements[label.element as usize].heading == 0
            && page.sums[row as usize].blocks <= MAX_ROW_BLOCKS
    })
}

/// Adds the text of buttons: of those in a heading or a term and those that open another part,
/// with the text that follows; and of those in a data table, or amid a paragraph or an item.
fn keep_buttons(page: &MeasuredPage, parts: &[u16], chosen: &mut [bool]) {
    let elements = &page.cut.elements;
    // The element of the text that follows, if it is chosen.
    let mut next = None;
    for (number, block) in page.cut.blocks.iter().enumerate().rev() {
        if block.flags & UNSEEN != 0 {
            continue;
        }
        if chosen[number] || block.flags & (CONTROL | FIELD) != CONTROL {
            next = chosen[number].then_some(block.element);
            continue;
        }
        let part = parts[block.element as usize];
        if part & (INSIDE | ASIDE) != INSIDE || !is_button(page, block) {
            continue;
        }
        let text = holder(page, block.element, |_, element| {
            matches!(
                element.called.block_kind,
                tags::PARAGRAPH_KIND | tags::ITEM | tags::TERM
            )
        });
        let is_term =
            text.is_some_and(|text| elements[text as usize].called.block_kind == tags::TERM);
        let leads =
            elements[block.element as usize].heading > 0 || is_term || block.flags & OPENER != 0;
        let is_amid = next.is_some() && text == next;
        chosen[number] =
            (leads && next.is_some()) || (part & APART == 0 && (part & DATA != 0 || is_amid));
    }
}

/// True if a block is the text of a button.
pub(super) fn is_button(page: &MeasuredPage, block: &TextBlock) -> bool {
    let is_button = |_, element: &PageElement| element.called.block_kind == tags::BUTTON;
    holder(page, block.element, is_button).is_some()
}

/// Returns the nearest element around an element, or itself, that has a property.
pub(super) fn holder(
    page: &MeasuredPage,
    mut number: u32,
    has: impl Fn(u32, &PageElement) -> bool,
) -> Option<u32> {
    while let Some(element) = page.cut.elements.get(number as usize) {
        if has(number, element) {
            return Some(number);
        }
        number = element.parent;
    }
    None
}
