//! Bibliographies in BibTeX and BibLaTeX, entry by entry, so that a broken one costs itself alone.
//!
//! Fields and names are read by the package `biblatex`, which reads no file with a fault in it, and
//! would follow abbreviations and references from entry to entry without end. It is given one entry
//! at a time, without these.

use std::collections::HashMap;

use biblatex::{Bibliography, ChunksExt as _, Entry, Person, RawBibliography, RawChunk, Spanned};

use super::entry::{NamedPerson, ReferenceEntry, years_in};
use iki_web::work::work_id::WorkId;

/// Maximum length of an entry that is read, in bytes. Large files of notes have longer ones.
const MAX_ENTRY_BYTES: usize = 64 * 1024;

/// Maximum depth of braces in an entry that is read.
pub(super) const MAX_DEPTH: usize = 24;

/// Maximum length of what an abbreviation stands for, in bytes.
const MAX_STRING_BYTES: usize = 2000;

/// Kinds that are no entries.
const OTHER_KINDS: [&str; 3] = ["comment", "preamble", "string"];

/// Fields that would lead to other entries, or have no meaning here.
const LEFT_OUT: [&str; 6] = ["crossref", "xref", "xdata", "ids", "abstract", "file"];

/// True if a text has entries of this form.
#[must_use]
pub fn is_bibtex(text: &str) -> bool {
    blocks(text).next().is_some()
}

/// Reads all entries, one that cannot be read as the text that it is.
#[must_use]
pub fn entries(text: &str) -> Vec<ReferenceEntry> {
    let mut strings: HashMap<String, String> = HashMap::new();
    let mut entries = Vec::new();
    for (kind, block) in blocks(text) {
        if kind == "string" {
            add_string(block, &mut strings);
        } else if !OTHER_KINDS.contains(&kind.as_str()) {
            let read = entry(block, &strings);
            entries.push(read.unwrap_or_else(|| ReferenceEntry {
                text: block.to_owned(),
                ids: WorkId::all_in(block),
                fault: "it cannot be read as BibTeX: look at its braces and commas".to_owned(),
                ..ReferenceEntry::default()
            }));
        }
    }
    entries
}

/// Returns the blocks of a file, each with its kind in lower case.
fn blocks(text: &str) -> impl Iterator<Item = (String, &str)> {
    let mut offset = 0;
    std::iter::from_fn(move || {
        loop {
            let start = offset + text.get(offset..)?.find('@')?;
            let remainder = &text[start + 1..];
            let name = remainder
                .find(|c: char| !c.is_ascii_alphabetic())
                .unwrap_or(remainder.len());
            let opening = remainder[name..].trim_start();
            // Addresses of mail have the sign, too.
            let alone = text[..start]
                .chars()
                .next_back()
                .is_none_or(|c| !c.is_alphanumeric());
            if name == 0 || !alone || !opening.starts_with(['{', '(']) {
                offset = start + 1;
                continue;
            }
            let inside = text.len() - opening.len();
            let end = end_of_block(text, inside);
            offset = end;
            return Some((remainder[..name].to_ascii_lowercase(), &text[start..end]));
        }
    })
}

/// Returns the end of the block whose brace is at `open`. Without its closing brace it ends before
/// the next line that begins another one.
fn end_of_block(text: &str, open: usize) -> usize {
    let mut depth = 0usize;
    let mut escaped = false;
    for (index, byte) in text.bytes().enumerate().skip(open) {
        match byte {
            b'\\' if !escaped => {
                escaped = true;
                continue;
            }
            b'{' if !escaped => depth += 1,
            b'(' if index == open => depth += 1,
            b'}' if !escaped => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return index + 1;
                }
            }
            b')' if depth == 1 && text.as_bytes()[open] == b'(' => return index + 1,
            b'@' if index > open && text[..index].ends_with('\n') => {
                let name = text[index + 1..].trim_start_matches(|c: char| c.is_ascii_alphabetic());
                if name.len() < text.len() - index - 1 && name.starts_with('{') {
                    return index;
                }
            }
            _ => {}
        }
        escaped = false;
    }
    text.len()
}

/// Keeps what an abbreviation stands for, if that is no abbreviation that is not known.
fn add_string(block: &str, strings: &mut HashMap<String, String>) {
    if block.len() > MAX_STRING_BYTES {
        return;
    }
    let block = with_braces(block);
    let Ok(raw) = RawBibliography::parse(&block) else {
        return;
    };
    for pair in raw.abbreviations {
        let parts = pair.value.v.iter().map(|chunk| match chunk.v {
            RawChunk::Normal(text) => text,
            RawChunk::Abbreviation(name) => strings.get(&key(name)).map_or("", String::as_str),
        });
        let whole: String = parts.collect();
        if whole.len() <= MAX_STRING_BYTES {
            strings.insert(key(pair.key.v), whole);
        }
    }
}

fn key(name: &str) -> String {
    name.to_ascii_lowercase()
}

/// Returns a block in braces that may have been in parentheses.
fn with_braces(block: &str) -> String {
    let open = block.find(['{', '(']).unwrap_or_default();
    if block.as_bytes().get(open) != Some(&b'(') {
        return block.to_owned();
    }
    let inside = block[open + 1..].trim_end_matches(')');
    format!("{}{{{inside}}}", &block[..open])
}

fn entry(block: &str, strings: &HashMap<String, String>) -> Option<ReferenceEntry> {
    if block.len() > MAX_ENTRY_BYTES || depth(block) > MAX_DEPTH {
        return None;
    }
    let mut source = with_braces(block);
    // Without the last brace it is as clear; where another one is missing, a field has the others.
    let is_open = open_braces(block) > 0;
    if is_open {
        source.push('}');
    }
    let raw = RawBibliography::parse(&source).ok();
    // A file without a key for an entry is common.
    let keyed;
    let mut raw = if let Some(raw) = raw {
        raw
    } else {
        keyed = with_key(&source)?;
        RawBibliography::parse(&keyed).ok()?
    };
    let mut entry = raw.entries.pop()?;
    entry
        .v
        .fields
        .retain(|pair| !LEFT_OUT.contains(&key(pair.key.v).as_str()));
    for chunk in entry
        .v
        .fields
        .iter_mut()
        .flat_map(|pair| pair.value.v.iter_mut())
    {
        if let RawChunk::Abbreviation(name) = chunk.v {
            let meaning = strings.get(&key(name)).map_or(name, String::as_str);
            *chunk = Spanned::zero(RawChunk::Normal(meaning));
        }
    }
    // A field that cannot be read is not worth the others.
    let mut fields = Vec::new();
    for pair in std::mem::take(&mut entry.v.fields) {
        let mut alone = entry.clone();
        alone.v.fields = vec![pair.clone()];
        let single = RawBibliography {
            preamble: String::new(),
            entries: vec![alone],
            abbreviations: Vec::new(),
        };
        if Bibliography::from_raw(single).is_ok() {
            fields.push(pair);
        }
    }
    entry.v.fields = fields;
    raw.entries = vec![entry];
    raw.abbreviations.clear();
    let entry = Bibliography::from_raw(raw).ok()?.into_iter().next()?;
    let read = read(block, &entry);
    (!is_open || !read.title.contains('=')).then_some(read)
}

/// Returns the number of braces that are not closed.
fn open_braces(text: &str) -> usize {
    let text = text.replace("\\{", "").replace("\\}", "");
    let closed = text.matches('}').count();
    text.matches('{').count().saturating_sub(closed)
}

pub(super) fn depth(text: &str) -> usize {
    let mut depth = 0usize;
    let mut limit = 0;
    for byte in text.bytes() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        limit = limit.max(depth);
    }
    limit
}

/// Returns a block with a key, which it lacks: its first field comes at once.
fn with_key(block: &str) -> Option<String> {
    let open = block.find('{')? + 1;
    let inside = block[open..].trim_start().trim_start_matches(',');
    let first = inside.split(['=', ',']).next()?.trim();
    let is_field = inside.contains('=')
        && first.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && inside.find('=') < inside.find(',');
    let remainder = if is_field {
        inside
    } else {
        // A key with blanks.
        inside.split_once(',')?.1
    };
    Some(format!("{}key,{remainder}", &block[..open]))
}

fn read(block: &str, entry: &Entry) -> ReferenceEntry {
    let text = |names: &[&str]| {
        let texts = names.iter().filter_map(|name| entry.fields.get(*name));
        let texts = texts.map(|chunks| chunks.format_verbatim().trim().to_owned());
        texts
            .clone()
            .find(|text| !text.is_empty())
            .unwrap_or_default()
    };
    let people = |name: &str| entry.get_as::<Vec<Person>>(name).unwrap_or_default();
    let mut authors = people("author");
    if authors.is_empty() {
        authors = people("editor");
    }
    let is_others = |one: &Person| one.name == "others" && one.given_name.is_empty();
    let has_others = authors.iter().any(is_others);
    let authors = authors
        .into_iter()
        .filter(|one| !is_others(one))
        .map(|one| NamedPerson {
            family: [one.prefix, one.name].join(" ").trim().to_owned(),
            given: one.given_name,
        });
    let subtitle = text(&["subtitle"]);
    let title = text(&["title", "booktitle"]);
    let kind = entry.entry_type.to_string();
    let years = |name: &str| years_in(&text(&[name])).into_iter().take(1);
    let mut read = ReferenceEntry {
        text: block.to_owned(),
        title: if subtitle.is_empty() {
            title
        } else {
            format!("{title}: {subtitle}")
        },
        authors: authors.filter(|one| !one.family.is_empty()).collect(),
        has_others,
        years: years("year").chain(years("date")).collect(),
        container: text(&["journal", "journaltitle", "booktitle", "shortjournal"]),
        is_article: kind == "article",
        pages: text(&["pages"]),
        url: text(&["url"]),
        ..ReferenceEntry::default()
    };
    let eprint = text(&["eprint"]);
    let archive = text(&["archiveprefix", "eprinttype"]).to_ascii_lowercase();
    read.add_id(WorkId::parse(&without_commands(&text(&["doi"]))));
    read.add_id(WorkId::parse(&read.url));
    if archive.is_empty() || archive == "arxiv" {
        read.add_id(WorkId::parse(&eprint).filter(|id| !matches!(id, WorkId::Doi(_))));
    }
    if archive == "pubmed" {
        read.add_id(WorkId::parse(&format!("PMID:{eprint}")));
    }
    read.add_id(WorkId::parse(&format!("PMID:{}", text(&["pmid"]))));
    for name in ["journal", "note", "howpublished", "number", "volume"] {
        for id in WorkId::all_in(&text(&[name])) {
            read.add_id(Some(id));
        }
    }
    read.with_bareness()
}

/// Returns a DOI without the commands by which TeX prints some of its characters.
fn without_commands(doi: &str) -> String {
    let doi = doi.replace("$<$", "<").replace("$>$", ">");
    let doi = doi.replace("\\textless", "<").replace("\\textgreater", ">");
    doi.replace('\\', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_with_their_accents_names_and_numbers() {
        let text = r#"
% A comment with an address: someone@example.com
@string{nat = "Nature"}
@string{both = nat # " Physics"}
@Article{a,
  author = {Schr{\"o}dinger, Erwin and Ludwig van Beethoven and {The Big Consortium} and others},
  title = {The {C}at of $\alpha$},
  journal = both, year = 1935, month = mar, pages = {12--34},
  doi = {https://doi.org/10.1000/ABC},
}
@comment{ignored}
@inproceedings(b, title = "In parentheses", booktitle = {Proc. of It}, date = {2017-05-01},
  eprint = {1706.03762v5}, archivePrefix = "arXiv", url = {https://example.com/x_y})
@misc{, title = {Without a key}, howpublished = {arXiv:2101.00001}, journal = unknown}
@book{broken, title = {Never closed, year = 2001

@book{after, title = {After it}, editor = {A. Editor}, year = {c. 1999}}
"#;
        let all = entries(text);
        let titles: Vec<&str> = all.iter().map(|entry| entry.title.as_str()).collect();
        assert_eq!(
            titles[..3],
            ["The Cat of $\\alpha$", "In parentheses", "Without a key"]
        );
        assert_eq!(titles.last(), Some(&"After it"));
        let first = &all[0];
        let families: Vec<&str> = first
            .authors
            .iter()
            .map(|one| one.family.as_str())
            .collect();
        assert_eq!(
            families,
            ["Schrödinger", "van Beethoven", "The Big Consortium"]
        );
        assert!(first.has_others && first.is_article);
        assert_eq!(
            (first.container.as_str(), first.years.as_slice()),
            ("Nature Physics", &[1935][..])
        );
        assert_eq!(first.ids, [WorkId::Doi("10.1000/abc".to_owned())]);
        assert_eq!(all[1].ids, [WorkId::Arxiv("1706.03762v5".to_owned())]);
        assert_eq!(
            (all[1].years[0], all[1].url.as_str()),
            (2017, "https://example.com/x_y")
        );
        assert_eq!(all[2].ids, [WorkId::Arxiv("2101.00001".to_owned())]);
        assert_eq!(all.last().map(|one| one.years.clone()), Some(vec![1999]));
        assert!(!is_bibtex("Write to me@example.com {now}"));
    }

    #[test]
    fn a_doi_is_read_that_is_written_for_tex() {
        for doi in [
            "10.1175/1520-0485(1985)015<1043:AOTSCO>2.0.CO;2",
            "10.1175/1520-0485(1985)015$<$1043:AOTSCO$>$2.0.CO;2",
            "10.1175/1520-0485(1985)015{\\textless}1043:AOTSCO{\\textgreater}2.0.CO;2",
            "10.1175/1520-0485(1985)015&lt;1043:AOTSCO&gt;2.0.CO;2",
        ] {
            let first = entries(&format!("@article{{a, title={{It}}, doi={{{doi}}}}}")).remove(0);
            let whole = "10.1175/1520-0485(1985)015<1043:aotsco>2.0.co;2";
            assert_eq!(first.ids, [WorkId::Doi(whole.to_owned())], "{doi}");
        }
    }

    #[test]
    fn of_an_entry_that_is_not_closed_what_is_there_is_read() {
        for text in [
            "@article{a, title={A theory of salt}, author={Lee, Ann}, year={2020}",
            "@article{a, title={A theory of salt}, author={Lee, Ann}, year={2020},\n\n@article{b, \
             title={Another}, year={2021}}",
        ] {
            let first = entries(text).remove(0);
            assert_eq!(first.title, "A theory of salt", "{text}");
            assert_eq!(
                (first.years.as_slice(), first.fault.as_str()),
                (&[2020][..], "")
            );
        }
        for text in [
            "@article{a, title={A theory of salt, year={2020}, doi={10.1000/1}}",
            "@article{a, title={A theory of salt, year={2020}, doi={10.1000/1}",
            "@article{a title={A theory of salt} year=2020}",
        ] {
            let first = entries(text).remove(0);
            assert!(first.fault.contains("braces"), "{first:?}");
        }
    }

    #[test]
    fn hostile_files_cost_nothing() {
        let nested = format!("@article{{a, title = {{{}}}}}", "\\a{".repeat(50_000));
        let braces = format!(
            "@article{{a, title = {}x{}}}",
            "{".repeat(5000),
            "}".repeat(5000)
        );
        let cycle = "@string{a = a # a}@article{b, title = a # a}".to_owned();
        let mut doubled = "@string{a0 = \"xxxxxxxxxx\"}".to_owned();
        for number in 1..64 {
            let before = number - 1;
            doubled.extend([format!("@string{{a{number} = a{before} # a{before}}}")]);
        }
        doubled += "@article{b, title = a63 # a63}";
        let itself =
            "@article{a, crossref = {a}, xdata = {a}, ids = {a,a}, title = {T}}".to_owned();
        for text in [
            nested,
            braces,
            cycle,
            doubled,
            itself,
            "@".repeat(5000),
            "@a{".repeat(5000),
        ] {
            assert!(entries(&text).len() <= 5000);
        }
    }
}
