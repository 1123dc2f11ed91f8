//! Persons compared: two providers write one name in different ways, and few take it apart alike.

use super::entry::NamedPerson;
use super::folding::{letters, without_umlauts, words};

/// Particles that one spelling has and another leaves out.
const PARTICLES: &[&str] = &[
    "de", "da", "do", "dos", "das", "del", "della", "di", "du", "la", "le", "van", "von", "der",
    "den", "ter", "ten", "zu", "zur", "el", "al", "bin", "ben", "y", "e", "jr", "sr", "ii", "iii",
    "iv",
];

/// The folded words of a name.
struct NameWords {
    family: Vec<String>,
    given: Vec<String>,
}

impl NameWords {
    fn from_person(person: &NamedPerson) -> Self {
        let telling = |text: &str| -> Vec<String> {
            let all = words(text);
            // `Doe` is none, which is `do` without umlauts.
            let is_telling = |word: &&String| !PARTICLES.contains(&word.as_str());
            let telling_words: Vec<&String> = all.iter().filter(is_telling).collect();
            // A name may be nothing else.
            let telling_words = if telling_words.is_empty() {
                all.iter().collect()
            } else {
                telling_words
            };
            telling_words
                .into_iter()
                .map(|word| without_umlauts(word))
                .collect()
        };
        Self {
            family: telling(&person.family),
            given: telling(&person.given),
        }
    }

    fn all(&self) -> impl Iterator<Item = &String> {
        self.family.iter().chain(&self.given)
    }
}

/// True if both may be the same person: the family name of one is among the names of the other, the
/// last part of it at least.
#[must_use]
pub fn are_same(one: &NamedPerson, other: &NamedPerson) -> bool {
    let joined = |person: &NamedPerson| without_umlauts(&letters(&person.family));
    if !run(one).is_empty() && run(one) == run(other) {
        return true;
    }
    let is_spelled_alike = joined(one) == joined(other) && !joined(one).is_empty();
    let (one, other) = (NameWords::from_person(one), NameWords::from_person(other));
    (is_spelled_alike && initials_agree(&one, &other))
        || is_among(&one, &other)
        || is_among(&other, &one)
}

/// Returns the letters of a name in one run, the family name first, as it is written in Chinese.
fn run(person: &NamedPerson) -> String {
    without_umlauts(&letters(&format!("{}{}", person.family, person.given)))
}

/// True if a family name is among the names of another person.
fn is_among(one: &NameWords, other: &NameWords) -> bool {
    if one.family.is_empty() || other.family.is_empty() {
        return false;
    }
    let has = |word: &String| other.all().any(|theirs| theirs == word);
    // Of a compound name a part stands for all, but the given names have to agree then.
    one.family.iter().all(has) && initials_agree(one, other)
}

/// True if no initial of one contradicts the other; a name in another order is not looked at.
fn initials_agree(one: &NameWords, other: &NameWords) -> bool {
    if one.given.is_empty() || other.given.is_empty() {
        return true;
    }
    let theirs: Vec<char> = other.all().filter_map(|word| word.chars().next()).collect();
    let initials = one.given.iter().filter_map(|word| word.chars().next());
    initials.take(1).all(|initial| theirs.contains(&initial))
}

/// True if the text of a plain reference names this person; its words are without umlauts.
#[must_use]
pub fn is_named_in(person: &NamedPerson, text: &[String]) -> bool {
    let name = NameWords::from_person(person);
    let family = if person.given.is_empty() {
        // A name that is not split: the last word of it is what all references have.
        name.family.last().into_iter().collect::<Vec<_>>()
    } else {
        name.family.iter().collect()
    };
    let has = |word: &&String| text.contains(word);
    text.contains(&run(person))
        || !family.is_empty()
            && (family.iter().all(has)
                || family
                    .last()
                    .is_some_and(|word| word.len() > 2 && has(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(family: &str, given: &str) -> NamedPerson {
        NamedPerson {
            family: family.to_owned(),
            given: given.to_owned(),
        }
    }

    #[test]
    fn a_person_is_the_same_in_another_spelling() {
        for (one, other) in [
            (person("Müller", "Hans"), person("Mueller", "H.")),
            (person("van der Berg", "Jan"), person("Berg", "J. van der")),
            (
                person("García Márquez", "G."),
                person("Márquez", "Gabriel García"),
            ),
            (person("Jumper", "John"), person("John Jumper", "")),
            (person("Wang", "Xiaoming"), person("Xiaoming", "Wang")),
            (person("O'Neil", "Cathy"), person("O\u{2019}Neil", "C.")),
            (person("Smith", "J. R., Jr."), person("Smith Jr", "John")),
            (
                person("Peña-Castillo", "L"),
                person("Pena Castillo", "Lourdes"),
            ),
            (person("LeCun", "Yann"), person("Le Cun", "Y.")),
            (
                person("\u{5f20}", "\u{4e09}"),
                person("\u{5f20}\u{4e09}", ""),
            ),
        ] {
            assert!(are_same(&one, &other), "{one:?} {other:?}");
        }
        let text = ["doe", "j"].map(str::to_owned);
        assert!(is_named_in(
            &person("Jane Doe", ""),
            &text.map(|word| without_umlauts(&word))
        ));
        for (one, other) in [
            (person("Smith", "John"), person("Jones", "John")),
            (person("Smith", "John"), person("Smith", "Mary")),
            (person("", ""), person("Smith", "")),
        ] {
            assert!(!are_same(&one, &other), "{one:?} {other:?}");
        }
    }
}
