//! The reader of PPTX files (`PresentationML`): each slide becomes a heading and its content.
//!
//! Rules: ISO/IEC 29500-1, 19 and 21.1. Slides come in the order of the presentation; hidden ones
//! are left out, and a notice says how many.
//!
//! | module | what it is |
//! |---|---|
//! | `bullets` | bullets of paragraphs |
//! | `shape_position` | where a shape is |
//! | `slide` | the shapes of a slide |
//! | `text` | paragraphs and runs |

use std::collections::HashMap;
use std::rc::Rc;

use self::bullets::SlideLayout;
use super::blocks::BlockWriter;
use super::comments;
use super::package::ZipPackage;
use iki_markdown::xml::{XmlReader, is_true};

mod bullets;
mod shape_position;
pub(super) mod slide;
mod text;

/// Limit of a document's slides.
const MAX_SLIDES: usize = 5000;

/// Reads the document whose presentation is `main`.
pub(super) fn read(package: &mut ZipPackage<'_>, main: &str) -> BlockWriter {
    let relations = package.relations(main);
    let text = package.text(main).unwrap_or_default();
    let mut slides = Vec::new();
    let mut xml = XmlReader::new(&text, package.end());
    xml.each_tag(|_, tag| {
        if tag.name() == "sldId" && slides.len() < MAX_SLIDES {
            let id = tag.relation("id").unwrap_or_default();
            slides.extend(relations.part(&id).map(str::to_owned));
        }
    });
    let mut blocks = BlockWriter::default();
    blocks.add_faults(&xml);
    drop(xml);
    drop(text);
    let authors = ["commentAuthors", "authors"].map(|kind| package.related(&relations, kind));
    let authors = comments::read_authors(&authors);
    let mut layouts: HashMap<String, Rc<SlideLayout>> = HashMap::new();
    let mut hidden = 0;
    for (index, name) in slides.iter().enumerate() {
        if !blocks.has_room() || blocks.is_late {
            break;
        }
        let relations = package.relations(name);
        let Some(text) = package.text(name) else {
            continue;
        };
        if is_hidden(&text) {
            hidden += 1;
            continue;
        }
        let layout = slide_layout(package, relations.first("slideLayout"), &mut layouts);
        let mut slide = slide::SlideReader::new(package, &relations, layout);
        slide.read(&text, &mut blocks);
        let title = slide.title();
        blocks.add_slide_heading(title, index + 1);
        slide.write(&mut blocks);
        for part in relations.all("comments") {
            let text = package.text(part).unwrap_or_default();
            comments::write(&text, &authors, &mut blocks);
        }
        let Some(name) = relations.first("notesSlide").map(str::to_owned) else {
            continue;
        };
        let relations = package.relations(&name);
        let text = package.text(&name).unwrap_or_default();
        let mut notes = slide::SlideReader::for_notes(package, &relations);
        notes.read(&text, &mut blocks);
        if notes.has_text() {
            blocks.add_plain_heading(3, "Notes");
            notes.write(&mut blocks);
        }
    }
    blocks.add_left_out(hidden, "hidden slide");
    blocks
}

fn is_hidden(slide: &str) -> bool {
    let mut xml = XmlReader::new(slide, None);
    let root = xml.tag_within(0);
    root.and_then(|root| root.attribute("show").map(|show| !is_true(&show)))
        .unwrap_or(false)
}

/// Returns a layout with its master, each read once.
fn slide_layout(
    package: &mut ZipPackage<'_>,
    name: Option<&str>,
    known: &mut HashMap<String, Rc<SlideLayout>>,
) -> Rc<SlideLayout> {
    let Some(name) = name else {
        return Rc::default();
    };
    if let Some(layout) = known.get(name) {
        return Rc::clone(layout);
    }
    let relations = package.relations(name);
    let mut layout = SlideLayout::default();
    if let Some(master) = relations.first("slideMaster").map(str::to_owned) {
        layout.read_master(&package.text(&master).unwrap_or_default());
    }
    layout.read(&package.text(name).unwrap_or_default());
    let layout = Rc::new(layout);
    known.insert(name.to_owned(), Rc::clone(&layout));
    layout
}
