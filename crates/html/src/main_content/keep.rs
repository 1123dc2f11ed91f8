//! Adds blocks that belong to the chosen ones by their place: of the container around the chosen
//! ones everything stays but the parts that say that they are something else, controls and bare
//! links.

use super::blocks::{CODE, CONTROL, FIELD, FORM, LOCAL, NONE, PageElement, TextBlock, UNSEEN, WAY};
use super::omitted::{RelatedBlocks, count_omitted};
use super::page::{MAX_LEVELS, MeasuredPage, sum_up};
use super::place::{MIN_PROSE_WORDS, keep_by_place};
use super::tags;
use super::words::{APART, ASIDE, AUTHOR, DOUBTFUL, MARGINAL, NOTE, POST, READERS, SIGNATURE};

/// Minimum share of the chosen words in the container.
const MIN_CONTAINER_SHARE: f64 = 0.9;

/// Share of the chosen words from which on a part is content, whatever it calls itself.
const MIN_PART_SHARE: f64 = 0.1;

/// Maximum probability of a heading that is left out: in a marginal part, or of what is left out.
const MAX_DROPPED_HEADING_CHANCE: f64 = 0.2;

/// Minimum probability of the heading of a chosen text, and of the term of a description.
const MIN_HEADING_CHANCE: f64 = 0.05;

/// Minimum probability of text that stays for its place.
const MIN_TEXT_CHANCE: f64 = 0.02;

/// The same for a line after all that the model chooses, outside of the element that holds most of
/// that, on a page without code, whose footnotes the model does not know.
const MIN_LAST_TEXT_CHANCE: f64 = 0.1;

/// Minimum probability of a list, a table or a description in a marginal part.
const MIN_MARGINAL_CHANCE: f64 = 0.1;

/// Minimum probability of links, and of what a field is filled with, that stay for their place.
pub(super) const MIN_LINKS_CHANCE: f64 = 0.05;

/// Minimum probability of a list of links that stays, or is counted, although nothing around it
/// says that it is text.
pub(super) const MIN_LIST_CHANCE: f64 = 0.1;

/// Minimum probability of a paragraph of links that stays after the rest of the content.
const MIN_LAST_LINKS_CHANCE: f64 = 0.15;

/// Parts besides those that a name tells: one that stays whole, a term, one in the container, and
/// one in a data table or in preformatted text.
const WHOLE: u16 = 8;
const TERM: u16 = 16;
pub(super) const INSIDE: u16 = 32;
pub(super) const DATA: u16 = 64;

/// Comments.
const COMMENT: u16 = APART | ASIDE;

/// Adds the blocks that belong to the chosen ones; returns what may be missing.
pub(super) fn keep_related_blocks(
    page: &MeasuredPage,
    chances: &[f64],
    chosen: &mut [bool],
) -> RelatedBlocks {
    let words = chosen_words(page, chosen);
    let likely = chosen.to_vec();
    if words.first().is_none_or(|words| *words == 0.0) {
        return RelatedBlocks {
            marginal: vec![false; chosen.len()],
            ..RelatedBlocks::default()
        };
    }
    let parts = PageParts::locate(page, chances, &words);
    let marginal = keep_parts(page, &parts, chances, chosen);
    keep_headings(page, &parts.around, chances, &likely, chosen);
    keep_by_place(page, &parts.around, chances, chosen);
    count_omitted(page, chances, &parts, chosen, marginal)
}

/// Adds what stands in the container and is not known to be something else; returns which blocks
/// are left out for the name of their part.
fn keep_parts(
    page: &MeasuredPage,
    parts: &PageParts,
    chances: &[f64],
    chosen: &mut [bool],
) -> Vec<bool> {
    let cut = page.cut;
    let mut marginal = vec![false; chosen.len()];
    let first = chosen.iter().position(|chosen| *chosen).unwrap_or(0);
    let last = chosen.iter().rposition(|chosen| *chosen).unwrap_or(0);
    let mut follows = false;
    for (number, block) in cut.blocks.iter().enumerate() {
        let (part, chosen) = (parts.around[block.element as usize], &mut chosen[number]);
        if block.flags & (FIELD | UNSEEN) == FIELD
            && part & (INSIDE | ASIDE) == INSIDE
            && chances[number] >= MIN_LINKS_CHANCE
        {
            *chosen = true;
        }
        if block.flags & (UNSEEN | CONTROL) != 0 {
            continue;
        }
        let follows_content = std::mem::replace(&mut follows, *chosen);
        let is_doubted =
            part & (DOUBTFUL | WHOLE) == DOUBTFUL && chances[number] < doubtful_chances(block).0;
        if *chosen || part & APART != 0 || is_doubted {
            continue;
        }
        let is_heading = cut.elements[block.element as usize].heading > 0;
        let place = TextPlace {
            is_amid: (first..last).contains(&number),
            follows_content,
            has_signatures: parts.has_signatures,
        };
        let is_text = part & ASIDE == 0
            && (is_heading
                || !is_linked(block)
                || is_text_of_links(page, block, chances[number], place));
        let is_marginal = part & MARGINAL != 0
            && (chances[number] < MIN_MARGINAL_CHANCE
                || !is_in_any(page, block, &tags::STRUCTURES))
            && (!is_heading
                || (chances[number] < MAX_DROPPED_HEADING_CHANCE
                    && !is_in_any(page, block, &[tags::HEADER])));
        let is_tail = number > last
            && !is_heading
            && !is_linked(block)
            && !parts.has_code
            && block.text.words < MIN_PROSE_WORDS
            && !page.is_in(parts.tight, block.element);
        let minimum = if is_tail {
            MIN_LAST_TEXT_CHANCE
        } else {
            MIN_TEXT_CHANCE
        };
        let is_marginal = is_marginal
            || (chances[number] < minimum && !is_in_any(page, block, &tags::STRUCTURES));
        if is_marginal && part & (WHOLE | NOTE | DATA) == 0 && block.flags & CODE == 0 {
            marginal[number] = true;
            continue;
        }
        *chosen = part & WHOLE != 0
            || (part & INSIDE != 0 && (is_text || part & NOTE != 0 || block.flags & CODE != 0));
        follows = *chosen;
    }
    marginal
}

/// Lets each heading come and go with the text that follows it, and each term with its description.
fn keep_headings(
    page: &MeasuredPage,
    parts: &[u16],
    chances: &[f64],
    likely: &[bool],
    chosen: &mut [bool],
) {
    let cut = page.cut;
    let mut follows = false;
    for (number, block) in cut.blocks.iter().enumerate().rev() {
        if block.flags & (UNSEEN | CONTROL) != 0 {
            continue;
        }
        let part = parts[block.element as usize];
        let is_heading = cut.elements[block.element as usize].heading > 0;
        let leads = part & TERM != 0 || is_heading;
        chosen[number] |=
            follows && leads && part & APART == 0 && chances[number] >= MIN_HEADING_CHANCE;
        if is_heading
            && !follows
            && !likely[number]
            && part & WHOLE == 0
            && chances[number] < MAX_DROPPED_HEADING_CHANCE
        {
            chosen[number] = false;
        }
        follows = chosen[number];
    }
}

/// Minimum probabilities of a block in a form or in a footer within the container: of one that
/// stays and of one that is counted.
pub(super) fn doubtful_chances(block: &TextBlock) -> (f64, f64) {
    if block.flags & FORM != 0 {
        (0.4, 0.2)
    } else {
        (0.1, 0.03)
    }
}

/// True if the page has the signature of a function or a class.
fn has_signatures(page: &MeasuredPage) -> bool {
    let elements = &page.cut.elements;
    let is_signature =
        |number: usize| elements[number].called.parts & SIGNATURE != 0 && !is_in_post(page, number);
    (0..elements.len()).any(is_signature)
}

/// True if an element is in a post of a forum, in a comment or beside the name of an author.
pub(super) fn is_in_post(page: &MeasuredPage, number: usize) -> bool {
    let elements = &page.cut.elements;
    let mut next = elements.get(number);
    while let Some(element) = next {
        if element.called.parts & (POST | AUTHOR) != 0 {
            return true;
        }
        next = elements.get(element.parent as usize);
    }
    false
}

/// True if an element of one of these categories is around the block.
pub(super) fn is_in_any(page: &MeasuredPage, block: &TextBlock, categories: &[usize]) -> bool {
    let levels = &page.categories[block.element as usize];
    categories.iter().any(|one| levels[*one] < MAX_LEVELS)
}

/// Place of a block beside the content.
#[derive(Clone, Copy)]
struct TextPlace {
    is_amid: bool,
    follows_content: bool,
    /// True if the page has the signatures of functions.
    has_signatures: bool,
}

impl TextPlace {
    fn is_beside(self) -> bool {
        self.is_amid || self.follows_content
    }

    /// Minimum probability of a paragraph of links that stays.
    fn min_paragraph_chance(self) -> f64 {
        match self {
            Self { is_amid: true, .. } => MIN_LIST_CHANCE,
            Self {
                follows_content: true,
                ..
            } => MIN_LAST_LINKS_CHANCE,
            _ => f64::INFINITY,
        }
    }
}

/// True if a block of links belongs to the text by its place: a list in a section, a cell, a
/// description or a quotation, or one without a name of its own amid the text; a cell amid the
/// text, a term or a description amid or after it; a paragraph in one of these, or amid or after
/// the text if it has no name of its own or a part of it is no link; beside signatures, whatever is
/// amid the text or is no link in part.
fn is_text_of_links(page: &MeasuredPage, block: &TextBlock, chance: f64, place: TextPlace) -> bool {
    let elements = &page.cut.elements;
    let has_more = has_more_than_links(block);
    if place.has_signatures && block.flags & (LOCAL | WAY) == 0 && (place.is_amid || has_more) {
        return true;
    }
    let around = |element: &PageElement| elements.get(element.parent as usize);
    let is_in_text = |element: &PageElement| {
        around(element).is_some_and(|around| tags::HOLDERS.contains(&around.called.block_kind))
    };
    let (mut holder, mut list) = (None, None);
    let mut next = elements.get(block.element as usize);
    while let Some(element) = next {
        let called = &element.called;
        if holder.is_none() && tags::is_holder(called.block_kind) {
            holder = Some(element);
        }
        if called.categories >> tags::LIST & 1 == 1 {
            list = Some(element);
        }
        next = around(element);
    }
    if let Some(list) = list {
        return (chance >= MIN_LINKS_CHANCE && is_in_text(list))
            || (chance >= MIN_LIST_CHANCE && place.is_amid && !list.called.has_words);
    }
    holder.is_some_and(|holder| {
        chance >= MIN_LINKS_CHANCE
            && match holder.called.block_kind {
                tags::PARAGRAPH_KIND => {
                    is_in_text(holder)
                        || (place.is_amid && has_more)
                        || (chance >= place.min_paragraph_chance()
                            && block.flags & WAY == 0
                            && !is_in_any(page, block, &[tags::QUOTATION])
                            && (has_more || !holder.called.has_words))
                }
                kind if tags::DESCRIPTIONS.contains(&kind) => place.is_beside(),
                kind => place.is_amid && tags::CELLS.contains(&kind),
            }
    })
}

pub(super) fn has_more_than_links(block: &TextBlock) -> bool {
    10 * block.linked < 9 * block.text.words
}

pub(super) fn is_linked(block: &TextBlock) -> bool {
    2 * block.linked > block.text.words
}

/// Returns the number of chosen words in each element.
pub(super) fn chosen_words(page: &MeasuredPage, chosen: &[bool]) -> Vec<f64> {
    let cut = page.cut;
    let mut words = vec![0.0; cut.elements.len()];
    for (block, _) in cut.blocks.iter().zip(chosen).filter(|(_, chosen)| **chosen) {
        words[block.element as usize] += f64::from(block.text.words);
    }
    sum_up(&mut words, cut, |words, words_inside| {
        *words += words_inside;
    });
    words
}

/// Returns the number of blocks of a kind in each element.
fn count_blocks(page: &MeasuredPage, is: impl Fn(usize, &TextBlock) -> bool) -> Vec<f64> {
    let cut = page.cut;
    let mut counts = vec![0.0; cut.elements.len()];
    for (number, block) in cut.blocks.iter().enumerate() {
        counts[block.element as usize] += f64::from(u8::from(is(number, block)));
    }
    sum_up(&mut counts, cut, |count, count_inside| {
        *count += count_inside;
    });
    counts
}

/// The parts around each element.
pub(super) struct PageParts {
    pub(super) around: Vec<u16>,
    has_code: bool,
    /// Index of the innermost element that holds nearly all of the chosen words.
    tight: u32,
    /// True if the page has the signature of a function or a class.
    pub(super) has_signatures: bool,
}

impl PageParts {
    /// Returns the parts around each element, for those in the container as far as it reaches.
    fn locate(page: &MeasuredPage, chances: &[f64], words: &[f64]) -> Self {
        let elements = &page.cut.elements;
        let holds = |number: usize, share: f64| words[number] >= share * words[0];
        let container = container(page, words);
        let code = count_blocks(page, |_, block| block.flags & CODE != 0);
        let local = count_blocks(page, |_, block| block.flags & LOCAL != 0);
        let expected = count_blocks(page, |number, _| chances[number] >= MIN_TEXT_CHANCE);
        let has_signatures = has_signatures(page);
        let mut parts = vec![0; elements.len()];
        for table in &page.cut.tables {
            let table = *table as usize;
            let is_of_links = 2.0 * page.sums[table].linked > page.sums[table].words;
            // Of a table such as that of a forum's other topics the model expects nothing.
            if !is_of_links || expected[table] > 0.0 {
                parts[table] = WHOLE;
            }
        }
        for (number, element) in elements.iter().enumerate() {
            let (around, meaning) = if Some(number) == container {
                (INSIDE, 0)
            } else {
                let around = parts.get(element.parent as usize);
                (around.copied().unwrap_or_default(), element.called.parts)
            };
            // A footnote, which leads back, is the page's also after the container.
            let follows = |container: usize| {
                container < number && elements[container].parent == element.parent
            };
            let is_beside = meaning & (NOTE | APART) == NOTE
                && container.is_some_and(follows)
                && local[number] > 0.0;
            let around = around | (INSIDE * u16::from(is_beside));
            // A comment on what is deprecated is the documentation's, and so are comments and tags
            // beside the signatures of functions.
            let is_comment = meaning & COMMENT == COMMENT && meaning & READERS == 0;
            let is_documented = is_comment && (has_signatures || meaning & NOTE != 0);
            let exception =
                (COMMENT * u16::from(is_documented)) | (MARGINAL * u16::from(has_signatures));
            let meaning = meaning & !exception;
            let has_chosen = words[number] > 0.0;
            let is_paragraph = element.called.categories >> tags::PARAGRAPH & 1 == 1;
            let is_block =
                parts[number] == WHOLE || element.called.block_kind == tags::PREFORMATTED;
            let is_whole =
                (is_paragraph && has_chosen) || (is_block && (has_chosen || around & INSIDE != 0));
            let is_minor = around & WHOLE == 0 && !holds(number, MIN_PART_SHARE);
            // Code in the container is content, whatever the box around it calls itself.
            let has_code = around & INSIDE != 0 && meaning & ASIDE == 0 && code[number] > 0.0;
            // A footer or a form within the container may be the content's own.
            let is_doubtful = meaning & DOUBTFUL != 0 && is_minor && !has_code;
            let is_apart = (meaning & APART != 0 && is_minor && !has_code)
                || (is_doubtful && around & INSIDE == 0);
            // A post's signature is its author's, and any other that of a function or a class.
            let is_signed = meaning & SIGNATURE != 0 && is_in_post(page, number);
            let is_marginal = (meaning & MARGINAL != 0 || is_signed) && is_minor;
            // Comments are beside the content only if they are apart from it.
            let named = if meaning & APART != 0 {
                meaning & NOTE
            } else {
                meaning & (ASIDE | NOTE)
            };
            parts[number] = around
                | (DATA * u16::from(is_block))
                | named
                | (NOTE * u16::from(meaning & SIGNATURE != 0 && !is_signed))
                | (APART * u16::from(is_apart))
                | (DOUBTFUL * u16::from(is_doubtful))
                | (MARGINAL * u16::from(is_marginal))
                | (WHOLE * u16::from(is_whole))
                | (TERM * u16::from(element.called.block_kind == tags::TERM));
        }
        Self {
            around: parts,
            has_code: code.first().is_some_and(|code| *code > 0.0),
            tight: tight(words)
                .and_then(|tight| u32::try_from(tight).ok())
                .unwrap_or(NONE),
            has_signatures,
        }
    }
}

/// Returns the index of the innermost element that holds nearly all of the chosen words.
fn tight(words: &[f64]) -> Option<usize> {
    let nearly_all = |words_in: &f64| *words_in >= MIN_CONTAINER_SHARE * words[0];
    words.iter().rposition(nearly_all)
}

/// Returns the index of the element that holds the page's own content: the nearest `main` or
/// `article` around nearly all of the chosen words, else the nearest element that holds the main
/// heading as well, else the outermost one that has no part of the site in it; never one that also
/// holds the site's parts, as the body does.
fn container(page: &MeasuredPage, words: &[f64]) -> Option<usize> {
    let elements = &page.cut.elements;
    let tight = tight(words)?;
    let heading = page.heading.or_else(|| heading_before(page, tight));
    let heading = heading.map(|number| page.cut.blocks[number].element);
    let is_of_site = |number: usize| {
        let called = &elements[number].called;
        let is_called = |category: &usize| called.categories >> *category & 1 == 1;
        called.parts & (APART | ASIDE | DOUBTFUL) != 0 || tags::SITE_PARTS.iter().any(is_called)
    };
    let (mut headed, mut clean) = (None, tight);
    let (mut is_clean, mut checked) = (true, tight + 1..tight + 1);
    let mut number = tight;
    loop {
        let element = &elements[number];
        let all = number + 1..number + element.size as usize;
        is_clean = is_clean
            && !(all.start..checked.start)
                .chain(checked.end..all.end)
                .any(is_of_site);
        checked = all;
        if is_clean {
            clean = number;
        }
        if number == 0 {
            return Some(headed.unwrap_or(clean));
        }
        let is_named = |category: usize| element.called.categories >> category & 1 == 1;
        if is_named(tags::MAIN) || is_named(tags::ARTICLE_CATEGORY) {
            return Some(number);
        }
        let index = u32::try_from(number).unwrap_or(NONE);
        if heading.is_some_and(|heading| page.is_in(index, heading)) {
            headed = headed.or(Some(number).filter(|_| number > 0 || page.heading.is_some()));
        }
        number = element.parent as usize;
    }
}

/// Returns the last of the highest headings before an element, for a page without a main heading.
fn heading_before(page: &MeasuredPage, element: usize) -> Option<usize> {
    let elements = &page.cut.elements;
    let headings = page.cut.blocks.iter().enumerate().filter(|(_, block)| {
        let heading = &elements[block.element as usize];
        heading.heading > 0 && block.linked == 0 && block.flags & (UNSEEN | CONTROL) == 0
    });
    let before = headings.take_while(|(_, block)| (block.element as usize) < element);
    let highest = before.min_by_key(|(number, block)| {
        let level = elements[block.element as usize].heading;
        (level, std::cmp::Reverse(*number))
    });
    highest.map(|(number, _)| number)
}
