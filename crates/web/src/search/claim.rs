//! The sentences that say most about a claim, as a help in choosing what to read. They are not a
//! verdict: a sentence that denies the claim shares as many words with it as one that supports it.

use std::collections::HashSet;

use super::SearchResult;

/// Minimum number of letters of a word that counts.
const MIN_WORD_LETTERS: usize = 3;
/// Weight of a word.
const WORD_WEIGHT: usize = 1;
/// Weight of a number.
const NUMBER_WEIGHT: usize = 2;

/// Words without meaning of their own.
const STOP_WORDS: &[&str] = &[
    "about", "above", "after", "again", "all", "also", "although", "among", "and", "any", "are",
    "because", "been", "before", "being", "below", "between", "both", "but", "can", "could", "did",
    "does", "doing", "down", "during", "each", "either", "etc", "even", "ever", "every", "few",
    "for", "from", "further", "had", "has", "have", "having", "her", "here", "hers", "him", "his",
    "how", "however", "into", "its", "itself", "just", "let", "like", "many", "may", "might",
    "more", "most", "much", "must", "nor", "not", "now", "off", "once", "one", "only", "other",
    "our", "ours", "out", "over", "own", "per", "same", "shall", "she", "should", "since", "some",
    "such", "than", "that", "the", "their", "theirs", "them", "then", "there", "these", "they",
    "this", "those", "though", "through", "thus", "too", "under", "until", "upon", "very", "via",
    "was", "were", "what", "when", "where", "whether", "which", "while", "who", "whom", "whose",
    "why", "will", "with", "within", "without", "would", "yet", "you", "your", "yours",
];

/// A claim, or a query, split into words and numbers.
#[derive(Clone, Debug)]
pub struct ClaimTerms {
    tokens: HashSet<String>,
}

/// Returns the weight of a word or a number.
fn weight_of(token: &str) -> usize {
    if token.contains(|c: char| c.is_ascii_digit()) {
        NUMBER_WEIGHT
    } else {
        WORD_WEIGHT
    }
}

impl ClaimTerms {
    /// Splits a claim into its words and numbers.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self {
            tokens: tokens(text).collect(),
        }
    }

    /// Returns the sentence of title, snippet and further snippets that shares most with the claim,
    /// the earliest of equals; empty if none shares anything.
    #[must_use]
    pub fn signal(&self, result: &SearchResult) -> String {
        let further = result.extra_snippets.iter().map(String::as_str);
        let texts = [result.title.as_str(), result.snippet.as_str()];
        let all: Vec<&str> = texts.into_iter().chain(further).collect();
        let best = self.top_sentences(&all, 1);
        best.first().copied().unwrap_or_default().to_owned()
    }

    /// Returns the sentences of the texts that share most with the claim, `limit` of them, the
    /// earliest of equals, in the order of the texts.
    #[must_use]
    pub fn top_sentences<'t>(&self, texts: &[&'t str], limit: usize) -> Vec<&'t str> {
        let mut best: Vec<(usize, &str)> = Vec::new();
        for sentence in texts.iter().flat_map(|text| sentences(text)) {
            let weight = self.weight(sentence);
            if weight == 0 || best.iter().any(|(_, other)| *other == sentence) {
                continue;
            }
            if best.len() == limit {
                let least = best.iter().map(|(weight, _)| *weight).min();
                if least >= Some(weight) {
                    continue;
                }
                let replaced = best.iter().rposition(|(weight, _)| Some(*weight) == least);
                replaced.map(|index| best.remove(index));
            }
            best.push((weight, sentence));
        }
        best.into_iter().map(|(_, sentence)| sentence).collect()
    }

    /// Returns the share of the words and numbers, by their weight, that a text has: 0 to 1. Where
    /// there are none, every text has all of them.
    #[must_use]
    pub fn share_in(&self, text: &str) -> f64 {
        let mut missing = self.tokens.clone();
        let mut tokens = tokens(text);
        while !missing.is_empty()
            && let Some(token) = tokens.next()
        {
            missing.remove(&token);
        }
        let weight = |tokens: &HashSet<String>| {
            let weight: usize = tokens.iter().map(|one| weight_of(one)).sum();
            u32::try_from(weight).map_or(f64::INFINITY, f64::from)
        };
        match weight(&self.tokens) {
            0.0 => 1.0,
            all => 1.0 - weight(&missing) / all,
        }
    }

    /// Returns the weight of the words that a sentence shares with the claim; each counts once.
    fn weight(&self, sentence: &str) -> usize {
        let words: HashSet<String> = tokens(sentence).collect();
        let shared = words.intersection(&self.tokens);
        shared.map(|one| weight_of(one)).sum()
    }
}

/// Splits a text into sentences. A full stop ends one if a blank follows, unless it belongs to a
/// single letter or a known abbreviation.
pub fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut list = Vec::new();
    let mut start = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((offset, c)) = characters.next() {
        let next = characters.peek().map(|(_, next)| *next);
        let blank = next.is_none_or(char::is_whitespace);
        let end = offset + c.len_utf8();
        let ends = match c {
            '。' | '！' | '？' | '\n' => true,
            '!' | '?' | '\u{2026}' => blank,
            '.' => blank && !is_abbreviation(&text[start..offset]),
            _ => false,
        };
        if ends {
            list.push(&text[start..end]);
            start = end;
        }
    }
    list.push(&text[start..]);
    let trimmed = list.into_iter().map(str::trim);
    trimmed.filter(|sentence| !sentence.is_empty())
}

fn is_abbreviation(before: &str) -> bool {
    let word = before
        .rsplit(|c: char| c.is_whitespace() || c == '(')
        .next()
        .unwrap_or_default();
    let known = [
        "approx", "ca", "cf", "Dr", "e.g", "eg", "et al", "etc", "Fig", "fig", "i.e", "ie", "Inc",
        "Jr", "Mr", "Mrs", "Ms", "No", "Prof", "resp", "Sr", "St", "U.S", "vol", "vs",
    ];
    let letter = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    letter || known.contains(&word)
}

/// Returns the words and numbers of a text.
fn tokens(text: &str) -> impl Iterator<Item = String> {
    words(text).flat_map(folded)
}

/// Returns the words and numbers of a text as they stand in it.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut remainder = text;
    std::iter::from_fn(move || {
        remainder = &remainder[remainder.find(char::is_alphanumeric)?..];
        let ends = |(offset, c): (usize, char)| {
            let (before, next) = (&remainder[..offset], remainder[offset..].chars().nth(1));
            // A point or a comma between digits, an apostrophe between letters.
            let is_inside = match c {
                '.' | ',' => {
                    before.ends_with(|c: char| c.is_ascii_digit())
                        && next.is_some_and(|c| c.is_ascii_digit())
                }
                '\'' | '\u{2019}' => next.is_some_and(char::is_alphabetic),
                c => c.is_alphanumeric(),
            };
            (!is_inside).then_some(offset)
        };
        let end = remainder.char_indices().find_map(ends);
        let (word, after) = remainder.split_at(end.unwrap_or(remainder.len()));
        remainder = after;
        Some(word)
    })
}

/// Returns a word or number in the form in which it is compared. Scripts without blanks show no
/// word boundaries, so pairs of characters stand for words.
fn folded(word: &str) -> Vec<String> {
    if word.contains(|c: char| c.is_ascii_digit()) {
        let digits = word.trim_end_matches(|c: char| !c.is_ascii_digit());
        let is_number = digits
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.' || byte == b',');
        if !is_number {
            return vec![word.to_lowercase()];
        }
        let number = digits.replace(',', "");
        if number.contains('.') {
            let number = number.trim_end_matches('0').trim_end_matches('.');
            return vec![number.to_owned()];
        }
        return vec![number];
    }
    let word = word.to_lowercase();
    if word.chars().all(is_unspaced) {
        let characters: Vec<char> = word.chars().collect();
        return characters.windows(2).map(String::from_iter).collect();
    }
    let word = word.split(['\'', '\u{2019}']).next().unwrap_or_default();
    let counts =
        word.chars().count() >= MIN_WORD_LETTERS && STOP_WORDS.binary_search(&word).is_err();
    counts.then(|| stem(word)).into_iter().collect()
}

/// True if the character's script has no blanks between words.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{e00}'..='\u{e7f}'
        | '\u{f900}'..='\u{faff}')
}

/// Returns the word without its plural or tense ending.
fn stem(word: &str) -> String {
    let long = |stem: &str| stem.chars().count() >= MIN_WORD_LETTERS;
    let without = |ending: &str| word.strip_suffix(ending).filter(|stem| long(stem));
    if !word.is_ascii() {
        return word.to_owned();
    }
    if let Some(stem) = without("ies") {
        return format!("{stem}y");
    }
    let mut stem = without("ingly")
        .or_else(|| without("edly"))
        .or_else(|| without("ing"))
        .or_else(|| without("ed"))
        .or_else(|| without("ly"))
        .or_else(|| {
            ["sses", "shes", "ches", "xes", "zes"]
                .iter()
                .find_map(|ending| {
                    without(&ending[ending.len() - 2..]).filter(|_| word.ends_with(ending))
                })
        })
        .or_else(|| without("s").filter(|stem| !stem.ends_with(['s', 'u', 'i'])))
        .unwrap_or(word);
    let doubled = |stem: &str| {
        let [.., a, b] = stem.as_bytes() else {
            return false;
        };
        a == b && !b"aeiouls".contains(b)
    };
    if stem.len() < word.len() && doubled(stem) && !word.ends_with('s') {
        stem = &stem[..stem.len() - 1];
    }
    let silent = stem.strip_suffix('e').filter(|stem| long(stem));
    silent.unwrap_or(stem).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signal(claim: &str, title: &str, snippet: &str, further: &[&str]) -> String {
        ClaimTerms::new(claim).signal(&SearchResult {
            title: title.to_owned(),
            snippet: snippet.to_owned(),
            extra_snippets: further.iter().map(|text| (*text).to_owned()).collect(),
            ..SearchResult::default()
        })
    }

    #[test]
    fn the_sentence_that_shares_most_is_shown() {
        let snippet = "Coffee is popular. Drinking coffee lowers the risk of diabetes, studies \
                       say. Tea is popular too.";
        assert_eq!(
            signal(
                "Coffee drinkers have a lower risk of diabetes",
                "On tea",
                snippet,
                &[]
            ),
            "Drinking coffee lowers the risk of diabetes, studies say."
        );
        assert_eq!(
            signal(
                "the risk",
                "Nothing here",
                "Nor here.",
                &["But here is a risk. And more."]
            ),
            "But here is a risk."
        );
    }

    #[test]
    fn the_earliest_of_equals_counts_and_nothing_is_nothing() {
        assert_eq!(
            signal("coffee", "Coffee", "All about coffee. Coffee again.", &[]),
            "Coffee"
        );
        assert_eq!(signal("coffee", "Tea", "About tea.", &[]), "");
        assert_eq!(signal("", "Tea", "About tea.", &[]), "");
        assert_eq!(
            signal("what they have is of it", "They have it", "is of", &[]),
            ""
        );
        assert_eq!(signal("an ox", "An ox", "is an ox", &[]), "");
    }

    #[test]
    fn numbers_count_always_and_weigh_more() {
        let snippet = "The unemployment rate was discussed. In 2024 it was 3.5%.";
        assert_eq!(
            signal("The unemployment rate was 3.5% in 2024", "", snippet, &[]),
            "In 2024 it was 3.5%."
        );
        assert_eq!(
            signal(
                "costs 1,000 dollars",
                "",
                "The price is high. 1000 were sold.",
                &[]
            ),
            "1000 were sold."
        );
        assert_eq!(signal("5 of 7", "", "Seven. Or 7.", &[]), "Or 7.");
        assert_eq!(
            signal("3.50 percent", "", "It is 3.5 now.", &[]),
            "It is 3.5 now."
        );
        assert_eq!(signal("version 35", "", "It is 3.5 now.", &[]), "");
    }

    #[test]
    fn endings_do_not_matter() {
        for (one, other) in [
            ("studies", "study"),
            ("vaccines", "vaccine"),
            ("vaccinating", "vaccinated"),
            ("running", "runs"),
            ("boxes", "box"),
            ("causes", "caused"),
            ("rates", "rate"),
            ("quickly", "quick"),
            ("planned", "plans"),
            ("company's", "company"),
        ] {
            assert!(tokens(one).eq(tokens(other)), "{one} {other}");
        }
        for (one, other) in [
            ("business", "busy"),
            ("analysis", "analyst"),
            ("virus", "vire"),
        ] {
            assert!(tokens(one).ne(tokens(other)), "{one} {other}");
        }
    }

    #[test]
    fn sentences_end_where_readers_end_them() {
        let text = "It costs 3.5 million, e.g. in the U.S. alone. J. Smith said so! Really? \
                    Yes\nand no. 是的。不是。 End";
        let found_words: Vec<&str> = sentences(text).collect();
        assert_eq!(
            found_words,
            [
                "It costs 3.5 million, e.g. in the U.S. alone.",
                "J. Smith said so!",
                "Really?",
                "Yes",
                "and no.",
                "是的。",
                "不是。",
                "End"
            ]
        );
        assert_eq!(
            signal("气候变化的影响", "", "别的东西。气候变化很重要。", &[]),
            "气候变化很重要。"
        );
    }

    #[test]
    fn the_best_sentences_stand_in_the_order_of_their_text() {
        let claim = ClaimTerms::new("coffee lowers the risk of diabetes");
        let texts = [
            "Coffee. Tea. Coffee lowers the risk. Coffee. A risk of diabetes.",
            "Coffee lowers the risk of diabetes.",
        ];
        for (limit, expected) in [
            (1, &[texts[1]][..]),
            (2, &["Coffee lowers the risk.", texts[1]]),
            (
                3,
                &["Coffee lowers the risk.", "A risk of diabetes.", texts[1]],
            ),
        ] {
            assert_eq!(claim.top_sentences(&texts, limit), expected);
        }
        assert_eq!(claim.top_sentences(&["Tea."], 3), [""; 0]);
    }

    #[test]
    fn the_share_of_words_is_by_weight() {
        let query = ClaimTerms::new("rust editions of 2024");
        for (text, share) in [
            ("Rust 2024 edition", 1.0),
            ("the edition of 2024", 0.75),
            ("rusting", 0.25),
            ("none", 0.0),
            ("", 0.0),
        ] {
            assert!((query.share_in(text) - share).abs() < 1e-9, "{text}");
        }
        assert!((ClaimTerms::new("to be or not").share_in("x") - 1.0).abs() < 1e-9);
    }

    #[test]
    fn stop_words_are_in_order() {
        assert!(STOP_WORDS.is_sorted());
    }
}
