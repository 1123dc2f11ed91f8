use super::*;

fn text(bytes: &[u8], content_type: &str) -> String {
    read(bytes, Some(content_type), "", false).unwrap().text
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
fn wide_characters_are_told_without_a_mark_and_in_four_bytes() {
    let wide = |text: &str| {
        text.encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect::<Vec<u8>>()
    };
    let page = "<!DOCTYPE html><p>gr\u{fc}n";
    for content_type in [Some("text/html"), Some("text/html; charset=utf-8"), None] {
        let body = read(&wide(page), content_type, "", false).unwrap();
        assert_eq!((body.kind, &*body.text), (BodyKind::Html, page));
    }
    assert_eq!(
        text(&wide("a;b\r\n1;\u{fc}\r\n"), "text/csv"),
        "a;b\r\n1;\u{fc}\r\n"
    );
    let four = |text: &str| {
        text.chars()
            .flat_map(|c| u32::from(c).to_le_bytes())
            .collect()
    };
    let body: Vec<u8> = four("\u{feff}gr\u{fc}n");
    assert_eq!(text(&body, "text/plain"), "gr\u{fc}n");
}

#[test]
fn character_sets_that_browsers_have_given_up_are_decoded() {
    for (label, bytes, wanted) in [
        ("cp850", &b"Gr\x81\xe1e"[..], "Gr\u{fc}\u{df}e"),
        ("iso-2022-kr", b"\x1b$)C\x0e\x3e\x48\x0f", "\u{c548}"),
    ] {
        let content_type = format!("text/plain; charset={label}");
        assert_eq!(text(bytes, &content_type), wanted);
    }
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
fn a_declaration_without_its_pragma_is_none_nor_is_a_late_one_in_utf_8() {
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
        read(b"ab\xe4\xb8", Some("text/plain"), "", true)
            .unwrap()
            .text,
        "ab"
    );
    assert_eq!(
        read(b"ab\xe4\xb8", Some("text/plain; charset=utf-8"), "", false)
            .unwrap()
            .text,
        "ab\u{fffd}"
    );
    assert_eq!(
        read(b"a\xffb", Some("text/plain; charset=utf-8"), "", true)
            .unwrap()
            .text,
        "a\u{fffd}b"
    );
}

#[test]
fn half_a_character_at_the_end_of_the_whole_is_none_of_utf_8() {
    assert_eq!(text(b"caf\xe9", "text/plain"), "caf\u{e9}");
    // Of what is UTF-8 otherwise, it is a break.
    let cut = [&"\u{fc}".repeat(9).into_bytes()[..], b"\xc3"].concat();
    assert!(text(&cut, "text/plain").ends_with("\u{fc}\u{fffd}"));
}

#[test]
fn types_sort_into_pages_texts_and_the_rest() {
    for html in [
        "text/html",
        "TEXT/HTML;charset=utf-8",
        "application/xhtml+xml",
    ] {
        assert_eq!(
            read(b"x", Some(html), "", false).unwrap().kind,
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
            read(b"x", Some(text), "", false).unwrap().kind,
            BodyKind::Text,
            "{text}"
        );
    }
    for other in ["image/png", "font/woff2", "video/mp4"] {
        assert_eq!(
            read(b"x", Some(other), "", false),
            Err(UnsupportedBody(other.to_owned()))
        );
    }
    for other in ["application/pdf", "application/x-bibtex"] {
        assert_eq!(text(b"x", other), "x");
        assert_eq!(
            read(b"x\0", Some(other), "", false),
            Err(UnsupportedBody(other.to_owned()))
        );
    }
    // Text in UTF-16 has bytes of binary files.
    assert_eq!(text(b"h\0i\0", "application/csv; charset=utf-16le"), "hi");
}

#[test]
fn without_a_type_the_bytes_tell() {
    let kind = |bytes: &[u8]| read(bytes, None, "", false).map(|text| text.kind);
    assert_eq!(kind(b"\n <!DOCTYPE html>\n<p>x"), Ok(BodyKind::Html));
    assert_eq!(kind(b"<!-- x --><html>"), Ok(BodyKind::Html));
    assert_eq!(kind(b"\xef\xbb\xbf<BODY class=x>"), Ok(BodyKind::Html));
    assert_eq!(kind(b"<abbr>"), Ok(BodyKind::Text));
    assert_eq!(kind(b"just words"), Ok(BodyKind::Text));
    assert_eq!(kind(b""), Ok(BodyKind::Text));
    assert!(kind(b"\x89PNG\r\n\x1a\n\x00").is_err());
    let late = [&b"words ".repeat(1000)[..], b"\x01"].concat();
    assert!(kind(&late).is_err());
    assert_eq!(kind(&[b"<html>", &*late].concat()), Ok(BodyKind::Html));
    assert_eq!(
        read(b"<p>", Some("html"), "", false).unwrap().kind,
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

/// Sentences in languages whose pages were long written in other character sets than UTF-8.
const SENTENCES: &[(&str, &str)] = &[
    (
        "windows-1251",
        "Съешь же ещё этих мягких французских булок, да выпей чаю. В чащах юга жил бы цитрус? Да, \
         но фальшивый экземпляр! Расписание поездов изменилось с первого сентября.",
    ),
    (
        "koi8-r",
        "Архив переписки хранится на этом сервере с тысяча девятьсот девяносто пятого года, и \
         читать его может каждый. Правила конференции опубликованы на главной странице.",
    ),
    (
        "shift_jis",
        "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。\
         何でも薄暗いじめじめした所でニャーニャー泣いていた事だけは記憶している。",
    ),
    (
        "euc-jp",
        "このページは日本語で書かれています。更新履歴とお知らせは、左のメニューからご覧ください。\
         メールでのお問い合わせもお待ちしております。",
    ),
    (
        "gbk",
        "这个网站介绍中国的历史和文化。请在左边的菜单里选择您感兴趣的内容，\
         如有问题欢迎与我们联系。版权所有，未经许可不得转载。",
    ),
    (
        "big5",
        "歡迎光臨本站，這裡收集了許多關於台灣旅遊的資料。請由左方的選單選擇您想要看的內容，\
         有任何問題請與站長聯絡。",
    ),
    (
        "euc-kr",
        "이 홈페이지는 한국의 역사와 문화를 소개하기 위하여 만들어졌습니다. 궁금한 점이 있으시면 \
         게시판에 글을 남겨 주시기 바랍니다.",
    ),
    (
        "windows-1253",
        "Καλώς ήρθατε στην ιστοσελίδα μας. Εδώ θα βρείτε πληροφορίες για την ιστορία και τον \
         πολιτισμό της Ελλάδας, καθώς και χρήσιμους συνδέσμους.",
    ),
    (
        "windows-1255",
        "ברוכים הבאים לאתר שלנו. כאן תוכלו למצוא מידע על ההיסטוריה והתרבות של ישראל, וכן קישורים \
         שימושיים לאתרים אחרים.",
    ),
    (
        "windows-1256",
        "مرحبا بكم في موقعنا. ستجدون هنا معلومات عن التاريخ والثقافة العربية، بالإضافة إلى روابط \
         مفيدة لمواقع أخرى.",
    ),
    (
        "iso-8859-2",
        "Zażółć gęślą jaźń. Witamy na naszej stronie, na której znajdą Państwo wiadomości o \
         historii i kulturze Śląska oraz użyteczne odnośniki do innych miejsc.",
    ),
    (
        "windows-1250",
        "Příliš žluťoučký kůň úpěl ďábelské ódy. Vítejte na našich stránkách, kde naleznete \
         informace o historii a kultuře našeho města „Žatec“.",
    ),
    (
        "windows-1254",
        "Sitemize hoş geldiniz. Burada Türkiye'nin tarihi ve kültürü hakkında bilgi \
         bulabilirsiniz; ayrıca başka sitelere yararlı bağlantılar da vardır. Görüşleriniz için \
         teşekkür ederiz.",
    ),
    (
        "windows-1252",
        "Größenänderungen übernimmt die Straßenbahn für Sie – „ohne Gewähr“. Les élèves français \
         sont arrivés à l’école où ça sentait la crème brûlée.",
    ),
    (
        "windows-874",
        "ยินดีต้อนรับสู่เว็บไซต์ของเรา ที่นี่ท่านจะพบข้อมูลเกี่ยวกับประวัติศาสตร์และวัฒนธรรมไทย",
    ),
];

/// `text` in the character set of that label, all of it.
fn encoded(label: &str, text: &str) -> Vec<u8> {
    let encoding = Encoding::for_label(label.as_bytes()).unwrap();
    let (bytes, _, lossy) = encoding.encode(text);
    assert!(!lossy, "{label} has no such characters");
    bytes.into_owned()
}

#[test]
fn undeclared_legacy_character_sets_are_told_by_their_bytes() {
    for (label, sentence) in SENTENCES {
        let plain = encoded(label, sentence);
        assert_eq!(text(&plain, "text/plain"), *sentence, "{label}");
        let page = [&b"<!doctype html><title>x</title><p>"[..], &plain, b"</p>"].concat();
        let read = text(&page, "text/html");
        assert!(read.contains(sentence), "{label}: {read}");
        let json = [&b"{\"t\":\""[..], &plain, b"\"}"].concat();
        assert!(
            text(&json, "application/json").contains(sentence),
            "{label}"
        );
    }
}

#[test]
fn a_long_page_is_told_by_what_comes_after_its_ascii() {
    let (label, sentence) = SENTENCES[0];
    let ascii = b"<script>var x = 1;</script>\n".repeat(80_000);
    let page = [&ascii[..], &encoded(label, sentence)].concat();
    assert!(page.len() > 2 * text_encoding::DETECTOR_BYTES);
    assert!(text(&page, "text/html").ends_with(sentence));
}

#[test]
fn a_word_or_two_are_read_as_the_host_s_country_writes() {
    let greek = encoded("windows-1253", "Αρχική");
    let read = read(&greek, Some("text/plain"), "www.example.gr", false).unwrap();
    assert_eq!(read.text, "Αρχική");
}

#[test]
fn text_of_utf_8_with_a_break_in_it_stays_utf_8() {
    for (_, sentence) in SENTENCES {
        let whole = sentence.as_bytes();
        let broken = [whole, b" \xff ", whole, b"\xc3"].concat();
        let read = text(&broken, "text/html");
        assert_eq!(read, format!("{sentence} \u{fffd} {sentence}\u{fffd}"));
    }
}

#[test]
fn a_declaration_far_down_counts_where_the_bytes_are_no_utf_8() {
    let (label, sentence) = SENTENCES[3];
    let far = b"<!-- <meta charset=big5> --><script>s = \"<meta charset=big5>\"; if (a <b && c < 'd')</script>";
    let page = [
        &b" ".repeat(1100)[..],
        &far.repeat(40),
        b"<title>I'm <meta charset=gbk></title><META http-equiv=content-type content='text/html; charset=EUC-JP'>",
        &encoded(label, sentence),
    ]
    .concat();
    assert!(text(&page, "text/html").ends_with(sentence));
    // Its bytes look like something else than its declaration says.
    let page = [
        &b" ".repeat(2000)[..],
        b"<meta charset=iso-8859-5>\xbc\xd8\xe0",
    ]
    .concat();
    assert!(text(&page, "text/html").ends_with("Мир"));
}

#[test]
fn octets_that_are_text_are_text_and_others_are_not() {
    let kind = |bytes: &[u8], content_type| read(bytes, Some(content_type), "", false);
    for content_type in ["application/octet-stream", "binary/octet-stream"] {
        let text = kind("#!/bin/sh\n# \u{fc}\n".as_bytes(), content_type).unwrap();
        assert_eq!(text.kind, BodyKind::Text);
        assert_eq!(text.text, "#!/bin/sh\n# \u{fc}\n");
        // A page is text as well, and comes as it is.
        assert_eq!(kind(b"<html>", content_type).unwrap().kind, BodyKind::Text);
        let late = [&b"text ".repeat(1000)[..], b"\0"].concat();
        for bytes in [&b"%PDF-1.4 and so on"[..], b"\0\x01", &late] {
            assert_eq!(
                kind(bytes, content_type),
                Err(UnsupportedBody(content_type.to_owned()))
            );
        }
    }
}

#[test]
fn a_file_of_another_kind_is_no_text_whatever_its_type_says() {
    for (bytes, expected) in [
        (&b"%PDF-1.7\n"[..], "application/pdf"),
        (b"PK\x03\x04", "application/zip"),
        (b"\x1f\x8b\x08\0", "application/gzip"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp"),
    ] {
        let unsupported = |content_type| read(bytes, content_type, "", false).unwrap_err().0;
        assert_eq!(
            unsupported(Some("text/plain")),
            format!("{expected} served as text/plain")
        );
    }
    let undeclared = read(b"PK\x03\x04\0\0", None, "", false).unwrap_err();
    assert_eq!(undeclared.0, "application/zip of no declared type");
}
