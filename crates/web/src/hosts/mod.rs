//! Workshop: one table of hosts, `hosts.tsv`, with facts about each, and the lenses that have it.
//!
//! Rows are our own judgement, with the reason in the comment above them or in the row. A host's
//! columns, separated by tabs: name, kind of source, tier, subject, marks, basis of its reputation,
//! note. `lens` in the first column begins a lens: its name, its purpose, its hosts in the order in
//! which they are asked.
//!
//! A host is looked up by its name and then by its parents' names, never by a part of an address.

use url::Url;

const TABLE: &str = include_str!("hosts.tsv");

/// The first column of a lens.
const LENS: &str = "lens";

/// A host's row. A column that says nothing is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostRow {
    /// The host's name, in lower case.
    pub name: &'static str,
    /// The kind of source that its pages are, unless they say better.
    pub source: &'static str,
    /// The degree to which it is relied on: `high`, `mixed` or `low`.
    pub tier: &'static str,
    /// Its subject.
    pub subject: &'static str,
    /// `open` where pages are not reviewed before they appear, `scholarly` where they have DOIs.
    marks: &'static str,
    /// The reason for the tier, which search results show; without one they show no tier.
    pub basis: &'static str,
    /// A caution that goes with the tier.
    pub note: &'static str,
}

impl HostRow {
    fn parse(line: &'static str) -> Self {
        let mut columns = line.split('\t');
        let mut next = || columns.next().unwrap_or_default();
        Self {
            name: next(),
            source: next(),
            tier: next(),
            subject: next(),
            marks: next(),
            basis: next(),
            note: next(),
        }
    }

    /// True if its column of marks has this one.
    #[must_use]
    pub fn is_marked(&self, mark: &str) -> bool {
        self.marks.split(',').any(|one| one == mark)
    }
}

/// A lens: hosts that are at home in a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LensRow {
    /// Its name, in lower case.
    pub name: &'static str,
    /// Its purpose, a sentence.
    pub description: &'static str,
    /// Its hosts, with blanks between them.
    pub hosts: &'static str,
}

fn lines() -> impl Iterator<Item = &'static str> {
    TABLE.lines().filter(|line| !line.starts_with('#'))
}

/// Every host's row.
pub fn rows() -> impl Iterator<Item = HostRow> {
    let rows = lines().filter(|line| line.split('\t').next() != Some(LENS));
    rows.map(HostRow::parse)
}

/// Every lens.
pub fn lenses() -> impl Iterator<Item = LensRow> {
    lines().filter_map(|line| {
        let mut columns = line.split('\t');
        let mut next = || columns.next();
        (next() == Some(LENS)).then_some(())?;
        Some(LensRow {
            name: next()?,
            description: next()?,
            hosts: next()?,
        })
    })
}

/// Returns the row of the host of an address, or of the nearest of its parents, that `suits`.
pub fn find_row(url: &Url, suits: impl Fn(&HostRow) -> bool) -> Option<HostRow> {
    let mut name = url.domain()?.trim_end_matches('.');
    loop {
        if let Some(row) = rows().find(|row| row.name == name && suits(row)) {
            return Some(row);
        }
        name = name.split_once('.')?.1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sound() {
        let mut names: Vec<&str> = rows().map(|row| row.name).collect();
        assert!(names.len() > 350, "{}", names.len());
        names.sort_unstable();
        for pair in names.windows(2) {
            assert_ne!(pair[0], pair[1]);
        }
        for row in rows() {
            let name = row.name;
            assert!(name.contains('.') && name == name.to_lowercase(), "{name}");
            assert!(["high", "mixed", "low"].contains(&row.tier), "{name}");
            assert!(row.source.is_empty() == row.subject.is_empty(), "{name}");
            assert!(!row.source.is_empty() || !row.basis.is_empty(), "{name}");
            assert!(row.note.is_empty() || !row.basis.is_empty(), "{name}");
            for mark in row.marks.split(',') {
                assert!(["", "open", "scholarly"].contains(&mark), "{name}: {mark}");
            }
        }
        for line in lines() {
            let columns = line.split('\t').count();
            assert!(
                (3..=7).contains(&columns) && !line.ends_with('\t'),
                "{line}"
            );
        }
    }

    #[test]
    fn a_part_of_an_address_is_no_host() {
        for address in [
            "https://example.org/?x=nature.com",
            "https://example.org/nature.com/",
            "https://nature.com@example.org/",
            "https://nature.com.example.org/",
            "https://notnature.com/",
            "https://com/",
            "http://127.0.0.1/",
            "http://[::1]/",
        ] {
            let url = Url::parse(address).unwrap();
            assert_eq!(find_row(&url, |_| true), None, "{address}");
        }
        let url = Url::parse("https://www.NATURE.com./x").unwrap();
        assert_eq!(find_row(&url, |_| true).unwrap().name, "nature.com");
    }
}
