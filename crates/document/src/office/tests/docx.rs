//! Checks the Markdown of DOCX files.

use super::sample_files::{docx, paragraph, relations};
use super::{check, converted};

const STYLES: &str = "<w:styles><w:style w:type='paragraph' w:default='1' w:styleId='Standard'><w:name \
     w:val='Normal'/></w:style><w:style w:type='paragraph' w:styleId='Titel'><w:name \
     w:val='Title'/></w:style><w:style w:type='paragraph' w:styleId='berschrift1'><w:name \
     w:val='heading 1'/><w:pPr><w:outlineLvl w:val='0'/></w:pPr></w:style><w:style \
     w:type='paragraph' w:styleId='Kapitel'><w:name w:val='Kapitel'/><w:basedOn \
     w:val='berschrift1'/></w:style><w:style w:type='paragraph' w:styleId='Ebene'><w:name \
     w:val='Ebene'/><w:pPr><w:outlineLvl w:val='2'/></w:pPr></w:style><w:style w:type='paragraph' \
     w:styleId='Quelle'><w:name w:val='Source Code'/></w:style><w:style w:type='character' \
     w:styleId='Code'><w:name w:val='Verbatim Char'/></w:style><w:style w:type='character' \
     w:styleId='Fett'><w:name w:val='Strong'/><w:rPr><w:b/></w:rPr></w:style></w:styles>";

const NUMBERING: &str = "<w:numbering><w:abstractNum w:abstractNumId='0'><w:lvl w:ilvl='0'><w:start \
     w:val='3'/><w:numFmt w:val='decimal'/><w:lvlText w:val='%1.'/></w:lvl><w:lvl \
     w:ilvl='1'><w:start w:val='1'/><w:numFmt w:val='bullet'/><w:lvlText \
     w:val='o'/></w:lvl></w:abstractNum><w:abstractNum w:abstractNumId='1'><w:lvl \
     w:ilvl='0'><w:start w:val='1'/><w:numFmt w:val='upperRoman'/><w:lvlText \
     w:val='%1)'/></w:lvl></w:abstractNum><w:num w:numId='1'><w:abstractNumId \
     w:val='0'/></w:num><w:num w:numId='2'><w:abstractNumId w:val='1'/></w:num></w:numbering>";

fn styled(body: &str, parts: &[(&str, &str)]) -> Vec<u8> {
    let pointed = relations(&[
        ("rId1", "styles", "styles.xml"),
        ("rId2", "numbering", "numbering.xml"),
        ("rId3", "hyperlink", "https://example.com/a"),
        ("rId4", "footnotes", "footnotes.xml"),
        ("rId5", "image", "media/image1.png"),
        ("rId7", "hyperlink", "../../../etc/passwd"),
        ("rId8", "comments", "comments.xml"),
        ("rId9", "aFChunk", "chunk.htm"),
    ]);
    let mut all = vec![
        ("word/_rels/document.xml.rels", pointed.as_str()),
        ("word/styles.xml", STYLES),
        ("word/numbering.xml", NUMBERING),
    ];
    all.extend(parts);
    docx(body, &all)
}

fn style(name: &str) -> String {
    format!("<w:pStyle w:val='{name}'/>")
}

fn item(list: u32, level: u32, text: &str) -> String {
    paragraph(
        &format!("<w:numPr><w:ilvl w:val='{level}'/><w:numId w:val='{list}'/></w:numPr>"),
        text,
    )
}

#[test]
fn headings_go_by_style_base_and_outline_level_in_any_language() {
    let body = paragraph(&style("Titel"), "The title")
        + &paragraph(&style("berschrift1"), "One")
        + &paragraph(&style("Kapitel"), "Two")
        + &paragraph(&style("Ebene"), "Three")
        + &paragraph("<w:outlineLvl w:val='1'/>", "Four")
        + &paragraph(&style("Heading6"), "Five")
        + &paragraph(&style("Titre2"), "Six")
        + &paragraph("", "Text");
    let file = styled(&body, &[]);
    check(
        &file,
        "# The title\n\n# One\n\n# Two\n\n### Three\n\n## Four\n\n###### Five\n\n## Six\n\nText",
    );
    assert_eq!(converted(&file).unwrap().title, "The title");
}

#[test]
fn what_a_document_says_of_itself_is_kept() {
    let core = "<cp:coreProperties><dc:title> A  title \
                </dc:title><dc:creator>Ann</dc:creator><dcterms:created>2024-01-31T10:00:00Z</\
                dcterms:created></cp:coreProperties>";
    let document = converted(&docx(&paragraph("", "x"), &[("docProps/core.xml", core)])).unwrap();
    assert_eq!(document.title, "A title");
    assert_eq!(document.author.as_deref(), Some("Ann"));
    assert_eq!(document.date.as_deref(), Some("2024-01-31T10:00:00Z"));
}

#[test]
fn lists_keep_their_numbers_and_their_levels() {
    let body = item(1, 0, "a")
        + &item(1, 1, "b")
        + &item(1, 1, "c")
        + &item(1, 0, "d")
        + &paragraph("", "between")
        + &item(1, 0, "e")
        + &item(2, 0, "f");
    check(
        &styled(&body, &[]),
        "3. a\n   - b\n   - c\n4. d\n\nbetween\n\n5. e\n\n- I) f",
    );
}

#[test]
fn a_numbered_heading_shows_its_number() {
    let properties =
        style("berschrift1") + "<w:numPr><w:ilvl w:val='0'/><w:numId w:val='2'/></w:numPr>";
    check(&styled(&paragraph(&properties, "A"), &[]), "# I) A");
}

#[test]
fn runs_of_equal_looks_are_one() {
    let run = |look: &str, text: &str| {
        format!("<w:r><w:rPr>{look}</w:rPr><w:t xml:space='preserve'>{text}</w:t></w:r>")
    };
    let body = format!(
        "<w:p>{}{}{}{}{}{}{}{}</w:p>",
        run("", "a "),
        run("<w:b/>", "bo"),
        run("<w:b w:val='true'/>", "ld "),
        run("<w:i/>", "it"),
        run("<w:strike/>", "gone"),
        run("<w:rStyle w:val='Code'/>", "x = 1 "),
        run("<w:rStyle w:val='Fett'/>", "style"),
        run("<w:b w:val='0'/>", " end"),
    );
    check(
        &styled(&body, &[]),
        "a **bold** *it*~~gone~~`x = 1` **style** end",
    );
}

#[test]
fn code_is_a_block() {
    let body = paragraph(&style("Quelle"), "if x:")
        + &paragraph(&style("Quelle"), "  y")
        + &paragraph("", "z");
    check(&styled(&body, &[]), "```\nif x:\n  y\n```\n\nz");
}

#[test]
fn links_are_relationships_and_field_codes() {
    let field = |code: &str, text: &str| {
        format!(
            "<w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText> {code} \
             </w:instrText></w:r><w:r><w:fldChar \
             w:fldCharType='separate'/></w:r><w:r><w:t>{text}</w:t></w:r><w:r><w:fldChar \
             w:fldCharType='end'/></w:r>"
        )
    };
    let body = format!(
        "<w:p><w:hyperlink r:id='rId3'><w:r><w:t>one</w:t></w:r></w:hyperlink><w:r><w:t> and </w:t></w:r>{} {}\
         <w:fldSimple w:instr='HYPERLINK \"https://example.com/c\"'><w:r><w:t>three</w:t></w:r></w:fldSimple>\
         <w:hyperlink w:anchor='_Toc1'><w:r><w:t>, four</w:t></w:r></w:hyperlink>\
         <w:hyperlink r:id='rId7'><w:r><w:t>, five</w:t></w:r></w:hyperlink></w:p>",
        field("HYPERLINK \"https://example.com/b\"", "two"),
        field("PAGE", " 7 "),
    );
    check(
        &styled(&body, &[]),
        "[one](https://example.com/a) and [two](https://example.com/b) 7 [three](https://example.com/c), four, five",
    );
}

#[test]
fn tables_show_merged_cells_once() {
    let cell = |properties: &str, text: &str| {
        format!(
            "<w:tc><w:tcPr>{properties}</w:tcPr>{}</w:tc>",
            paragraph("", text)
        )
    };
    let body = format!(
        "<w:tbl><w:tblGrid><w:gridCol/><w:gridCol/><w:gridCol/></w:tblGrid><w:tr>{}{}</w:tr><w:\
         tr>{}{}{}</w:tr><w:tr>{}{}<w:tc>{}{}</w:tc></w:tr><w:tr><w:trPr><w:del \
         w:id='1'/></w:trPr>{}</w:tr></w:tbl>",
        cell("<w:gridSpan w:val='2'/>", "wide"),
        cell("", "c"),
        cell("<w:vMerge w:val='restart'/>", "tall"),
        cell("", "1|2"),
        cell("", "x"),
        cell("<w:vMerge/>", "ghost"),
        cell("", "y"),
        item(2, 0, "p"),
        item(2, 0, "q"),
        cell("", "deleted"),
    );
    check(
        &styled(&body, &[]),
        "| wide | | c |\n| --- | --- | --- |\n| tall | 1\\|2 | x |\n| | y | I) p<br>II) q |",
    );
}

#[test]
fn a_table_of_one_column_frames_what_is_in_it() {
    let body = format!(
        "<w:tbl><w:tblGrid><w:gridCol/></w:tblGrid><w:tr><w:tc>{}{}</w:tc></w:tr></w:tbl>",
        paragraph(&style("berschrift1"), "A"),
        item(1, 0, "b")
    );
    check(&styled(&body, &[]), "# A\n\n3. b");
}

#[test]
fn notes_stand_behind_the_text() {
    let notes = format!(
        "<w:footnotes><w:footnote w:type='separator' w:id='-1'><w:p/></w:footnote><w:footnote \
         w:id='5'><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t xml:space='preserve'> A \
         note.</w:t></w:r></w:p>{}</w:footnote><w:footnote w:id='4'>{}</w:footnote></w:footnotes>",
        paragraph("", "More."),
        paragraph("", "Other.")
    );
    let body = "<w:p><w:r><w:t>a</w:t></w:r><w:r><w:footnoteReference \
                w:id='5'/></w:r><w:r><w:t>(b)</w:t></w:r><w:r><w:footnoteReference \
                w:id='4'/></w:r></w:p>";
    check(
        &styled(body, &[("word/footnotes.xml", &notes)]),
        "a[^1]\\(b)[^2]\n\n[^1]: A note.\n\n    More.\n\n[^2]: Other.",
    );
}

#[test]
fn what_is_hidden_or_deleted_is_left_out() {
    let body = "<w:p><w:r><w:t>a</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:\
                r><w:del><w:r><w:delText>deleted</w:delText></w:r></w:del><w:ins><w:r><w:t>b</w:\
                t></w:r></w:ins><w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom><w:moveTo><w:\
                r><w:t>c</w:t></w:r></w:moveTo></w:p><w:p><w:pPr><w:rPr><w:del/></w:rPr></w:\
                pPr><w:r><w:t>d </w:t></w:r></w:p><w:p><w:r><w:t>e</w:t></w:r></w:p>";
    check(&styled(body, &[]), "abc\n\nd e");
}

#[test]
fn a_text_box_is_read_once() {
    let content = |text: &str| format!("<w:txbxContent>{}</w:txbxContent>", paragraph("", text));
    let body = format!(
        "<w:p><w:r><w:t>around</w:t></w:r><w:r><mc:AlternateContent><mc:Choice \
         Requires='wps'><w:drawing><wp:anchor><wp:docPr id='1' \
         name='x'/><wps:txbx>{}</wps:txbx></wp:anchor></w:drawing></mc:Choice><mc:Fallback><w:\
         pict><v:textbox>{}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:\
         p><w:p><w:r><w:drawing><wp:docPr id='2' hidden='1' \
         name='x'/><wps:txbx>{}</wps:txbx></w:drawing></w:r></w:p>",
        content("boxed"),
        content("boxed"),
        content("secret"),
    );
    check(&styled(&body, &[]), "around\n\nboxed");
}

#[test]
fn images_are_their_texts_and_charts_are_counted() {
    let body = "<w:p><w:r><w:drawing><wp:docPr id='1' name='x' descr='A red  square'/><a:blip \
                r:embed='rId5'/></w:drawing></w:r></w:p><w:p><w:r><w:drawing><wp:docPr id='2' \
                name='y' descr='Sales'/><c:chart r:id='rId6'/></w:drawing></w:r></w:p>";
    check(
        &styled(body, &[]),
        "![A red square](image1.png)\n\n![Sales]()\n\n[Left out: 1 chart is not shown.]",
    );
}

#[test]
fn a_formula_is_told_in_one_line() {
    let run = |text: &str| {
        format!("<m:r><w:rPr><w:rFonts w:ascii='Cambria Math'/></w:rPr><m:t>{text}</m:t></m:r>")
    };
    let e = |name: &str, text: &str| format!("<m:{name}>{}</m:{name}>", run(text));
    let of = |name: &str, parts: &[String]| {
        format!(
            "<m:{name}><m:{name}Pr><m:ctrlPr/></m:{name}Pr>{}</m:{name}>",
            parts.concat()
        )
    };
    let nary = |properties: &str, content: &str| {
        format!("<m:nary><m:naryPr>{properties}</m:naryPr>{content}</m:nary>")
    };
    let b2 = of("sSup", &[e("e", "b"), e("sup", "2")]);
    let root = format!(
        "<m:rad><m:radPr><m:degHide m:val='1'/></m:radPr><m:deg/><m:e>{b2}{}</m:e></m:rad>",
        run("-4ac")
    );
    for (formula, line) in [
        (of("f", &[e("num", "a+b"), e("den", "2")]), "(a+b)/2"),
        (
            run("x=")
                + &of(
                    "f",
                    &[
                        format!("<m:num>{}{root}</m:num>", run("-b±")),
                        e("den", "2a"),
                    ],
                ),
            "x=(-b±√(b^2-4ac))/(2a)",
        ),
        (
            of("sSubSup", &[e("e", "x"), e("sub", "i+1"), e("sup", "2")]),
            "x_(i+1)^2",
        ),
        (of("sSup", &[e("e", "x+1"), e("sup", "2")]), "(x+1)^2"),
        (of("rad", &[e("deg", "3"), e("e", "x")]), "x^(1/3)"),
        (
            nary(
                "<m:chr m:val='∑'/>",
                &(e("sub", "i=1") + &e("sup", "n") + &e("e", "i")),
            ),
            "∑_(i=1)^n i",
        ),
        (nary("", &format!("<m:sub/><m:sup/>{}", e("e", "x"))), "∫ x"),
        (
            "<m:d><m:dPr><m:begChr m:val='['/><m:endChr m:val=''/></m:dPr>".to_owned()
                + &e("e", "a")
                + &e("e", "b")
                + "</m:d>",
            "[a|b",
        ),
        (of("acc", &[e("e", "x")]), "x\u{302}"),
        (of("func", &[e("fName", "sin"), e("e", "x")]), "sin x"),
        (
            of(
                "d",
                &[format!(
                    "<m:e><m:m><m:mr>{0}{0}</m:mr><m:mr>{0}{0}</m:mr></m:m></m:e>",
                    e("e", "1")
                )],
            ),
            "(1, 1; 1, 1)",
        ),
        (
            run("a")
                + "<w:del><m:r><m:t>b</m:t></m:r></w:del><m:r><w:rPr><w:vanish/></w:rPr><m:\
                   t>hidden</m:t></m:r><w:ins>"
                + &run("c")
                + "</w:ins>",
            "ac",
        ),
        (
            "<m:f><m:num>".repeat(200) + &run("x") + &"</m:num></m:f>".repeat(200),
            "x",
        ),
    ] {
        let body = format!(
            "<w:p><w:r><w:t xml:space='preserve'>y \
             </w:t></w:r><m:oMathPara><m:oMath>{formula}</m:oMath></m:oMathPara><w:r><w:t \
             xml:space='preserve'> z</w:t></w:r></w:p>"
        );
        check(&styled(&body, &[]), &format!("y {line} z"));
    }
}

#[test]
fn white_text_and_tiny_text_is_not_seen() {
    let run = |look: &str, text: &str| format!("<w:r><w:rPr>{look}</w:rPr><w:t>{text}</w:t></w:r>");
    let line = |properties: &str, runs: &str| {
        format!("<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>a </w:t></w:r>{runs}</w:p>")
    };
    let white = "<w:color w:val='FFFFFF'/>";
    for look in [
        white,
        "<w:color w:val='fefefe' w:themeColor='background1'/>",
        "<w:color w:val='FFFFFF'/><w:shd w:val='clear' w:color='auto' w:fill='auto'/>",
        "<w:color w:val='FFFFFF'/><w:shd w:val='clear' w:fill='FFFFFF'/>",
        "<w:color w:val='FFFFFF'/><w:highlight w:val='white'/>",
        "<w:sz w:val='2'/>",
        "<w:sz w:val='3'/><w:color w:val='000000'/>",
        "<w:rStyle w:val='Weiss'/>",
    ] {
        let styles = "<w:styles><w:style w:type='character' w:styleId='Weiss'><w:rPr><w:color \
                      w:val='FFFFFF'/></w:rPr></w:style></w:styles>";
        let body = line("", &run(look, "SECRET"));
        let pointed = relations(&[("rId1", "styles", "styles.xml")]);
        let parts = [
            ("word/_rels/document.xml.rels", &*pointed),
            ("word/styles.xml", styles),
        ];
        check(&docx(&body, &parts), "a");
        let table = format!("<w:tbl><w:tr><w:tc>{body}</w:tc><w:tc><w:p/></w:tc></w:tr></w:tbl>");
        assert!(
            !converted(&docx(&table, &parts))
                .unwrap()
                .markdown
                .contains("SECRET"),
            "{look}"
        );
    }
    let shade = "<w:shd w:val='clear' w:color='auto' w:fill='1F3864'/>";
    let boxed = format!(
        "<w:r><w:txbxContent>{}</w:txbxContent></w:r>",
        line("", &run(white, "b"))
    );
    for (body, wanted) in [
        (line("", &run(&format!("{white}{shade}"), "b")), "a b"),
        (
            line(
                "",
                &run(&format!("{white}<w:highlight w:val='black'/>"), "b"),
            ),
            "a b",
        ),
        (line(shade, &run(white, "b")), "a b"),
        (line("", &run("<w:color w:val='auto'/>", "b")), "a b"),
        (line("", &run("<w:sz w:val='4'/>", "b")), "a b"),
        (
            line("", &run(&format!("{white}<w:color w:val='FF0000'/>"), "b")),
            "a b",
        ),
        (format!("<w:p>{boxed}</w:p>"), "a b"),
        (
            format!(
                "<w:p><wp:anchor behindDoc=\"1\"/></w:p>{}",
                line("", &run(white, "b"))
            ),
            "a b",
        ),
        (
            format!(
                "<w:tbl><w:tr><w:tc><w:tcPr>{shade}</w:tcPr>{0}</w:tc><w:tc>{0}</w:tc></w:tr></w:\
                 tbl>",
                line("", &run(white, "b"))
            ),
            "| a b | a |\n| --- | --- |",
        ),
    ] {
        check(&docx(&body, &[]), wanted);
    }
}

#[test]
fn a_property_that_is_off_hides_nothing() {
    let row = |properties: &str, text: &str| {
        let cell = format!("<w:tc>{}</w:tc>", paragraph("", text));
        format!("<w:tr><w:trPr>{properties}</w:trPr>{cell}{cell}</w:tr>")
    };
    let body = format!(
        "<w:tbl>{}{}{}{}</w:tbl>",
        row("<w:hidden w:val='0'/>", "a"),
        row("<w:hidden w:val='false'/>", "b"),
        row("<w:hidden w:val='1'/>", "c"),
        row("<w:hidden/>", "d"),
    );
    check(&docx(&body, &[]), "| a | a |\n| --- | --- |\n| b | b |");
}

#[test]
fn comments_are_notes_where_they_stand_and_in_tables_too() {
    let comments = "<w:comments><w:comment w:id='0' w:author='Ann'><w:p><w:r><w:t>Is this \
                    right?</w:t></w:r></w:p></w:comment><w:comment w:id='1' \
                    w:author=''><w:p><w:r><w:t>Yes.</w:t></w:r></w:p></w:comment><w:comment \
                    w:id='2' w:author='Nobody'><w:p><w:r><w:t>gone</w:t></w:r></w:p></w:comment></\
                    w:comments>";
    let notes = format!(
        "<w:footnotes><w:footnote w:id='0'>{}</w:footnote></w:footnotes>",
        paragraph("", "A note.")
    );
    let body = "<w:p><w:r><w:t>7</w:t></w:r><w:r><w:commentReference \
                w:id='0'/></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r><w:r><w:\
                footnoteReference \
                w:id='0'/></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r><w:r><w:\
                commentReference w:id='1'/></w:r></w:p></w:tc></w:tr></w:tbl>";
    check(
        &styled(
            body,
            &[
                ("word/comments.xml", comments),
                ("word/footnotes.xml", &notes),
            ],
        ),
        "7[^1]\n\n| a[^2] | b[^3] |\n| --- | --- |\n\n[^2]: A note.\n\n[^1]: Comment by Ann: Is \
         this right?\n\n[^3]: Comment: Yes.",
    );
}

#[test]
fn a_page_within_a_document_is_read() {
    let page = "<html><body><h1>Quarterly report</h1><p>Sales <b>grew</b>.</p></body></html>";
    let body = paragraph("", "Before") + "<w:altChunk r:id='rId9'/>" + &paragraph("", "after");
    check(
        &styled(&body, &[("word/chunk.htm", page)]),
        "Before\n\n# Quarterly report\n\nSales **grew**.\n\nafter",
    );
}

#[test]
fn a_chart_and_a_group_have_their_descriptions() {
    let body = "<w:p><w:r><w:t>a</w:t></w:r><w:r><w:drawing><wp:docPr id='1' name='x' descr='Two \
                arrows'/><wpg:wgp/></w:drawing></w:r><w:r><w:t>b</w:t></w:r><w:r><w:drawing><wp:\
                docPr id='2' descr='secret' hidden='1'/><wpg:wgp/></w:drawing></w:r></w:p>";
    check(&docx(body, &[]), "a![Two arrows]()b");
}

#[test]
fn a_style_without_an_identifier_is_no_other_s_base() {
    let styles = "<w:styles><w:style w:type='paragraph' w:default='1' w:styleId='N'><w:name \
                  w:val='Normal'/></w:style><w:style><w:name w:val='Empty'/><w:rPr><w:sz \
                  w:val='2'/></w:rPr></w:style></w:styles>";
    let pointed = relations(&[("rId1", "styles", "styles.xml")]);
    let parts = [
        ("word/_rels/document.xml.rels", &*pointed),
        ("word/styles.xml", styles),
    ];
    check(&docx(&paragraph("", "seen"), &parts), "seen");
}
