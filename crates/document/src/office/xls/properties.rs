//! Reads a workbook's metadata.
//!
//! Rules: MS-OLEPS 2.21 (sets of properties), MS-OSHARED 2.3.3.2.1 (which ones there are).

use encoding_rs::WINDOWS_1252;
use iki_base::charset::Charset;

use super::super::properties::{DocumentProperties, MAX_PROPERTY};
use super::super::rtf::tables::encoding_of_code_page;

/// Limit of the properties that are looked at.
const MAX_PROPERTIES: usize = 100;

/// The type of a property that is a text in the code page of its set.
const TEXT: usize = 0x1e;

/// Reads title and author from the stream that holds them.
pub(super) fn read(stream: &[u8]) -> DocumentProperties {
    let number = |offset: usize| {
        let bytes = stream.get(offset..).and_then(<[u8]>::first_chunk);
        bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes) as usize)
    };
    // The first set is one of documents.
    let set = number(44);
    let count = number(set + 4).min(MAX_PROPERTIES);
    let of = |id: usize| {
        let mut entries = (0..count).map(|offset| set + 8 + 8 * offset);
        let entry = entries.find(|entry| number(*entry) == id)?;
        Some(set + number(entry + 4))
    };
    let page = of(1).map_or(0, |place| number(place + 4) & 0xffff);
    let encoding = i32::try_from(page).ok().and_then(encoding_of_code_page);
    let text = |id: usize| {
        let place = of(id).filter(|place| number(*place) == TEXT)?;
        let bytes = stream.get(place + 8..)?;
        let bytes = &bytes[..bytes.len().min(number(place + 4)).min(MAX_PROPERTY)];
        let encoding = encoding.unwrap_or(Charset::Browsers(WINDOWS_1252));
        let text = encoding.decode(bytes);
        Some(text.trim_matches(['\0', ' ']).to_owned())
    };
    DocumentProperties {
        title: text(2).unwrap_or_default(),
        author: text(4).unwrap_or_default(),
        ..DocumentProperties::default()
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn title_and_author_are_in_the_code_page_of_their_set() {
        let mut stream = vec![0; 44];
        let numbers = [48, 0, 3, 1, 32, 2, 40, 4, 52, 2, 1251, 0x1e, 2];
        stream.extend(numbers.iter().flat_map(|number: &u32| number.to_le_bytes()));
        stream.extend(b"\xc6\0\0\0\x1e\0\0\0\xff\0\0\0Ann\0");
        let properties = read(&stream);
        assert_eq!(
            (&*properties.title, &*properties.author),
            ("\u{416}", "Ann")
        );
        assert!(read(&stream[..60]).title.is_empty() && read(b"").author.is_empty());
    }
}
