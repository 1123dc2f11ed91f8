//! Checks the Markdown of `OpenDocument` files.

use super::sample_files::zip;
use super::{check, converted};
use crate::{DocumentError, FileKind};

fn made(kind: &str, styles: &str, body: &str, parts: &[(&str, &str)]) -> Vec<u8> {
    let media_type = format!("application/vnd.oasis.opendocument.{kind}");
    let content = format!(
        "<office:document-content><office:automatic-styles>{styles}</office:\
         automatic-styles><office:body><office:{kind}>{body}</office:{kind}></office:body></\
         office:document-content>"
    );
    let mut all = vec![("mimetype", &*media_type), ("content.xml", &*content)];
    all.extend(parts);
    zip(&all)
}

#[test]
fn text_has_its_headings_styles_links_and_spaces() {
    let styles = "<style:style style:name='B' style:family='text'><style:text-properties \
                  fo:font-weight='700'/></style:style><style:style style:name='N' \
                  style:family='text' style:parent-style-name='B'><style:text-properties \
                  fo:font-weight='normal' fo:font-style='italic'/></style:style><style:style \
                  style:name='H' style:family='text'><style:text-properties \
                  text:display='none'/></style:style><style:style style:name='P1' \
                  style:family='paragraph' \
                  style:parent-style-name='Preformatted_20_Text'/><style:style \
                  style:name='Preformatted_20_Text' style:family='paragraph'/>";
    let body = "<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes><text:h text:outline-level='2'>One <text:span text:style-name='B'>two</text:span></text:h>\
        <text:p>a<text:s/>b <text:span text:style-name='B'>c</text:span> <text:span text:style-name='N'>d</text:span><text:line-break/>\
        <text:a xlink:href='https://example.com/'>e</text:a><text:span text:style-name='H'>secret</text:span></text:p>\
        <text:p text:style-name='P1'>if x:</text:p><text:p text:style-name='P1'><text:s text:c='2'/>y</text:p>\
        <text:section text:display='none'><text:p>secret</text:p></text:section>";
    let meta = "<office:meta><dc:title>T</dc:title><meta:initial-creator>Ann</meta:\
                initial-creator><dc:creator>Bob</dc:creator><meta:creation-date>2024-01-31</meta:\
                creation-date></office:meta>";
    let file = made("text", styles, body, &[("meta.xml", meta)]);
    check(
        &file,
        "## One two\n\na b **c** *d*  \n[e](https://example.com/)\n\n```\nif x:\n  y\n```",
    );
    assert_eq!(FileKind::detect(&file), Some(FileKind::Odt));
    let document = converted(&file).unwrap();
    assert_eq!(
        (&*document.title, document.author.as_deref()),
        ("T", Some("Ann"))
    );
}

#[test]
fn lists_have_their_numbers_and_go_on_where_they_say_so() {
    let styles = "<text:list-style style:name='L'><text:list-level-style-number text:level='1' \
                  style:num-format='1' style:num-suffix='.'/><text:list-level-style-number \
                  text:level='2' style:num-format='a' \
                  style:num-suffix=')'/></text:list-style><text:list-style \
                  style:name='U'><text:list-level-style-bullet text:level='1'/></text:list-style>";
    let item = |text: &str| format!("<text:list-item><text:p>{text}</text:p></text:list-item>");
    let body = format!(
        "<text:list \
         text:style-name='L'>{}<text:list-item><text:p>b</text:p><text:p>more</text:p><text:\
         list>{}{}</text:list></text:list-item></text:list><text:p>between</text:p><text:list \
         text:style-name='L' text:continue-numbering='true'>{}</text:list><text:list \
         text:style-name='U'>{}</text:list><text:list text:style-name='U'>{}</text:list>",
        item("a"),
        item("c"),
        item("d"),
        item("e"),
        item("f"),
        item("g")
    );
    check(
        &made("text", styles, &body, &[]),
        "1. a\n2. b  \n   more\n   - a) c\n   - b) d\n\nbetween\n\n3. e\n\n- f\n- g",
    );
}

#[test]
fn notes_comments_boxes_pictures_and_formulas_are_read() {
    let body = "<text:p>a<text:note><text:note-citation>1</text:note-citation><text:\
                note-body><text:p>A \
                note.</text:p></text:note-body></text:note><office:annotation><dc:creator>Ann</dc:\
                creator><dc:date>2024</dc:date><text:p>Sure?</text:p></office:annotation><draw:\
                frame><draw:image xlink:href='Pictures/a.png'/><svg:desc>A \
                cat</svg:desc></draw:frame><draw:frame><draw:object xlink:href='./Object \
                1'/></draw:frame><draw:frame><draw:text-box><text:p>boxed</text:p></draw:\
                text-box></draw:frame></text:p><table:table><table:table-column \
                table:number-columns-repeated='2'/><table:table-row><table:table-cell \
                table:number-columns-spanned='2'><text:p>wide<text:note><text:note-body><text:\
                p>Of a table.</text:p></text:note-body></text:note></text:p></table:\
                table-cell><table:covered-table-cell/></table:table-row><table:table-row><table:\
                table-cell><text:p>b</text:p></table:table-cell><table:table-cell><text:p>c</text:\
                p><text:p>d</text:p></table:table-cell></table:table-row></table:table>";
    let formula = "<math><mfrac><mi>x</mi><mn>2</mn></mfrac></math>";
    check(
        &made("text", "", body, &[("Object 1/content.xml", formula)]),
        "a[^1][^2]![A cat](a.png)x/2\n\nboxed\n\n| wide[^3] | |\n| --- | --- |\n| b | c<br>d \
         |\n\n[^1]: A note.\n\n[^2]: Comment by Ann: Sure?\n\n[^3]: Of a table.",
    );
}

#[test]
fn each_hidden_column_of_a_sheet_counts_once_whichever_row_fills_it() {
    let cell = |text: &str| format!("<table:table-cell><text:p>{text}</text:p></table:table-cell>");
    let body = format!(
        "<table:table table:name='S'><table:table-column/><table:table-column \
         table:visibility='collapse' \
         table:number-columns-repeated='2'/><table:table-row>{0}{1}<table:table-cell/></table:\
         table-row><table:table-row>{0}<table:table-cell/>{1}</table:table-row></table:table>",
        cell("a"),
        cell("secret")
    );
    check(
        &made("spreadsheet", "", &body, &[]),
        "## S\n\n| a |\n| --- |\n| a |\n\n[Left out: 2 hidden columns are not shown.]",
    );
}

#[test]
fn sheets_show_dates_as_iso_8601_and_no_hidden_rows() {
    let styles = "<style:style style:name='ta' style:family='table'><style:table-properties \
                  table:display='false'/></style:style>";
    let cell = |attributes: &str, text: &str| {
        format!("<table:table-cell {attributes}><text:p>{text}</text:p></table:table-cell>")
    };
    let body = format!(
        "<table:table table:name='S'><table:table-row>{}{}<table:table-cell \
         table:number-columns-repeated='16000'/></table:table-row><table:table-row \
         table:visibility='collapse'>{}</table:table-row><table:table-row \
         table:number-rows-repeated='2'>{}{}</table:table-row><table:table-row \
         table:number-rows-repeated='1048000'><table:table-cell/></table:table-row></table:\
         table><table:table table:name='H' \
         table:style-name='ta'><table:table-row>{}</table:table-row></table:table>",
        cell("", "Name"),
        cell("", "Born"),
        cell("", "secret"),
        cell("office:value-type='float' office:value='1.5'", "1,50"),
        cell(
            "office:value-type='date' office:date-value='2024-01-31T10:00:00'",
            "31. Januar"
        ),
        cell("", "secret")
    );
    check(
        &made("spreadsheet", styles, &body, &[]),
        "## S\n\n| Name | Born |\n| --- | --- |\n| 1,50 | 2024-01-31 10:00:00 |\n| 1,50 | \
         2024-01-31 10:00:00 |\n\n[Left out: 1 hidden row is not shown.]\n\n[Left out: 1 hidden \
         sheet is not shown.]",
    );
}

#[test]
fn slides_come_with_titles_notes_and_their_shapes_by_place() {
    let styles = "<style:style style:name='dp' \
                  style:family='drawing-page'><style:drawing-page-properties \
                  presentation:visibility='hidden'/></style:style>";
    let boxed = |attributes: &str, text: &str| {
        format!(
            "<draw:frame \
             {attributes}><draw:text-box><text:p>{text}</text:p></draw:text-box></draw:frame>"
        )
    };
    let body = format!(
        "<draw:page>{}{}{}<draw:custom-shape svg:x='1cm' \
         svg:y='1cm'><text:p>first</text:p></draw:custom-shape><presentation:notes>{}</\
         presentation:notes></draw:page><draw:page draw:style-name='dp'>{}</draw:page>",
        boxed("svg:x='1cm' svg:y='9cm'", "third"),
        boxed("svg:x='1cm' svg:y='50mm'", "second"),
        boxed("presentation:class='title' svg:x='1cm' svg:y='19cm'", "One"),
        boxed("presentation:class='notes'", "Say hello"),
        boxed("", "secret")
    );
    check(
        &made("presentation", styles, &body, &[]),
        "## One\n\nfirst\n\nsecond\n\nthird\n\n### Notes\n\nSay hello\n\n[Left out: 1 hidden \
         slide is not shown.]",
    );
}

#[test]
fn what_is_encrypted_or_nested_without_end_is_said() {
    let manifest = "<manifest:manifest><manifest:encryption-data/></manifest:manifest>";
    let file = made("text", "", "x", &[("META-INF/manifest.xml", manifest)]);
    assert_eq!(converted(&file), Err(DocumentError::Encrypted));
    for (open, close) in [
        (
            "<text:list><text:list-item>",
            "</text:list-item></text:list>",
        ),
        ("<draw:g>", "</draw:g>"),
        (
            "<text:p><draw:custom-shape>",
            "</draw:custom-shape></text:p>",
        ),
        (
            "<table:table><table:table-row><table:table-cell>",
            "</table:table-cell></table:table-row></table:table>",
        ),
    ] {
        let body = format!(
            "<text:p>before</text:p>{}<text:p>x</text:p>{}",
            open.repeat(900),
            close.repeat(900)
        );
        let document = converted(&made("text", "", &body, &[])).unwrap();
        assert!(document.markdown.starts_with("before"), "{open}");
        assert!(document.cuts.memory, "{open}");
    }
}

#[test]
fn a_cell_without_a_paragraph_shows_its_text() {
    let rows = "<table:table table:name='T'><table:table-row><table:table-cell \
                office:value-type='string' office:string-value='abc'/><table:table-cell \
                office:value-type='float' office:value='7'/></table:table-row></table:table>";
    let markdown = converted(&made("spreadsheet", "", rows, &[]))
        .unwrap()
        .markdown;
    assert!(markdown.contains("| abc | 7 |"), "{markdown}");
}
