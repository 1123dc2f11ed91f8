//! The DOI of a scholarly page.
//!
//! Rules: ISO 26324 and Crossref's advice on the form of DOIs. The end of a DOI in a text is not
//! marked; characters that may belong to the sentence around it are left out. Old DOIs are SICIs
//! (ANSI/NISO Z39.56), with angle brackets in them and perhaps `#` at their end. DOIs are compared
//! ignoring case; they are returned in lower case.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use url::Url;

use super::class::{PageClass, SourceType};
use super::embedded::EmbeddedData;
use super::{hosts, json_ld};
use iki_base::wording::beginning;

/// Bytes of a page's text that are searched.
const MAX_TEXT_BYTES: usize = 4000;

/// Maximum length of a DOI, in bytes. There is no limit, but the longest registered ones are
/// shorter.
const MAX_DOI_BYTES: usize = 256;

/// Maximum number of possible beginnings that are tried in a text.
const MAX_CANDIDATES: usize = 64;

/// Elements in which a page declares its DOI, the clearest first.
const DECLARED: &str = "citation_doi bepress_citation_doi prism.doi dc.identifier.doi \
                        dc.identifier dcterms.identifier doi publication_doi rft_id";

/// Codes of characters of SICIs, as addresses in a text have them.
const CODES: [(&str, &str); 8] = [
    ("%2F", "/"),
    ("%28", "("),
    ("%29", ")"),
    ("%3A", ":"),
    ("%3B", ";"),
    ("%3C", "<"),
    ("%3E", ">"),
    ("%23", "#"),
];

/// Characters that the path of an address cannot hold.
const ENCODED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// Endings of URLs after a DOI that are not part of it.
const VIEWS: &str = "full abstract abs pdf epdf epub html meta summary references fulltext \
                     full-text figures tables";

/// Returns the DOI of the page at `url`, in lower case: the declared one, or else that in its URL,
/// or else the first in its text, Markdown or plain. `None` for a page that is not a scholarly
/// work.
#[must_use]
pub fn detected(
    url: &Url,
    embedded: Option<&EmbeddedData>,
    text: &str,
    class: &PageClass,
) -> Option<String> {
    let scholarly = class.source_type == SourceType::PeerReviewed
        || hosts::find_facts(url).is_some_and(|known| known.is_scholarly);
    if !scholarly {
        return None;
    }
    embedded
        .and_then(declared)
        .or_else(|| in_address(url))
        .or_else(|| in_text(text))
}

/// Returns the DOI that a page declares as its own.
pub(super) fn declared(embedded: &EmbeddedData) -> Option<String> {
    let metas = DECLARED.split(' ').find_map(|name| {
        let mut all = embedded.metas(name).take(8);
        all.find_map(|content| parse_doi(&content))
    });
    metas.or_else(|| {
        // Only what is usually a page's subject counts because a page names other works as well.
        let nodes = embedded.nodes();
        let is_subject = |name: &str| name.ends_with("ScholarlyArticle") || name == "Dataset";
        let mut articles = nodes
            .iter()
            .filter(|node| json_ld::types(node).any(is_subject));
        articles.find_map(|node| {
            let identifier = node.get("identifier");
            let value = identifier.and_then(|value| value.get("value"));
            [value, identifier, node.get("sameAs"), node.get("@id")]
                .into_iter()
                .find_map(|value| parse_doi(&json_ld::text(value)?))
        })
    })
}

/// Returns the address that a DOI stands for.
#[must_use]
pub fn address(doi: &str) -> String {
    format!("https://doi.org/{}", in_path(doi))
}

/// Returns a DOI as the end of an address's path.
#[must_use]
pub fn in_path(doi: &str) -> String {
    utf8_percent_encode(doi, ENCODED).to_string()
}

/// Parses a text that is a DOI, as somebody may have written it: bare, after `doi:`, or as a URL
/// of the resolver.
#[must_use]
pub(crate) fn parse_doi(text: &str) -> Option<String> {
    let text = with_angle_brackets(text);
    let (text, _) = without_resolver(text.trim());
    let decoded = percent_decode_str(text).decode_utf8();
    let text = decoded.as_deref().unwrap_or(text);
    finished(&text[..length(text, |c| c.is_ascii_graphic() || c.is_alphanumeric())])
}

/// Reads the DOI that a register or an index gives for a work: each of its characters belongs to
/// it.
#[must_use]
pub fn registered_doi(text: &str) -> Option<String> {
    let text = with_angle_brackets(text);
    let (text, is_address) = without_resolver(text.trim());
    let decoded = percent_decode_str(text).decode_utf8();
    let text = match decoded.as_deref() {
        Ok(decoded) if is_address => decoded,
        _ => text,
    };
    let mut words = text.split(|c: char| c.is_whitespace() || c.is_control());
    sound(words.next()?)
}

/// Removes what may come before a DOI; true if that was the resolver's address.
fn without_resolver(text: &str) -> (&str, bool) {
    let mut remainder = text;
    let mut is_address = false;
    for prefix in [
        "https://",
        "http://",
        "info:doi/",
        "urn:doi:",
        "dx.doi.org/",
        "www.doi.org/",
        "doi.org/",
        "doi:",
        "doi ",
    ] {
        let head = remainder.get(..prefix.len());
        if head.is_some_and(|head| head.eq_ignore_ascii_case(prefix)) {
            remainder = remainder[prefix.len()..].trim_start();
            is_address |= prefix.ends_with("doi.org/");
        }
    }
    (remainder, is_address)
}

/// Decodes the entities that HTML and XML need for the characters of a DOI.
fn with_angle_brackets(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let text = text.replace("&lt;", "<").replace("&gt;", ">");
    Cow::Owned(text.replace("&amp;", "&"))
}

/// Finds the DOI in a URL: in its path, or as the value of a parameter.
fn in_address(url: &Url) -> Option<String> {
    let mut path = percent_decode_str(url.path())
        .decode_utf8_lossy()
        .into_owned();
    // The last character of a SICI, unencoded.
    if url.fragment() == Some("") && is_before_check(&path) {
        path.push('#');
    }
    let of_path = begins(&path).take(MAX_CANDIDATES).find_map(|offset| {
        let mut doi = &path[offset..];
        doi = &doi[..doi
            .find(|c: char| !c.is_ascii_graphic())
            .unwrap_or(doi.len())];
        // Prefix and suffix are two segments; further segments belong to the DOI unless they are
        // known endings.
        while let Some((before, last)) = doi.rsplit_once('/') {
            let view = last.split('.').next().unwrap_or_default();
            let parted = before.contains('/');
            if last.is_empty() || (parted && is_view(view)) {
                doi = before;
            } else {
                break;
            }
        }
        finished(without_extensions(doi))
    });
    of_path.or_else(|| {
        let mut pairs = url.query_pairs().take(64);
        pairs.find_map(|(_, value)| {
            let offset = begins(&value).next()?;
            // A parameter may hold a whole URL.
            let near = value[..offset].ends_with("doi.org/") || value[..offset].ends_with("doi:");
            if offset > 0 && !near {
                return None;
            }
            parse_doi(&value[offset..])
        })
    })
}

fn is_view(text: &str) -> bool {
    VIEWS.split(' ').any(|view| view.eq_ignore_ascii_case(text))
}

/// Removes the ending for a format from a DOI in a URL: `.pdf`, `.full`, and the version of a
/// preprint (`v2`).
fn without_extensions(doi: &str) -> &str {
    let mut doi = doi;
    while let Some((before, last)) = doi.rsplit_once('.') {
        if !is_view(last) || !before.contains('/') {
            break;
        }
        doi = before;
    }
    if doi.starts_with("10.1101/")
        && let Some((before, version)) = doi.rsplit_once('v')
        && (1..=2).contains(&version.len())
        && version.bytes().all(|byte| byte.is_ascii_digit())
        && before.ends_with(|c: char| c.is_ascii_digit())
    {
        doi = before;
    }
    doi
}

/// Finds the first DOI in a text.
fn in_text(text: &str) -> Option<String> {
    let is_cut = text.len() > MAX_TEXT_BYTES;
    // Markdown escapes special characters with a backslash.
    let text = beginning(text, MAX_TEXT_BYTES).replace('\\', "");
    let mut text = with_angle_brackets(&text).into_owned();
    if text.contains('%') {
        for (code, c) in CODES {
            text = text.replace(code, c);
            text = text.replace(&code.to_ascii_lowercase(), c);
        }
    }
    begins(&text).take(MAX_CANDIDATES).find_map(|offset| {
        let remainder = &text[offset..];
        let part = |c: char| c.is_ascii_alphanumeric() || "-._;()/:+[]".contains(c);
        let mut end = length(remainder, part);
        // The text of a link ends before its URL.
        if let Some(link) = remainder[..end].find("](") {
            end = link;
        }
        // The cut may split a DOI.
        if is_cut && offset + end == text.len() {
            return None;
        }
        finished(&remainder[..end])
    })
}

/// Returns the length of the DOI that `text` begins with, of characters that it `may_hold` and
/// those of a SICI.
fn length(text: &str, may_hold: impl Fn(char) -> bool) -> usize {
    let mut end = 0;
    while let Some(c) = text[end..].chars().next() {
        match c {
            '#' if is_before_check(&text[..end]) => return end + 1,
            '<' => match bracketed_length(&text[end..]) {
                Some(length) => end += length,
                None => break,
            },
            '>' => break,
            c if may_hold(c) => end += c.len_utf8(),
            _ => break,
        }
    }
    end
}

/// Returns the length of the part of a SICI in angle brackets that `text` begins with: its control
/// segment follows, such as `3.0.CO;2`.
fn bracketed_length(text: &str) -> Option<usize> {
    let end = text.find('>')?;
    let inside = &text[1..end];
    let is_part = !inside.contains('<') && inside.bytes().all(|byte| byte.is_ascii_graphic());
    let is_control = match text.as_bytes().get(end + 1..end + 9)? {
        [csi, b'.', dpi, b'.', medium @ .., b';', version] => {
            [csi, dpi, version].into_iter().all(u8::is_ascii_digit)
                && medium.iter().all(u8::is_ascii_alphanumeric)
        }
        _ => false,
    };
    (is_part && is_control).then_some(end + 1)
}

/// True if only the check character of a SICI may follow: `;2-`.
fn is_before_check(text: &str) -> bool {
    matches!(text.as_bytes(), [.., b';', version, b'-'] if version.is_ascii_digit())
}

/// Finds the first DOI in a line of text, such as a reference.
#[must_use]
pub fn doi_in(text: &str) -> Option<String> {
    in_text(text)
}

/// Returns the positions in `text` at which a DOI may begin.
fn begins(text: &str) -> impl Iterator<Item = usize> + '_ {
    text.match_indices("10.").filter_map(move |(offset, _)| {
        let before = text[..offset].chars().next_back();
        let alone = before.is_none_or(|c| !c.is_alphanumeric() && c != '.');
        (alone && prefix(&text[offset..]).is_some()).then_some(offset)
    })
}

/// Returns the length of the prefix of the DOI that `text` begins with: `10.`, four to nine digits,
/// optional further parts, and a slash.
fn prefix(text: &str) -> Option<usize> {
    let (head, suffix) = beginning(text, MAX_DOI_BYTES).split_once('/')?;
    let registrant = head.strip_prefix("10.")?;
    let mut parts = registrant.split('.');
    let first = parts.next()?;
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let sound = (4..=9).contains(&first.len()) && digits(first) && parts.all(digits);
    (sound && !suffix.is_empty()).then_some(head.len() + 1)
}

/// Removes the punctuation of the surrounding sentence from a DOI, and puts it in lower case.
fn finished(text: &str) -> Option<String> {
    let part = |c: char| !"\"'|`\\^{}".contains(c);
    let mut doi = &text[..length(text, part)];
    // Limits the work because brackets are counted again for each removed character.
    if doi.len() > 4 * MAX_DOI_BYTES {
        return None;
    }
    loop {
        let last = doi.chars().next_back()?;
        let unpaired = |open: char| doi.matches(last).count() > doi.matches(open).count();
        let off = match last {
            '#' if is_before_check(&doi[..doi.len() - 1]) => false,
            '.' | ',' | ';' | ':' | '!' | '?' | '*' | '_' | '/' | '#' | '&' | '(' | '[' | '-' => {
                true
            }
            ')' => unpaired('('),
            ']' => unpaired('['),
            _ => false,
        };
        if !off {
            break;
        }
        doi = &doi[..doi.len() - last.len_utf8()];
    }
    sound(doi)
}

/// Returns a DOI in lower case, if it has the form of one.
fn sound(doi: &str) -> Option<String> {
    let suffix = prefix(doi)?;
    let is_sound = doi.len() <= MAX_DOI_BYTES && doi[suffix..].contains(char::is_alphanumeric);
    is_sound.then(|| doi.to_ascii_lowercase())
}

#[cfg(test)]
mod tests;
