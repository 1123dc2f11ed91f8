//! Journals, proceedings and books compared: under their names, abbreviations and initials.

use super::folding::{letters, without_umlauts, words};

/// Words that abbreviations leave out.
const SMALL_WORDS: &[&str] = &[
    "a", "an", "and", "at", "de", "der", "des", "die", "du", "et", "for", "fur", "in", "la", "le",
    "of", "on", "the", "und", "to", "with", "section", "series",
];

/// Words of the names of proceedings, of which no two have the same.
const PROCEEDINGS: &[&str] = &[
    "proceedings",
    "proc",
    "conference",
    "conf",
    "symposium",
    "symp",
    "workshop",
    "lecture",
    "notes",
    "advances",
    "meeting",
    "congress",
    "chapter",
    "handbook",
];

/// True if both names are of proceedings or the like, whose spellings say nothing.
#[must_use]
pub fn is_of_proceedings(name: &str) -> bool {
    words(name)
        .iter()
        .any(|word| PROCEEDINGS.contains(&word.as_str()))
}

/// True if both names may be of the same journal.
#[must_use]
pub fn are_same(one: &str, other: &str) -> bool {
    if letters(one) == letters(other) {
        return true;
    }
    // An abbreviation may be a small word as well: `Des.` is a design.
    let forms = |name: &str| [telling(name), words(name)];
    let (one, other) = (forms(one), forms(other));
    if one[0].is_empty() || other[0].is_empty() {
        return true;
    }
    let mut pairs = one
        .iter()
        .flat_map(|one| other.iter().map(move |other| (one, other)));
    pairs.any(|(one, other)| {
        is_abbreviation(one, other)
            || is_abbreviation(other, one)
            || has_initials(one, other)
            || has_initials(other, one)
    })
}

/// Returns the number of words at the beginning of a text that are the name of a container, each of
/// them perhaps abbreviated; they are without umlauts.
#[must_use]
pub fn length_in(text: &[String], name: &str) -> Option<usize> {
    let name: Vec<String> = telling(name)
        .iter()
        .map(|word| without_umlauts(word))
        .collect();
    let first = text.first().filter(|first| first.len() > 2);
    if first.is_some_and(|first| has_initials(std::slice::from_ref(first), &name)) {
        return Some(1);
    }
    let mut remainder = name.iter();
    let mut next = remainder.next()?;
    let mut is_telling = false;
    for (index, word) in text.iter().enumerate() {
        if abbreviates(word, next) {
            is_telling |= word.len() > 2 || word == next;
            match remainder.next() {
                Some(one) => next = one,
                None => return is_telling.then_some(index + 1),
            }
        } else if !SMALL_WORDS.contains(&word.as_str()) || index == 0 {
            return None;
        }
    }
    None
}

fn telling(name: &str) -> Vec<String> {
    // What stands in brackets or after a colon says it again, or where it appears.
    let name = name.split(['(', '[', ':']).next().unwrap_or(name);
    let words = words(name).into_iter();
    words
        .filter(|word| !SMALL_WORDS.contains(&word.as_str()))
        .collect()
}

/// True if the words of `short` are those of `long`, in order, each perhaps abbreviated; `long` may
/// end in others.
fn is_abbreviation(short: &[String], long: &[String]) -> bool {
    short.len() <= long.len()
        && short.iter().zip(long).all(|(short, long)| abbreviates(short, long))
        // A longer name is another journal's, unless words of one letter divide it.
        && (short.len() == long.len() || long[short.len()..].iter().all(|word| word.len() < 3))
}

/// True if a word is a beginning of another, or such of its letters as abbreviations keep.
fn abbreviates(short: &str, long: &str) -> bool {
    if long.starts_with(short) {
        return true;
    }
    let mut remainder = long.chars();
    short.chars().next() == long.chars().next()
        && short.len() < long.len()
        && short.chars().all(|c| remainder.any(|one| one == c))
}

/// True if one name is a word made of the initials of the other.
fn has_initials(short: &[String], long: &[String]) -> bool {
    let initials: String = long.iter().filter_map(|word| word.chars().next()).collect();
    let short = short.concat();
    long.len() > 1 && (initials == short || (short.len() > 2 && initials.starts_with(&short)))
}

/// Words, besides those of proceedings, that many names share, and those of publishers.
const COMMON_WORDS: &[&str] = &[
    "international",
    "int",
    "intl",
    "annual",
    "national",
    "european",
    "journal",
    "j",
    "ieee",
    "acm",
    "usenix",
    "springer",
    "verlag",
    "elsevier",
    "wiley",
    "press",
    "publisher",
    "publishers",
    "publishing",
    "university",
    "edition",
    "volume",
    "vol",
    "edited",
    "book",
];

/// Series, of which a name says nothing about the book in it, in folded words.
const SERIES: &[&str] = &[
    "lecture notes",
    "lncs",
    "lnai",
    "ebooks",
    "communications in",
    "studies in",
    "methods in",
];

/// True if a name is a series'.
#[must_use]
pub fn is_series(name: &str) -> bool {
    let name = words(name).join(" ");
    SERIES.iter().any(|series| name.contains(series))
}

/// True if two names are surely those of two containers: they have no word in common that tells
/// one from others, and neither has the initials of the other.
#[must_use]
pub fn are_unlike(one: &str, other: &str) -> bool {
    let (own, others) = (own_words(one), own_words(other));
    let is_same = |own: &String, other: &String| {
        let (short, long) = if own.len() < other.len() {
            (own, other)
        } else {
            (other, own)
        };
        short == long || (short.len() > 2 && abbreviates(short, long))
    };
    let has_common = own
        .iter()
        .any(|own| others.iter().any(|other| is_same(own, other)));
    let is_unknown = own.is_empty() || others.is_empty() || has_common;
    !(is_unknown || has_acronym(&own, other) || has_acronym(&others, one))
}

/// Returns the words of a name that few others have, without numbers.
fn own_words(name: &str) -> Vec<String> {
    let words = words(name).into_iter().map(|word| without_umlauts(&word));
    let words = words.filter(|word| !word.starts_with(|c: char| c.is_ascii_digit()));
    let words = words.map(|word| {
        word.trim_end_matches(|c: char| c.is_ascii_digit())
            .to_owned()
    });
    let lists = [SMALL_WORDS, PROCEEDINGS, COMMON_WORDS];
    let is_common = |word: &str| lists.iter().any(|list| list.contains(&word));
    words.filter(|word| !is_common(word)).collect()
}

/// True if these are one word, and the acronym of a name: that which stands in its brackets, or
/// else one that is made of the beginnings of its words.
fn has_acronym(own: &[String], name: &str) -> bool {
    let [word] = own else { return false };
    let in_brackets = name.split_once('(').map(|(_, inside)| inside);
    let in_brackets = in_brackets
        .into_iter()
        .flat_map(|inside| inside.split([')', ' ', '\'']));
    let is_acronym = |part: &&str| part.chars().filter(|c| c.is_uppercase()).count() > 2;
    let mut given = in_brackets
        .filter(is_acronym)
        .map(str::to_lowercase)
        .peekable();
    if given.peek().is_some() {
        return given.any(|given| given.contains(word.as_str()) || word.contains(&given));
    }
    let words = words(name);
    let has_it = words
        .iter()
        .any(|one| one.len() > 3 && one.contains(word.as_str()));
    let letters = [Some(word.as_str()), word.strip_prefix("sig")];
    has_it
        || letters
            .into_iter()
            .flatten()
            .any(|letters| has_beginnings(letters, &words))
}

/// Minimum and maximum length of an acronym, in bytes.
const ACRONYM_BYTES: std::ops::RangeInclusive<usize> = 2..=12;

/// True if letters are the beginnings of two or more of the words, in order.
fn has_beginnings(letters: &str, words: &[String]) -> bool {
    if !ACRONYM_BYTES.contains(&letters.len()) {
        return false;
    }
    // For each number of letters, of how many words they are the beginnings, of two at most.
    let mut counts = vec![None; letters.len() + 1];
    counts[0] = Some(0);
    for word in words {
        // From the end on, so that no word counts twice.
        for start in (0..letters.len()).rev() {
            let Some(count) = counts[start] else {
                continue;
            };
            let pairs = letters.bytes().skip(start).zip(word.bytes());
            let same = pairs.take_while(|(one, other)| one == other).count();
            for end in &mut counts[start + 1..=start + same] {
                *end = (*end).max(Some((count + 1).min(2)));
            }
        }
    }
    counts[letters.len()] == Some(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_is_the_same_under_its_abbreviation() {
        for (one, other) in [
            (
                "J. Mach. Learn. Res.",
                "Journal of Machine Learning Research",
            ),
            ("JMLR", "Journal of Machine Learning Research"),
            (
                "Proc. Natl. Acad. Sci. USA",
                "Proceedings of the National Academy of Sciences USA",
            ),
            ("PNAS", "Proceedings of the National Academy of Sciences"),
            ("Phys. Rev. Lett.", "Physical Review Letters"),
            ("The Lancet", "Lancet"),
            ("Nucleic Acids Res", "Nucleic Acids Research"),
            ("Science (New York, N.Y.)", "Science"),
            ("Ann Intern Med", "Annals of Internal Medicine"),
            ("Astronomy \\& Astrophysics", "Astronomy and Astrophysics"),
            (
                "J. Am. Chem. Soc.",
                "Journal of the American Chemical Society",
            ),
            ("Nucl. Eng. Des.", "Nuclear Engineering and Design"),
            ("Z. Phys.", "Zeitschrift f{\\\"u}r Physik"),
        ] {
            assert!(are_same(one, other), "{one} | {other}");
        }
        for (one, other) in [
            ("Nature", "Science"),
            ("Nature", "Nature Communications"),
            ("Cell", "Cell Reports"),
            ("Physical Review Letters", "Physical Review B"),
            ("Journal of Physics A", "Journal of Chemistry"),
        ] {
            assert!(!are_same(one, other), "{one} | {other}");
        }
    }

    #[test]
    fn an_acronym_is_of_the_beginnings_of_several_words_however_many_there_are() {
        let is_of = |letters: &str, name: &str| has_beginnings(letters, &words(name));
        assert!(is_of(
            "cvpr",
            "Conference on Computer Vision and Pattern Recognition"
        ));
        assert!(is_of("neurips", "Neural Information Processing Systems"));
        assert!(!is_of("nature", "Nature"));
        assert!(!is_of("rcvp", "Computer Vision and Pattern Recognition"));
        let many = "pediatrics ".repeat(5_000);
        assert!(!is_of("pediatricsx", &many));
    }
}
