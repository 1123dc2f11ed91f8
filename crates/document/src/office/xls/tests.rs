//! Checks the Markdown of XLS files, by the records of their streams.

use super::{BEGIN, CONTINUE, END, read_stream};
use crate::{DocumentError, FileKind, block_document};

fn record(kind: u16, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(data.len()).unwrap();
    [&kind.to_le_bytes(), &length.to_le_bytes(), data].concat()
}

/// A record that begins with these numbers.
fn numbers(kind: u16, numbers: &[u16], tail: &[u8]) -> Vec<u8> {
    let bytes = numbers.iter().flat_map(|number| number.to_le_bytes());
    record(kind, &bytes.chain(tail.iter().copied()).collect::<Vec<_>>())
}

/// A text of characters of one byte behind its length.
fn text(text: &str) -> Vec<u8> {
    let length = u16::try_from(text.len()).unwrap();
    [&length.to_le_bytes()[..], &[0], text.as_bytes()].concat()
}

/// A stream of what holds for all sheets, and of sheets: name, state and records.
fn stream(version: u16, globals: &[Vec<u8>], sheets: &[(&str, u8, &[Vec<u8>])]) -> Vec<u8> {
    let beginning = numbers(BEGIN, &[version, 5], b"");
    let end = record(END, b"");
    let list = |mut start: usize| {
        let entries = sheets.iter().map(|(name, state, records)| {
            let offset = u32::try_from(start).unwrap().to_le_bytes();
            start += beginning.len() + records.concat().len() + end.len();
            let length = u8::try_from(name.len()).unwrap();
            let flags: &[u8] = if version < super::BIFF8 { b"" } else { &[0] };
            let entry = [&offset[..], &[*state, 0, length], flags, name.as_bytes()].concat();
            record(0x85, &entry)
        });
        entries.collect::<Vec<_>>().concat()
    };
    let globals = [&beginning[..], &globals.concat()].concat();
    let start = globals.len() + list(0).len() + end.len();
    let mut all = [globals, list(start), end.clone()].concat();
    for (_, _, records) in sheets {
        all.extend([&beginning[..], &records.concat(), &end].concat());
    }
    all
}

fn markdown_of(stream: &[u8]) -> Result<String, DocumentError> {
    let blocks = read_stream(stream, None)?;
    block_document::write(blocks, FileKind::Xls, false, None).map(|document| document.markdown)
}

#[test]
fn cells_are_shown_as_they_are_formatted_and_what_is_hidden_is_counted() {
    let date = numbers(0x41e, &[164], &text("d.m.yyyy"));
    let formats = [0, 164, 10].map(|format| numbers(0xe0, &[0, format], b""));
    // The second text goes on in a further record.
    let strings = [&[0; 8][..], &text("Name"), &[4, 0, 0], b"Bo"].concat();
    let strings = [record(0xfc, &strings), record(CONTINUE, b"\x01a\0\x74\x01")].concat();
    let whole = |number: u32| (number << 2 | 2).to_le_bytes();
    let formula = |kind: u8, value: u8| [kind, 0, value, 0, 0, 0, 0xff, 0xff];
    let address: Vec<u8> = "https://example.com/\0"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let length = u32::try_from(address.len()).unwrap().to_le_bytes();
    let link = [super::sheet::ADDRESS_FORM, &length, &address].concat();
    let sheet = [
        numbers(0x7d, &[2, 2, 0, 0, 1], b""),
        numbers(0x208, &[2, 0, 5, 0, 0, 0, 0x20], b""),
        numbers(0xfd, &[0, 0, 0], &0_u32.to_le_bytes()),
        numbers(0xfd, &[0, 1, 0], &1_u32.to_le_bytes()),
        numbers(0x203, &[0, 3, 1], &45_322_f64.to_le_bytes()),
        numbers(0x27e, &[1, 0, 2], &0x3fc0_0000_u32.to_le_bytes()),
        numbers(
            0xbd,
            &[1, 1, 0],
            &[&whole(7)[..], &[0, 0], &whole(666), &[2, 0]].concat(),
        ),
        numbers(0x205, &[1, 3, 0], &[1, 0]),
        numbers(0x203, &[2, 0, 0], &666_f64.to_le_bytes()),
        numbers(0x06, &[3, 0, 0], &formula(0, 0)),
        record(0x207, &text("made")),
        numbers(0x06, &[3, 1, 0], &formula(1, 1)),
        numbers(0x06, &[3, 3, 0], &formula(2, 7)),
        numbers(0x204, &[4, 0, 0], &text("late")),
        numbers(0x1b8, &[4, 4, 0, 0], &link),
        // What belongs to a chart.
        numbers(BEGIN, &[super::BIFF8, 0x20], b""),
        numbers(0x203, &[0, 0, 0], &666_f64.to_le_bytes()),
        record(END, b""),
        numbers(0x5d, &[0x15, 0x12, 0x19, 1], b""),
        numbers(0x1b6, &[0, 0, 0, 0, 0, 6, 0], b""),
        record(CONTINUE, b"\0Ann:\rx"),
        numbers(0x5d, &[0x15, 0x12, 6, 2], b""),
        numbers(0x1b6, &[0, 0, 0, 0, 0, 3, 0], b""),
        record(CONTINUE, b"\0box"),
        numbers(0x1c, &[1, 0, 0, 1], &text("Ann")),
    ];
    let globals = [&[date], &formats[..], &[strings]].concat();
    let sheets: [(&str, u8, &[Vec<u8>]); 3] =
        [("First", 0, &sheet), ("Secret", 1, &[]), ("Empty", 0, &[])];
    assert_eq!(
        markdown_of(&stream(super::BIFF8, &globals, &sheets)).unwrap(),
        "## First\n\n| Name | Boa\u{174} | 2024-01-31 |\n| --- | --- | --- |\n| 12.50% | 7 | TRUE |\n\
         | made | TRUE | #DIV/0! |\n| [late](https://example.com/) | | |\n\n\
         [Left out: 1 hidden row and 1 hidden column are not shown.]\n\n\
         - Comment on A2 by Ann: x\n\nbox\n\n## Empty\n\n[This sheet is empty.]\n\n\
         [Left out: 1 hidden sheet is not shown.]"
    );
}

#[test]
fn texts_of_before_unicode_are_in_their_code_page() {
    let label = numbers(0x204, &[0, 0, 0, 2], b"\xc6\xe8");
    let sheets: [(&str, u8, &[Vec<u8>]); 1] = [("\u{1}", 0, &[label])];
    let globals = [numbers(0x42, &[1251], b"")];
    let markdown = markdown_of(&stream(0x0500, &globals, &sheets)).unwrap();
    assert!(markdown.ends_with("\u{416}\u{438}"), "{markdown}");
}

#[test]
fn what_cannot_be_read_is_said() {
    let cell = |row: u16, column: u16| numbers(0x204, &[row, column, 0], &text("x"));
    let corners = [cell(0, 0), cell(65_535, 255)];
    let sheets: [(&str, u8, &[Vec<u8>]); 1] = [("S", 0, &corners)];
    let whole = stream(super::BIFF8, &[], &sheets);
    let shown_whole = markdown_of(&whole).unwrap();
    assert_eq!(shown_whole, "## S\n\nx\n\nx");
    let cut = markdown_of(&whole[..whole.len() - 6]).unwrap();
    assert!(cut.starts_with("## S\n\nx\n\n["), "{cut}");
    let locked = stream(super::BIFF8, &[record(0x2f, &[1, 0])], &sheets);
    assert_eq!(markdown_of(&locked), Err(DocumentError::Encrypted));
}
