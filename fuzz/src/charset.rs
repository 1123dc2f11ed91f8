//! A reply is read as the WHATWG decoder reads it, in the character set that decides; and whatever
//! is read, is text that stays the same when it is read once more.

use encoding_rs::{Encoding, UTF_8};
use iki_web::body_text::{self, BodyKind};

use crate::take::Take;

const TYPES: &[Option<&str>] = &[
    None,
    Some("text/html"),
    Some("text/plain"),
    Some("application/xhtml+xml"),
    Some("application/json"),
    Some("application/xml"),
    Some("application/octet-stream"),
    Some("nonsense"),
];

const LABELS: &[&str] = &[
    "utf-8",
    "windows-1252",
    "iso-8859-2",
    "shift_jis",
    "euc-jp",
    "iso-2022-jp",
    "gb18030",
    "gbk",
    "big5",
    "euc-kr",
    "utf-16le",
    "utf-16be",
    "windows-1251",
    "koi8-r",
    "x-user-defined",
    "macintosh",
    "replacement",
    "nonsense",
];

pub fn check(data: &[u8]) {
    let mut take = Take(data);
    let content_type = take.of(TYPES);
    let label = take.flag().then(|| take.of(LABELS));
    let (truncated, host) = (
        take.flag(),
        take.of(&["", "example.jp", "a.gr", "1.2.3.4", "x.\u{e9}"]),
    );
    let bytes = take.rest();
    let header = match (content_type, label) {
        (Some(kind), Some(label)) => Some(format!("{kind}; Charset=\"{label}\"")),
        (kind, _) => kind.map(str::to_owned),
    };
    let Ok(read) = body_text::read(bytes, header.as_deref(), host, false) else {
        let again = body_text::read(bytes, header.as_deref(), host, truncated);
        assert!(
            again.is_err(),
            "whether it is text does not depend on its end"
        );
        return;
    };
    let named = header
        .as_deref()
        .filter(|header| header.contains('/'))
        .and(label);
    let named = named.and_then(|label| Encoding::for_label(label.as_bytes()));
    let marked = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    if let Some(encoding) = marked.or(named) {
        let (text, _) = encoding.decode_with_bom_removal(bytes);
        assert_eq!(read.text, text, "{}", encoding.name());
    } else if let Ok(text) = str::from_utf8(bytes)
        && !declares(bytes)
    {
        assert_eq!(read.text, text);
    } else {
        // Some decoder reads it so.
        let label = |label: &&str| Encoding::for_label(label.as_bytes());
        let mut all = ALL.iter().filter_map(label);
        assert!(
            all.any(|one| one.decode_with_bom_removal(bytes).0 == read.text),
            "{:?}",
            read.text
        );
    }
    // Half a character at the end is left out of what was cut off.
    let cut = body_text::read(bytes, header.as_deref(), host, true).unwrap();
    assert_eq!(cut.kind, read.kind);
    if let Some(common) = read.text.strip_prefix(&cut.text) {
        assert!(
            common.chars().count() <= 4,
            "{common:?} is no half of a character"
        );
    } else {
        // With half a character at its end it is UTF-8 only if it was cut off.
        let error = str::from_utf8(bytes).expect_err("what is UTF-8 stays UTF-8");
        assert_eq!(error.error_len(), None, "{:?}, {:?}", read.text, cut.text);
        assert_eq!(cut.text.as_bytes(), &bytes[..error.valid_up_to()]);
    }
    let again = body_text::read(
        read.text.as_bytes(),
        Some("text/plain; charset=utf-8"),
        "",
        false,
    );
    if let Ok(again) = again
        && Encoding::for_bom(read.text.as_bytes()).is_none()
    {
        assert_eq!(
            (again.kind, again.text),
            (
                BodyKind::Text,
                UTF_8.decode(read.text.as_bytes()).0.into_owned()
            )
        );
    }
}

/// Whether the document may say in which character set it is.
fn declares(bytes: &[u8]) -> bool {
    let lower = bytes.to_ascii_lowercase();
    let has = |text: &[u8]| lower.windows(text.len()).any(|window| window == text);
    has(b"<meta") || has(b"<?xml")
}

/// All character sets of the web.
const ALL: &[&str] = &[
    "utf-8",
    "ibm866",
    "iso-8859-2",
    "iso-8859-3",
    "iso-8859-4",
    "iso-8859-5",
    "iso-8859-6",
    "iso-8859-7",
    "iso-8859-8",
    "iso-8859-8-i",
    "iso-8859-10",
    "iso-8859-13",
    "iso-8859-14",
    "iso-8859-15",
    "iso-8859-16",
    "koi8-r",
    "koi8-u",
    "macintosh",
    "windows-874",
    "windows-1250",
    "windows-1251",
    "windows-1252",
    "windows-1253",
    "windows-1254",
    "windows-1255",
    "windows-1256",
    "windows-1257",
    "windows-1258",
    "x-mac-cyrillic",
    "gbk",
    "gb18030",
    "big5",
    "euc-jp",
    "iso-2022-jp",
    "shift_jis",
    "euc-kr",
    "replacement",
];
