//! Reads a document's title, author and date.
//!
//! Rules: ISO 32000-2, 14.3 (metadata).

use lopdf::Object;

use super::file::PdfFile;
use super::marked_content::text_string;
use iki_base::wording::floor_boundary;

/// Limit of a title, in bytes.
const MAX_TITLE: usize = 1000;

/// Returns the document's title; empty if it has none.
pub(super) fn title(file: &PdfFile) -> String {
    let title = information(file, b"Title").or_else(|| xmp_title(file));
    title.unwrap_or_default()
}

/// Returns the document's author.
pub(super) fn author(file: &PdfFile) -> Option<String> {
    information(file, b"Author")
}

/// Returns a text of the information dictionary, on one line.
fn information(file: &PdfFile, key: &[u8]) -> Option<String> {
    let text = text_string(file.get(file.info()?, key)?.as_str().ok()?);
    Some(clean_title(&text)).filter(|text| !text.is_empty())
}

/// Returns the document's creation date as ISO 8601.
pub(super) fn date(file: &PdfFile) -> Option<String> {
    let date = file.get(file.info()?, b"CreationDate")?.as_str().ok()?;
    iso_date(&text_string(date))
}

/// Returns the day of a date such as `D:20240131120000+01'00'`.
fn iso_date(date: &str) -> Option<String> {
    let digits: String = date
        .trim()
        .trim_start_matches("D:")
        .chars()
        .take_while(char::is_ascii_digit)
        .take(8)
        .collect();
    let part = |from: usize| digits.get(from..from + 2).map(|part| format!("-{part}"));
    let year = digits.get(..4).filter(|year| *year > "1970")?;
    let (month, day) = (part(4).unwrap_or_default(), part(6).unwrap_or_default());
    Some(format!("{year}{month}{day}"))
}

/// Returns the title in a document's XMP metadata.
fn xmp_title(file: &PdfFile) -> Option<String> {
    let Object::Stream(stream) = file.get(file.catalog()?, b"Metadata")? else {
        return None;
    };
    let data = file.stream_data(stream);
    let start = memchr::memmem::find(&data, b"<dc:title")?;
    let window = data.get(start..data.len().min(start + 8192))?;
    let window = &window[..memchr::memmem::find(window, b"</dc:title>")?];
    let open = memchr::memmem::find(window, b"<rdf:li")?;
    let item = &window[open..];
    let text = &item[memchr::memchr(b'>', item)? + 1..];
    let text = &text[..memchr::memchr(b'<', text)?];
    let text = String::from_utf8_lossy(text);
    Some(clean_title(&iki_markdown::entities::decoded(&text))).filter(|title| !title.is_empty())
}

/// Returns a title on one line, without the prefix that programs put before a file name.
fn clean_title(title: &str) -> String {
    let title: String = title
        .chars()
        .filter(|c| !c.is_control() || c.is_whitespace())
        .collect();
    let words: Vec<&str> = title.split_whitespace().collect();
    let title = words.join(" ");
    let title = title.strip_prefix("Microsoft Word - ").unwrap_or(&title);
    let end = floor_boundary(title, MAX_TITLE);
    let title = title[..end].trim();
    if title.eq_ignore_ascii_case("untitled") {
        String::new()
    } else {
        title.to_owned()
    }
}
