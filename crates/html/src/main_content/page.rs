//! Measures of a page's blocks and elements, from one pass up the tree and one down: the amount and
//! kind of text in each element, repetition, and the position of the page's text.

use std::collections::HashMap;

use super::blocks::{CONTROL, HIDES, NONE, PageBlocks, PageElement, TextBlock};
use super::hash::FnvHash;
use super::tags::CATEGORY_COUNT;
use super::text::TitleWords;
use super::words::GROUP_COUNT;

/// Minimum number of words outside of links in a long text.
const MIN_LONG_TEXT_WORDS: u32 = 12;

/// Maximum distance of an element of a group or a category, in levels.
pub(super) const MAX_LEVELS: u8 = 20;

/// Sums over the blocks in an element.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ElementSum {
    pub(super) words: f64,
    pub(super) linked: f64,
    pub(super) blocks: f64,
    /// Words of long texts.
    pub(super) long: f64,
    pub(super) stops: f64,
}

/// Similar siblings of an element.
#[derive(Clone, Copy, Debug)]
pub(super) struct SimilarSiblings {
    pub(super) count: f64,
    /// Average number of words of each.
    pub(super) words: f64,
    /// The share of words in links.
    pub(super) linked: f64,
}

impl SimilarSiblings {
    const ALONE: Self = Self {
        count: 1.0,
        words: 0.0,
        linked: 0.0,
    };

    pub(super) fn all(&self) -> f64 {
        self.count * self.words
    }
}

/// The repeating elements around an element, including itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct RepeatingAncestors {
    /// Index of the one that repeats most often.
    pub(super) most_repeated: u32,
    /// Index of the one whose similar siblings have most words, if there are more than two; else
    /// [`NONE`].
    pub(super) largest: u32,
    /// Number of repeating elements.
    pub(super) levels: f64,
}

/// The scores of the words around an element, in eighths.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WordScores {
    pub(super) low: i8,
    pub(super) high: i8,
    pub(super) sum: i32,
}

/// Totals of the blocks with the same path of names.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PathTotals {
    pub(super) blocks: f64,
    pub(super) words: f64,
    pub(super) linked: f64,
}

/// A page with the measures that its features need.
pub(super) struct MeasuredPage<'a> {
    pub(super) cut: &'a PageBlocks,
    pub(super) title: &'a TitleWords,
    pub(super) sums: Vec<ElementSum>,
    pub(super) alike: Vec<SimilarSiblings>,
    pub(super) repeats: Vec<RepeatingAncestors>,
    /// Levels up to the nearest element of each group.
    pub(super) groups: Vec<[u8; GROUP_COUNT]>,
    /// Levels up to the nearest element of each category.
    pub(super) categories: Vec<[u8; CATEGORY_COUNT]>,
    pub(super) scores: Vec<WordScores>,
    /// Indexes of the deepest elements with half and with four fifths of the long text.
    pub(super) cores: [u32; 2],
    /// Levels from each element up to the nearest one around a core.
    pub(super) away: Vec<[u16; 2]>,
    /// Hash of the last three names of the element of each block.
    pub(super) paths: Vec<u64>,
    pub(super) likes: HashMap<u64, PathTotals>,
    /// Number of occurrences of each text.
    pub(super) texts: HashMap<u64, u32>,
    /// Sums over the blocks before each, and over all: words, words of long texts, words in links.
    pub(super) before: Vec<[f64; 3]>,
    pub(super) words: f64,
    /// Words of long texts.
    pub(super) long: f64,
    /// Index of the page's main heading.
    pub(super) heading: Option<usize>,
    /// True if that shares its words with the title.
    pub(super) heading_is_title: bool,
    pub(super) first_long: i64,
    pub(super) last_long: i64,
}

/// Returns the number of words outside of links.
pub(super) fn plain(block: &TextBlock) -> u32 {
    block.text.words - block.linked.min(block.text.words)
}

pub(super) fn is_long(block: &TextBlock) -> bool {
    plain(block) >= MIN_LONG_TEXT_WORDS && block.flags & CONTROL == 0
}

impl<'a> MeasuredPage<'a> {
    pub(super) fn measure(cut: &'a PageBlocks, title: &'a TitleWords) -> Self {
        let sums = sums(cut);
        let alike = alike(&cut.elements, &sums);
        let mut page = Self {
            cut,
            title,
            repeats: repeats(&cut.elements, &alike),
            sums,
            alike,
            groups: Vec::new(),
            categories: Vec::new(),
            scores: Vec::new(),
            cores: [0; 2],
            away: Vec::new(),
            paths: Vec::new(),
            likes: HashMap::new(),
            texts: HashMap::new(),
            before: Vec::new(),
            words: 1.0,
            long: 1.0,
            heading: None,
            heading_is_title: false,
            first_long: 0,
            last_long: 0,
        };
        page.sum_down();
        page.scan_blocks();
        page.find_cores();
        page
    }

    /// Computes the measures that each element takes from those around it.
    fn sum_down(&mut self) {
        let far = (
            [MAX_LEVELS; GROUP_COUNT],
            [MAX_LEVELS; CATEGORY_COUNT],
            WordScores::default(),
        );
        for element in &self.cut.elements {
            let (mut groups, mut categories, mut scores) = match element.parent {
                NONE => far,
                parent => {
                    let parent = parent as usize;
                    let further = |levels: &u8| MAX_LEVELS.min(levels + 1);
                    (
                        self.groups[parent].each_ref().map(further),
                        self.categories[parent].each_ref().map(further),
                        self.scores[parent],
                    )
                }
            };
            let called = &element.called;
            nearest(&mut groups, called.groups);
            nearest(&mut categories, element.called.categories);
            scores.low = scores.low.min(called.low);
            scores.high = scores.high.max(called.high);
            scores.sum += i32::from(called.low) + i32::from(called.high);
            self.groups.push(groups);
            self.categories.push(categories);
            self.scores.push(scores);
        }
    }

    /// Computes the measures of blocks and sums over the blocks before each.
    fn scan_blocks(&mut self) {
        let elements = &self.cut.elements;
        let mut before = [0.0; 3];
        self.before.push(before);
        let (mut first, mut last) = (None, None);
        let mut headings: [Option<usize>; 2] = [None; 2];
        for (number, block) in self.cut.blocks.iter().enumerate() {
            let words = f64::from(block.text.words);
            let linked = f64::from(block.linked.min(block.text.words));
            let long = is_long(block);
            before[0] += words;
            before[1] += if long { words - linked } else { 0.0 };
            before[2] += linked;
            self.before.push(before);
            if long {
                first = first.or(Some(number));
                last = Some(number);
            }
            *self.texts.entry(block.text.hash).or_default() += 1;
            let path = hash_path(elements, block.element);
            self.paths.push(path);
            let likes = self.likes.entry(path).or_default();
            likes.blocks += 1.0;
            likes.words += words;
            likes.linked += linked;
            let heading = elements[block.element as usize].heading == 1;
            if heading && block.flags & HIDES == 0 {
                headings[1] = headings[1].or(Some(number));
                if block.text.is_title {
                    headings[0] = headings[0].or(Some(number));
                }
            }
        }
        self.words = before[0].max(1.0);
        self.long = before[1].max(1.0);
        self.heading = headings[0].or(headings[1]);
        self.heading_is_title = headings[0].is_some();
        let number = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        self.first_long = number(first.unwrap_or(0));
        self.last_long = number(last.unwrap_or(self.cut.blocks.len()));
    }

    /// True if `inner` is `outer` or is within it.
    pub(super) fn is_in(&self, outer: u32, inner: u32) -> bool {
        let size = self.cut.elements.get(outer as usize).map_or(0, |e| e.size);
        (outer..outer.saturating_add(size)).contains(&inner)
    }

    fn find_cores(&mut self) {
        let elements = &self.cut.elements;
        self.cores = [0.5, 0.8].map(|share| {
            let mut core = 0;
            loop {
                let end = core + elements[core].size as usize;
                let mut child = core + 1;
                while child < end && self.sums[child].long < share * self.long {
                    child += elements[child].size as usize;
                }
                if child >= end {
                    return u32::try_from(core).unwrap_or(NONE);
                }
                core = child;
            }
        });
        // Levels from a core up to each element around it.
        let around = self.cores.map(|core| {
            let mut around = HashMap::new();
            let (mut element, mut levels) = (core, 0_u16);
            while let Some(here) = elements.get(element as usize) {
                around.insert(element, levels);
                levels += 1;
                element = here.parent;
            }
            around
        });
        for (number, element) in (0..).zip(elements) {
            let mut away = match element.parent {
                NONE => [99; 2],
                parent => self.away[parent as usize],
            };
            for (away, around) in away.iter_mut().zip(&around) {
                if let Some(levels) = around.get(&number) {
                    *away = *levels;
                }
            }
            self.away.push(away);
        }
    }
}

fn nearest<const N: usize>(levels: &mut [u8; N], here: u32) {
    let mut bits = here;
    while bits != 0 {
        levels[bits.trailing_zeros() as usize] = 0;
        bits &= bits - 1;
    }
}

fn sums(cut: &PageBlocks) -> Vec<ElementSum> {
    let mut sums = vec![ElementSum::default(); cut.elements.len()];
    for block in &cut.blocks {
        let words = f64::from(block.text.words);
        let linked = f64::from(block.linked.min(block.text.words));
        let sum = &mut sums[block.element as usize];
        sum.words += words;
        sum.linked += linked;
        sum.blocks += 1.0;
        sum.long += if is_long(block) { words - linked } else { 0.0 };
        sum.stops += f64::from(block.text.stops);
    }
    sum_up(&mut sums, cut, |sum, inside| {
        sum.words += inside.words;
        sum.linked += inside.linked;
        sum.blocks += inside.blocks;
        sum.long += inside.long;
        sum.stops += inside.stops;
    });
    sums
}

/// Adds to the value of each element those of the elements in it.
pub(super) fn sum_up<T: Copy>(values: &mut [T], cut: &PageBlocks, add: impl Fn(&mut T, T)) {
    for (number, element) in cut.elements.iter().enumerate().rev() {
        let value = values[number];
        if let Some(around) = values.get_mut(element.parent as usize) {
            add(around, value);
        }
    }
}

fn alike(elements: &[PageElement], sums: &[ElementSum]) -> Vec<SimilarSiblings> {
    let mut groups: HashMap<(u32, u64), (f64, f64, f64)> = HashMap::new();
    for (element, sum) in elements.iter().zip(sums) {
        if sum.words > 0.0 {
            let group = groups
                .entry((element.parent, element.called.shape))
                .or_default();
            group.0 += 1.0;
            group.1 += sum.words;
            group.2 += sum.linked;
        }
    }
    let alike = |(element, sum): (&PageElement, &ElementSum)| {
        let (count, words, linked) = groups
            .get(&(element.parent, element.called.shape))
            .copied()
            .filter(|group| group.0 > 1.0 && sum.words > 0.0)?;
        Some(SimilarSiblings {
            count,
            words: words / count,
            linked: linked / words.max(1.0),
        })
    };
    elements
        .iter()
        .zip(sums)
        .map(|each| alike(each).unwrap_or(SimilarSiblings::ALONE))
        .collect()
}

fn repeats(elements: &[PageElement], alike: &[SimilarSiblings]) -> Vec<RepeatingAncestors> {
    let often = |number: u32| {
        let count = alike[number as usize].count;
        if count > 2.0 { count } else { 0.0 }
    };
    let mut repeats: Vec<RepeatingAncestors> = Vec::with_capacity(elements.len());
    for (number, element) in (0..).zip(elements) {
        let group = &alike[number as usize];
        let mut here = match element.parent {
            NONE => RepeatingAncestors {
                most_repeated: number,
                largest: NONE,
                levels: 0.0,
            },
            parent => repeats[parent as usize],
        };
        if often(number) > often(here.most_repeated) {
            here.most_repeated = number;
        }
        let largest = |other: u32| group.all() >= alike[other as usize].all();
        if group.count > 2.0 && (here.largest == NONE || largest(here.largest)) {
            here.largest = number;
        }
        here.levels += f64::from(u8::from(group.count > 1.0));
        repeats.push(here);
    }
    repeats
}

/// Hashes the names of an element and of the two around it.
fn hash_path(elements: &[PageElement], mut element: u32) -> u64 {
    let mut hash = FnvHash::default();
    for _ in 0..3 {
        let Some(here) = elements.get(element as usize) else {
            break;
        };
        hash.join(here.called.shape);
        element = here.parent;
    }
    hash.end()
}
