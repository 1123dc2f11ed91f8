//! The input of the model: a row of features for each block. A trained model depends on their
//! order, which changes only together with the model.

use super::blocks::{
    ARIA, CODE, CONTROL, FORM, HIDDEN, HIDES, NONE, NOSCRIPT, PageBlocks, STYLED, TextBlock, UNSEEN,
};
use super::page::{MAX_LEVELS, MeasuredPage, is_long, plain};
use super::tags;
use super::words::GROUP_COUNT;

/// Levels above a block whose elements are measured.
const ANCESTOR_LEVELS: [usize; 5] = [0, 1, 2, 3, 5];

/// Offsets of the neighbours that are measured.
const NEIGHBOUR_OFFSETS: [i64; 6] = [-3, -2, -1, 1, 2, 3];

/// Numbers of neighbours on each side that are summed up.
const WINDOW_SIZES: [usize; 2] = [5, 15];

/// Indexes of the groups whose words are counted in the whole page.
const COUNTED_GROUPS: [usize; 7] = [7, 13, 15, 16, 17, 12, 14];

/// Number of features.
pub(super) const FEATURE_COUNT: usize = 179;

/// The rows of a page, one after another.
pub(super) struct FeatureRows<'a> {
    page: &'a MeasuredPage<'a>,
    whole: Vec<f64>,
    row: Vec<f32>,
    last_heading: Option<usize>,
    level: f64,
}

impl<'a> FeatureRows<'a> {
    /// `kind` is the type that the page declares: see [`open_graph_value`].
    pub(super) fn new(page: &'a MeasuredPage<'a>, kind: f64) -> Self {
        Self {
            page,
            whole: page_values(page, kind),
            row: Vec::with_capacity(256),
            last_heading: None,
            level: 0.0,
        }
    }

    /// Computes the row of the block with this number; the blocks must be requested in their order.
    pub(super) fn row(&mut self, number: usize) -> &[f32] {
        self.row.clear();
        let block = &self.page.cut.blocks[number];
        self.push_own(block);
        self.push_position(number, block);
        self.push_ancestors(block);
        self.push_repetition(number, block);
        self.push_neighbours(number, block);
        let page = self.page;
        let element = block.element as usize;
        for core in 0..2 {
            self.push_value(flag(page.is_in(page.cores[core], block.element)));
        }
        for core in 0..2 {
            self.push_value(f64::from(page.away[element][core]));
        }
        for levels in page.groups[element] {
            self.push_value(f64::from(levels));
        }
        for levels in page.categories[element] {
            self.push_value(f64::from(levels));
        }
        for index in 0..self.whole.len() {
            self.push_value(self.whole[index]);
        }
        self.push_scores(block);
        &self.row
    }

    #[allow(
        clippy::cast_possible_truncation,
        reason = "the model was trained on such numbers"
    )]
    fn push_value(&mut self, value: f64) {
        self.row.push(value as f32);
    }

    fn push_values<const N: usize>(&mut self, values: [f64; N]) {
        for value in values {
            self.push_value(value);
        }
    }

    fn push_own(&mut self, block: &TextBlock) {
        let page = self.page;
        let text = &block.text;
        let words = f64::from(text.words);
        let some = words.max(1.0);
        let element = &page.cut.elements[block.element as usize];
        self.push_values([
            words.ln_1p(),
            f64::from(plain(block)).ln_1p(),
            linked(block),
            f64::from(text.chars) / some,
            f64::from(text.stops) / some,
            f64::from(text.commas).ln_1p(),
            f64::from(text.digits) / f64::from(text.chars.max(1)),
            f64::from(text.capitals) / some,
            flag(text.ends_sentence),
            flag(text.ends_in_colon),
            f64::from(text.separators),
            flag(text.asks),
            flag(text.ends_in_ellipsis),
            f64::from(element.heading),
            f64::from(element.called.block_kind),
        ]);
        for bit in [HIDDEN, STYLED, ARIA, NOSCRIPT, CONTROL, FORM, CODE, UNSEEN] {
            self.push_value(flag(block.flags & bit != 0));
        }
        let of_title = f64::from(text.of_title);
        self.push_values([
            f64::from(element.depth),
            flag(page.texts.get(&text.hash).is_some_and(|count| *count > 1)),
            of_title / count(page.title.words.len()).max(1.0),
            of_title / some,
        ]);
    }

    fn push_position(&mut self, number: usize, block: &TextBlock) {
        let page = self.page;
        let blocks = count(page.cut.blocks.len());
        let here = signed(number);
        let [words, long, _] = page.before[number];
        let since = page.heading.map(|heading| here - signed(heading));
        self.push_values([
            words / page.words,
            count(number) / blocks,
            long / page.long,
            since.map_or(-2.0, |since| float(since) / blocks),
            since.map_or(-99.0, |since| float(since.clamp(-50, 50))),
            float((here - page.first_long).clamp(-30, 30)),
            float((here - page.last_long).clamp(-30, 30)),
        ]);
        let level = page.cut.elements[block.element as usize].heading;
        if level > 0 {
            self.last_heading = Some(number);
            self.level = f64::from(level);
        }
        let last = self.last_heading;
        self.push_values([
            last.map_or(99.0, |last| float((here - signed(last)).min(60))),
            self.level,
            last.map_or(-1.0, |last| (words - page.before[last][0]).ln_1p()),
        ]);
    }

    fn push_ancestors(&mut self, block: &TextBlock) {
        let page = self.page;
        let mut element = block.element as usize;
        let mut above = 0;
        for level in ANCESTOR_LEVELS {
            while above < level {
                above += 1;
                match page.cut.elements[element].parent {
                    NONE => {}
                    parent => element = parent as usize,
                }
            }
            let sum = &page.sums[element];
            self.push_values([
                sum.words.ln_1p(),
                sum.linked / sum.words.max(1.0),
                sum.words / sum.blocks.max(1.0),
                sum.long / page.long,
                sum.stops / sum.words.max(1.0),
            ]);
        }
    }

    fn push_repetition(&mut self, number: usize, block: &TextBlock) {
        let page = self.page;
        let repeats = &page.repeats[block.element as usize];
        let depth = |element: u32| f64::from(page.cut.elements[element as usize].depth);
        let most_repeated = &page.alike[repeats.most_repeated as usize];
        self.push_values([
            most_repeated.count.ln_1p(),
            most_repeated.words.ln_1p(),
            most_repeated.linked,
            most_repeated.all() / page.words,
            depth(block.element) - depth(repeats.most_repeated),
        ]);
        if let Some(largest) = page.alike.get(repeats.largest as usize) {
            self.push_values([
                largest.count.ln_1p(),
                largest.words.ln_1p(),
                largest.linked,
                largest.all() / page.words,
                repeats.levels,
            ]);
        } else {
            self.push_values([0.0; 5]);
        }
        let likes = page
            .likes
            .get(&page.paths[number])
            .copied()
            .unwrap_or_default();
        self.push_values([
            likes.blocks.ln_1p(),
            (likes.words / likes.blocks.max(1.0)).ln_1p(),
            likes.linked / likes.words.max(1.0),
            likes.words / page.words,
        ]);
    }

    fn push_neighbours(&mut self, number: usize, block: &TextBlock) {
        let page = self.page;
        let blocks = &page.cut.blocks;
        let beside = |by: i64| {
            usize::try_from(signed(number) + by)
                .ok()
                .and_then(|number| blocks.get(number))
        };
        for by in NEIGHBOUR_OFFSETS {
            match beside(by) {
                Some(beside) => {
                    let element = &page.cut.elements[beside.element as usize];
                    self.push_values([
                        f64::from(plain(beside)).ln_1p(),
                        linked(beside),
                        flag(element.heading > 0),
                    ]);
                }
                None => self.push_values([-1.0, -1.0, 0.0]),
            }
        }
        for window in WINDOW_SIZES {
            let from = number.saturating_sub(window);
            let to = blocks.len().min(number + window + 1);
            let over = count(to - from);
            let (before, after) = (page.before[from], page.before[to]);
            let words = after[0] - before[0];
            self.push_values([
                ((after[1] - before[1]) / over).ln_1p(),
                (after[2] - before[2]) / words.max(1.0),
                words / over,
            ]);
        }
        let same = |by: i64| flag(beside(by).is_some_and(|b| b.element == block.element));
        let inside = page.cut.elements[block.element as usize].parent != NONE;
        self.push_values([if inside { same(-1) } else { 0.0 }, same(1)]);
    }

    fn push_scores(&mut self, block: &TextBlock) {
        let page = self.page;
        let all = page.scores[block.element as usize];
        let mut near = [(0_i8, 0_i8); 2];
        let mut element = block.element;
        for level in 0..6 {
            let Some(here) = page.cut.elements.get(element as usize) else {
                break;
            };
            let (low, high) = &mut near[level / 3];
            *low = here.called.low.min(*low);
            *high = here.called.high.max(*high);
            element = here.parent;
        }
        self.push_values(
            [
                f64::from(all.low),
                f64::from(all.high),
                f64::from(all.sum),
                f64::from(near[0].0),
                f64::from(near[0].1),
                f64::from(near[1].0),
                f64::from(near[1].1),
            ]
            .map(|eighths| eighths / 8.0),
        );
    }
}

/// Returns the features of the page as a whole.
fn page_values(page: &MeasuredPage, kind: f64) -> Vec<f64> {
    let PageBlocks {
        blocks, elements, ..
    } = page.cut;
    let (mut main, mut article, mut articles, mut article_count) = (0.0_f64, 0.0_f64, 0.0, 0.0_f64);
    let mut groups = [0.0_f64; GROUP_COUNT];
    for (element, sum) in elements.iter().zip(&page.sums) {
        let share = sum.words / page.words;
        if element.called.categories >> tags::MAIN & 1 == 1 {
            main = main.max(share);
        }
        if element.called.block_kind == tags::ARTICLE {
            article = article.max(share);
            articles += share;
            article_count += 1.0;
        }
        for (group, count) in groups.iter_mut().enumerate() {
            *count += f64::from(element.called.groups >> group & 1);
        }
    }
    let (mut prices, mut longs, mut paragraphs, mut hidden) = (0.0_f64, 0.0, 0.0_f64, 0.0);
    let mut words: Vec<u32> = Vec::with_capacity(blocks.len());
    for block in blocks {
        words.push(block.text.words);
        prices += flag(block.text.names_price);
        if block.flags & HIDES != 0 {
            hidden += f64::from(block.text.words) / page.words;
        }
        if is_long(block) {
            longs += 1.0;
            let levels = page.categories[block.element as usize];
            paragraphs += flag(levels[tags::PARAGRAPH] < MAX_LEVELS);
        }
    }
    words.sort_unstable();
    let middle = |index: usize| words.get(index).copied().map_or(0.0, f64::from);
    let median = f64::midpoint(
        middle(words.len().saturating_sub(1) / 2),
        middle(words.len() / 2),
    );
    let most_frequent = page.texts.values().max().copied().map_or(0.0, f64::from);
    let longest = words.last().copied().map_or(0.0, f64::from);
    let linked = page.before.last().map_or(0.0, |sums| sums[2]);
    let [half, larger] = page.cores.map(|core| page.sums.get(core as usize).copied());
    let number = count(blocks.len());
    let mut values = vec![
        page.words.ln_1p(),
        number.ln_1p(),
        linked / page.words,
        page.long / page.words,
        longs / number.max(1.0),
        paragraphs.ln_1p(),
        main,
        article,
        articles,
        article_count.min(20.0),
        kind,
        prices.ln_1p(),
        prices / number.max(1.0),
        hidden,
        median,
        most_frequent.ln_1p(),
        half.unwrap_or_default().long / page.long,
        larger.unwrap_or_default().words / page.words,
        longest.ln_1p(),
        flag(page.heading.is_some()),
        page.heading.map_or(-1.0, count) / number.max(1.0),
    ];
    values.extend(COUNTED_GROUPS.map(|group| groups[group].ln_1p()));
    values
}

/// Converts `og:type` to a number that a trained model depends on.
pub(super) fn open_graph_value(kind: &str) -> f64 {
    let kind = kind.to_ascii_lowercase();
    flag(kind.contains("article"))
        + 2.0 * flag(kind.contains("product"))
        + 3.0 * flag(kind.contains("website"))
}

/// Returns the share of a block's words in links.
fn linked(block: &TextBlock) -> f64 {
    f64::from(block.linked.min(block.text.words)) / f64::from(block.text.words.max(1))
}

fn flag(flag: bool) -> f64 {
    f64::from(u8::from(flag))
}

fn count(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

fn signed(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[allow(clippy::cast_precision_loss, reason = "numbers of blocks are small")]
fn float(number: i64) -> f64 {
    number as f64
}
