//! Counts over a block's text. A word is a run of letters, digits and underscores.

use super::hash::FnvHash;

/// Counts over a text with collapsed whitespace.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a feature of its own"
)]
pub(super) struct TextCounts {
    pub(super) words: u32,
    pub(super) chars: u32,
    /// Full stops and commas, including those of other scripts.
    pub(super) stops: u32,
    pub(super) commas: u32,
    pub(super) digits: u32,
    /// Words that begin with a capital.
    pub(super) capitals: u32,
    pub(super) ends_sentence: bool,
    pub(super) ends_in_colon: bool,
    pub(super) ends_in_ellipsis: bool,
    pub(super) asks: bool,
    /// Number of kinds of separators.
    pub(super) separators: u8,
    pub(super) names_price: bool,
    /// Hash of the text.
    pub(super) hash: u64,
    /// Number of words of the page's title that occur.
    pub(super) of_title: u32,
    /// True if at least half of the different words are in the title; computed for headings of
    /// level 1 only.
    pub(super) is_title: bool,
}

/// Maximum number of words of a title that count.
const MAX_TITLE_WORDS: usize = 64;

/// Maximum number of words of a heading that is compared with the title.
const MAX_HEADING_WORDS: usize = 64;

/// Sorted hashes of the different words of a page's title.
#[derive(Clone, Debug, Default)]
pub(super) struct TitleWords {
    pub(super) words: Vec<u64>,
    /// A bit set of the hashes modulo 64, for a quick test.
    bits: u64,
}

impl TitleWords {
    pub(super) fn from_title(title: &str) -> Self {
        let mut words = Vec::new();
        each_word(title, |hash, _| {
            if words.len() < MAX_TITLE_WORDS {
                words.push(hash);
            }
        });
        words.sort_unstable();
        words.dedup();
        let bits = words.iter().fold(0, |bits, word| bits | 1 << (word % 64));
        Self { words, bits }
    }

    fn index(&self, word: u64) -> Option<usize> {
        if self.bits >> (word % 64) & 1 == 0 {
            return None;
        }
        self.words.binary_search(&word).ok()
    }
}

/// True for a character of a word.
fn is_word(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_alphanumeric() || c == '_'
    } else {
        c.is_alphanumeric()
    }
}

/// Counts the words of a text.
pub(super) fn count_words(text: &str) -> u32 {
    let mut count = 0;
    let mut within = false;
    for c in text.chars() {
        let word = is_word(c);
        count += u32::from(word && !within);
        within = word;
    }
    count
}

/// Calls `note` with the hash of each word in lower case; true if it begins with a capital.
fn each_word(text: &str, mut note: impl FnMut(u64, bool)) {
    let mut word: Option<(FnvHash, bool)> = None;
    for c in text.chars() {
        if is_word(c) {
            let (hash, _) = word.get_or_insert_with(|| (FnvHash::default(), is_capital(c)));
            hash.lower(c);
        } else if let Some((hash, capital)) = word.take() {
            note(hash.end(), capital);
        }
    }
    if let Some((hash, capital)) = word {
        note(hash.end(), capital);
    }
}

fn is_capital(c: char) -> bool {
    c.is_ascii_uppercase() || (!c.is_ascii() && c.is_uppercase())
}

impl TextCounts {
    /// Counts over `text`, collapsing its whitespace.
    pub(super) fn count(text: &str, title: &TitleWords, in_heading: bool) -> Self {
        let mut counts = Self::default();
        let mut whole = FnvHash::default();
        let mut space = false;
        let mut last = [' '; 3];
        let (mut bar, mut arrow) = (false, false);
        for c in text.chars() {
            if c.is_whitespace() {
                space = true;
                continue;
            }
            if space && counts.chars > 0 {
                counts.chars += 1;
                whole.push(' ');
                last = [last[1], last[2], ' '];
            }
            space = false;
            counts.names_price |= names_price(last, c);
            counts.chars += 1;
            whole.push(c);
            last = [last[1], last[2], c];
            match c {
                '.' | '。' | '،' => counts.stops += 1,
                ',' => {
                    counts.stops += 1;
                    counts.commas += 1;
                }
                '?' => counts.asks = true,
                '|' => bar = true,
                '»' | '›' => arrow = true,
                _ if c.is_ascii_digit() || (!c.is_ascii() && c.is_numeric()) => counts.digits += 1,
                _ => {}
            }
        }
        counts.hash = whole.end();
        counts.ends_sentence = matches!(last[2], '.' | '!' | '?' | '。' | '"' | '”');
        counts.ends_in_colon = last[2] == ':';
        counts.ends_in_ellipsis = last == ['.'; 3] || last[2] == '…';
        counts.separators = u8::from(bar) + u8::from(arrow || last[2] == '/');
        let dollar = FnvHash::from_text("usd").end();
        let mut of_title = 0_u64;
        let mut different = Vec::new();
        each_word(text, |hash, capital| {
            counts.words += 1;
            counts.capitals += u32::from(capital);
            counts.names_price |= capital && hash == dollar;
            if let Some(index) = title.index(hash) {
                of_title |= 1 << index;
            }
            if in_heading && different.len() <= MAX_HEADING_WORDS {
                different.push(hash);
            }
        });
        counts.of_title = of_title.count_ones();
        if in_heading && different.len() <= MAX_HEADING_WORDS {
            different.sort_unstable();
            different.dedup();
            counts.is_title =
                counts.of_title > 0 && counts.of_title as usize * 2 >= different.len();
        }
        counts
    }
}

/// True if a price ends at `c`, which follows `last`: a currency sign next to a digit.
fn names_price(last: [char; 3], c: char) -> bool {
    let before = if last[2] == ' ' { last[1] } else { last[2] };
    (c.is_numeric() && matches!(before, '$' | '€' | '£' | '¥' | '₹'))
        || (matches!(c, '€' | '£') && before.is_numeric())
}
