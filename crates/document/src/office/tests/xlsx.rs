//! Checks the Markdown of XLSX files.

use super::check;
use super::sample_files::{relations, xlsx};
use crate::DocumentCuts;

const STYLES: &str = "<styleSheet><cellXfs><xf numFmtId='0'/><xf numFmtId='14'/><xf \
                      numFmtId='10'/></cellXfs></styleSheet>";
const STRINGS: &str = "<sst><si><t>Name</t></si><si><r><t>A</t></r><r><t>nn</t></r></si></sst>";

fn sheet(rows: &str) -> String {
    format!("<sheetData>{rows}</sheetData>")
}

#[test]
fn sheets_are_tables_of_what_their_cells_show() {
    let rows = sheet(
        "<row r='1'><c r='A1' t='s'><v>0</v></c><c r='B1' \
         t='inlineStr'><is><t>Born|on</t></is></c><c r='C1' t='str'><f>x</f><v>Part</v></c><c \
         r='D1'/></row><row r='2'><c r='A2' t='s'><v>1</v></c><c r='B2' s='1'><v>45322</v></c><c \
         r='C2' s='2'><v>0.125</v></c></row><row r='3'><c r='A3' t='b'><v>1</v></c><c r='B3' \
         t='e'><v>#DIV/0!</v></c><c r='C3'><f>SUM(A1:A2)</f></c></row>",
    );
    let other = sheet("<row><c><v>1.1000000000000001</v></c><c><f>A1*2</f><v>2.2</v></c></row>");
    let file = xlsx(
        &[
            ("First &amp; one", "", &rows),
            ("Second", "", &other),
            ("Third", "", "<sheetData/>"),
        ],
        &[("xl/styles.xml", STYLES), ("xl/sharedStrings.xml", STRINGS)],
    );
    check(
        &file,
        "## First & one\n\n| Name | Born\\|on | Part |\n| --- | --- | --- |\n| Ann | 2024-01-31 | \
         12.50% |\n| TRUE | #DIV/0! | =SUM(A1:A2) |\n\n## Second\n\n| 1.1 | 2.2 |\n| --- | --- \
         |\n\n## Third\n\n[This sheet is empty.]",
    );
}

#[test]
fn an_empty_row_parts_tables_and_merged_cells_show_once() {
    let rows = sheet(
        "<row r='1'><c r='B1' t='inlineStr'><is><t>Report</t></is></c></row><row r='3'><c \
         r='A3'><v>1</v></c><c r='C3'><v>2</v></c></row><row r='4'><c r='A4'><v>3</v></c><c \
         r='B4'/></row>",
    ) + "<mergeCells><mergeCell ref='B1:D1'/></mergeCells><hyperlinks><hyperlink \
                    ref='C3' r:id='h'/></hyperlinks>";
    let pointed = relations(&[("h", "hyperlink", "https://example.com/")]);
    check(
        &xlsx(
            &[("S", "", &rows)],
            &[("xl/worksheets/_rels/sheet0.xml.rels", &pointed)],
        ),
        "## S\n\nReport\n\n| 1 | [2](https://example.com/) |\n| --- | --- |\n| 3 | |",
    );
}

#[test]
fn what_is_hidden_is_left_out_and_said() {
    let rows = "<cols><col min='2' max='2' hidden='1'/></cols>".to_owned()
        + &sheet(
            "<row r='1'><c r='A1'><v>1</v></c><c r='B1'><v>666</v></c><c \
             r='C1'><v>2</v></c></row><row r='2' hidden='1'><c r='A2'><v>666</v></c></row><row \
             r='3'><c r='A3'><v>3</v></c></row>",
        );
    check(
        &xlsx(
            &[
                ("S", "", &rows),
                ("T", "state='hidden'", &rows),
                ("U", "state='veryHidden'", &rows),
            ],
            &[],
        ),
        "## S\n\n| 1 | 2 |\n| --- | --- |\n| 3 | |\n\n[Left out: 1 hidden row and 1 hidden column \
         are not shown.]\n\n[Left out: 2 hidden sheets are not shown.]",
    );
}

#[test]
fn a_huge_sheet_is_cut_and_says_so() {
    use std::fmt::Write as _;
    let mut rows = String::new();
    for row in 1..=160_000 {
        let _ = write!(
            rows,
            "<row r='{row}'><c><v>{row}</v></c><c><v>7</v></c></row>"
        );
    }
    let document = super::converted(&xlsx(&[("S", "", &sheet(&rows))], &[])).unwrap();
    let told = "[Cut off: this sheet has more rows than fit here; 150000 of them are shown.]";
    assert!(
        document.markdown.contains(told),
        "{}",
        &document.markdown[document.markdown.len() - 300..]
    );
    assert!(document.markdown.contains("| 150000 | 7 |"));
    assert!(document.cuts.are_of_content());
}

#[test]
fn a_cell_that_speaks_of_a_cut_is_no_cut() {
    let remark = "[Cut off: there was no time to convert all of it. Ask for it again.]";
    let rows = format!("<row><c t='inlineStr'><is><t>{remark}</t></is></c></row>");
    let document = super::converted(&xlsx(&[("S", "", &sheet(&rows))], &[])).unwrap();
    assert!(document.markdown.ends_with(remark), "{}", document.markdown);
    assert_eq!(document.cuts, DocumentCuts::default());
    assert_eq!(document.own_text(), document.markdown);
}

#[test]
fn cells_that_lie_far_apart_are_a_list() {
    use std::fmt::Write as _;
    let mut rows = String::new();
    for row in 1..=200_u8 {
        let (first, last) = (char::from(b'A' + row / 26), char::from(b'A' + row % 26));
        let _ = write!(
            rows,
            "<row r='{row}'><c r='{first}{last}{row}'><v>{row}</v></c></row>"
        );
    }
    let document = super::converted(&xlsx(&[("S", "", &sheet(&rows))], &[])).unwrap();
    assert!(
        document
            .markdown
            .starts_with("## S\n\n- AB1: 1\n- AC2: 2\n"),
        "{}",
        &document.markdown[..100]
    );
}

#[test]
fn a_second_element_of_the_name_leaves_the_date_system_alone() {
    let rows = sheet("<row r='1'><c r='A1' s='1'><v>44000</v></c></row>");
    let mut file = xlsx(&[("S", "", &rows)], &[("xl/styles.xml", STYLES)]);
    check(&file, "## S\n\n2020-06-18");
    let book = "<workbook><workbookPr date1904='1'/><sheets><sheet name='S' \
                r:id='rId0'/></sheets><extLst><ext><x15:workbookPr \
                chartTrackingRefBase='1'/></ext></extLst></workbook>";
    file = super::sample_files::replaced(&file, "xl/workbook.xml", book);
    check(&file, "## S\n\n2024-06-19");
}

#[test]
fn comments_texts_and_pictures_of_a_sheet_follow_its_cells() {
    let rows = sheet("<row r='1'><c r='A1'><v>1</v></c></row>") + "<drawing r:id='d'/>";
    let pointed = relations(&[
        ("c", "comments", "../comments1.xml"),
        ("d", "drawing", "../drawings/d.xml"),
    ]);
    let comments = "<comments><authors><author>Ann</author><author>tc={1}</author></\
                    authors><commentList><comment ref='A1' \
                    authorId='0'><text><r><rPr><b/></rPr><t>Ann:</t></r><r><t \
                    xml:space='preserve'>\n</t></r><r><t>Sure?</t></r></text></comment><comment \
                    ref='B2' authorId='1'><text><t>[Threaded comment]\n\nYour \
                    version...\n\nComment:\n    Yes</t></text></comment></commentList></comments>";
    let drawing = "<xdr:wsDr><xdr:twoCellAnchor><xdr:pic><xdr:nvPicPr><xdr:cNvPr id='1' descr='A \
                   map'/></xdr:nvPicPr></xdr:pic></xdr:twoCellAnchor><xdr:twoCellAnchor><xdr:\
                   sp><xdr:nvSpPr><xdr:cNvPr id='2'/></xdr:nvSpPr><xdr:txBody><a:p><a:r><a:t>In a \
                   box</a:t></a:r></a:p></xdr:txBody></xdr:sp></xdr:twoCellAnchor></xdr:wsDr>";
    check(
        &xlsx(
            &[("S", "", &rows)],
            &[
                ("xl/worksheets/_rels/sheet0.xml.rels", &pointed),
                ("xl/comments1.xml", comments),
                ("xl/drawings/d.xml", drawing),
            ],
        ),
        "## S\n\n1\n\n- Comment on A1 by Ann: Sure?\n- Comment on B2: Yes\n\n![A map]()\n\nIn a \
         box",
    );
}
