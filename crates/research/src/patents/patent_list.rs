//! Clean-up of every provider's patents: numbers and addresses in one form, only those that were
//! asked for, each patent once.

use std::cmp::Reverse;

use super::patent::Patent;
use super::query::{PatentSearch, plain_words};
use iki_base::unseen::UnseenCount;
use iki_base::wording::on_one_line;
use iki_web::search::results::{shortened, shown_url};
use iki_web::work::patent_number::PatentNumber;

/// Maximum length of an abstract, in characters.
const MAX_ABSTRACT_CHARS: usize = 2000;

/// Maximum length of an other text, in characters.
const MAX_TEXT_CHARS: usize = 500;

/// Patents that may be shown, with what is to be said of them.
#[derive(Debug, Default)]
pub struct PatentList {
    /// The patents, best first.
    pub patents: Vec<Patent>,
    /// Number of patents whose day of filing is not known, so that a limit of years could not be
    /// checked.
    pub undated: usize,
    /// Invisible characters that were removed from the patents.
    pub taken: UnseenCount,
}

impl PatentList {
    /// Returns the patents among `all` that `search` is for.
    #[must_use]
    pub fn select(all: Vec<Patent>, search: &PatentSearch) -> Self {
        let mut patents: Vec<(Patent, PatentNumber)> = Vec::new();
        let wanted = search.number();
        for patent in all {
            let Some(number) = patent.parsed_number() else {
                continue;
            };
            let is_wanted = match (&wanted, search.title()) {
                (Some(wanted), _) => {
                    let published = PatentNumber::parse(&patent.published);
                    number.meets(wanted) || published.is_some_and(|other| other.meets(wanted))
                }
                (None, Some(title)) => has_title(&patent, &title),
                (None, None) => true,
            };
            let of_office = search.office.is_none_or(|office| number.office == office);
            if !(is_wanted && of_office && is_in_years(&patent, search)) {
                continue;
            }
            let patent = tidied(patent, &number);
            match patents
                .iter_mut()
                .find(|one| is_same(one, &patent, &number))
            {
                Some((first, first_number)) => merge(first, first_number, patent, number),
                None => patents.push((patent, number)),
            }
        }
        let mut patents: Vec<Patent> = patents.into_iter().map(|(patent, _)| patent).collect();
        if search.newest_first() {
            let day = |patent: &Patent| patent.filed.replace('-', "").parse().unwrap_or(0_usize);
            patents.sort_by_key(|patent| Reverse(day(patent)));
            patents = spread(patents);
        }
        patents.truncate(search.count);
        let limited = search.year_from.or(search.year_to).is_some();
        let undated = patents.iter().filter(|patent| patent.filed.is_empty());
        let taken = patents.iter().map(|patent| patent.taken);
        Self {
            undated: if limited { undated.count() } else { 0 },
            taken: taken.fold(UnseenCount::default(), UnseenCount::and),
            patents,
        }
    }
}

/// True if the patent has this title, or one that holds it.
fn has_title(patent: &Patent, title: &str) -> bool {
    let words = plain_words(&patent.title).to_lowercase();
    let title = title.to_lowercase();
    format!(" {words} ").contains(&format!(" {title} "))
}

/// True unless the patent was filed in another year.
fn is_in_years(patent: &Patent, search: &PatentSearch) -> bool {
    let Some(year) = patent
        .filed
        .get(..4)
        .and_then(|year| year.parse::<u16>().ok())
    else {
        return true;
    };
    search.year_from.is_none_or(|first| year >= first)
        && search.year_to.is_none_or(|last| year <= last)
}

/// True if both are documents of one patent.
fn is_same(one: &(Patent, PatentNumber), patent: &Patent, number: &PatentNumber) -> bool {
    let (first, first_number) = one;
    let application = !patent.application.is_empty() && first.application == patent.application;
    first_number.office == number.office && (application || first_number.serial == number.serial)
}

/// Adds another document of a patent to the first: the grant's number counts, and what one does not
/// say is taken from the other.
fn merge(
    first: &mut Patent,
    first_number: &mut PatentNumber,
    mut other: Patent,
    number: PatentNumber,
) {
    if number.is_grant() == Some(true) && first_number.is_grant() != Some(true) {
        std::mem::swap(first, &mut other);
        *first_number = number;
    }
    let taken = first.taken.and(other.taken);
    for (value, more) in first.values().into_iter().zip(other.values()) {
        if value.is_empty() {
            std::mem::swap(value, more);
        }
    }
    first.taken = taken;
}

/// Orders patents so that each assignee comes once before any comes again.
fn spread(patents: Vec<Patent>) -> Vec<Patent> {
    let mut rounds: Vec<Vec<Patent>> = Vec::new();
    for patent in patents {
        let of_same = |round: &&mut Vec<Patent>| {
            let known = !patent.assignee.is_empty();
            !known || round.iter().all(|one| one.assignee != patent.assignee)
        };
        match rounds.iter_mut().find(of_same) {
            Some(round) => round.push(patent),
            None => rounds.push(vec![patent]),
        }
    }
    rounds.concat()
}

fn tidied(mut patent: Patent, number: &PatentNumber) -> Patent {
    let summary = std::mem::take(&mut patent.summary);
    let pdf = std::mem::take(&mut patent.pdf);
    for value in patent.values() {
        *value = shortened(&on_one_line(value), MAX_TEXT_CHARS);
    }
    patent.summary = shortened(&on_one_line(&summary), MAX_ABSTRACT_CHARS);
    patent.number = number.to_string();
    patent.url = number.address();
    if number.is_grant() == Some(false) {
        patent.granted.clear();
    }
    patent.pdf = shown_url(&pdf).unwrap_or_default();
    patent
}
