//! A file is read alike every time, is no longer than its parts allow, and what it becomes is read
//! alike by two parsers of Markdown; whatever is wrong with it is said in a sentence.

use std::io::{Cursor, Write};

use iki_document::{ALLOWANCE, DocumentError, FileKind, FileLimits, convert_file};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::read_alike;
use crate::take::Take;

/// The kinds that are packages.
const PACKAGES: [FileKind; 7] = [
    FileKind::Docx,
    FileKind::Pptx,
    FileKind::Xlsx,
    FileKind::Epub,
    FileKind::Odt,
    FileKind::Odp,
    FileKind::Ods,
];

/// The parts of office documents and books that are read, for each kind of package in its order.
const NAMES: [&[&str]; PACKAGES.len()] = [
    &[
        "word/document.xml",
        "word/styles.xml",
        "word/numbering.xml",
        "word/footnotes.xml",
        "word/comments.xml",
        "word/_rels/document.xml.rels",
        "docProps/core.xml",
    ],
    &[
        "ppt/presentation.xml",
        "ppt/slides/slide1.xml",
        "ppt/_rels/presentation.xml.rels",
        "ppt/slides/_rels/slide1.xml.rels",
        "ppt/notesSlides/notesSlide1.xml",
    ],
    &[
        "xl/workbook.xml",
        "xl/worksheets/sheet1.xml",
        "xl/sharedStrings.xml",
        "xl/styles.xml",
        "xl/_rels/workbook.xml.rels",
    ],
    &[
        "META-INF/container.xml",
        "book.opf",
        "chapter.xhtml",
        "META-INF/encryption.xml",
    ],
    &[
        "content.xml",
        "styles.xml",
        "meta.xml",
        "Object 1/content.xml",
    ],
    &["content.xml", "styles.xml", "meta.xml"],
    &["content.xml", "styles.xml", "meta.xml"],
];

const TYPES: [(&str, &str); 3] = [
    (
        "word/document.xml",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
    ),
    (
        "ppt/presentation.xml",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml",
    ),
    (
        "xl/workbook.xml",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml",
    ),
];

/// Where the parts are that a part does not name by itself.
const RELATIONS: [(&str, &str); 3] = [
    (
        "word/_rels/document.xml.rels",
        "<Relationships xmlns=\"x\"><Relationship Id=\"r1\" Type=\"x/styles\" Target=\"styles.xml\"/><Relationship Id=\"r2\" Type=\"x/numbering\" Target=\"numbering.xml\"/><Relationship Id=\"r3\" Type=\"x/footnotes\" Target=\"footnotes.xml\"/><Relationship Id=\"r4\" Type=\"x/hyperlink\" Target=\"https://example.com/\" TargetMode=\"External\"/></Relationships>",
    ),
    (
        "ppt/_rels/presentation.xml.rels",
        "<Relationships xmlns=\"x\"><Relationship Id=\"r1\" Type=\"x/slide\" Target=\"slides/slide1.xml\"/></Relationships>",
    ),
    (
        "xl/_rels/workbook.xml.rels",
        "<Relationships xmlns=\"x\"><Relationship Id=\"r1\" Type=\"x/worksheet\" Target=\"worksheets/sheet1.xml\"/><Relationship Id=\"r2\" Type=\"x/sharedStrings\" Target=\"sharedStrings.xml\"/><Relationship Id=\"r3\" Type=\"x/styles\" Target=\"styles.xml\"/></Relationships>",
    ),
];

/// How many bytes a part may be.
const PART: usize = 1 << 20;

pub fn check(data: &[u8]) {
    let mut take = Take(data);
    match take.below(15) {
        kind @ 0..7 => {
            let (file, size) = package(kind, take);
            converted(&file, PACKAGES[kind], size);
        }
        7 => converted(take.0, FileKind::Ipynb, take.0.len()),
        8 => converted(take.0, FileKind::Rtf, take.0.len()),
        9 => converted(take.0, FileKind::Eml, take.0.len()),
        10 => converted(take.0, FileKind::Msg, take.0.len()),
        // A text is kept once, and shown by many cells.
        11 => converted(take.0, FileKind::Xls, take.0.len() + 64 * PART),
        12 => converted(take.0, FileKind::Zip, take.0.len()),
        // As it is, which is a PDF file mostly; a zip file may be anything.
        _ => {
            let kind = FileKind::detect(take.0).unwrap_or(FileKind::Pdf);
            // What a file unfolds into is bounded for each part.
            let size = take.0.len() + 64 * PART;
            converted(take.0, kind, size);
        }
    }
}

fn converted(file: &[u8], kind: FileKind, size: usize) {
    let limits = FileLimits {
        end: None,
        part: PART,
    };
    let read = convert_file(file, kind, &limits);
    let again = convert_file(file, kind, &limits);
    match (&read, &again) {
        (Ok(one), Ok(other)) => assert_eq!(one, other),
        (Err(one), Err(other)) => assert_eq!(one, other),
        _ => panic!("read once: {read:?}, {again:?}"),
    }
    match read {
        Ok(document) => {
            let most = 4 * size + 2 * ALLOWANCE;
            assert!(
                document.markdown.len() <= most,
                "{} bytes of {size}",
                document.markdown.len()
            );
            // Cells of notebooks are Markdown of their own.
            if kind != FileKind::Ipynb {
                read_alike::check(&document.markdown);
            }
        }
        Err(error) => {
            let said = error.to_string();
            assert!(
                said.ends_with('.') && said.chars().next().is_some_and(char::is_uppercase),
                "{said}"
            );
            if let Some(error) = DocumentError::detect(file) {
                assert!(error.to_string().ends_with('.'));
            }
        }
    }
}

/// A package with these parts, and how many bytes they are.
fn package(kind: usize, mut take: Take<'_>) -> (Vec<u8>, usize) {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let mut size = 0;
    let mut add = |name: &str, text: &[u8]| {
        size += text.len();
        // A name that is there twice is refused.
        if zip.start_file(name, stored).is_ok() {
            zip.write_all(text).unwrap();
        }
    };
    if let Some((name, kind)) = TYPES.get(kind) {
        let types =
            format!("<Types><Override PartName=\"/{name}\" ContentType=\"{kind}\"/></Types>");
        add("[Content_Types].xml", types.as_bytes());
        let relations = format!(
            "<Relationships><Relationship Id=\"r\" Type=\"x/officeDocument\" Target=\"{name}\"/></Relationships>"
        );
        add("_rels/.rels", relations.as_bytes());
    } else {
        let media_type = PACKAGES[kind].media_types()[0];
        add("mimetype", media_type.as_bytes());
    }
    let names = NAMES[kind];
    let relations = take.flag();
    if let (true, Some((name, text))) = (relations, RELATIONS.get(kind)) {
        add(name, text.as_bytes());
    }
    // The first part is the longest mostly.
    let mut others = Vec::new();
    for _ in 0..take.below(4) {
        others.push((take.of(&names[1..]), take.bytes(1 << 12)));
    }
    for (name, text) in others {
        add(name, text);
    }
    let first = if kind == 3 { take.of(names) } else { names[0] };
    if kind == 3 {
        add("META-INF/container.xml", b"<container><rootfiles><rootfile full-path=\"book.opf\" media-type=\"application/oebps-package+xml\"/></rootfiles></container>");
        if first != "book.opf" {
            add("book.opf", b"<package><manifest><item id=\"a\" href=\"chapter.xhtml\" media-type=\"application/xhtml+xml\"/></manifest><spine><itemref idref=\"a\"/></spine></package>");
        }
    }
    add(first, take.rest());
    let file = zip.finish().unwrap().into_inner();
    (file, size)
}
