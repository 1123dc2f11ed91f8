//! Checks the content of pages besides strings.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::{
    FONTS, File, FileLimits, PdfError, PdfReading, convert_bytes, error, lines, model, page, text,
};

#[test]
fn forms_are_drawn_where_they_stand() {
    let mut file = File::new();
    let form = file.stream(
        &format!(
            "/Type /XObject /Subtype /Form /BBox [0 0 200 100] /Matrix [1 0 0 1 10 0] /Resources \
             << {FONTS} >>"
        ),
        b"BT /F1 10 Tf 0 10 Td (form) Tj ET BT /F1 10 Tf 0 500 Td (outside of its box) Tj ET",
    );
    file.page_with(
        "BT /F1 10 Tf 72 700 Td (A) Tj ET q 1 0 0 1 72 690 cm /X Do Q BT /F1 10 Tf 110 700 Td \
         (here) Tj ET",
        &format!("/Resources << {FONTS} /XObject << /X {form} 0 R >> >>"),
    );
    assert_eq!(text(&file.finish()), "A form here");
}

/// A page whose content is this stream.
fn stream_page(entries: &str, data: &[u8], length: bool) -> Vec<u8> {
    let mut file = File::new();
    let names = file.add("[/A85 /FlateDecode]");
    let parameters = file.add("[null << /Predictor 1 >>]");
    let entries = entries
        .replace("$N", &format!("{names} 0 R"))
        .replace("$P", &format!("{parameters} 0 R"));
    let content = file.stream(&entries, data);
    if !length {
        let end = format!("/Length {} >>", data.len());
        let object = &mut file.objects[content - 1];
        let offset = memchr::memmem::find(object, end.as_bytes()).unwrap();
        object.drain(offset..offset + end.len() - 3);
    }
    let page = file.add(format!(
        "<< /Type /Page /Parent 2 0 R /Contents {content} 0 R /Resources << {FONTS} >> >>"
    ));
    file.pages.push(page);
    file.finish()
}

#[test]
fn streams_may_refer_to_their_filters_abbreviate_them_and_lack_a_length() {
    let content = lines(&["Some text"]);
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(content.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    let mut ascii = String::new();
    for group in packed.chunks(4) {
        let mut bytes = [0; 4];
        bytes[..group.len()].copy_from_slice(group);
        let value = u32::from_be_bytes(bytes);
        for index in 0..=group.len() as u32 {
            ascii.push(char::from(33 + (value / 85_u32.pow(4 - index) % 85) as u8));
        }
    }
    ascii.push_str("~>");
    for (entries, data) in [
        ("/Filter /Fl", packed.as_slice()),
        ("/Filter [/A85 /Fl]", ascii.as_bytes()),
        ("/Filter $N /DecodeParms $P", ascii.as_bytes()),
        ("", content.as_bytes()),
    ] {
        for length in [true, false] {
            let file = stream_page(entries, data, length);
            assert_eq!(text(&file), "Some text", "{entries} {length}");
        }
    }
}

#[test]
fn operators_within_an_array_of_strings_do_not_end_it() {
    let content = "BT /F1 10 Tf 72 700 Td [(Some) 0.0 Tc -250 (te) 0 Tc 0 (xt)] TJ ET";
    assert_eq!(text(&page(content)), "Some text");
}

#[test]
fn inline_images_are_passed_over() {
    let content = "BT /F1 10 Tf 72 700 Td (before) Tj ET BI /W 2 /H 2 /BPC 8 /CS /G ID \
                   \u{1}EI\u{2}( EI BT /F1 10 Tf 110 700 Td (after) Tj ET";
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
            "First line and the second",
            "{rotation}"
        );
    }
}

#[test]
fn what_lies_outside_of_the_crop_box_or_the_clip_is_not_seen() {
    let content = "BT /F1 10 Tf 72 700 Td (inside) Tj ET BT /F1 10 Tf 72 20 Td (below) Tj ET q 0 \
                   0 50 50 re W n BT /F1 10 Tf 200 700 Td (clipped) Tj ET Q q 190 600 200 200 re \
                   W n BT /F1 10 Tf 120 700 Td (and) Tj 80 0 Td (shown) Tj ET Q";
    let mut file = File::new();
    file.page_with(
        content,
        &format!("/CropBox [50 100 600 780] /Resources << {FONTS} >>"),
    );
    assert_eq!(text(&file.finish()), "inside shown");
}

#[test]
fn marked_content_may_say_what_it_stands_for() {
    let content = "BT /F1 10 Tf 72 700 Td /Span << /ActualText (word) >> BDC (w0rd) Tj EMC ( and \
                   ) Tj /Span << /ActualText <FEFF00E9> >> BDC (e) Tj (') Tj EMC ET";
    assert_eq!(text(&page(content)), "word and \u{e9}");
}

/// A page with a picture, and an alpha of nothing.
fn pictured(content: &str) -> Vec<u8> {
    let mut file = File::new();
    let picture = file.stream(
        "/Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8",
        b"x",
    );
    let others = format!(
        "/XObject << /Scan {picture} 0 R >> /ExtGState << /Clear << /ca 0 >> >> /ColorSpace << \
         /Ink [/Separation /Black /DeviceGray 0] /Light [/ICCBased {picture} 0 R] >>"
    );
    file.page_with(content, &format!("/Resources << {FONTS} {others} >>"));
    file.finish()
}

const SCAN: &str = "q 500 0 0 700 50 50 cm /Scan Do Q ";

#[test]
fn text_that_is_not_painted_is_that_of_the_picture_beneath_it() {
    let layer =
        "BT /F1 10 Tf 72 700 Td (seen) Tj ET BT 3 Tr /F1 10 Tf 72 680 Td (recognized) Tj ET";
    assert_eq!(
        text(&pictured(&format!("{SCAN}{layer}"))),
        "seen recognized"
    );
    assert_eq!(
        text(&pictured(&format!("{layer} {SCAN}"))),
        "seen recognized"
    );
    assert_eq!(text(&page(layer)), "seen");
    let small = format!("q 20 0 0 20 300 300 cm /Scan Do Q {layer}");
    assert_eq!(text(&pictured(&small)), "seen");
}

#[test]
fn text_that_nobody_sees_is_left_out() {
    let seen = "BT /F1 10 Tf 72 700 Td (seen) Tj ET ";
    for unseen in [
        "1 g BT /F1 10 Tf 72 680 Td (SECRET) Tj ET",
        "1 1 1 rg BT /F1 10 Tf 72 680 Td (SECRET) Tj ET",
        ".99 .99 .99 rg BT /F1 10 Tf 72 680 Td (SECRET) Tj ET",
        "0 0 0 0 k BT /F1 10 Tf 72 680 Td (SECRET) Tj ET",
        "/DeviceRGB cs 1 1 1 sc BT /F1 10 Tf 72 680 Td (SECRET) Tj ET",
        "/Light cs 1 1 1 scn BT /F1 10 Tf 72 680 Td (SECRET) Tj ET",
        "1 RG 1 Tr 1 1 1 RG BT /F1 10 Tf 72 680 Td (SECRET) Tj ET",
        "1 g 1 G 2 Tr BT /F1 10 Tf 72 680 Td (SECRET) Tj ET",
        "q 1 g 0 0 600 800 re f Q 1 g BT /F1 10 Tf 72 680 Td (SECRET) Tj ET",
        "q 0 0 600 800 re S Q 1 g BT /F1 10 Tf 72 680 Td (SECRET) Tj ET",
        // A rule beneath it.
        "72 679 100 1 re f 1 g BT /F1 10 Tf 72 680 Td (SECRET) Tj ET",
        "72 300 100 100 re f 1 g BT /F1 10 Tf 72 680 Td (SECRET) Tj ET",
        "/Clear gs BT /F1 10 Tf 72 680 Td (SECRET) Tj ET",
        "BT 3 Tr /F1 10 Tf 72 680 Td (SECRET) Tj ET",
        "BT /F1 .9 Tf 72 680 Td (SECRET) Tj ET",
        "q .01 0 0 .01 0 0 cm BT /F1 50 Tf 7200 68000 Td (SECRET) Tj ET Q",
        "BT 0 Tz /F1 10 Tf 72 680 Td (SECRET) Tj ET",
        "BT /F1 10 Tf 72 -100 Td (SECRET) Tj ET",
        "BT /F1 10 Tf 720 680 Td (SECRET) Tj ET",
    ] {
        assert_eq!(
            text(&pictured(&format!("{seen}{unseen}"))),
            "seen",
            "{unseen}"
        );
        assert_eq!(
            text(&pictured(&format!("q {unseen} Q {seen}"))),
            "seen",
            "{unseen}"
        );
    }
}

#[test]
fn text_that_somebody_sees_is_not() {
    for seen in [
        "q 1 g Q BT /F1 10 Tf 72 680 Td (seen) Tj ET",
        "1 g 0 g BT /F1 10 Tf 72 680 Td (seen) Tj ET",
        "1 0 0 rg BT /F1 10 Tf 72 680 Td (seen) Tj ET",
        // Full of ink.
        "/Ink cs 1 scn BT /F1 10 Tf 72 680 Td (seen) Tj ET",
        "1 g 0 Tr 0 G 2 Tr BT /F1 10 Tf 72 680 Td (seen) Tj ET",
        // White on something else.
        "60 670 200 30 re f 1 g BT /F1 10 Tf 72 680 Td (seen) Tj ET",
        "0 0 .5 rg 60 670 m 260 670 l 260 700 l 60 700 l h f 1 g BT /F1 10 Tf 72 680 Td (seen) Tj \
         ET",
        "q 500 0 0 700 50 50 cm /Scan Do Q 1 g BT /F1 10 Tf 72 680 Td (seen) Tj ET",
        "/Pattern cs /P0 scn 60 670 200 30 re f 1 g BT /F1 10 Tf 72 680 Td (seen) Tj ET",
        "q 60 670 200 30 re W n /S0 sh Q 1 g BT /F1 10 Tf 72 680 Td (seen) Tj ET",
        "BT /F1 1 Tf 10 0 0 10 72 680 Tm (seen) Tj ET",
        "BT /F1 1.5 Tf 72 680 Td (seen) Tj ET",
    ] {
        assert_eq!(text(&pictured(seen)), "seen", "{seen}");
    }
    // Nothing else would be left.
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
        "Paragraph[\"See\" \" \" Link(\"https://example.org/a\")[\"the site\"] \" \" \"for more \
         of this\"]"
    );
}

#[test]
fn fields_of_forms_show_what_is_in_them() {
    let mut file = File::new();
    let look = file.stream(
        &format!("/Subtype /Form /BBox [0 0 100 20] /Resources << {FONTS} >>"),
        b"BT /F1 10 Tf 2 5 Td (filled in) Tj ET",
    );
    let field = format!(
        "<< /Subtype /Widget /FT /Tx /T (name) /V (filled in) /Rect [110 696 210 716] /AP << /N \
         {look} 0 R >> >>"
    );
    let hidden =
        format!("<< /Subtype /Widget /F 2 /Rect [110 596 210 616] /AP << /N {look} 0 R >> >>");
    file.page_with(
        "BT /F1 10 Tf 72 701 Td (Name:) Tj ET",
        &format!("/Annots [{field} {hidden}] /Resources << {FONTS} >>"),
    );
    assert_eq!(text(&file.finish()), "Name: filled in");
}

/// The Markdown of a page of one line with these annotations.
fn annotated(annotations: impl FnOnce(&mut File) -> String) -> String {
    let mut file = File::new();
    let annotations = annotations(&mut file);
    file.page_with(
        &lines(&["A form"]),
        &format!("/Annots [{annotations}] /Resources << {FONTS} >>"),
    );
    let document = convert_bytes(&file.finish());
    document.unwrap().markdown
}

#[test]
fn what_was_entered_or_noted_is_said_after_the_page_if_nothing_shows_it() {
    for (annotation, expected) in [
        (
            "/Subtype /Widget /FT /Tx /T (name) /V (Jane Roe)",
            "[Form field name: Jane Roe]",
        ),
        (
            "/Subtype /Widget /FT /Tx /TU (Your name) /T (n) /V <FEFF0141>",
            "[Form field Your name: \u{141}]",
        ),
        (
            "/Subtype /Widget /FT /Tx /V (two\nlines)",
            "[Form field: two lines]",
        ),
        (
            "/Subtype /Widget /FT /Ch /T (c) /V (b) /Opt [[(a) (Red)] [(b) (Blue)]]",
            "[Form choice c: Blue]",
        ),
        (
            "/Subtype /Widget /FT /Ch /T (c) /V [(Red) (Blue)]",
            "[Form choice c: Red, Blue]",
        ),
        (
            "/Subtype /Widget /FT /Btn /T (agree) /V /Yes /AS /Yes",
            "[Form box agree: checked]",
        ),
        (
            "/Subtype /Widget /Parent << /FT /Btn /T (pay) /Ff 32768 /V /Card >> /AS /Card",
            "[Form choice pay: Card]",
        ),
        (
            "/Subtype /Text /T (Ann) /Contents (Check the total)",
            "[Note by Ann: Check the total]",
        ),
        (
            "/Subtype /FreeText /Contents (Over it)",
            "[Text over the page: Over it]",
        ),
        (
            "/Subtype /Widget /FT /Tx /Ff 8192 /T (password) /V (secret)",
            "",
        ),
        ("/Subtype /Widget /FT /Tx /F 2 /T (hidden) /V (secret)", ""),
        ("/Subtype /Widget /FT /Btn /T (agree) /V /Off /AS /Off", ""),
        ("/Subtype /Widget /FT /Btn /Ff 65536 /T (send) /V /Yes", ""),
        ("/Subtype /Widget /FT /Sig /T (sign) /V << >>", ""),
    ] {
        let markdown = annotated(|_| format!("<< {annotation} /Rect [110 696 210 716] >>"));
        let want = if expected.is_empty() {
            "A form".to_owned()
        } else {
            format!("A form\n\n{expected}")
        };
        assert_eq!(markdown, want, "{annotation}");
    }
    // An appearance without text shows nothing.
    let markdown = annotated(|file| {
        let look = file.stream("/Subtype /Form /BBox [0 0 9 9]", b"0 0 9 9 re f");
        format!(
            "<< /Subtype /Widget /FT /Tx /T (a) /V (b) /Rect [0 0 9 9] /AP << /N {look} 0 R >> >>"
        )
    });
    assert_eq!(markdown, "A form\n\n[Form field a: b]");
    // One that is too small for a text shows a part of it.
    for (value, expected) in [
        ("Jane Mary Roe", "\n\n[Form field a: Jane Mary Roe]"),
        ("Jane", ""),
        ("Roe", ""),
    ] {
        let markdown = annotated(|file| {
            let look = file.stream(
                &format!("/Subtype /Form /BBox [0 0 40 20] /Resources << {FONTS} >>"),
                b"BT /F1 10 Tf 2 5 Td (Jane Mary Roe) Tj ET",
            );
            let look = format!("/Rect [110 696 150 716] /AP << /N {look} 0 R >>");
            format!("<< /Subtype /Widget /FT /Tx /T (a) /V ({value}) {look} >>")
        });
        assert!(markdown.starts_with("A form Jane"), "{markdown}");
        assert_eq!(
            markdown.contains("[Form"),
            !expected.is_empty(),
            "{markdown}"
        );
        assert!(markdown.ends_with(expected), "{markdown}");
    }
}

#[test]
fn a_text_that_goes_on_on_the_next_page_does_so_around_what_was_entered() {
    let mut file = File::new();
    let field = "/Annots [<< /Subtype /Widget /FT /Tx /T (a) /V (b) /Rect [0 0 9 9] >>]";
    let words = "These words fill the line of a page from its left end to the right one";
    file.page_with(
        &lines(&[words, words]),
        &format!("{field} /Resources << {FONTS} >>"),
    );
    file.page(&lines(&["and go on here."]));
    let document = convert_bytes(&file.finish()).unwrap();
    assert_eq!(
        document.markdown,
        format!("{words} {words} and go on here.\n\n[Form field a: b]")
    );
}

#[test]
fn layers_that_are_off_are_not_there() {
    let mut file = File::new();
    let (on, off) = (
        file.add("<< /Type /OCG /Name (on) >>"),
        file.add("<< /Type /OCG /Name (off) >>"),
    );
    file.page_with(
        "/OC /A BDC BT /F1 10 Tf 72 700 Td (on) Tj ET EMC /OC /B BDC BT /F1 10 Tf 72 680 Td (off) \
         Tj ET EMC",
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
    let read = super::read(&file.finish(), &super::FileLimits::default()).unwrap();
    assert_eq!(read.title, "\u{c4} b");

    let mut file = File::new();
    file.page(&lines(&["Some text"]));
    let metadata = file.stream(
        "/Type /Metadata",
        b"<rdf:RDF><dc:title><rdf:Alt><rdf:li xml:lang=\"x-default\">A &amp; B</rdf:li></rdf:Alt></dc:title></rdf:RDF>",
    );
    let bytes = file.finish_with(&format!("/Metadata {metadata} 0 R"));
    let read = super::read(&bytes, &super::FileLimits::default()).unwrap();
    assert_eq!(read.title, "A & B");

    let content = format!(
        "BT /F1 20 Tf 72 760 Td (A heading) Tj ET {}",
        lines(&[
            "some text that is longer than the heading is,",
            "so that its size is that of the body"
        ])
    );
    let read = super::read(&page(&content), &super::FileLimits::default()).unwrap();
    assert_eq!(read.title, "A heading");
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
    assert_eq!(error(&page("0 0 10 10 re f")), PdfError::NoText);
    assert_eq!(
        PdfError::OnlyImages { pages: 3 }.to_string(),
        "This PDF file has 3 pages of images and no text: it is a scan. Find another copy, or run \
         OCR over it."
    );
}

#[test]
fn a_scan_under_a_stamp_is_read_and_a_picture_behind_words_is_not() {
    let stamped_text = |width: usize, words: &[&str]| {
        let mut file = File::new();
        let size = format!("/Width {width} /Height {}", width * 22 / 17);
        let image = file.stream(&format!("/Subtype /Image {size}"), b"x");
        file.page_with(
            &format!("q 612 0 0 792 0 0 cm /I Do Q {}", lines(words)),
            &format!("/Resources << {FONTS} /XObject << /I {image} 0 R >> >>"),
        );
        let bytes = file.finish();
        let mut read = PdfReading::new(&bytes, &FileLimits::default()).unwrap();
        let pages = read.scanned_pages().into_iter();
        let recognised = pages.map(|page| (page, "Sailor".into())).collect();
        read.build(recognised).unwrap().beginning(usize::MAX)
    };
    let stamped = stamped_text(1700, &["Received"]);
    assert!(stamped.starts_with("Received") && stamped.ends_with("Sailor"));
    assert_eq!(stamped_text(700, &["Received"]), "Received");
    assert!(!stamped_text(1700, &["Some words of a slide"; 12]).contains("Sailor"));
}

#[test]
fn heads_and_feet_that_are_marked_as_such_are_said() {
    let head = "/Artifact << /Type /Pagination /Subtype /Header >> BDC BT /F1 10 Tf 72 770 Td \
                (Head) Tj ET EMC ";
    let body = "BT /F1 10 Tf 72 600 Td (Body) Tj ET";
    assert_eq!(text(&page(&format!("{head}{body}"))), "Head Body");
}
