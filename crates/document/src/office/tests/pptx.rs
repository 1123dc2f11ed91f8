//! Checks the Markdown of PPTX files.

use super::sample_files::{pptx, relations, shape};
use super::{check, converted};

fn line(properties: &str, text: &str) -> String {
    format!("<a:p>{properties}<a:r><a:rPr/><a:t>{text}</a:t></a:r></a:p>")
}

#[test]
fn slides_come_in_their_order_with_their_titles_first() {
    let first = shape("<p:ph type='body' idx='1'/>", &line("", "said"))
        + &shape("<p:ph type='title'/>", &line("", "One"))
        + &shape("<p:ph type='sldNum' idx='9'/>", &line("", "7"));
    let second = shape("<p:ph type='ctrTitle'/>", &line("", "Two"));
    let third = shape("", &line("", "no title"));
    let file = pptx(&[&first, &second, &third], &[]);
    check(&file, "## One\n\nsaid\n\n## Two\n\n## Slide 3\n\nno title");
    assert_eq!(converted(&file).unwrap().title, "One");
}

#[test]
fn bullets_come_from_paragraph_layout_and_master() {
    let body = "<p:ph type='body' idx='1'/>";
    let slide = shape(
        body,
        &(line("", "a")
            + &line("<a:pPr lvl='1'/>", "b")
            + &line("<a:pPr><a:buNone/></a:pPr>", "c")),
    ) + &shape("<p:ph type='body' idx='2'/>", &line("", "plain"))
        + &shape(
            "",
            &(line(
                "<a:pPr><a:buAutoNum type='arabicPeriod' startAt='4'/></a:pPr>",
                "d",
            ) + &line(
                "<a:pPr><a:buAutoNum type='arabicPeriod' startAt='4'/></a:pPr>",
                "e",
            )),
        );
    let master = "<p:sldMaster><p:txStyles><p:bodyStyle><a:lvl1pPr><a:buChar \
                  char='x'/></a:lvl1pPr><a:lvl2pPr><a:buChar \
                  char='y'/></a:lvl2pPr></p:bodyStyle></p:txStyles></p:sldMaster>";
    let layout = "<p:sldLayout><p:sp><p:nvPr><p:ph type='body' \
                  idx='2'/></p:nvPr><p:txBody><a:lstStyle><a:lvl1pPr><a:buNone/></a:lvl1pPr></a:\
                  lstStyle></p:txBody></p:sp></p:sldLayout>";
    let file = pptx(
        &[&slide],
        &[
            (
                "ppt/slides/_rels/slide1.xml.rels",
                &relations(&[("a", "slideLayout", "../slideLayouts/l.xml")]),
            ),
            ("ppt/slideLayouts/l.xml", layout),
            (
                "ppt/slideLayouts/_rels/l.xml.rels",
                &relations(&[("a", "slideMaster", "../slideMasters/m.xml")]),
            ),
            ("ppt/slideMasters/m.xml", master),
        ],
    );
    check(
        &file,
        "## Slide 1\n\n- a\n  - b\n\nc\n\nplain\n\n4. d\n5. e",
    );
}

#[test]
fn tables_links_notes_and_diagrams_are_read_and_charts_are_counted() {
    let cell = |attributes: &str, text: &str| {
        format!(
            "<a:tc {attributes}><a:txBody>{}</a:txBody></a:tc>",
            line("", text)
        )
    };
    let link = "<a:p><a:r><a:rPr b='1'><a:hlinkClick r:id='l'/></a:rPr><a:t>here</a:t></a:r></a:p>";
    let slide = format!(
        "<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id='1' \
         name='t'/></p:nvGraphicFramePr><a:tbl><a:tr>{}{}</a:tr><a:tr>{}{}</a:tr></a:tbl></p:\
         graphicFrame>{}<p:pic><p:nvPicPr><p:cNvPr id='2' name='p' descr='A \
         cat'/></p:nvPicPr><a:blip \
         r:embed='i'/></p:pic><p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id='3' \
         name='c'/></p:nvGraphicFramePr><c:chart \
         r:id='c'/></p:graphicFrame><p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id='4' \
         name='d'/></p:nvGraphicFramePr><dgm:relIds r:dm='d'/></p:graphicFrame>",
        cell("gridSpan='2'", "wide"),
        cell("hMerge='1'", ""),
        cell("", "1"),
        cell("", "2"),
        shape("", link),
    );
    let notes = format!(
        "<p:notes>{}{}</p:notes>",
        shape("<p:ph type='sldNum'/>", &line("", "3")),
        shape("<p:ph type='body' idx='1'/>", &line("", "Say hello"))
    );
    let diagram = "<dgm:dataModel><dgm:ptLst><dgm:pt \
                   type='doc'/><dgm:pt><dgm:t><a:p><a:r><a:t>Plan</a:t></a:r></a:p></dgm:t></dgm:\
                   pt><dgm:pt \
                   type='pres'><dgm:t><a:p><a:r><a:t>no</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:\
                   ptLst></dgm:dataModel>";
    let pointed = relations(&[
        ("l", "hyperlink", "https://example.com/"),
        ("i", "image", "../media/cat.png"),
        ("n", "notesSlide", "../notesSlides/n.xml"),
        ("c", "chart", "../charts/c.xml"),
        ("d", "diagramData", "../diagrams/d.xml"),
    ]);
    let file = pptx(
        &[&slide],
        &[
            ("ppt/slides/_rels/slide1.xml.rels", &pointed),
            ("ppt/notesSlides/n.xml", &notes),
            ("ppt/diagrams/d.xml", diagram),
        ],
    );
    check(
        &file,
        "## Slide 1\n\n| wide | |\n| --- | --- |\n| 1 | 2 |\n\n[**here**](https://example.com/)\n\n![A cat](cat.png)\n\n\
         - Plan\n\n### Notes\n\nSay hello\n\n[Left out: 1 chart is not shown.]",
    );
}

#[test]
fn hidden_slides_and_shapes_are_left_out_and_said() {
    let visible = shape("", &line("", "a"))
        + "<p:sp><p:nvSpPr><p:cNvPr id='1' name='x' \
           hidden='1'/></p:nvSpPr><p:txBody><a:p><a:r><a:t>secret</a:t></a:r></a:p></p:txBody></p:\
           sp>"
        + "<p:grpSp><p:nvGrpSpPr><p:cNvPr id='3' hidden='1'/></p:nvGrpSpPr>"
        + &shape("", &line("", "secret"))
        + "</p:grpSp>"
        + "<p:grpSp><p:nvGrpSpPr><p:cNvPr id='4'/></p:nvGrpSpPr>"
        + &shape("", &line("", "b"))
        + "</p:grpSp>";
    let hidden = format!(
        "<p:sld show='0'><p:cSld>{}</p:cSld></p:sld>",
        shape("", &line("", "secret"))
    );
    check(
        &pptx(&[&hidden, &visible], &[]),
        "## Slide 2\n\na\n\nb\n\n[Left out: 1 hidden slide is not shown.]",
    );
}

#[test]
fn a_formula_is_told_in_one_line() {
    let formula = "<a:p><a:r><a:t>so </a:t></a:r><mc:AlternateContent><mc:Choice \
                   Requires='a14'><a14:m><m:oMathPara><m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:\
                   r><m:r><m:t>+b</m:t></m:r></m:num><m:den><m:r><a:rPr/><m:t>2</m:t></m:r></m:\
                   den></m:f></m:oMath></m:oMathPara></a14:m></mc:Choice><mc:Fallback><a:r><a:\
                   t>picture</a:t></a:r></mc:Fallback></mc:AlternateContent></a:p>";
    check(
        &pptx(&[&shape("", formula)], &[]),
        "## Slide 1\n\nso (a+b)/2",
    );
}

#[test]
fn tiny_text_is_not_seen_and_white_text_is() {
    let run =
        |look: &str| format!("<a:p><a:r><a:t>a </a:t></a:r><a:r>{look}<a:t>b</a:t></a:r></a:p>");
    let white = "<a:rPr><a:solidFill><a:srgbClr val='FFFFFF'/></a:solidFill></a:rPr>";
    for (look, wanted) in [
        ("<a:rPr sz='100'/>", "## Slide 1\n\na"),
        ("<a:rPr sz='200'/>", "## Slide 1\n\na b"),
        (white, "## Slide 1\n\na b"),
    ] {
        check(&pptx(&[&shape("", &run(look))], &[]), wanted);
    }
}

#[test]
fn shapes_come_from_top_to_bottom_and_from_left_to_right() {
    let placed = |x: u32, y: u32, text: &str| {
        let place = format!(
            "<p:spPr><a:xfrm><a:off x='{x}' y='{y}'/><a:ext cx='1000000' \
             cy='400000'/></a:xfrm></p:spPr>"
        );
        shape("", &line("", text)).replace("<p:txBody>", &(place + "<p:txBody>"))
    };
    let group = |x: u32, y: u32, inner: &str| {
        format!(
            "<p:grpSp><p:nvGrpSpPr><p:cNvPr id='9'/></p:nvGrpSpPr><p:grpSpPr><a:xfrm><a:off \
             x='{x}' y='{y}'/><a:ext cx='9' cy='9'/><a:chOff x='0' y='0'/><a:chExt cx='9' \
             cy='9'/></a:xfrm></p:grpSpPr>{inner}</p:grpSp>"
        )
    };
    let slide = placed(0, 5_000_000, "last")
        + &placed(3_000_000, 1_000_000, "right")
        + &placed(0, 1_100_000, "left")
        + &group(0, 3_000_000, &(placed(5, 0, "in") + &placed(0, 9, "group")))
        + &shape("<p:ph type='body' idx='1'/>", &line("", "by layout"))
        + &shape("<p:ph type='title'/>", &line("", "One"));
    let layout = "<p:sldLayout><p:sp><p:nvPr><p:ph type='body' \
                  idx='1'/></p:nvPr><p:spPr><a:xfrm><a:off x='0' y='4000000'/><a:ext cx='9' \
                  cy='9'/></a:xfrm></p:spPr></p:sp></p:sldLayout>";
    let file = pptx(
        &[&slide],
        &[
            (
                "ppt/slides/_rels/slide1.xml.rels",
                &relations(&[("a", "slideLayout", "../slideLayouts/l.xml")]),
            ),
            ("ppt/slideLayouts/l.xml", layout),
        ],
    );
    check(
        &file,
        "## One\n\nleft\n\nright\n\nin\n\ngroup\n\nby layout\n\nlast",
    );
}

#[test]
fn comments_follow_their_slide_with_their_authors() {
    let slide = shape("", &line("", "a"));
    let old = "<p:cmLst><p:cm authorId='0' idx='1'><p:pos x='1' y='2'/><p:text>Too \
               long.</p:text></p:cm></p:cmLst>";
    let new = "<p188:cmLst><p188:cm authorId='{B}'><p188:replyLst><p188:reply \
               authorId='{C}'><p188:txBody><a:p><a:r><a:t>No.</a:t></a:r></a:p></p188:txBody></\
               p188:reply></p188:replyLst><p188:txBody><a:p><a:r><a:t>Cut \
               it?</a:t></a:r></a:p><a:p><a:r><a:t>Please.</a:t></a:r></a:p></p188:txBody></p188:\
               cm></p188:cmLst>";
    let file = pptx(
        &[&slide],
        &[
            (
                "ppt/slides/_rels/slide1.xml.rels",
                &relations(&[
                    ("a", "comments", "../comments/1.xml"),
                    ("b", "comments", "../comments/2.xml"),
                ]),
            ),
            ("ppt/comments/1.xml", old),
            ("ppt/comments/2.xml", new),
            (
                "ppt/old.xml",
                "<p:cmAuthorLst><p:cmAuthor id='0' name='Ann'/></p:cmAuthorLst>",
            ),
            (
                "ppt/new.xml",
                "<p188:authorLst><p188:author id='{B}' name='Bob'/><p188:author id='{C}' \
                 name='Cy'/></p188:authorLst>",
            ),
        ],
    );
    let authors = relations(&[
        ("rId0", "slide", "slides/slide1.xml"),
        ("x", "commentAuthors", "old.xml"),
        ("y", "authors", "new.xml"),
    ]);
    let file = super::sample_files::replaced(&file, "ppt/_rels/presentation.xml.rels", &authors);
    check(
        &file,
        "## Slide 1\n\na\n\n- Comment by Ann: Too long.\n- Comment by Bob: Cut it?  \n  \
         Please.\n- Comment by Cy: No.",
    );
}

#[test]
fn letters_and_roman_numerals_of_a_list_stay() {
    let item = |kind: &str, text: &str| {
        line(
            &format!("<a:pPr><a:buAutoNum type='{kind}'/></a:pPr>"),
            text,
        )
    };
    let slide = shape(
        "",
        &(item("alphaLcParenR", "x") + &item("alphaLcParenR", "y")),
    ) + &shape("", &item("romanUcPeriod", "z"));
    check(
        &pptx(&[&slide], &[]),
        "## Slide 1\n\n- a. x\n- b. y\n\n* I. z",
    );
}
