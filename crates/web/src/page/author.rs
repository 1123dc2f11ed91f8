//! Names of authors: persons, whose names are inverted in lists of references, and organisations,
//! whose names are not.
//!
//! Rules: APA 7, sections 9.7 to 9.12; MLA 9, sections 5.6 to 5.22. The family name is found as
//! BibTeX does: the last word, with the particles before it.

use iki_base::calendar;
use iki_base::wording::on_one_line;

/// Maximum number of authors of a page.
pub const MAX_AUTHORS: usize = 4096;

/// Maximum length of a name, in bytes. A longer text is about the author.
const MAX_NAME_BYTES: usize = 200;

/// Maximum number of words of a person's name; a longer name is an organisation's.
const MAX_WORDS: usize = 5;

/// Words that mark an organisation, in lower case.
const ORGANISATION_WORDS: &str = "\
     academy administration agency associates association authority board bureau center centre \
     club coalition collaboration collaborators college commission committee community company \
     consortium contributors corp corporation council department desk division editors \
     foundation gmbh government group hospital inc initiative institute international \
     investigators journal lab laboratory labs limited llc ltd magazine media ministry museum \
     network news newsroom of office organisation organization partners post press programme \
     project reporters research school service services society staff studio team the times \
     trust union university wiki";

/// Suffixes such as Jr., in lower case.
const SUFFIXES: &str = "jr jr. sr sr. ii iii iv";

/// Degrees and the like, which citations leave out, in lower case and without points.
const DEGREES: &str = "ba bs bsc cfa cfp cfp\u{ae} cpa dds dphil dvm edd esq facs frcp jd ldn llb \
                       llm ma mba mbbs md mfa mph ms msc msw pharmd phd rd rdn rn";

/// Texts in the place of a name: nothing, and labels of a name that is elsewhere.
const NOT_NAMES: &str = "admin|anonymous|author|authors|by|contributor|guest|guest author|guest \
                         blogger|guest contributor|n/a|none|null|post by|posted by|published \
                         by|reviewed by|staff writer|the author|undefined|unknown|updated \
                         by|webmaster|written by";

/// Words of what authors are, which sites put behind their names, in lower case.
const ROLES: &str = "analyst anchor blogger chief columnist contributor correspondent critic \
                     curator director editor engineer fellow founder host intern journalist \
                     lecturer manager photographer president producer professor reporter \
                     researcher scientist staff student writer";

/// Words between two names; true for those that may stand within one as well: `Ortega y Gasset`,
/// `von und zu Berg`.
const CONJUNCTIONS: [(&str, bool); 6] = [
    (" and ", false),
    (" & ", false),
    (" y ", true),
    (" et ", false),
    (" und ", true),
    (" e ", true),
];

/// Words within the family names of Spain and Portugal: `Ortega y Gasset`.
const NAME_CONJUNCTIONS: [&str; 3] = ["y", "i", "e"];

/// Forms of address, which are not part of a name, in lower case and without points.
const TITLES: &str = "dr mr mrs ms prof professor";

/// Kind of author that a page states with the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthorKind {
    Person,
    Organisation,
    /// One of a list of names, which are persons' but for those that say otherwise.
    Listed,
    /// Nothing is stated: the name decides.
    None,
}

/// An author.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorName {
    /// Family name, or the whole name of an organisation or of a person with a single name.
    pub family: String,
    /// Given names; empty for an organisation.
    pub given: String,
    /// `Jr.` and the like.
    pub suffix: String,
    /// True if it is an organisation.
    pub organisation: bool,
}

impl AuthorName {
    /// Parses one name: `Doe, Jane`, `Jane Doe` or `World Health Organization`. `None` for a text
    /// that is not a name.
    pub fn parse(name: &str, hint: AuthorKind) -> Option<Self> {
        let name = clean_name(name)?;
        if hint != AuthorKind::Organisation && is_in_own_order(&name) {
            return Some(Self::single_name(name, false));
        }
        let organisation = match hint {
            AuthorKind::Person => false,
            AuthorKind::Organisation => true,
            AuthorKind::Listed => is_called_organisation(&name),
            AuthorKind::None => is_organisation(&name),
        };
        if organisation {
            return Some(Self::single_name(name, true));
        }
        let mut parts = name.split(',').map(str::trim);
        let first = without_title(parts.next()?);
        // After a family name without given names, `MA` stands for initials.
        let is_whole = first.contains(' ') && !first.split(' ').next().is_some_and(is_particle);
        let (mut given, mut suffix) = (String::new(), String::new());
        for part in parts.filter(|part| !part.is_empty()) {
            if is_suffix(part) {
                part.clone_into(&mut suffix);
            } else if given.is_empty() && !(is_whole && is_addition(part)) {
                part.clone_into(&mut given);
            }
        }
        if !given.is_empty() {
            return Some(Self {
                family: first.to_owned(),
                given,
                suffix,
                organisation: false,
            });
        }
        let mut words: Vec<&str> = first.split(' ').collect();
        if words.len() > 2 && words.last().is_some_and(|word| is_suffix(word)) {
            words.pop().unwrap_or_default().clone_into(&mut suffix);
        }
        while words.len() > 2 && words.last().is_some_and(|word| is_degree(word)) {
            words.pop();
        }
        let mut start = words.len() - 1;
        while start > 1 && is_particle(words[start - 1]) {
            start -= 1 + usize::from(NAME_CONJUNCTIONS.contains(&words[start - 1]));
        }
        if start == 0 {
            return Some(Self::single_name(words.join(" "), false));
        }
        Some(Self {
            family: words[start..].join(" "),
            given: words[..start].join(" "),
            suffix,
            organisation: false,
        })
    }

    /// Makes a name that has no parts.
    pub(crate) fn single_name(name: String, organisation: bool) -> Self {
        Self {
            family: name,
            given: String::new(),
            suffix: String::new(),
            organisation,
        }
    }

    /// Returns the name in natural order.
    pub fn in_natural_order(&self) -> String {
        let mut parts = [&self.given, &self.family, &self.suffix];
        if is_cjk(&self.given) && is_cjk(&self.family) {
            parts.swap(0, 1);
        }
        let mut name = String::new();
        for part in parts {
            if !name.is_empty() && !part.is_empty() {
                name.push(' ');
            }
            name.push_str(part);
        }
        name
    }

    /// Returns the name with the family name first: `Doe, Jane, Jr.`
    pub fn inverted(&self) -> String {
        let mut name = self.family.clone();
        for part in [&self.given, &self.suffix] {
            if !part.is_empty() {
                name.push_str(", ");
                name.push_str(part);
            }
        }
        name
    }
}

/// Parses a text that may name several authors: `A B and C D`, `A B; C D`, `A B, C D`, or `Doe,
/// Jane`.
pub fn all(text: &str, hint: AuthorKind) -> Vec<AuthorName> {
    let text = on_one_line(text);
    let text = without_by(&text);
    if hint == AuthorKind::Organisation {
        return AuthorName::parse(text, hint).into_iter().collect();
    }
    let mut names: Vec<String> = Vec::new();
    let has_bar = text.contains('|');
    let mut has_person = false;
    for part in text.split([';', '|', '\u{3001}']) {
        let people = parts_joined(part);
        let is_one = people.len() == 1 && !is_listed(part);
        // Behind a person the paper is no author.
        if has_bar && has_person && is_one && is_organisation(part) {
            continue;
        }
        let count = names.len();
        for name in people {
            let name = without_roles(name);
            if is_listed(&name) {
                names.extend(name.split(',').map(|name| name.trim().to_owned()));
            } else {
                names.push(name);
            }
        }
        let mut added = names[count..].iter();
        has_person |= added.any(|name| !name.is_empty() && !is_organisation(name));
        if names.len() >= MAX_AUTHORS {
            break;
        }
    }
    let names = names.iter().take(MAX_AUTHORS);
    names
        .filter_map(|name| AuthorName::parse(name, hint))
        .collect()
}

/// Returns the names that words such as `and` join: `Doe, J. and Roe, R.` Names such as
/// `Smith & Sons Ltd` and `Department of Health and Care` are one organisation each.
pub(super) fn parts_joined(text: &str) -> Vec<&str> {
    let mut people = vec![text];
    for (word, is_within) in CONJUNCTIONS {
        let is_two = |(_, after): &(&str, &str)| {
            let after = after.trim_start();
            !is_within || (after.contains([' ', ',']) && after.starts_with(char::is_uppercase))
        };
        people = people
            .into_iter()
            .flat_map(|part| match part.split_once(word).filter(is_two) {
                Some(_) => part.split(word).collect(),
                None => vec![part],
            })
            .collect();
    }
    let people: Vec<&str> = people
        .into_iter()
        .map(|name| name.trim().trim_end_matches(','))
        .collect();
    let is_whole = |name: &&str| name.contains([' ', ',']) && !is_organisation(name);
    let several = people.len() > 1 && people.iter().all(|name| is_whole(name) || is_listed(name));
    if several { people } else { vec![text.trim()] }
}

/// Returns a name without what the author is, which stands behind it: `Jane Doe, Staff Writer`.
fn without_roles(name: &str) -> String {
    let mut parts = name.split(',').map(str::trim);
    let first = parts.next().unwrap_or_default();
    let others = parts.filter(|part| !(first.contains(' ') && has_word(part, ROLES)));
    std::iter::once(first)
        .chain(others)
        .collect::<Vec<_>>()
        .join(", ")
}

/// True for what is added to a whole name: a degree, what the author is, where they work.
fn is_addition(part: &str) -> bool {
    is_degree(part) || has_word(part, ROLES) || has_word(part, ORGANISATION_WORDS)
}

/// True if one of the words of a text, or what it is the plural of, is in a list.
fn has_word(text: &str, list: &str) -> bool {
    let mut words = text
        .split(|c: char| !c.is_alphanumeric())
        .map(str::to_lowercase);
    words.any(|word| {
        [word.as_str(), word.trim_end_matches('s')]
            .iter()
            .any(|word| is_listed_in(list, ' ', word))
    })
}

/// True if commas separate whole names: each has two words or more, and is not a degree.
fn is_listed(text: &str) -> bool {
    text.contains(',')
        && text.split(',').all(|part| {
            let words = part.split_whitespace().count();
            (2..=MAX_WORDS).contains(&words) && !is_organisation(part)
        })
}

/// Words that end the names in a byline, in lower case.
const AFTER_NAMES: &str = "on updated published posted reviewed edited last read min view follow \
                           monday tuesday wednesday thursday friday saturday sunday";

/// Parses the authors of a byline as a page shows it, without the date and any text after the
/// names.
pub fn of_byline(text: &str) -> Vec<AuthorName> {
    let text = on_one_line(text);
    let mut text = without_by(&text);
    for mark in [
        "|", "\u{b7}", "\u{2022}", "\u{bb}", "\u{2013}", "\u{2014}", "(", " - ", " / ",
    ] {
        text = text.split(mark).next().unwrap_or_default();
    }
    let mut names: Vec<&str> = Vec::new();
    if text.split([' ', ',']).next().is_some_and(is_weekday) {
        return Vec::new();
    }
    for word in text.split(' ') {
        let bare = word.trim_matches([',', '.', ':']).to_lowercase();
        let begins_something = is_listed_in(AFTER_NAMES, ' ', &bare);
        let number = word.starts_with(|c: char| c.is_ascii_digit());
        if begins_something || (number && !names.is_empty()) {
            // `May 17` after a name is a date.
            let dated = number && names.len() > 1;
            let month = names.last().map(|word| word.trim_matches([',', '.']));
            if dated && month.and_then(calendar::month_named).is_some() {
                names.pop();
            }
            break;
        }
        names.push(word);
    }
    if names.len() > 4 * MAX_WORDS {
        return Vec::new();
    }
    all(&names.join(" "), AuthorKind::None)
}

/// True for `Sat`: a date begins there.
fn is_weekday(word: &str) -> bool {
    is_listed_in("mon tue wed thu fri sat sun", ' ', &word.to_lowercase())
}

/// True if `text` is an entry of `list`, whose entries `separator` separates.
fn is_listed_in(list: &str, separator: char, text: &str) -> bool {
    list.split(separator).any(|entry| entry == text)
}

/// True for `Jr.` and the like.
pub(crate) fn is_suffix(word: &str) -> bool {
    is_listed_in(SUFFIXES, ' ', &word.to_lowercase())
}

/// True if all words of the text are degrees: `PhD`, `R.D.`
pub(crate) fn is_degree(text: &str) -> bool {
    text.split(' ').all(|word| {
        let bare: String = word.chars().filter(|c| *c != '.').collect();
        // `Ma` is a name, and `MA` a degree.
        bare.chars().filter(|c| c.is_uppercase()).count() > 1
            && is_listed_in(DEGREES, ' ', &bare.to_lowercase())
    })
}

/// Removes `Dr.` and the like from the beginning of a name.
fn without_title(name: &str) -> &str {
    match name.split_once(' ') {
        Some((title, remainder))
            if is_listed_in(TITLES, ' ', &title.trim_end_matches('.').to_lowercase()) =>
        {
            remainder.trim_start()
        }
        _ => name,
    }
}

/// Removes `By` from the beginning of a byline.
fn without_by(text: &str) -> &str {
    let mut text = text.trim();
    for prefix in "Written by|Posted by|Published by|Post by|Authored by|Author|By".split('|') {
        let head = text.get(..prefix.len());
        let remainder = text.get(prefix.len()..);
        if let (Some(head), Some(remainder)) = (head, remainder)
            && head.eq_ignore_ascii_case(prefix)
            && remainder.starts_with([' ', ':'])
        {
            text = remainder.trim_start_matches([' ', ':']);
            break;
        }
    }
    text
}

/// Puts a name on one line; `None` for a URL, an e-mail address, a number, the name of a variable
/// such as `page.author.name`, or a longer text.
fn clean_name(name: &str) -> Option<String> {
    let name = on_one_line(name);
    let name = name.trim_matches([',', ';', '|', '"']).trim();
    let none = name.is_empty()
        || name.len() > MAX_NAME_BYTES
        || super::json_ld::is_address(name)
        || (name.contains('@') && !name.starts_with('@'))
        || !name.chars().any(char::is_alphabetic)
        || (!name.contains(' ')
            && name.matches('.').count() > 2
            && !name.contains(char::is_uppercase))
        || is_listed_in(
            NOT_NAMES,
            '|',
            &name.trim_end_matches([':', ' ']).to_lowercase(),
        );
    (!none).then(|| name.to_owned())
}

/// True if the name cannot be a person's, or is longer than those are.
fn is_organisation(name: &str) -> bool {
    words_of(name).count() > MAX_WORDS || is_called_organisation(name)
}

fn words_of(name: &str) -> impl Iterator<Item = &str> {
    let words = name.split(|c: char| c.is_whitespace() || c == ',');
    words.filter(|word| !word.is_empty())
}

/// True if something in the name says that it is no person's.
fn is_called_organisation(name: &str) -> bool {
    let name = name.trim();
    let words: Vec<&str> = words_of(name).collect();
    name.contains('&')
        || name.chars().any(|c| c.is_ascii_digit())
        || words.iter().any(|word| {
            let word = word.trim_matches('.').to_lowercase();
            is_listed_in(ORGANISATION_WORDS, ' ', &word)
        })
        // `NASA`, `BBC`; initials have points or are next to a name.
        || (words.len() == 1 && name.len() > 1 && name.chars().all(char::is_uppercase))
}

/// True for a name whose family name is first, which no comma says: `山田 太郎`.
fn is_in_own_order(name: &str) -> bool {
    name.contains(' ') && is_cjk(name)
}

/// True if all letters are those of Chinese, Japanese or Korean.
pub(crate) fn is_cjk(name: &str) -> bool {
    let mut letters = name.chars().filter(|c| c.is_alphabetic()).peekable();
    letters.peek().is_some()
        && letters.all(|c| {
            matches!(c, '\u{1100}'..='\u{11ff}' | '\u{3040}'..='\u{30ff}'
                | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{20000}'..='\u{323af}')
        })
        && !name.contains(',')
}

/// True if a word belongs to the family name after it: `van`, `de la`, `'t`.
fn is_particle(word: &str) -> bool {
    let word = word.trim_start_matches(['\'', '\u{2018}', '\u{2019}']);
    word.starts_with(char::is_lowercase)
}

#[cfg(test)]
mod tests;
