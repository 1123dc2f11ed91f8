//! Checks superscripts and characters of symbol fonts in each kind of office document.

use super::sample_files::{docx, pptx, shape, xlsx, zip};
use super::{check, converted};

fn docx_runs(runs: &[(&str, &str)]) -> Vec<u8> {
    let runs = runs.iter().map(|(properties, content)| {
        format!("<w:r><w:rPr>{properties}</w:rPr><w:t>{content}</w:t></w:r>")
    });
    let runs: String = runs.collect();
    docx(&format!("<w:p>{runs}</w:p>"), &[])
}

fn odt_spans(properties: &str, paragraph: &str) -> Vec<u8> {
    let content = format!(
        "<office:document-content><office:automatic-styles><style:style style:name='S' \
         style:family='text'><style:text-properties \
         {properties}/></style:style></office:automatic-styles><office:body><office:text><text:\
         p>{paragraph}</text:p></office:text></office:body></office:document-content>"
    );
    let media_type = "application/vnd.oasis.opendocument.text";
    zip(&[("mimetype", media_type), ("content.xml", &content)])
}

#[test]
fn superscripts_of_documents_are_told_from_the_digits_before_them() {
    let raised = "<w:vertAlign w:val='superscript'/>";
    check(
        &docx_runs(&[
            ("", "10"),
            (raised, "6"),
            ("", " per m"),
            (&format!("<w:b/>{raised}"), "2"),
            ("", ", 10"),
            (raised, "-"),
            (&format!("<w:i/>{raised}"), "5"),
            ("", ", e"),
            (raised, "-x/2"),
            ("", ", 1"),
            (raised, "st"),
            ("", " CO"),
            ("<w:vertAlign w:val='subscript'/>", "2"),
            ("", " x"),
            ("<w:position w:val='6'/>", "3"),
        ]),
        "10^6 per m^2, 10^-*5*, e^(-x/2), 1st CO2 x^3",
    );
    for position in ["super 58%", "33% 58%"] {
        let span = "10<text:span text:style-name='S'>6</text:span> m<text:span \
                    text:style-name='S'>2</text:span>";
        let file = odt_spans(&format!("style:text-position='{position}'"), span);
        check(&file, "10^6 m^2");
    }
    let below = "CO<text:span text:style-name='S'>2</text:span>";
    check(&odt_spans("style:text-position='-33% 58%'", below), "CO2");
    check(
        br"{\rtf1 10{\super 6} m\super 2\nosupersub , CO{\sub 2} 10{\up6 -5}\up0 3}",
        "10^6 m^2, CO2 10^-53",
    );
    let runs = "<a:p><a:r><a:t>10</a:t></a:r><a:r><a:rPr \
                baseline='30000'/><a:t>6</a:t></a:r><a:r><a:t> CO</a:t></a:r><a:r><a:rPr \
                baseline='-25000'/><a:t>2</a:t></a:r></a:p>";
    let slide = pptx(&[&shape("", runs)], &[]);
    check(&slide, "## Slide 1\n\n10^6 CO2");
}

#[test]
fn superscripts_of_cells_are_told_from_the_digits_before_them() {
    let rich = "<r><t>10</t></r><r><rPr><vertAlign val='superscript'/></rPr><t>6</t></r><r><t> \
                </t></r><r><rPr><rFont val='Symbol'/></rPr><t>m</t></r><r><t>g</t></r>";
    let rows = format!(
        "<sheetData><row><c t='inlineStr'><is>{rich}</is></c></row><row><c \
         t='s'><v>0</v></c></row></sheetData>"
    );
    let strings = format!("<sst><si>{rich}</si></sst>");
    let file = xlsx(&[("One", "", &rows)], &[("xl/sharedStrings.xml", &strings)]);
    let markdown = converted(&file).unwrap().markdown;
    assert_eq!(markdown.matches("10^6 µg").count(), 2, "{markdown}");
}

#[test]
fn characters_of_symbol_fonts_are_translated() {
    let symbol = "<w:rFonts w:ascii='Symbol' w:hAnsi='Symbol'/>";
    check(
        &docx_runs(&[
            ("", "5 "),
            (symbol, "m"),
            ("", "g "),
            (symbol, "\u{f06d}"),
            ("", "g "),
            (
                "<w:rFonts w:ascii='Wingdings' w:hAnsi='Wingdings'/>",
                "\u{fc}",
            ),
        ]),
        "5 µg µg \u{2713}",
    );
    let signs = [
        ("Symbol", "F061"),
        ("Symbol", "F0A3"),
        ("Symbol", "B1"),
        ("Wingdings", "F0FC"),
    ];
    let signs =
        signs.map(|(font, code)| format!("<w:r><w:sym w:font='{font}' w:char='{code}'/></w:r>"));
    let field = "<w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText> SYMBOL 109 \\f \
                 \"Symbol\" \\s 10 </w:instrText></w:r><w:r><w:fldChar w:fldCharType='end'/></w:r>";
    let file = docx(&format!("<w:p>{}{field}</w:p>", signs.concat()), &[]);
    check(&file, "α≤±\u{2713}µ");
    let span = "5 <text:span text:style-name='S'>m\u{f0b3}</text:span>";
    check(&odt_spans("style:font-name='Symbol'", span), "5 µ≥");
    check(
        br#"{\rtf1\ansi{\fonttbl{\f0 Arial;}{\f3\fcharset2 Symbol;}}5 {\f3 m}g {\f3\'61\'b3}, {\field{\*\fldinst SYMBOL 109 \\f "Symbol" \\s 10}{\fldrslt\f3\fs20}}g {\f3\u-3987 ?\u-3915 ?}}"#,
        "5 µg α≥, µg µ∝",
    );
    let runs = "<a:p><a:r><a:rPr><a:latin typeface='Arial'/><a:sym \
                typeface='Symbol'/></a:rPr><a:t>m \u{f06d}</a:t></a:r><a:r><a:rPr><a:latin \
                typeface='Symbol'/></a:rPr><a:t>m</a:t></a:r></a:p>";
    let slide = pptx(&[&shape("", runs)], &[]);
    check(&slide, "## Slide 1\n\nm µµ");
}
