//! Checks the text of codes.

use super::{FONTS, File, PdfError, convert_bytes, error, model, page, text};

/// A page that shows a string in a font of its own.
fn in_font(font: &str, string: &str, more: impl FnOnce(&mut File) -> Vec<String>) -> Vec<u8> {
    let mut file = File::new();
    let mut font = font.to_owned();
    for (index, value) in more(&mut file).into_iter().enumerate() {
        font = font.replace(&format!("${index}"), &value);
    }
    let content = format!("BT /F 10 Tf 72 700 Td {string} Tj ET");
    file.page_with(
        &content,
        &format!("/Resources << /Font << /F << /Type /Font {font} >> >> >>"),
    );
    file.finish()
}

fn nothing(_: &mut File) -> Vec<String> {
    Vec::new()
}

#[test]
fn each_standard_encoding_is_known() {
    for (encoding, string, expected) in [
        ("/WinAnsiEncoding", r"(\200 \344)", "\u{20ac} \u{e4}"),
        ("/MacRomanEncoding", r"(\216t\216)", "\u{e9}t\u{e9}"),
        ("/StandardEncoding", r"(\341 it\047s)", "\u{c6} it\u{2019}s"),
    ] {
        let font = format!("/Subtype /Type1 /BaseFont /X /Encoding {encoding}");
        assert_eq!(
            text(&in_font(&font, string, nothing)),
            expected,
            "{encoding}"
        );
    }
}

#[test]
fn the_fonts_of_symbols_have_their_own_encodings() {
    let font = "/Subtype /Type1 /BaseFont /Symbol";
    assert_eq!(
        text(&in_font(font, "(abc)", nothing)),
        "\u{3b1}\u{3b2}\u{3c7}"
    );
    let font = "/Subtype /Type1 /BaseFont /ZapfDingbats";
    assert_eq!(text(&in_font(font, "(3)", nothing)), "\u{2713}");
}

#[test]
fn symbols_for_private_use_are_those_of_their_font() {
    let font = "/Subtype /Type0 /BaseFont /ABCDEF+SymbolMT /Encoding /Identity-H /ToUnicode $0 \
                /DescendantFonts [<< /Subtype /CIDFontType2 >>]";
    let file = in_font(font, "<000100020003>", |file| {
        let map = b"3 beginbfchar <0001> <F061> <0002> <F0B3> <0003> <F062> endbfchar";
        vec![format!("{} 0 R", file.stream("", map))]
    });
    assert_eq!(text(&file), "\u{3b1}\u{2265}\u{3b2}");
}

#[test]
fn differences_name_glyphs() {
    let font = "/Subtype /Type1 /BaseFont /X /Encoding << /Differences [65 /eacute /uni4E2D 80 \
                /f_f_i /Gamma] >>";
    assert_eq!(
        text(&in_font(font, "(ABPQZ)", nothing)),
        "\u{e9}\u{4e2d}ffi\u{393}Z"
    );
}

#[test]
fn names_of_glyphs_may_be_codes() {
    let font =
        "/Subtype /Type1 /BaseFont /X /Encoding << /Differences [65 /C50 /C72 /C6f /C20 /C80] >>";
    assert_eq!(text(&in_font(font, "(ABCDE)", nothing)), "Pro \u{20ac}");
    let font = "/Subtype /Type1 /BaseFont /X /Encoding << /Differences [65 /C80 /C114 /C111] >>";
    assert_eq!(text(&in_font(font, "(ABC)", nothing)), "Pro");
}

#[test]
fn names_of_glyphs_may_be_their_numbers_in_the_whole_font() {
    let font = |name: &str, names: &str| {
        format!("/Subtype /Type1 /BaseFont /{name} /Encoding << /Differences [65 {names}] >>")
    };
    for (name, names) in [
        ("ABCDEF+Cambria", "/g23 /g145 /g3 /g135 /g885"),
        ("ABCDEF+Calibri", "/g100 /g381 /g3 /g286 /g1007"),
        ("HelveticaNeue", "/g55 /g82 /g3 /g72 /g22"),
        ("X", "/g84 /g111 /space /g101 /g51"),
    ] {
        let file = in_font(&font(name, names), "(ABCDE)", nothing);
        assert_eq!(text(&file), "To e3", "{name}");
    }
}

#[test]
fn the_code_of_a_blank_is_one_though_its_glyph_has_no_name() {
    let font = "/Subtype /Type1 /BaseFont /Times-Roman /Encoding << /Differences [32 /.notdef] >>";
    assert_eq!(text(&in_font(font, "(two words)", nothing)), "two words");
}

#[test]
fn ligatures_are_their_letters() {
    let font = "/Subtype /Type1 /BaseFont /X /ToUnicode $0 /Encoding /WinAnsiEncoding";
    let file = in_font(font, "(1nd 2ow)", |file| {
        let map = b"2 beginbfchar <31> <FB01> <32> <FB02> endbfchar";
        vec![format!("{} 0 R", file.stream("", map))]
    });
    assert_eq!(text(&file), "find flow");
}

#[test]
fn what_a_font_says_that_its_codes_stand_for_goes_first() {
    let font = "/Subtype /TrueType /BaseFont /X /Encoding /WinAnsiEncoding /ToUnicode $0";
    let file = in_font(font, "(abcXYZ)", |file| {
        let map = b"1 beginbfrange <61> <63> <0391> endbfrange 1 beginbfrange <58> <59> [<0062> <006300640065>] endbfrange";
        vec![format!("{} 0 R", file.stream("", map))]
    });
    assert_eq!(text(&file), "\u{391}\u{392}\u{393}bcdeZ");
}

#[test]
fn a_map_may_begin_at_the_first_code_of_all() {
    let composite = "/Subtype /Type0 /BaseFont /X /Encoding /Identity-H /ToUnicode $0 \
                     /DescendantFonts [<< /Subtype /CIDFontType2 /DW 500 >>]";
    for map in [
        // As mPDF and TCPDF write it, as one range and as many.
        "1 beginbfrange <0000> <FFFF> <0000> endbfrange",
        "2 beginbfrange <0000> <00FF> <0000> <0100> <01FF> <0100> endbfrange",
    ] {
        let file = in_font(composite, "<0000014100F3006400A0017A>", |file| {
            vec![format!("{} 0 R", file.stream("", map.as_bytes()))]
        });
        assert_eq!(text(&file), "\u{141}\u{f3}d \u{17a}", "{map}");
    }
    let named = in_font(composite, "<00540065>", |_| vec!["/Identity-H".to_owned()]);
    assert_eq!(text(&named), "Te");
    let overlapping = in_font(composite, "<00410042004300440045>", |file| {
        let map = b"3 beginbfrange <0000> <FFFF> <0000> <0042> <0044> <0062> <0043> <0043> <0078> endbfrange";
        vec![format!("{} 0 R", file.stream("", map))]
    });
    assert_eq!(text(&overlapping), "AbxdE");
    let infix = in_font(composite, "<00414E2D>", |file| {
        let map = b"1 beginbfrange <0000> <00FF> <0000> endbfrange 1 begincidrange <4E00> <4EFF> 19968 endcidrange";
        vec![format!("{} 0 R", file.stream("", map))]
    });
    assert_eq!(text(&infix), "A\u{4e2d}");
}

#[test]
fn a_map_may_be_based_on_another() {
    let font = "/Subtype /Type0 /BaseFont /X /Encoding /Identity-H /ToUnicode $0 /DescendantFonts \
                [<< /Subtype /CIDFontType2 /DW 500 >>]";
    let file = in_font(font, "<00010002>", |file| {
        let base = file.stream("", b"1 beginbfchar <0001> <0061> endbfchar");
        let map = format!("/UseCMap {base} 0 R");
        let map = file.stream(&map, b"1 beginbfchar <0002> <0062> endbfchar");
        vec![format!("{map} 0 R")]
    });
    assert_eq!(text(&file), "ab");
}

#[test]
fn composite_fonts_have_codes_of_two_bytes_and_widths_of_their_own() {
    // Glyph 3 is half an em wide and glyph 4 a whole one: no gap, then a wide one.
    let font = "/Subtype /Type0 /BaseFont /X /Encoding /Identity-H /ToUnicode $0 /DescendantFonts \
                [<< /Subtype /CIDFontType2 /DW 250 /W [3 [500] 4 6 1000] >>]";
    let mut file = File::new();
    let map = file.stream("", b"1 beginbfrange <0003> <0006> <0061> endbfrange");
    let font = font.replace("$0", &format!("{map} 0 R"));
    file.page_with(
        "BT /F 10 Tf 72 700 Td <0003> Tj 5 0 Td <0004> Tj 10 0 Td <0005> Tj 14 0 Td <0006> Tj ET",
        &format!("/Resources << /Font << /F << /Type /Font {font} >> >> >>"),
    );
    assert_eq!(text(&file.finish()), "abc d");
}

#[test]
fn maps_that_have_a_name_are_character_sets() {
    for (map, string) in [
        ("90ms-RKSJ-H", "<93FA967B>"),
        ("EUC-H", "<C6FCCBDC>"),
        ("UniJIS-UTF16-H", "<65E5672C>"),
        ("GBK-EUC-H", "<C8D5B1BE>"),
        ("ETen-B5-H", "<A4E9A5BB>"),
    ] {
        let font = format!(
            "/Subtype /Type0 /BaseFont /X /Encoding /{map} /DescendantFonts [<< /Subtype \
             /CIDFontType0 >>]"
        );
        assert_eq!(
            text(&in_font(&font, string, nothing)),
            "\u{65e5}\u{672c}",
            "{map}"
        );
    }
}

#[test]
fn glyphs_of_a_character_collection_have_its_text() {
    for (ordering, glyphs) in [
        ("Japan1", "<0CD40E8A0022>"),
        ("GB1", "<0CB004270022>"),
        ("CNS1", "<02DA03490022>"),
        ("Korea1", "<194013E30022>"),
        ("KR", "<0CD4>"),
    ] {
        let font = format!(
            "/Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [<< /Subtype \
             /CIDFontType0 /CIDSystemInfo << /Registry (Adobe) /Ordering ({ordering}) /Supplement \
             2 >> >>]"
        );
        let file = in_font(&font, glyphs, nothing);
        if ordering == "KR" {
            assert_eq!(error(&file), PdfError::NoLetters { pages: 1 });
        } else {
            assert_eq!(text(&file), "\u{65e5}\u{672c}A", "{ordering}");
        }
    }
}

#[test]
fn composite_fonts_without_a_map_have_the_characters_of_their_glyphs() {
    let font = |entries: &str| {
        format!(
            "/Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [<< /Subtype \
             /CIDFontType2 {entries} >>]"
        )
    };
    // One table, which gives the characters A and B the glyphs 8 and 9.
    let program = b"\0\x01\0\0\0\x01\0\0\0\0\0\0cmap\0\0\0\0\0\0\0\x1c\0\0\0\0\
        \0\0\0\x01\0\x03\0\x01\0\0\0\x0c\0\x06\0\0\0\0\0\x41\0\x02\0\x08\0\x09";
    let embedded = "/FontDescriptor << /FontFile2 $0 >>";
    let file = in_font(&font(embedded), "<00080009>", |file| {
        vec![format!("{} 0 R", file.stream("", program))]
    });
    assert_eq!(text(&file), "AB");
    let mapped = format!("{embedded} /CIDToGIDMap $1");
    let file = in_font(&font(&mapped), "<000100020003>", |file| {
        let map = file.stream("", b"\0\0\0\x08\0\x09\0\x08");
        vec![
            format!("{} 0 R", file.stream("", program)),
            format!("{map} 0 R"),
        ]
    });
    assert_eq!(text(&file), "ABA");
    // A program without the table, and a map of all of Unicode.
    let file = in_font(&font(&mapped), "<00480069>", |file| {
        let map = file.stream("", &[0, 7].repeat(1 << 16));
        vec![
            format!("{} 0 R", file.stream("", b"true")),
            format!("{map} 0 R"),
        ]
    });
    assert_eq!(text(&file), "Hi");
    let file = in_font(&font("/BaseFont /Arial,Bold"), "<0024004500D0>", nothing);
    assert_eq!(text(&file), "Ab\u{d4}");
    let file = in_font(
        &font(embedded).replace("/X", "/Arial"),
        "<00240045>",
        |file| vec![format!("{} 0 R", file.stream("", b"true"))],
    );
    assert_eq!(error(&file), PdfError::NoLetters { pages: 1 });
}

#[test]
fn embedded_maps_say_which_bytes_are_a_code() {
    let font = "/Subtype /Type0 /BaseFont /X /Encoding $0 /ToUnicode $1 /DescendantFonts [<< \
                /Subtype /CIDFontType0 >>]";
    let file = in_font(font, "<41815042>", |file| {
        let map = b"begincodespacerange <00> <80> <8140> <9FFC> endcodespacerange begincidrange <41> <42> 1 <8150> <8150> 7 endcidrange";
        let map = file.stream("/Type /CMap", map);
        let unicode = b"begincodespacerange <00> <80> <8140> <9FFC> endcodespacerange beginbfchar <41> <0061> <42> <0063> <8150> <0062> endbfchar";
        let unicode = file.stream("", unicode);
        vec![format!("{map} 0 R"), format!("{unicode} 0 R")]
    });
    assert_eq!(text(&file), "abc");
}

#[test]
fn fonts_of_drawings_have_text_and_a_size() {
    let mut file = File::new();
    let glyph = file.stream("", b"500 0 d0 0 0 500 500 re f");
    let font = format!(
        "/Type /Font /Subtype /Type3 /FontBBox [0 0 1000 1000] /FontMatrix [0.001 0 0 0.001 0 0] \
         /FirstChar 97 /LastChar 98 /Widths [500 500] /CharProcs << /x {glyph} 0 R /y {glyph} 0 R \
         >> /Encoding << /Differences [97 /x /y] >>"
    );
    file.page_with(
        "BT /F 10 Tf 72 700 Td (ab) Tj 15 0 Td (b) Tj ET",
        &format!("/Resources << /Font << /F << {font} >> >> >>"),
    );
    assert_eq!(text(&file.finish()), "xy y");
}

#[test]
fn a_font_of_drawings_without_a_box_is_as_high_as_its_letters_are_wide() {
    let font = "/Subtype /Type3 /FontBBox [0 0 0 0] /FontMatrix [0.0042 0 0 0.0042 0 0] \
                /FirstChar 97 /Widths [22 22 22 22 22 22] /Encoding << /Differences [97 /a /b /c \
                /d /e /f] >>";
    let mut file = File::new();
    file.page_with(
        "BT /F 58 Tf 72 700 Td (abc) Tj 20 0 Td (abc) Tj -20 -13 Td (def) Tj 0 -40 Td (fed) Tj ET",
        &format!("/Resources << /Font << /F << /Type /Font {font} >> >> >>"),
    );
    assert_eq!(
        model(&file.finish()),
        "Paragraph[\"abc abc def\"] Paragraph[\"fed\"]"
    );
}

#[test]
fn drawings_without_telling_names_have_their_codes_if_these_are_letters() {
    for (first, string, expected) in [(104, "(hi jk)", Some("hi jk")), (1, "(\\001\\002)", None)] {
        let font = format!(
            "/Subtype /Type3 /FontBBox [0 0 10 10] /FontMatrix [0.1 0 0 0.1 0 0] /FirstChar 0 \
             /Widths [{}] /Encoding << /Differences [{first} /BX /BY /BZ /CA] >>",
            "5 ".repeat(128)
        );
        let file = in_font(&font, string, nothing);
        match expected {
            Some(expected) => assert_eq!(text(&file), expected),
            None => assert_eq!(error(&file), PdfError::NoLetters { pages: 1 }),
        }
    }
}

#[test]
fn a_font_without_an_encoding_says_itself_what_its_codes_are() {
    let font = "/Subtype /Type1 /BaseFont /ABCDEF+CMR10 /FirstChar 11 /Widths [583 556] \
                /FontDescriptor << /Flags 4 /FontFile $0 >>";
    let file = in_font(font, r"(\013\014)", |file| {
        let program = b"%!PS-AdobeFont-1.1: CMR10\n/Encoding 256 array\n0 1 255 {1 index exch /.notdef put} for\ndup 11 /ff put\ndup 12 /fi put\nreadonly def\ncurrentfile eexec";
        vec![format!("{} 0 R", file.stream("", program))]
    });
    assert_eq!(text(&file), "fffi");
}

#[test]
fn letters_that_no_font_names_are_said_to_be_missing() {
    let font = "/Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [<< /Subtype \
                /CIDFontType2 >>]";
    let mute = in_font(font, "<04000401>", nothing);
    assert_eq!(error(&mute), PdfError::NoLetters { pages: 1 });
    let font = format!("{FONTS} /F << /Type /Font {font} >> >>").replace(">> >> /F <<", ">> /F <<");
    let mut file = File::new();
    file.page_with(
        "BT /F1 10 Tf 72 700 Td (Known) Tj /F 10 Tf <040004010402> Tj ET",
        &format!("/Resources << {font} >>"),
    );
    let document = convert_bytes(&file.finish()).unwrap();
    assert_eq!(
        document.markdown,
        "Known\n\n[Missing: 3 characters, of which the file's fonts do not say which they are.]"
    );
}

#[test]
fn accents_that_stand_over_letters_are_part_of_them() {
    // As TeX sets them: the accent, back by its width, the letter.
    let content = r"BT /F1 10 Tf 72 700 Td [(M) (\250) 445 (uller et r\302le)] TJ ET";
    assert_eq!(text(&page(content)), "M\u{fc}ller et r\u{c2}le");
}

#[test]
fn bold_italic_and_monospaced_type_is_told_by_the_fonts_name() {
    let content = "BT /F1 10 Tf 72 700 Td (a ) Tj /F2 10 Tf (bold) Tj /F1 10 Tf ( an ) Tj /F4 10 \
                   Tf (italic) Tj /F1 10 Tf ( and a ) Tj /F3 10 Tf (code) Tj /F1 10 Tf ( word \
                   among enough of others) Tj ET";
    assert_eq!(
        model(&page(content)),
        "Paragraph[\"a\" \" \" Strong[\"bold\"] \" \" \"an\" \" \" Emphasis[\"italic\"] \" \" \
         \"and a\" \" \" Code(\"code\") \" \" \"word among enough of others\"]"
    );
}
