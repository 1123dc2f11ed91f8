//! Damaged documents: small ones of each kind, made here, and what seeded chance makes of them.
//!
//! The same seed gives the same files on every machine. Those that are zip files are changed in
//! their parts and packed again, as well as in their bytes.

use std::fmt::Write as _;
use std::io::{Cursor, Read as _, Write as _};

use ikigai_tools::document::{FileKind, FileLimits, convert_feed, convert_file};
use url::Url;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// The kinds of documents.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    FileKind::ALL
        .into_iter()
        .map(FileKind::name)
        .chain(["feed"])
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
const WORDS: [&[u8]; 28] = [
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
    let told = FileKind::of(bytes);
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
        "epub" => epub(),
        "ipynb" => ipynb(),
        "feed" => feed(),
        kind => panic!("no file of the kind {kind} to begin with"),
    }
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

const CHART: &str = "<c:chartSpace><c:title><a:t>Sales</a:t></c:title><c:ser><c:tx><c:pt idx=\"0\"><c:v>A</c:v></c:pt></c:tx>\
    <c:cat><c:pt idx=\"0\"><c:v>x</c:v></c:pt><c:pt idx=\"1\"><c:v>y</c:v></c:pt></c:cat>\
    <c:val><c:numCache><c:formatCode>0%</c:formatCode><c:pt idx=\"0\"><c:v>1.5</c:v></c:pt><c:pt idx=\"1\"><c:v>2</c:v></c:pt></c:numCache></c:val></c:ser></c:chartSpace>";

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
            ("word/charts/c.xml", CHART.to_owned()),
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
        ("ppt/charts/c.xml", CHART.to_owned()),
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
