use super::*;

fn text(bytes: &[u8], content_type: &str) -> String {
    read(bytes, Some(content_type), false).unwrap().text
}

#[test]
fn a_byte_order_mark_wins_over_the_header() {
    assert_eq!(
        text(
            b"\xef\xbb\xbfgr\xc3\xbcn",
            "text/plain; charset=windows-1252"
        ),
        "gr\u{fc}n"
    );
    assert_eq!(
        text(b"\xff\xfeh\x00i\x00", "text/html; charset=utf-8"),
        "hi"
    );
    assert_eq!(text(b"\xfe\xff\x00h\x00i", "text/html"), "hi");
}

#[test]
fn the_header_wins_over_the_document() {
    let page = b"<meta charset=utf-8>\xfc";
    assert!(text(page, "text/html; Charset=\"ISO-8859-1\"").ends_with('\u{fc}'));
}

#[test]
fn the_document_declares_its_character_set_in_every_form() {
    for page in [
        &b"<meta charset=shift_jis>\x83\x65"[..],
        b"<META CHARSET = 'Shift_JIS' />\x83\x65",
        b"<html><head><!-- <meta charset=utf-8> --><meta charset=\"sjis\">\x83\x65",
        b"<meta http-equiv=Content-Type content=\"text/html; charset=Shift_JIS\">\x83\x65",
        b"<meta content='text/html;charset = \"x-sjis\"' http-equiv='content-type'>\x83\x65",
        b"<?xml version='1.0' encoding='Shift_JIS'?><html>\x83\x65",
        b"<title a='<meta charset=utf-8>'>x</title><!DOCTYPE html><meta charset=ms_kanji>\x83\x65",
    ] {
        let text = text(page, "text/html");
        assert!(text.ends_with('\u{30c6}'), "{text}");
    }
}

#[test]
fn a_declaration_without_its_pragma_or_after_a_kilobyte_is_none() {
    assert!(
        text(
            b"<meta content='text/html; charset=sjis'>\xc3\xbc",
            "text/html"
        )
        .ends_with('\u{fc}')
    );
    let late = [&[b' '; 1020][..], b"<meta charset=sjis>\xc3\xbc"].concat();
    assert!(text(&late, "text/html").ends_with('\u{fc}'));
}

#[test]
fn a_document_that_calls_itself_utf_16_in_ascii_is_utf_8() {
    assert!(text(b"<meta charset=utf-16>\xc3\xbc", "text/html").ends_with('\u{fc}'));
}

#[test]
fn the_multi_byte_sets_decode() {
    assert_eq!(
        text(b"\xd6\xd0\xce\xc4", "text/plain; charset=GB18030"),
        "\u{4e2d}\u{6587}"
    );
    assert_eq!(
        text(b"\x93\xfa\x96\x7b", "text/plain; charset=Shift_JIS"),
        "\u{65e5}\u{672c}"
    );
    assert_eq!(
        text(b"\x93x\x94", "text/plain; charset=windows-1252"),
        "\u{201c}x\u{201d}"
    );
    assert_eq!(text(b"h\x00i\x00", "text/plain; charset=UTF-16LE"), "hi");
}

#[test]
fn an_unknown_label_is_as_good_as_none() {
    assert_eq!(text(b"\xc3\xbc", "text/plain; charset=nonsense"), "\u{fc}");
}

#[test]
fn plain_text_is_not_searched_for_declarations() {
    assert!(text(b"<meta charset=sjis>\xc3\xbc", "text/plain").ends_with('\u{fc}'));
}

#[test]
fn half_a_character_at_the_cut_is_left_out_and_elsewhere_replaced() {
    assert_eq!(
        read(b"ab\xe4\xb8", Some("text/plain"), true).unwrap().text,
        "ab"
    );
    assert_eq!(
        read(b"ab\xe4\xb8", Some("text/plain"), false).unwrap().text,
        "ab\u{fffd}"
    );
    assert_eq!(
        read(b"a\xffb", Some("text/plain"), true).unwrap().text,
        "a\u{fffd}b"
    );
}

#[test]
fn types_sort_into_pages_texts_and_the_rest() {
    for html in [
        "text/html",
        "TEXT/HTML;charset=utf-8",
        "application/xhtml+xml",
    ] {
        assert_eq!(
            read(b"x", Some(html), false).unwrap().kind,
            BodyKind::Html,
            "{html}"
        );
    }
    for text in [
        "text/plain",
        "text/markdown",
        "application/json",
        "application/ld+json",
        "image/svg+xml",
        "application/xml",
        "application/x-yaml",
        "application/javascript",
        "text/x-anything",
    ] {
        assert_eq!(
            read(b"x", Some(text), false).unwrap().kind,
            BodyKind::Text,
            "{text}"
        );
    }
    for other in [
        "image/png",
        "application/pdf",
        "application/octet-stream",
        "video/mp4",
    ] {
        assert_eq!(
            read(b"x", Some(other), false),
            Err(Unsupported(other.to_owned()))
        );
    }
}

#[test]
fn without_a_type_the_bytes_tell() {
    let kind = |bytes: &[u8]| read(bytes, None, false).map(|text| text.kind);
    assert_eq!(kind(b"\n <!DOCTYPE html>\n<p>x"), Ok(BodyKind::Html));
    assert_eq!(kind(b"<!-- x --><html>"), Ok(BodyKind::Html));
    assert_eq!(kind(b"\xef\xbb\xbf<BODY class=x>"), Ok(BodyKind::Html));
    assert_eq!(kind(b"<abbr>"), Ok(BodyKind::Text));
    assert_eq!(kind(b"just words"), Ok(BodyKind::Text));
    assert_eq!(kind(b""), Ok(BodyKind::Text));
    assert!(kind(b"\x89PNG\r\n\x1a\n\x00").is_err());
    assert_eq!(
        read(b"<p>", Some("html"), false).unwrap().kind,
        BodyKind::Html
    );
}

#[test]
fn a_broken_declaration_ends_nowhere_else_than_in_utf_8() {
    for page in [
        &b"<meta charset="[..],
        b"<meta charset='",
        b"<meta",
        b"<!--",
        b"<?xml",
        b"<",
        b"</",
        b"<meta charset>",
        b"<meta content=charset http-equiv=content-type>",
        b"<meta ====>",
        b"<!-->",
        b"<a b='",
        b"<?xml encoding",
        b"<?xml encoding=>",
        b"<meta content='charset=\"x'>",
    ] {
        // A character set that was not meant would read these two bytes as other characters.
        let whole = [page, "\u{fc}".as_bytes()].concat();
        let wanted = String::from_utf8(whole.clone()).unwrap();
        assert_eq!(text(&whole, "text/html"), wanted);
    }
}
