//! Files that are damaged, or made to do harm.

use std::time::{Duration, Instant};

use super::converted;
use super::sample_files::{docx, paragraph, relations, xlsx, zip};
use crate::{DocumentError, FileKind, FileLimits, convert_file};
use iki_base::cpu_clock::CpuInstant;

#[test]
fn what_a_file_is_is_told_by_its_bytes() {
    let docx = docx(&paragraph("", "x"), &[]);
    assert_eq!(FileKind::detect(&docx), Some(FileKind::Docx));
    assert_eq!(
        FileKind::detect(&xlsx(&[("S", "", "")], &[])),
        Some(FileKind::Xlsx)
    );
    assert_eq!(
        FileKind::detect(b"\xef\xbb\xbf junk %PDF-1.7"),
        Some(FileKind::Pdf)
    );
    assert_eq!(
        FileKind::detect(&[b" ".repeat(1024).as_slice(), b"%PDF"].concat()),
        None
    );
    for other in [&b""[..], b"PK\x03\x04", b"hello", b"<html>"] {
        assert_eq!(FileKind::detect(other), None);
    }
    assert_eq!(
        FileKind::detect(&zip(&[
            ("a.txt", "x"),
            ("mimetype", "application/vnd.oasis.opendocument.text")
        ])),
        Some(FileKind::Zip)
    );
    // The text of a document says nothing about its kind.
    let other = convert_file(&docx, FileKind::Pptx, &FileLimits::default());
    assert_eq!(other, Err(DocumentError::NotOne(FileKind::Pptx)));
}

#[test]
fn errors_say_what_to_do() {
    let older = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 some document";
    assert_eq!(
        DocumentError::detect(older),
        Some(DocumentError::UnknownLegacyOffice)
    );
    let name: Vec<u8> = "EncryptedPackage"
        .bytes()
        .flat_map(|byte| [byte, 0])
        .collect();
    assert_eq!(
        DocumentError::detect(&[&older[..], &name].concat()),
        Some(DocumentError::Encrypted)
    );
    assert_eq!(
        DocumentError::detect(b"PK\x03\x04 cut off"),
        Some(DocumentError::Damaged)
    );
    assert_eq!(DocumentError::detect(b"hello"), None);
    let empty = converted(&docx("", &[])).unwrap_err();
    assert_eq!(
        empty.to_string(),
        "This DOCX file has no text: find another copy, or the same text as a page."
    );
    let pdf = convert_file(b"%PDF-1.7 nothing", FileKind::Pdf, &FileLimits::default()).unwrap_err();
    assert_eq!(
        pdf.to_string(),
        "This file is damaged: get it again, or find another copy."
    );
}

/// Offsets of the records of an entry: before its data, and in the directory.
fn records(file: &[u8], name: &str) -> (usize, usize) {
    let find = |mark: &[u8], length: usize| {
        memchr::memmem::find_iter(file, mark)
            .find(|offset| file[offset + length..].starts_with(name.as_bytes()))
            .unwrap()
    };
    (find(b"PK\x03\x04", 30), find(b"PK\x01\x02", 46))
}

#[test]
fn an_encrypted_part_is_a_clear_error() {
    let mut file = docx(&paragraph("", "x"), &[]);
    let (local, central) = records(&file, "word/document.xml");
    file[local + 6] |= 1;
    file[central + 8] |= 1;
    assert_eq!(converted(&file), Err(DocumentError::Encrypted));
}

#[test]
fn wrong_sizes_and_checksums_cost_no_more_than_a_remark() {
    let whole = docx(&paragraph("", "x"), &[]);
    let (_, central) = records(&whole, "word/document.xml");
    // The checksum, the size, the compressed size, where the entry begins.
    for (field, value) in [
        (16, 0xdead_beef_u32),
        (24, 1),
        (24, u32::MAX - 1),
        (20, u32::MAX - 1),
        (42, 0),
    ] {
        let mut file = whole.clone();
        file[central + field..central + field + 4].copy_from_slice(&value.to_le_bytes());
        match converted(&file) {
            Ok(document) => assert!(document.markdown.starts_with('x'), "{}", document.markdown),
            Err(error) => assert!(
                matches!(error, DocumentError::Damaged | DocumentError::NoText(_)),
                "{error}"
            ),
        }
    }
}

#[test]
fn a_bomb_is_cut_where_it_would_burst() {
    let start = CpuInstant::now();
    let mut body = paragraph("", "before");
    body.push_str(&" ".repeat(70 << 20));
    body.push_str(&paragraph("", "behind"));
    let file = docx(&body, &[]);
    drop(body);
    assert!(file.len() < 1 << 20);
    let document = converted(&file).unwrap();
    assert!(
        document.markdown.starts_with("before\n\n["),
        "{}",
        document.markdown
    );
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn claims_of_many_entries_are_refused_before_they_cost_memory() {
    let mut file = zip(&[("a", "x")]);
    let end = file.len() - 22;
    let mut claim = b"PK\x06\x06".to_vec();
    claim.extend(44_u64.to_le_bytes());
    claim.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    for number in [1_u64 << 40, 1 << 40, 1 << 50, 0] {
        claim.extend(number.to_le_bytes());
    }
    let mut whole = file[..end].to_vec();
    whole.extend(&claim);
    whole.extend(b"PK\x06\x07\0\0\0\0");
    whole.extend((end as u64).to_le_bytes());
    whole.extend(1_u32.to_le_bytes());
    whole.extend(file.drain(end..));
    assert_eq!(
        DocumentError::detect(&whole),
        Some(DocumentError::TooCostly)
    );
    let many = b"PK\x01\x02".repeat(30_000);
    assert_eq!(
        DocumentError::detect(&[&b"PK\x03\x04"[..], &many].concat()),
        Some(DocumentError::TooCostly)
    );
}

#[test]
fn entities_are_not_expanded() {
    let bomb = "<!DOCTYPE w [<!ENTITY a 'SECRET'><!ENTITY b '&a;&a;&a;&a;'><!ENTITY f SYSTEM 'file:///etc/passwd'>]>\
                <w:document><w:body><w:p><w:r><w:t>x&b;&f;</w:t></w:r></w:p></w:body></w:document>";
    let types = "<Types><Override PartName='/word/document.xml' \
                 ContentType='application/vnd.openxmlformats-officedocument.wordprocessingml.\
                 document.main+xml'/></Types>";
    let file = zip(&[("[Content_Types].xml", types), ("word/document.xml", bomb)]);
    assert_eq!(converted(&file).unwrap().markdown, "x\\&b;\\&f;");
}

#[test]
fn depth_costs_neither_stack_nor_time() {
    let start = CpuInstant::now();
    let text = paragraph("", "in");
    let table = "<w:tbl><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid><w:tr><w:tc>";
    for (open, times) in [
        (table, 50_000),
        ("<w:p><w:r><w:txbxContent>", 50_000),
        ("<w:sdt><w:sdtContent>", 200_000),
        ("<w:p><w:hyperlink w:anchor='a'>", 100_000),
        (
            "<w:p><w:r><w:fldChar w:fldCharType='begin'/></w:r></w:p>",
            100_000,
        ),
        ("<mc:AlternateContent><mc:Choice>", 100_000),
    ] {
        let file = docx(
            &format!("{}{}{text}", paragraph("", "before"), open.repeat(times)),
            &[],
        );
        let document = converted(&file).unwrap();
        assert!(document.markdown.starts_with("before"), "{open}");
        assert!(
            document.markdown.len() < 100_000,
            "{open}: {}",
            document.markdown.len()
        );
    }
    assert!(
        start.elapsed() < Duration::from_secs(60),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn a_paragraph_of_many_pieces_is_cut_and_says_so() {
    let bold = "<w:r><w:t>a</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>b</w:t></w:r>";
    let breaks = "<w:r><w:br/></w:r>";
    let long = format!("<w:r><w:t>{}</w:t></w:r>", "x ".repeat(3 << 20));
    for piece in [
        bold.repeat(60_000),
        breaks.repeat(200_000) + "<w:r><w:t>x</w:t></w:r>",
        long,
    ] {
        let body = format!("{}<w:p>{piece}</w:p>", paragraph("", "before"));
        let document = converted(&docx(&body, &[])).unwrap();
        assert!(document.markdown.starts_with("before"));
        assert!(
            document.markdown.contains("[Cut off"),
            "{}",
            document.markdown.len()
        );
    }
}

#[test]
fn a_text_that_is_shown_by_many_cells_is_not_multiplied() {
    let text = "x".repeat(30_000);
    let strings = format!("<sst><si><t>{text}</t></si></sst>");
    let rows = "<row><c t='s'><v>0</v></c></row>".repeat(20_000);
    let file = xlsx(
        &[("S", "", &format!("<sheetData>{rows}</sheetData>"))],
        &[("xl/sharedStrings.xml", &strings)],
    );
    let document = converted(&file).unwrap();
    assert!(document.markdown.len() < 40 << 20);
    assert!(
        document
            .markdown
            .contains("[Cut off: this sheet has more rows")
    );
}

#[test]
fn a_part_that_points_out_of_the_file_points_nowhere() {
    let pointed = relations(&[
        ("rId1", "diagramData", "../../../../etc/passwd"),
        ("rId2", "footnotes", "file:///etc/passwd"),
    ]);
    let body = "<w:p><w:r><w:t>a</w:t></w:r><w:r><w:drawing><dgm:relIds \
                r:dm='rId1'/></w:drawing></w:r><w:r><w:footnoteReference w:id='1'/></w:r></w:p>";
    let document = converted(&docx(body, &[("word/_rels/document.xml.rels", &pointed)])).unwrap();
    assert!(!document.markdown.contains("root"), "{}", document.markdown);
}

#[test]
fn there_is_an_end_to_every_conversion() {
    let body = paragraph("", "some text").repeat(200_000);
    let file = docx(&body, &[]);
    let start = CpuInstant::now();
    let limits = FileLimits {
        end: Some(Instant::now() + Duration::from_millis(150)),
        ..FileLimits::default()
    };
    match convert_file(&file, FileKind::Docx, &limits) {
        Ok(document) => assert!(
            document.markdown.ends_with("Ask for it again.]")
                || document.markdown.len() > 2_000_000
        ),
        Err(error) => assert_eq!(error, DocumentError::TooCostly),
    }
    assert!(
        start.elapsed() < Duration::from_secs(2),
        "{:?}",
        start.elapsed()
    );
}
