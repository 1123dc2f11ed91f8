//! Small files, made for the tests.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// A zip file of these parts.
pub(crate) fn zip(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut file = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, text) in parts {
        file.start_file(*name, options).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }
    file.finish().unwrap().into_inner()
}

/// The file with another text for one of its parts.
pub(crate) fn replaced(file: &[u8], name: &str, text: &str) -> Vec<u8> {
    let mut parts = Vec::new();
    let mut archive = ZipArchive::new(Cursor::new(file)).unwrap();
    for index in 0..archive.len() {
        let mut part = archive.by_index(index).unwrap();
        let name = part.name().unwrap().into_owned();
        parts.push((name, std::io::read_to_string(&mut part).unwrap()));
    }
    let mut all: Vec<_> = parts
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    all.iter_mut().find(|part| part.0 == name).unwrap().1 = text;
    zip(&all)
}

/// The relationships of a part: identifier, kind, target; an address is outside.
pub(super) fn relations(all: &[(&str, &str, &str)]) -> String {
    let mut text = "<Relationships>".to_owned();
    for (id, kind, target) in all {
        let mode = if target.contains("://") {
            " TargetMode='External'"
        } else {
            ""
        };
        let _ = write!(
            text,
            "<Relationship Id='{id}' Type='http://x/{kind}' Target='{target}'{mode}/>"
        );
    }
    text + "</Relationships>"
}

fn package(main: &str, content_type: &str, parts: &[(&str, &str)]) -> Vec<u8> {
    let types = format!(
        "<?xml version='1.0'?>\n<Types><Default Extension='xml' \
         ContentType='application/xml'/><Override PartName='/{main}' \
         ContentType='application/vnd.openxmlformats-officedocument.{content_type}.main+xml'/></\
         Types>"
    );
    let root = relations(&[
        ("rId1", "officeDocument", main),
        ("rId2", "metadata/core-properties", "docProps/core.xml"),
    ]);
    let mut all = vec![
        ("[Content_Types].xml", types.as_str()),
        ("_rels/.rels", root.as_str()),
    ];
    all.extend(parts);
    zip(&all)
}

/// A DOCX file of this body, and further parts.
pub(super) fn docx(body: &str, parts: &[(&str, &str)]) -> Vec<u8> {
    let main = format!(
        "<?xml version='1.0'?>\n<w:document><w:body>{body}<w:sectPr/></w:body></w:document>"
    );
    let mut all = vec![("word/document.xml", main.as_str())];
    all.extend(parts);
    package("word/document.xml", "wordprocessingml.document", &all)
}

/// A paragraph of text, with these properties.
pub(super) fn paragraph(properties: &str, text: &str) -> String {
    format!("<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
}

/// A PPTX file of these slides, in this order, and further parts.
pub(super) fn pptx(slides: &[&str], parts: &[(&str, &str)]) -> Vec<u8> {
    let mut list = String::new();
    let mut named = Vec::new();
    for index in 0..slides.len() {
        // The names of the parts go the other way.
        let name = format!("slides/slide{}.xml", slides.len() - index);
        let _ = write!(list, "<p:sldId id='{}' r:id='rId{index}'/>", 256 + index);
        named.push((format!("rId{index}"), name));
    }
    let main = format!("<p:presentation><p:sldIdLst>{list}</p:sldIdLst></p:presentation>");
    let pointed: Vec<(&str, &str, &str)> = named
        .iter()
        .map(|(id, name)| (id.as_str(), "slide", name.as_str()))
        .collect();
    let pointed = relations(&pointed);
    let texts: Vec<(String, String)> = slides
        .iter()
        .zip(&named)
        .map(|(slide, (_, name))| {
            let root = if slide.starts_with("<p:sld") {
                (*slide).to_owned()
            } else {
                format!("<p:sld><p:cSld><p:spTree>{slide}</p:spTree></p:cSld></p:sld>")
            };
            (format!("ppt/{name}"), root)
        })
        .collect();
    let mut all = vec![
        ("ppt/presentation.xml", main.as_str()),
        ("ppt/_rels/presentation.xml.rels", pointed.as_str()),
    ];
    all.extend(
        texts
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str())),
    );
    all.extend(parts);
    package("ppt/presentation.xml", "presentationml.presentation", &all)
}

/// A shape of a slide: its placeholder, if it is one, and its paragraphs.
pub(super) fn shape(placeholder: &str, paragraphs: &str) -> String {
    format!(
        "<p:sp><p:nvSpPr><p:cNvPr id='1' \
         name='x'/><p:nvPr>{placeholder}</p:nvPr></p:nvSpPr><p:txBody><a:bodyPr/>{paragraphs}</p:\
         txBody></p:sp>"
    )
}

/// An XLSX file of sheets (name, attributes, content), and further parts.
pub(super) fn xlsx(sheets: &[(&str, &str, &str)], parts: &[(&str, &str)]) -> Vec<u8> {
    let mut list = String::new();
    let mut pointed = vec![
        ("s".to_owned(), "styles", "styles.xml".to_owned()),
        (
            "t".to_owned(),
            "sharedStrings",
            "sharedStrings.xml".to_owned(),
        ),
    ];
    let mut texts = Vec::new();
    for (index, (name, attributes, content)) in sheets.iter().enumerate() {
        let _ = write!(
            list,
            "<sheet name='{name}' sheetId='{index}' {attributes} r:id='rId{index}'/>"
        );
        pointed.push((
            format!("rId{index}"),
            "worksheet",
            format!("worksheets/sheet{index}.xml"),
        ));
        texts.push((
            format!("xl/worksheets/sheet{index}.xml"),
            format!("<worksheet>{content}</worksheet>"),
        ));
    }
    let main = format!("<workbook><sheets>{list}</sheets></workbook>");
    let pointed: Vec<(&str, &str, &str)> = pointed
        .iter()
        .map(|(id, kind, name)| (id.as_str(), *kind, name.as_str()))
        .collect();
    let pointed = relations(&pointed);
    let mut all = vec![
        ("xl/workbook.xml", main.as_str()),
        ("xl/_rels/workbook.xml.rels", pointed.as_str()),
    ];
    all.extend(
        texts
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str())),
    );
    all.extend(parts);
    package("xl/workbook.xml", "spreadsheetml.sheet", &all)
}
