//! Filters that are applied to what a provider gives: by author, venue and words.

use crate::references::{containers, folding};
use iki_web::work::WorkAuthor;

/// True if an author may be the one that is `wanted`: each word of that is one of the names, or the
/// initial of one. The family name is one of the words.
#[must_use]
pub fn is_author(wanted: &str, author: &WorkAuthor) -> bool {
    let names = folding::words(&author.in_natural_order());
    let fits = |wanted: &String| {
        names.iter().any(|name| {
            let (short, long) = if name.len() < wanted.len() {
                (name, wanted)
            } else {
                (wanted, name)
            };
            short == long || (short.chars().count() == 1 && long.starts_with(short.as_str()))
        })
    };
    let words = folding::words(wanted);
    let is_named = words
        .iter()
        .any(|word| word.chars().count() > 1 && names.contains(word));
    is_named && words.iter().all(fits)
}

/// True if a paper may be in the venue that is `wanted`: under its name, an abbreviation of it, or
/// a longer name that has it as a part.
#[must_use]
pub fn is_venue(wanted: &str, place: &str) -> bool {
    let (words, others) = (folding::words(wanted), folding::words(place));
    if words.is_empty() || others.is_empty() {
        return false;
    }
    containers::are_same(wanted, place) || others.windows(words.len()).any(|part| part == words)
}

/// True if the texts have all these words, or longer ones that begin so.
#[must_use]
pub fn has_words(wanted: &str, texts: &[&String]) -> bool {
    let all: Vec<String> = texts.iter().flat_map(|text| folding::words(text)).collect();
    let wanted = folding::words(wanted);
    wanted
        .iter()
        .all(|word| all.iter().any(|one| one.starts_with(word.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn authors_and_venues_are_recognised_in_other_spellings() {
        let author = WorkAuthor::person("M\u{fc}ller", "Hans J.", "");
        for wanted in [
            "M\u{fc}ller",
            "muller",
            "H. M\u{fc}ller",
            "Hans M\u{fc}ller",
            "M\u{fc}ller, Hans",
        ] {
            assert!(is_author(wanted, &author), "{wanted}");
        }
        for wanted in ["Mill", "Eva M\u{fc}ller", "H", ""] {
            assert!(!is_author(wanted, &author), "{wanted}");
        }
        assert!(
            is_venue("nature", "Nature") && is_venue("Phys. Rev. Lett.", "Physical Review Letters")
        );
        assert!(is_venue(
            "CVPR",
            "2016 Conference on Computer Vision (CVPR)"
        ));
        assert!(!is_venue("Science", "Nature") && !is_venue("Nature", ""));
        let title = "Highly accurate predictions".to_owned();
        assert!(has_words("accurate prediction", &[&title]) && !has_words("folding", &[&title]));
    }
}
