//! Damaged documents: small ones of each kind, made here, and what seeded chance makes of them.
//!
//! The same seed gives the same files on every machine. Those that are zip files are changed in
//! their parts and packed again, as well as in their bytes.

use std::fmt::Write as _;
use std::io::{Cursor, Read as _, Write as _};

use iki_document::{FileKind, FileLimits, convert_feed, convert_file};
use url::Url;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// The kinds of documents.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    // The others are read by programs.
    let own = FileKind::ALL
        .into_iter()
        .filter(|kind| !FileKind::LEGACY_OFFICE.contains(kind));
    own.map(FileKind::name).chain(["feed"])
}

/// Chance that can be had again (splitmix64).
pub struct Chance(pub u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, most: usize) -> usize {
        if most == 0 {
            0
        } else {
            usize::try_from(self.next() % most as u64).unwrap_or(0)
        }
    }
}

/// What stands in documents and has a meaning there.
const WORDS: [&[u8]; 34] = [
    b"<",
    b">",
    b"</",
    b"/>",
    b"&",
    b"&#x110000;",
    b"<![CDATA[",
    b"-->",
    b"<!--",
    b"'",
    b"\"",
    b"\0",
    b"\xff\xfe",
    b"4294967296",
    b"-1",
    b"99999999999999999999",
    b"PK\x01\x02",
    b"PK\x05\x06",
    b"stream\n",
    b"endobj",
    b"<<",
    b">>",
    b"[[[[[[[[",
    b"<w:tbl><w:tr><w:tc>",
    b"<a:p>",
    b"<div>",
    b"<item><title>",
    b"/Filter/FlateDecode",
    b"{\\rtf1{\\*",
    b"\\bin99999999 ",
    b"\\u-10179?",
    b"\\trowd\\cellx1\\cell\\row",
    b"\n--b\nContent-Type: multipart/mixed; boundary=b\n\n",
    b"=?utf-8?B?",
];

/// Changes a few places of `bytes`.
pub fn mutate(bytes: &mut Vec<u8>, chance: &mut Chance) {
    for _ in 0..=chance.below(8) {
        let at = chance.below(bytes.len() + 1);
        let length = chance.below(64).min(bytes.len() - at);
        match chance.below(8) {
            0 if at < bytes.len() => bytes[at] ^= 1 << chance.below(8),
            1 if at < bytes.len() => bytes[at] = chance.next().to_le_bytes()[0],
            2 => drop(bytes.drain(at..at + length)),
            3 => {
                let copy = bytes[at..at + length].to_vec();
                let to = chance.below(bytes.len() + 1);
                bytes.splice(to..to, copy);
            }
            4 => {
                let copy = bytes[at..at + length].repeat(1 + chance.below(200));
                bytes.splice(at..at, copy);
            }
            5 => {
                let word = WORDS[chance.below(WORDS.len())].repeat(1 + chance.below(3));
                bytes.splice(at..at, word);
            }
            6 => bytes.truncate(bytes.len() - chance.below(bytes.len() / 4 + 1)),
            _ => {
                // A number becomes another one.
                let digit = bytes[at..].iter().position(u8::is_ascii_digit);
                if let Some(digit) = digit {
                    let number = (chance.next() >> chance.below(64)).to_string();
                    bytes.splice(at + digit..=at + digit, number.into_bytes());
                }
            }
        }
    }
}

/// The parts of a document: its name, its bytes.
type Parts = Vec<(String, Vec<u8>)>;

/// A zip file of these parts.
fn packed(parts: &Parts) -> Vec<u8> {
    let mut file = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        let method = if name == "mimetype" {
            CompressionMethod::Stored
        } else {
            CompressionMethod::Deflated
        };
        let options = SimpleFileOptions::default().compression_method(method);
        file.start_file(name.as_str(), options)
            .expect("a part can begin");
        file.write_all(bytes).expect("memory can be written to");
    }
    file.finish()
        .expect("memory can be written to")
        .into_inner()
}

/// The parts of a zip file.
fn unpacked(bytes: &[u8]) -> Option<Parts> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).ok()?;
    let mut parts = Parts::new();
    for at in 0..archive.len() {
        let mut file = archive.by_index(at).ok()?;
        let name = file.name().ok()?.into_owned();
        let mut part = Vec::new();
        file.read_to_end(&mut part).ok()?;
        parts.push((name, part));
    }
    Some(parts)
}

/// One mutant of `original`.
pub fn mutant(original: &[u8], chance: &mut Chance) -> Vec<u8> {
    if original.starts_with(b"PK")
        && chance.below(4) > 0
        && let Some(mut parts) = unpacked(original)
    {
        for _ in 0..=chance.below(3) {
            let at = chance.below(parts.len());
            mutate(&mut parts[at].1, chance);
        }
        return packed(&parts);
    }
    let mut bytes = original.to_vec();
    mutate(&mut bytes, chance);
    bytes
}

/// Converts a document as what it is said to be; whether that came to something.
pub fn convert(kind: &str, bytes: &[u8]) -> bool {
    if kind == "feed" {
        let base = Url::parse("https://example.com/").expect("this is an address");
        return convert_feed(&String::from_utf8_lossy(bytes), &base).is_some();
    }
    let told = FileKind::detect(bytes);
    let kind = FileKind::ALL
        .into_iter()
        .find(|known| known.name() == kind)
        .or(told);
    kind.is_some_and(|kind| convert_file(bytes, kind, &FileLimits::default()).is_ok())
}

/// A document of a kind.
pub fn original(kind: &str) -> Vec<u8> {
    match kind {
        "pdf" => pdf(),
        "docx" => docx(),
        "pptx" => pptx(),
        "xlsx" => xlsx(),
        "xlsb" => xlsb(),
        "xls" => xls(),
        "epub" => epub(),
        "ipynb" => ipynb(),
        "odt" => odt(),
        "odp" => odp(),
        "ods" => ods(),
        "rtf" => rtf(),
        "eml" => eml(),
        "msg" => msg(),
        "zip" => zip_of_files(),
        "feed" => feed(),
        kind => panic!("no file of the kind {kind} to begin with"),
    }
}

fn zip_of_files() -> Vec<u8> {
    let parts = ["README.md", "docs/a.html", "docs/b.zip"];
    packed(
        &parts
            .map(|name| (name.to_owned(), b"words".to_vec()))
            .into(),
    )
}

fn pdf() -> Vec<u8> {
    let mut content = String::from("BT /F1 18 Tf 72 720 Td (A heading) Tj ET\n");
    for line in 0..30 {
        let _ = writeln!(
            content,
            "BT /F1 10 Tf 72 {} Td (Line {line} of some (nested) text.) Tj ET",
            690 - 14 * line
        );
    }
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>\
         /Annots[<</Subtype/Link/Rect[72 700 200 740]/A<</URI(https://example.com/)>>>>]>>".to_owned(),
        format!("<</Length {}>>\nstream\n{content}\nendstream", content.len()),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_owned(),
        "<</Title(A title)/Author(Ann)/CreationDate(D:20240131)>>".to_owned(),
    ];
    let mut file = String::from("%PDF-1.7\n");
    let mut places = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        places.push(file.len());
        let _ = write!(file, "{} 0 obj\n{object}\nendobj\n", number + 1);
    }
    let start = file.len();
    let _ = write!(file, "xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for place in places {
        let _ = writeln!(file, "{place:010} 00000 n ");
    }
    let _ = write!(
        file,
        "trailer<</Size {}/Root 1 0 R/Info 6 0 R>>\nstartxref\n{start}\n%%EOF",
        objects.len() + 1
    );
    file.into_bytes()
}

fn relations(all: &[(&str, &str, &str)]) -> String {
    let mut text = String::from("<?xml version=\"1.0\"?>\n<Relationships>");
    for (id, kind, target) in all {
        let mode = if target.contains("://") {
            " TargetMode=\"External\""
        } else {
            ""
        };
        let _ = write!(
            text,
            "<Relationship Id=\"{id}\" Type=\"http://x/{kind}\" Target=\"{target}\"{mode}/>"
        );
    }
    text + "</Relationships>"
}

/// An office document whose main part is the first of `parts`.
fn office(content_type: &str, parts: &[(&str, String)]) -> Vec<u8> {
    let main = parts[0].0;
    let types = format!(
        "<Types><Override PartName=\"/{main}\" ContentType=\"application/vnd.openxmlformats-officedocument.{content_type}.main+xml\"/></Types>"
    );
    let core = "<cp:coreProperties><dc:title>A title</dc:title><dc:creator>Ann</dc:creator></cp:coreProperties>";
    let mut all = Parts::new();
    for (name, text) in [
        ("[Content_Types].xml", types),
        (
            "_rels/.rels",
            relations(&[
                ("a", "officeDocument", main),
                ("b", "core-properties", "docProps/core.xml"),
            ]),
        ),
        ("docProps/core.xml", core.to_owned()),
    ] {
        all.push((name.to_owned(), text.into_bytes()));
    }
    all.extend(
        parts
            .iter()
            .map(|(name, text)| ((*name).to_owned(), text.clone().into_bytes())),
    );
    packed(&all)
}

fn docx() -> Vec<u8> {
    let p = |properties: &str, text: &str| {
        format!(
            "<w:p><w:pPr>{properties}</w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t>{text}</w:t></w:r></w:p>"
        )
    };
    let mut body = p("<w:pStyle w:val=\"H1\"/>", "A heading");
    for number in 0..6 {
        body += &p(
            &format!(
                "<w:numPr><w:ilvl w:val=\"{}\"/><w:numId w:val=\"1\"/></w:numPr>",
                number % 3
            ),
            "item",
        );
    }
    let cell = |properties: &str| {
        format!(
            "<w:tc><w:tcPr>{properties}</w:tcPr>{}</w:tc>",
            p("", "cell")
        )
    };
    let _ = write!(
        body,
        "<w:tbl><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid><w:tr>{}</w:tr><w:tr>{}{}</w:tr></w:tbl>\
         <w:p><w:hyperlink r:id=\"l\"><w:r><w:t>link</w:t></w:r></w:hyperlink><w:r><w:fldChar w:fldCharType=\"begin\"/></w:r>\
         <w:r><w:instrText>HYPERLINK \"https://example.com/b\"</w:instrText></w:r><w:r><w:fldChar w:fldCharType=\"separate\"/></w:r>\
         <w:r><w:t>field</w:t></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r><w:r><w:footnoteReference w:id=\"2\"/></w:r>\
         <w:r><mc:AlternateContent><mc:Choice><w:drawing><wp:docPr descr=\"alt\"/><a:blip r:embed=\"i\"/><c:chart r:id=\"c\"/>\
         <w:txbxContent>{}</w:txbxContent></w:drawing></mc:Choice><mc:Fallback><w:pict/></mc:Fallback></mc:AlternateContent></w:r>\
         <w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>",
        cell("<w:gridSpan w:val=\"2\"/>"),
        cell("<w:vMerge w:val=\"restart\"/>"),
        cell(""),
        p("", "boxed"),
    );
    let styles = "<w:styles><w:style w:type=\"paragraph\" w:styleId=\"H1\"><w:name w:val=\"heading 1\"/><w:basedOn w:val=\"H0\"/></w:style></w:styles>";
    let mut levels = String::new();
    for level in 0..3 {
        let _ = write!(
            levels,
            "<w:lvl w:ilvl=\"{level}\"><w:start w:val=\"2\"/><w:numFmt w:val=\"lowerRoman\"/><w:lvlText w:val=\"%1.%2.\"/></w:lvl>"
        );
    }
    let numbering = format!(
        "<w:numbering><w:abstractNum w:abstractNumId=\"0\">{levels}</w:abstractNum><w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num></w:numbering>"
    );
    let notes = format!(
        "<w:footnotes><w:footnote w:id=\"2\">{}</w:footnote></w:footnotes>",
        p("", "a note")
    );
    let pointed = relations(&[
        ("s", "styles", "styles.xml"),
        ("n", "numbering", "numbering.xml"),
        ("f", "footnotes", "footnotes.xml"),
        ("l", "hyperlink", "https://example.com/"),
        ("i", "image", "media/a.png"),
        ("c", "chart", "charts/c.xml"),
    ]);
    office(
        "wordprocessingml.document",
        &[
            (
                "word/document.xml",
                format!(
                    "<?xml version=\"1.0\"?>\n<w:document><w:body>{body}</w:body></w:document>"
                ),
            ),
            ("word/_rels/document.xml.rels", pointed),
            ("word/styles.xml", styles.to_owned()),
            ("word/numbering.xml", numbering),
            ("word/footnotes.xml", notes),
        ],
    )
}

fn pptx() -> Vec<u8> {
    let line = |level: u32, text: &str| {
        format!(
            "<a:p><a:pPr lvl=\"{level}\"/><a:r><a:rPr b=\"1\"><a:hlinkClick r:id=\"l\"/></a:rPr><a:t>{text}</a:t></a:r></a:p>"
        )
    };
    let shape = |kind: &str, text: &str| {
        format!(
            "<p:sp><p:nvSpPr><p:cNvPr id=\"1\"/><p:nvPr><p:ph type=\"{kind}\" idx=\"1\"/></p:nvPr></p:nvSpPr><p:txBody>{text}</p:txBody></p:sp>"
        )
    };
    let slide = format!(
        "<p:sld><p:spTree>{}{}<p:graphicFrame><a:tbl><a:tr><a:tc gridSpan=\"2\"><a:txBody>{}</a:txBody></a:tc><a:tc hMerge=\"1\"/></a:tr></a:tbl></p:graphicFrame>\
         <p:pic><p:cNvPr descr=\"alt\"/><a:blip r:embed=\"i\"/></p:pic><p:graphicFrame><c:chart r:id=\"c\"/></p:graphicFrame></p:spTree></p:sld>",
        shape("title", &line(0, "A title")),
        shape(
            "body",
            &(line(0, "one") + &line(1, "two") + &line(2, "three"))
        ),
        line(0, "cell"),
    );
    let layout = "<p:sldLayout><p:sp><p:ph type=\"body\" idx=\"1\"/><a:lstStyle><a:lvl1pPr><a:buChar char=\"x\"/></a:lvl1pPr><a:lvl2pPr><a:buAutoNum startAt=\"3\"/></a:lvl2pPr></a:lstStyle></p:sp></p:sldLayout>";
    let pointed = relations(&[
        ("l", "hyperlink", "https://example.com/"),
        ("c", "chart", "../charts/c.xml"),
        ("y", "slideLayout", "../layout.xml"),
        ("n", "notesSlide", "../notes.xml"),
    ]);
    office("presentationml.presentation", &[
        ("ppt/presentation.xml", "<p:presentation><p:sldIdLst><p:sldId id=\"256\" r:id=\"a\"/><p:sldId id=\"257\" r:id=\"b\"/></p:sldIdLst></p:presentation>".to_owned()),
        ("ppt/_rels/presentation.xml.rels", relations(&[("a", "slide", "slides/1.xml"), ("b", "slide", "slides/2.xml")])),
        ("ppt/slides/1.xml", slide.clone()), ("ppt/slides/2.xml", slide), ("ppt/slides/_rels/1.xml.rels", pointed),
        ("ppt/layout.xml", layout.to_owned()), ("ppt/notes.xml", format!("<p:notes>{}</p:notes>", shape("body", &line(0, "a note")))),
    ])
}

fn xlsx() -> Vec<u8> {
    let mut rows = String::new();
    for row in 1..=20 {
        let _ = write!(
            rows,
            "<row r=\"{row}\"><c r=\"A{row}\" t=\"s\"><v>{}</v></c><c r=\"B{row}\" s=\"1\"><v>{}.5</v></c><c r=\"C{row}\" t=\"inlineStr\"><is><t>text</t></is></c><c><f>A1*2</f></c></row>",
            row % 2,
            45000 + row
        );
    }
    let sheet = format!(
        "<worksheet><cols><col min=\"9\" max=\"9\" hidden=\"1\"/></cols><sheetData>{rows}</sheetData><hyperlinks><hyperlink ref=\"A2\" r:id=\"l\"/></hyperlinks></worksheet>"
    );
    office("spreadsheetml.sheet", &[
        ("xl/workbook.xml", "<workbook><sheets><sheet name=\"One\" r:id=\"a\"/><sheet name=\"Two\" state=\"hidden\" r:id=\"a\"/></sheets></workbook>".to_owned()),
        ("xl/_rels/workbook.xml.rels", relations(&[("a", "worksheet", "worksheets/1.xml"), ("s", "styles", "styles.xml"), ("t", "sharedStrings", "strings.xml")])),
        ("xl/worksheets/1.xml", sheet), ("xl/worksheets/_rels/1.xml.rels", relations(&[("l", "hyperlink", "https://example.com/")])),
        ("xl/styles.xml", "<styleSheet><numFmts><numFmt numFmtId=\"164\" formatCode=\"yyyy\\-mm\"/></numFmts><cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"164\"/></cellXfs></styleSheet>".to_owned()),
        ("xl/strings.xml", "<sst><si><t>one</t></si><si><r><t>t</t></r><r><t>wo</t></r></si></sst>".to_owned()),
    ])
}

fn xlsb() -> Vec<u8> {
    let record = |kind: u16, parts: &[&[u8]]| {
        let data = parts.concat();
        let (low, high) = (kind & 0x7f, kind >> 7);
        let mut all = vec![low.to_le_bytes()[0]];
        if high > 0 {
            all[0] |= 0x80;
            all.push(high.to_le_bytes()[0]);
        }
        all.push(u8::try_from(data.len()).expect("records are short"));
        [all, data].concat()
    };
    let number = |number: u32| number.to_le_bytes();
    let text = |text: &str| {
        let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let length = u32::try_from(units.len() / 2).expect("texts are short");
        [&length.to_le_bytes()[..], &units].concat()
    };
    let sheet = |name: &str, state: u32| {
        record(0x9c, &[&number(state), &number(1), &text("a"), &text(name)])
    };
    let mut cells = record(
        0x3c,
        &[&number(8), &number(8), &number(0), &number(0), &[1, 0]],
    );
    for row in 0..20 {
        let at = |column: u32, style: u32| [number(column), number(style)].concat();
        cells.extend(record(0x00, &[&number(row), &[0; 13]]));
        cells.extend(record(0x07, &[&at(0, 0), &number(row % 2)]));
        cells.extend(record(
            0x05,
            &[&at(1, 1), &f64::from(45_000 + row).to_le_bytes()],
        ));
        cells.extend(record(0x06, &[&at(2, 0), &text("text")]));
        cells.extend(record(0x02, &[&at(3, 0), &number(row << 2 | 2)]));
        cells.extend(record(0x0a, &[&at(4, 0), &[1]]));
    }
    let corner = [number(1), number(1), number(0), number(0)].concat();
    cells.extend(record(0x1ee, &[&corner, &text("l")]));
    let styles = [
        record(0x2c, &[&[164, 0], &text("yyyy-mm")]),
        record(0x269, &[&number(2)]),
        record(0x2f, &[&[0, 0, 0, 0]]),
        record(0x2f, &[&[0, 0, 164, 0]]),
    ];
    let types = "<Types><Override PartName=\"/xl/workbook.bin\" ContentType=\"application/vnd.ms-excel.sheet.binary.macroEnabled.main\"/></Types>";
    let pointed = [
        ("a", "worksheet", "worksheets/1.bin"),
        ("s", "styles", "styles.bin"),
        ("t", "sharedStrings", "strings.bin"),
    ];
    let parts: [(&str, Vec<u8>); 8] = [
        ("[Content_Types].xml", types.into()),
        (
            "_rels/.rels",
            relations(&[("a", "officeDocument", "xl/workbook.bin")]).into(),
        ),
        (
            "xl/workbook.bin",
            [sheet("One", 0), sheet("Two", 1)].concat(),
        ),
        ("xl/_rels/workbook.bin.rels", relations(&pointed).into()),
        ("xl/worksheets/1.bin", cells),
        (
            "xl/worksheets/_rels/1.bin.rels",
            relations(&[("l", "hyperlink", "https://example.com/")]).into(),
        ),
        ("xl/styles.bin", styles.concat()),
        (
            "xl/strings.bin",
            [
                record(0x13, &[&[0], &text("one")]),
                record(0x13, &[&[0], &text("two")]),
            ]
            .concat(),
        ),
    ];
    packed(&parts.map(|(name, bytes)| (name.to_owned(), bytes)).into())
}

fn xls() -> Vec<u8> {
    let record = |kind: u16, parts: &[&[u8]]| {
        let data = parts.concat();
        let length = u16::try_from(data.len()).expect("records are short");
        [&kind.to_le_bytes(), &length.to_le_bytes(), &data[..]].concat()
    };
    let number = |number: u16| number.to_le_bytes();
    let text = |text: &str| {
        let length = u16::try_from(text.len()).expect("texts are short");
        [&length.to_le_bytes()[..], &[0], text.as_bytes()].concat()
    };
    let begin = record(0x809, &[&number(0x600), &number(5)]);
    let end = record(0x0a, &[]);
    let sheet = |start: usize, state: u8, name: &str| {
        let start = u32::try_from(start).expect("there is little");
        record(
            0x85,
            &[&start.to_le_bytes(), &[state, 0, 3, 0], name.as_bytes()],
        )
    };
    let globals = [
        begin.clone(),
        record(0x41e, &[&number(164), &text("yyyy-mm")]),
        record(0xe0, &[&number(0), &number(0)]),
        record(0xe0, &[&number(0), &number(164)]),
        record(0xfc, &[&[0; 8], &text("one"), &[3, 0, 0], b"t"]),
        record(0x3c, &[&[1], b"w\0o\0"]),
    ]
    .concat();
    let start = globals.len() + 2 * sheet(0, 0, "One").len() + end.len();
    let mut stream = [
        globals,
        sheet(start, 0, "One"),
        sheet(start, 1, "Two"),
        end.clone(),
        begin,
    ]
    .concat();
    stream.extend(record(
        0x7d,
        &[&number(8), &number(8), &number(0), &number(0), &number(1)],
    ));
    for row in 0..20 {
        let at = |column, style| [number(row), number(column), number(style)].concat();
        stream.extend(record(0x208, &[&at(0, 0), &[0; 10]]));
        stream.extend(record(
            0xfd,
            &[&at(0, 0), &u32::from(row % 2).to_le_bytes()],
        ));
        stream.extend(record(
            0x203,
            &[&at(1, 1), &f64::from(45_000 + row).to_le_bytes()],
        ));
        stream.extend(record(0x204, &[&at(2, 0), &text("text")]));
        stream.extend(record(0x06, &[&at(3, 0), &[0, 0, 0, 0, 0, 0, 0xff, 0xff]]));
        stream.extend(record(0x207, &[&text("made")]));
    }
    stream.extend(record(
        0x5d,
        &[&number(0x15), &number(0x12), &number(0x19), &number(1)],
    ));
    stream.extend(record(0x1b6, &[&[0; 10], &number(4)]));
    stream.extend(record(0x3c, &[&[0], b"said"]));
    stream.extend(record(
        0x1c,
        &[&number(1), &number(1), &number(0), &number(1), &text("Ann")],
    ));
    stream.extend(end);
    compound(&[("Workbook", stream)], None)
}

fn ipynb() -> Vec<u8> {
    br##"{"cells": [
 {"cell_type": "markdown", "id": "a", "metadata": {}, "source": ["# A title\n", "Some *text*"]},
 {"cell_type": "code", "execution_count": 1, "metadata": {}, "source": "print(1)", "outputs": [
  {"output_type": "stream", "name": "stdout", "text": ["1\n"]},
  {"output_type": "display_data", "metadata": {}, "data": {"image/png": "iVBORw0KGgo=", "text/plain": "<Figure>"}},
  {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\u001b[31mE\u001b[0m", "v"]}]},
 {"cell_type": "raw", "metadata": {}, "source": []}],
 "metadata": {"kernelspec": {"language": "python", "name": "python3"}, "language_info": {"name": "python"}},
 "nbformat": 4, "nbformat_minor": 5}"##
        .to_vec()
}

fn epub() -> Vec<u8> {
    let chapter = "<html><head><title>A chapter</title></head><body><h1>A chapter</h1><p>Some <b>text</b>, a <a href=\"b.xhtml#x\">link</a>.</p>\
        <ul><li>one<ul><li>two</li></ul></li></ul><table><tr><th>a</th></tr><tr><td>b</td></tr></table><pre>code</pre></body></html>";
    let book = "<package><metadata><dc:title>A book</dc:title><dc:creator>Ann</dc:creator></metadata><manifest><item id=\"a\" href=\"a.xhtml\" media-type=\"application/xhtml+xml\"/>\
        <item id=\"b\" href=\"b.xhtml\" media-type=\"application/xhtml+xml\"/></manifest><spine><itemref idref=\"a\"/><itemref idref=\"b\"/></spine></package>";
    let parts = [
        ("mimetype", "application/epub+zip"),
        (
            "META-INF/container.xml",
            "<container><rootfile full-path=\"O/book.opf\"/></container>",
        ),
        ("O/book.opf", book),
        ("O/a.xhtml", chapter),
        ("O/b.xhtml", chapter),
    ];
    packed(
        &parts
            .map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()))
            .to_vec(),
    )
}

/// An `OpenDocument` file of this kind and content.
fn open_document(kind: &str, styles: &str, body: &str) -> Vec<u8> {
    let content = format!(
        "<office:document-content><office:automatic-styles>{styles}</office:automatic-styles><office:body>{body}</office:body></office:document-content>"
    );
    let parts = [
        (
            "mimetype",
            format!("application/vnd.oasis.opendocument.{kind}"),
        ),
        ("content.xml", content),
        (
            "meta.xml",
            "<office:meta><dc:title>A title</dc:title><meta:initial-creator>Ann</meta:initial-creator></office:meta>".to_owned(),
        ),
        (
            "styles.xml",
            "<office:styles><style:style style:name=\"Standard\" style:family=\"paragraph\"/></office:styles>".to_owned(),
        ),
        (
            "Object 1/content.xml",
            "<math><mfrac><mi>a</mi><mn>2</mn></mfrac></math>".to_owned(),
        ),
    ];
    packed(
        &parts
            .map(|(name, text)| (name.to_owned(), text.into_bytes()))
            .to_vec(),
    )
}

const ODF_TABLE: &str = "<table:table table:name=\"One\"><table:table-column table:number-columns-repeated=\"2\"/>\
    <table:table-row><table:table-cell table:number-columns-spanned=\"2\" office:value-type=\"float\" office:value=\"1\"><text:p>one</text:p>\
    <office:annotation><dc:creator>Ann</dc:creator><text:p>why</text:p></office:annotation></table:table-cell><table:covered-table-cell/></table:table-row>\
    <table:table-row table:number-rows-repeated=\"3\"><table:table-cell table:number-columns-repeated=\"2\" office:value-type=\"date\" office:date-value=\"2024-01-31\"><text:p>31.1.</text:p></table:table-cell></table:table-row></table:table>";

const ODF_LIST: &str = "<text:list text:style-name=\"L1\"><text:list-item text:start-value=\"4\"><text:p>four</text:p><text:list><text:list-item><text:p>deeper</text:p></text:list-item></text:list></text:list-item></text:list>";

const ODF_STYLES: &str = "<text:list-style style:name=\"L1\"><text:list-level-style-number text:level=\"1\" style:num-format=\"i\" style:num-suffix=\")\"/><text:list-level-style-bullet text:level=\"2\"/></text:list-style>\
    <style:style style:name=\"T1\" style:family=\"text\" style:parent-style-name=\"T2\"><style:text-properties fo:font-weight=\"bold\"/></style:style>";

fn odt() -> Vec<u8> {
    let body = format!(
        "<office:text><text:h text:outline-level=\"1\">A heading</text:h><text:p>Some <text:span text:style-name=\"T1\">bold</text:span><text:s text:c=\"3\"/>\
         <text:a xlink:href=\"https://example.com/\">link</text:a><text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>a note</text:p></text:note-body></text:note>\
         <draw:frame><draw:text-box><text:p>boxed</text:p></draw:text-box><draw:object xlink:href=\"./Object 1\"/><svg:desc>alt</svg:desc></draw:frame></text:p>{ODF_LIST}{ODF_TABLE}\
         <text:section text:display=\"none\"><text:p>hidden</text:p></text:section></office:text>"
    );
    open_document("text", ODF_STYLES, &body)
}

fn odp() -> Vec<u8> {
    let body = format!(
        "<office:presentation><draw:page draw:name=\"p\"><draw:frame presentation:class=\"title\"><draw:text-box><text:p>A title</text:p></draw:text-box></draw:frame>\
         <draw:frame svg:x=\"1cm\" svg:y=\"20mm\"><draw:text-box>{ODF_LIST}</draw:text-box></draw:frame><draw:frame svg:x=\"1in\" svg:y=\"1pt\">{ODF_TABLE}</draw:frame>\
         <draw:g><draw:custom-shape><text:p>in a group</text:p></draw:custom-shape></draw:g><presentation:notes><draw:frame presentation:class=\"notes\"><draw:text-box><text:p>a note</text:p></draw:text-box></draw:frame></presentation:notes></draw:page></office:presentation>"
    );
    open_document("presentation", ODF_STYLES, &body)
}

fn ods() -> Vec<u8> {
    let body = format!("<office:spreadsheet>{ODF_TABLE}{ODF_TABLE}</office:spreadsheet>");
    open_document("spreadsheet", ODF_STYLES, &body)
}

fn rtf() -> Vec<u8> {
    br"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}{\f1\fcharset204 Courier New;}}{\colortbl;\red255\green255\blue255;}
{\stylesheet{\s1\outlinelevel0 heading 1;}{\*\cs2 Strong;}}{\info{\title A title}{\author Ann}{\creatim\yr2024\mo1\dy31}}
\pard\plain\s1\outlinelevel0 A heading\par\pard\plain Some {\b bold} \uc1\u8364? \'e9 {\f1\'cf\'f0} {\cf1 white}{\field{\*\fldinst{HYPERLINK https://example.com/}}{\fldrslt link}}\
{\footnote a note}{\*\atnauthor Ann}{\*\annotation why}\par{\listtext 1.\tab}\ls1\ilvl0 one\par{\listtext\'b7\tab}\ls1\ilvl1 two\par
\trowd\cellx1000\clvmgf\cellx2000\pard\intbl a\cell b\cell\row\trowd\cellx1000\clvmrg\cellx2000 c\cell\cell\row\pard
{\pict{\*\picprop{\sp{\sn wzDescription}{\sv alt}}}\bin3 abc}{\shp{\*\shpinst{\shptxt boxed\par}}}\pard end\par}"
        .to_vec()
}

fn eml() -> Vec<u8> {
    b"Received: from a by b;\r\n Mon, 1 Jan 2024\r\nMessage-ID: <1@example.com>\r\nFrom: =?utf-8?Q?Ann_=C3=84?= <ann@example.com>\r\nTo: bob@example.com\r\n\
Subject: =?iso-8859-1?B?QSDEIHRpdGxl?=\r\nDate: Mon, 1 Jan 2024 10:00:00 +0000\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=\"b1\"\r\n\r\nnot shown\r\n\
--b1\r\nContent-Type: multipart/alternative; boundary=b2\r\n\r\n--b2\r\nContent-Type: text/plain; charset=windows-1252\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\
Some =E4 text that goes=\r\n on.\r\n\r\nMore.\r\n--b2\r\nContent-Type: text/html\r\n\r\n<p>Some text</p>\r\n--b2--\r\n--b1\r\n\
Content-Type: application/pdf; name*=utf-8''a%20b.pdf\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: base64\r\n\r\nJVBERi0=\r\n--b1\r\n\
Content-Type: message/rfc822\r\n\r\nFrom: cy@example.com\r\nSubject: Within\r\nContent-Transfer-Encoding: base64\r\n\r\naGVsbG8=\r\n--b1--\r\n"
        .to_vec()
}

/// An Outlook message of streams that all have sectors of their own, so that they are padded.
fn msg() -> Vec<u8> {
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    // The time at which it was sent: tag, flags, value.
    let mut sent = vec![0; 32];
    sent.extend(0x0039_0040_u64.to_le_bytes());
    sent.extend(133_511_328_000_000_000_u64.to_le_bytes());
    compound(
        &[
            ("__properties_version1.0", sent),
            ("__substg1.0_0037001F", wide("A title")),
            ("__substg1.0_0C1A001F", wide("Ann")),
            ("__substg1.0_0E04001E", b"Bob".to_vec()),
            ("__substg1.0_1000001F", wide("Some text.\r\n\r\nMore.")),
            ("__substg1.0_3707001F", wide("a.pdf")),
        ],
        Some("__attach_version1.0_#00000000"),
    )
}

/// A compound file of these streams, each of 4096 bytes at most; the last is within a storage.
fn compound(streams: &[(&str, Vec<u8>)], storage: Option<&str>) -> Vec<u8> {
    const SECTOR: usize = 512;
    const SIZE: usize = 4096;
    let wide = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let sectors_of_one = SIZE / SECTOR;
    let of_root = streams.len() - usize::from(storage.is_some());
    let mut entries = vec![("Root Entry", 5_u8, u32::MAX, 1_u32, u32::MAX - 1, 0)];
    for (at, (name, _)) in streams.iter().enumerate() {
        let start = u32::try_from(4 + at * sectors_of_one).expect("there are few");
        // Each points to the next one.
        let next = match at + 1 {
            next if next < of_root => u32::try_from(next + 1).expect("there are few"),
            next if next == of_root && storage.is_some() => {
                u32::try_from(streams.len() + 1).expect("there are few")
            }
            _ => u32::MAX,
        };
        entries.push((name, 2, next, u32::MAX, start, 4096));
    }
    if let Some(name) = storage {
        let child = u32::try_from(streams.len()).expect("there are few");
        entries.push((name, 1, u32::MAX, child, 0, 0));
    }
    let mut file = vec![0; SECTOR];
    file[..8].copy_from_slice(b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1");
    file[30] = 9;
    file[32] = 6;
    file[44] = 1;
    file[48] = 1;
    file[57] = 16;
    for (at, value) in [(60, u32::MAX - 1), (68, u32::MAX - 1), (76, 0)] {
        file[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
    file[80..].fill(0xff);
    // The table: itself, three sectors of the directory, then the streams.
    let end = u32::MAX - 1;
    let mut table = vec![u32::MAX - 2, 2, 3, end];
    for stream in 0..streams.len() {
        let start = 4 + stream * sectors_of_one;
        for sector in 1..=sectors_of_one {
            let next = u32::try_from(start + sector).expect("there are few");
            table.push(if sector == sectors_of_one { end } else { next });
        }
    }
    table.resize(SECTOR / 4, u32::MAX);
    file.extend(table.iter().flat_map(|next| next.to_le_bytes()));
    let mut directory = Vec::new();
    for (name, kind, next, child, start, size) in entries {
        let mut entry = wide(name);
        let length = u16::try_from(entry.len() + 2).expect("names are short");
        entry.resize(64, 0);
        entry.extend(length.to_le_bytes());
        entry.extend([kind, 1]);
        for number in [u32::MAX, next, child] {
            entry.extend(number.to_le_bytes());
        }
        entry.resize(116, 0);
        entry.extend(start.to_le_bytes());
        entry.extend(u64::to_le_bytes(size));
        directory.extend(entry);
    }
    directory.resize(3 * SECTOR, 0);
    file.extend(directory);
    for (_, bytes) in streams {
        file.extend(bytes);
        file.resize(file.len() + SIZE - bytes.len(), 0);
    }
    file
}

fn feed() -> Vec<u8> {
    let mut feed = String::from(
        "<?xml version=\"1.0\"?><!DOCTYPE rss [<!ENTITY x 'y'>]><rss version=\"2.0\"><channel><title>A feed</title><link>https://example.com/</link>",
    );
    for number in 0..12 {
        let _ = write!(
            feed,
            "<item><title>Item {number} &amp; more</title><link>https://example.com/{number}</link><pubDate>Sun, 22 Nov 2026</pubDate>\
            <description><![CDATA[<p>Some <b>text</b></p>]]></description><content:encoded>&lt;p&gt;more&lt;/p&gt;</content:encoded></item>"
        );
    }
    (feed + "</channel></rss>").into_bytes()
}
