//! What pages hold besides strings.

use super::{FONTS, File, PdfError, error, lines, model, page, text};

#[test]
fn forms_are_drawn_where_they_stand() {
    let mut file = File::new();
    let form = file.stream(
        &format!("/Type /XObject /Subtype /Form /BBox [0 0 200 100] /Matrix [1 0 0 1 10 0] /Resources << {FONTS} >>"),
        b"BT /F1 10 Tf 0 10 Td (form) Tj ET BT /F1 10 Tf 0 500 Td (outside of its box) Tj ET",
    );
    file.page_with(
        "BT /F1 10 Tf 72 700 Td (A) Tj ET q 1 0 0 1 72 690 cm /X Do Q BT /F1 10 Tf 110 700 Td (here) Tj ET",
        &format!("/Resources << {FONTS} /XObject << /X {form} 0 R >> >>"),
    );
    assert_eq!(text(&file.finish()), "A form here");
}

#[test]
fn inline_images_are_passed_over() {
    let content = "BT /F1 10 Tf 72 700 Td (before) Tj ET BI /W 2 /H 2 /BPC 8 /CS /G ID \u{1}EI\u{2}( EI \
        BT /F1 10 Tf 110 700 Td (after) Tj ET";
    assert_eq!(text(&page(content)), "before after");
}

#[test]
fn a_page_that_is_turned_is_read_upright() {
    for (rotation, matrix) in [
        (0, "1 0 0 1 72 700"),
        (90, "0 1 -1 0 100 72"),
        (180, "-1 0 0 -1 500 100"),
        (270, "0 -1 1 0 500 700"),
    ] {
        let content =
            format!("BT /F1 10 Tf {matrix} Tm (First line) Tj 0 -12 Td (and the second) Tj ET");
        let mut file = File::new();
        file.page_with(
            &content,
            &format!("/Rotate {rotation} /Resources << {FONTS} >>"),
        );
        assert_eq!(
            text(&file.finish()),
            "First lineand the second",
            "{rotation}"
        );
    }
}

#[test]
fn what_lies_outside_of_the_crop_box_or_the_clip_is_not_seen() {
    let content = "BT /F1 10 Tf 72 700 Td (inside) Tj ET BT /F1 10 Tf 72 20 Td (below) Tj ET \
        q 0 0 50 50 re W n BT /F1 10 Tf 200 700 Td (clipped) Tj ET Q \
        q 190 600 200 200 re W n BT /F1 10 Tf 120 700 Td (and) Tj 80 0 Td (shown) Tj ET Q";
    let mut file = File::new();
    file.page_with(
        content,
        &format!("/CropBox [50 100 600 780] /Resources << {FONTS} >>"),
    );
    assert_eq!(text(&file.finish()), "inside shown");
}

#[test]
fn marked_content_may_say_what_it_stands_for() {
    let content = "BT /F1 10 Tf 72 700 Td /Span << /ActualText (word) >> BDC (w0rd) Tj EMC ( and ) Tj \
        /Span << /ActualText <FEFF00E9> >> BDC (e) Tj (') Tj EMC ET";
    assert_eq!(text(&page(content)), "word and \u{e9}");
}

#[test]
fn invisible_text_counts_where_nothing_else_lies() {
    let content = "BT /F1 10 Tf 72 700 Td (seen) Tj ET BT 3 Tr /F1 10 Tf 72 700.5 Td (5een) Tj ET \
        BT 3 Tr /F1 10 Tf 72 680 Td (recognized) Tj ET";
    assert_eq!(text(&page(content)), "seen recognized");
    let content = "BT 3 Tr /F1 10 Tf 72 700 Td (a scanned page) Tj ET";
    assert_eq!(text(&page(content)), "a scanned page");
}

#[test]
fn links_are_kept() {
    let mut file = File::new();
    let content = "BT /F1 10 Tf 72 700 Td (See ) Tj (the site) Tj ( for more of this) Tj ET";
    let annotation = file.add("<< /Type /Annot /Subtype /Link /Rect [91 695 127 712] /A << /S /URI /URI (https://example.org/a) >> >>");
    file.page_with(
        content,
        &format!("/Annots [{annotation} 0 R] /Resources << {FONTS} >>"),
    );
    assert_eq!(
        model(&file.finish()),
        "Paragraph[\"See\" \" \" Link(\"https://example.org/a\")[\"the site\"] \" \" \"for more of this\"]"
    );
}

#[test]
fn fields_of_forms_show_what_is_in_them() {
    let mut file = File::new();
    let look = file.stream(
        &format!("/Subtype /Form /BBox [0 0 100 20] /Resources << {FONTS} >>"),
        b"BT /F1 10 Tf 2 5 Td (filled in) Tj ET",
    );
    let field = format!("<< /Subtype /Widget /Rect [110 696 210 716] /AP << /N {look} 0 R >> >>");
    let hidden =
        format!("<< /Subtype /Widget /F 2 /Rect [110 596 210 616] /AP << /N {look} 0 R >> >>");
    file.page_with(
        "BT /F1 10 Tf 72 701 Td (Name:) Tj ET",
        &format!("/Annots [{field} {hidden}] /Resources << {FONTS} >>"),
    );
    assert_eq!(text(&file.finish()), "Name: filled in");
}

#[test]
fn layers_that_are_off_are_not_there() {
    let mut file = File::new();
    let (on, off) = (
        file.add("<< /Type /OCG /Name (on) >>"),
        file.add("<< /Type /OCG /Name (off) >>"),
    );
    file.page_with(
        "/OC /A BDC BT /F1 10 Tf 72 700 Td (on) Tj ET EMC /OC /B BDC BT /F1 10 Tf 72 680 Td (off) Tj ET EMC",
        &format!("/Resources << {FONTS} /Properties << /A {on} 0 R /B {off} 0 R >> >>"),
    );
    let entries =
        format!("/OCProperties << /OCGs [{on} 0 R {off} 0 R] /D << /OFF [{off} 0 R] >> >>");
    assert_eq!(text(&file.finish_with(&entries)), "on");
}

#[test]
fn the_title_is_that_of_the_document() {
    let mut file = File::new();
    file.page(&lines(&["Some text"]));
    let info = file.add("<< /Title <FEFF00C400200062> >>");
    file.trailer = format!("/Info {info} 0 R");
    let read = super::read(&file.finish(), &super::Limits::default()).unwrap();
    assert_eq!(read.model.title, "\u{c4} b");

    let mut file = File::new();
    file.page(&lines(&["Some text"]));
    let metadata = file.stream(
        "/Type /Metadata",
        b"<rdf:RDF><dc:title><rdf:Alt><rdf:li xml:lang=\"x-default\">A &amp; B</rdf:li></rdf:Alt></dc:title></rdf:RDF>",
    );
    let bytes = file.finish_with(&format!("/Metadata {metadata} 0 R"));
    let read = super::read(&bytes, &super::Limits::default()).unwrap();
    assert_eq!(read.model.title, "A & B");

    let content = format!(
        "BT /F1 20 Tf 72 760 Td (A heading) Tj ET {}",
        lines(&[
            "some text that is longer than the heading is,",
            "so that its size is that of the body"
        ])
    );
    let read = super::read(&page(&content), &super::Limits::default()).unwrap();
    assert_eq!(read.model.title, "A heading");
}

#[test]
fn pages_of_pictures_are_said_to_be_such() {
    let mut file = File::new();
    let image = file.stream(
        "/Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray",
        b"x",
    );
    for _ in 0..3 {
        file.page_with(
            "/I Do",
            &format!("/Resources << /XObject << /I {image} 0 R >> >>"),
        );
    }
    assert_eq!(error(&file.finish()), PdfError::OnlyImages { pages: 3 });
    assert_eq!(
        error(&page("0 0 10 10 re f")),
        PdfError::NoText { pages: 1 }
    );
    assert_eq!(
        PdfError::OnlyImages { pages: 3 }.to_string(),
        "this PDF file has 3 pages of images and no text"
    );
}
