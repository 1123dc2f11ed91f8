//! Checks the Markdown of RTF files.

use super::{check, converted};
use crate::{DocumentError, FileKind};
use iki_base::cpu_clock::CpuInstant;

fn rtf(body: &str) -> Vec<u8> {
    let head = r"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}{\f1\fcharset204 Times;}{\f2\fcharset128 Mincho;}}
{\colortbl;\red255\green255\blue255;\red0\green0\blue0;}
{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}{\s2 Kop 2;}{\*\cs1 Default;}}
{\info{\title A title}{\author Ann}{\creatim\yr2024\mo1\dy31\hr7}{\operator Bob}}
{\header\pard of each page\par}";
    format!("{head}{body}}}").into_bytes()
}

#[test]
fn text_has_its_headings_looks_and_characters() {
    let file = rtf(
        r"\pard\plain\s1 One\par\pard\s2 Two\par\pard\plain a {\b bold} {\i it} {\strike gone}{\v hidden}{\deleted del}\par
caf\'e9 \uc1\u8364?\u-10179?\u-8704? {\f1\'ef\'f0}{\f2\'83e\'83X} \emdash\{\}\\\~x{\cf1 white}{\*\unknown not}\line next\par
{\field{\*\fldinst {HYPERLINK }https://example.com/}{\fldrslt {link}}} {\*\shppict{\pict{\*\picprop{\sp{\sn wzDescription}{\sv A cat}}}\bin4 }}}x}}.\par",
    );
    check(
        &file,
        "# One\n\n## Two\n\na **bold** *it* ~~gone~~\n\ncafé €😀 прテス —{}\\\u{a0}x  \nnext\n\n[link](https://example.com/) ![A cat]().",
    );
    let document = converted(&file).unwrap();
    assert_eq!(
        (&*document.title, document.author.as_deref()),
        ("A title", Some("Ann"))
    );
    assert_eq!(document.date.as_deref(), Some("2024-01-31"));
    assert_eq!(FileKind::detect(&file), Some(FileKind::Rtf));
}

#[test]
fn lists_tables_notes_and_comments_are_read() {
    check(
        &rtf(
            r"\pard{\listtext 1.\tab}\ls1 one\par{\listtext 2.\tab}\ls1 two\par{\listtext\'b7\tab}\ls1\ilvl1 deeper\par\pard
{\pntext iv)\tab}\ls2 four\par\pard between{\super\chftn{\footnote\pard\plain{\super\chftn} A note.}}{\*\atnauthor Ann}\chatn{\*\annotation Sure?}\par
\trowd\cellx1000\cellx2000\cellx3000\pard\intbl a\cell b\par c\cell d{\footnote Of a table.}\cell\row
\trowd\cellx1000\cellx3000\intbl e\cell wide\cell\row\pard{\shp{\*\shpinst{\sp{\sn x}{\sv y}}{\shptxt\pard boxed\par}}}after\par",
        ),
        "1. one\n2. two\n   - deeper\n\n- iv) four\n\nbetween[^1][^2]\n\n| a | b<br>c | d[^3] \
         |\n| --- | --- | --- |\n| e | wide | |\n\nafter\n\nboxed\n\n[^1]: A note.\n\n[^2]: \
         Comment by Ann: Sure?\n\n[^3]: Of a table.",
    );
}

#[test]
fn headers_are_read_where_there_is_no_other_text() {
    let markdown = |text: &str| {
        let file = format!(r"{{\rtf1{{\header Letterhead\par}}{{\footer Page}}{text}}}");
        converted(file.as_bytes()).unwrap().markdown
    };
    assert_eq!(markdown(""), "Letterhead\n\nPage");
    assert_eq!(markdown("Text"), "Text");
}

#[test]
fn what_is_made_to_do_harm_costs_little() {
    let bytes = |text: String| text.into_bytes();
    let whole = [
        (
            rtf(&format!("x{}y{}", "{".repeat(100_000), "}".repeat(100_000))),
            "xy",
        ),
        (rtf(&format!("x{}", r"\bin2147483647 y")), "x"),
        (
            rtf(&format!("x{}", r"{\footnote y".repeat(10_000))),
            "x[^1]",
        ),
        (rtf(&format!("x{}", r"{\shptxt y".repeat(10_000))), "x"),
        (
            bytes(format!("{{\\rtf1 x{}", r"\u-10179?".repeat(100_000))),
            "x",
        ),
        (
            bytes(format!(
                "{{\\rtf1 x{}",
                r"\trowd\cellx1\cell\row".repeat(20_000)
            )),
            "x",
        ),
    ];
    for (file, wanted) in whole {
        let start = CpuInstant::now();
        let document = converted(&file).unwrap();
        assert!(
            document.markdown.starts_with(wanted),
            "{}",
            document.markdown
        );
        assert!(start.elapsed().as_secs() < 20);
    }
    assert_eq!(converted(br"{\rtf1 "), Err(DocumentError::Damaged));
    assert_eq!(FileKind::detect(br"\rtf1 x"), None);
}

#[test]
fn code_pages_of_dos_are_decoded() {
    for head in [
        r"\pc",
        r"\pca",
        r"\ansi\ansicpg850",
        r"\ansi{\fonttbl{\f0\cpg437 A;}}\f0",
    ] {
        check(format!(r"{{\rtf1{head} gr\'81\'e1e}}").as_bytes(), "grüße");
    }
}
