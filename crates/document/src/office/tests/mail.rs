//! Checks the Markdown of mail.

use std::fmt::Write as _;
use std::time::Duration;

use super::{check, converted};
use crate::FileKind;
use iki_base::cpu_clock::CpuInstant;

const HEAD: &str = "Message-ID: <1@example.com>\r\nFrom: =?utf-8?Q?Ann_=C3=84?= \
                    <ann@example.com>\r\nSubject: A\r\n\ttitle\r\n";

#[test]
fn a_message_has_its_people_its_text_and_the_names_of_its_attachments() {
    let file = format!(
        "{HEAD}To: bob@example.com\r\nDate: Mon, 1 Jan 2024\r\nContent-Type: multipart/mixed; \
         boundary=\"a b\"\r\n\r\nnot shown\r\n--a b\r\nContent-Type: text/plain; \
         charset=iso-8859-1\r\nContent-Transfer-Encoding: \
         quoted-printable\r\n\r\nCaf=E9=\r\n!\r\nnext\r\n\r\nend\r\n--a b\r\nContent-Disposition: \
         attachment; filename*0*=utf-8''a%20; filename*1=b.pdf\r\n\r\nsecret\r\n--a \
         b\r\nContent-Type: message/rfc822\r\n\r\nSubject: Within\r\nContent-Transfer-Encoding: \
         base64\r\nContent-Type: text/html\r\n\r\nPHA+PGI+eDwv\r\nYj48L3A+\r\n--a b--\r\nbehind"
    );
    check(
        file.as_bytes(),
        "# A title\n\n**From:** Ann Ä \\<ann@example.com>  \n**To:** bob@example.com  \n**Date:** \
         Mon, 1 Jan 2024\n\nCafé!  \nnext\n\nend\n\n**Attachments:** a b.pdf\n\n## Within\n\n**x**",
    );
    assert_eq!(FileKind::detect(file.as_bytes()), Some(FileKind::Eml));
    assert_eq!(converted(file.as_bytes()).unwrap().title, "A title");
}

#[test]
fn the_links_of_a_saved_page_lead_where_it_was_saved() {
    let file = "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://example.org/a/\r\n\
        Subject: T\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; type=\"text/html\"; \
        boundary=\"B\"\r\n\r\n--B\r\nContent-Type: text/html\r\nContent-Location: \
        https://example.org/a/\r\n\r\n<p>A <a href=\"/x\">link</a>, <a href=b>another</a></p>\r\n\
        --B--\r\n";
    check(
        file.as_bytes(),
        "# T\n\nA [link](https://example.org/x), [another](https://example.org/a/b)",
    );
}

#[test]
fn a_mailbox_is_read_message_by_message() {
    let one =
        format!("From ann@example.com Mon Jan  1 10:00:00 2024\n{HEAD}\nFrom there to here.\n");
    let expected = "# A title\n\n**From:** Ann Ä \\<ann@example.com>\n\nFrom there to here.";
    assert_eq!(FileKind::detect(one.as_bytes()), Some(FileKind::Eml));
    check(one.as_bytes(), expected);
    let three = [&*one, &*one, &*one].join("\n");
    check(three.as_bytes(), &[expected; 3].join("\n\n"));
    assert_eq!(FileKind::detect(b"From here on\nthere is text.\n"), None);
    let plain = "From hr Mon Jan  1 10:00:00 2024\nFrom: hr\nDate: Mon, 1 Jan 2024\n\nHello.\n";
    assert_eq!(FileKind::detect(plain.as_bytes()), Some(FileKind::Eml));
    let start = CpuInstant::now();
    let many = converted(vec![plain; 20_000].join("\n").as_bytes()).unwrap();
    assert!(many.markdown.matches("Hello.").count() > 1000);
    let taken = start.elapsed();
    assert!(taken < Duration::from_secs(20), "{taken:?}");
}

#[test]
fn a_report_says_why_a_message_was_not_delivered() {
    let file = format!(
        "{HEAD}Content-Type: multipart/report; report-type=delivery-status; \
         boundary=b\n\n--b\n\nCould not deliver.\n--b\nContent-Type: message/delivery-status; \
         name=\"details.txt\"\n\nReporting-MTA: dns; mx\n\nAction: failed\nDiagnostic-Code: smtp; \
         550 No such user\n--b--\n"
    );
    let markdown = converted(file.as_bytes()).unwrap().markdown;
    for reason in ["Could not deliver.", "Action: failed", "550 No such user"] {
        assert!(markdown.contains(reason), "{markdown}");
    }
    assert!(!markdown.contains("Attachments"), "{markdown}");
}

#[test]
fn forwarded_messages_are_read_however_they_are_attached() {
    let inner = "From: bob@example.com\nMessage-ID: <2@b>\nSubject: Within\n\nInner text.\n";
    for (outer, part) in [
        (
            "mixed",
            "Content-Type: message/rfc822\nContent-Disposition: attachment; filename=a.eml\n",
        ),
        (
            "mixed",
            "Content-Type: application/octet-stream; name=\"A.EML\"\n",
        ),
        ("digest", ""),
    ] {
        let file = format!(
            "{HEAD}Content-Type: multipart/{outer}; boundary=b\n\n--b\n{part}\n{inner}\n--b--\n"
        );
        let markdown = converted(file.as_bytes()).unwrap().markdown;
        let wanted = "## Within\n\n**From:** bob@example.com\n\nInner text.";
        assert!(markdown.ends_with(wanted), "{outer} {part}: {markdown}");
    }
}

#[test]
fn text_that_is_to_be_shown_is_shown_though_it_has_a_name_or_no_type() {
    for says in [
        "text/plain\nContent-Disposition: inline; filename=a.txt",
        "text; charset=us-ascii",
    ] {
        let file = format!("{HEAD}Content-Type: {says}\n\nWords.");
        let markdown = converted(file.as_bytes()).unwrap().markdown;
        assert!(markdown.ends_with("\n\nWords."), "{markdown}");
    }
}

#[test]
fn files_of_uuencode_are_attachments_and_other_old_encodings_are_text() {
    let file = format!("{HEAD}\nSee:\n\nbegin 644 cat.txt\n#0V%T\n`\nend\n\nBye.\n");
    let markdown = converted(file.as_bytes()).unwrap().markdown;
    assert!(
        markdown.ends_with("See:\n\nBye.\n\n**Attachments:** cat.txt"),
        "{markdown}"
    );
    for (says, text, wanted) in [
        (
            "text/plain\nContent-Transfer-Encoding: x-uuencode",
            "begin 644 a\n#0V%T\n`\nend\n",
            "Cat",
        ),
        ("text/plain; charset=UTF-7", "Fr+APY-sche", "Fr\u{f6}sche"),
    ] {
        let file = format!("{HEAD}Content-Type: {says}\n\n{text}");
        let markdown = converted(file.as_bytes()).unwrap().markdown;
        assert!(markdown.ends_with(&format!("\n\n{wanted}")), "{markdown}");
    }
}

#[test]
fn a_line_of_blanks_alone_does_not_end_the_headers() {
    let file = format!("{HEAD}References: <a@b>\n\t\nDate: now\n\nText.\n");
    let markdown = converted(file.as_bytes()).unwrap().markdown;
    assert!(markdown.ends_with("**Date:** now\n\nText."), "{markdown}");
}

#[test]
fn a_page_that_a_browser_has_saved_has_no_author() {
    let file = "From: <Saved by Blink>\nSubject: A page\nMIME-Version: 1.0\nContent-Type: \
                multipart/related; type=\"text/html\"; boundary=b\n\n--b\nContent-Type: \
                text/html\n\n<p>Words.</p>\n--b--\n";
    check(file.as_bytes(), "# A page\n\nWords.");
}

#[test]
fn what_is_said_to_be_mail_needs_less_to_be_one() {
    for (text, wanted) in [
        ("From: a@b\nSubject: x\n\nText", true),
        (
            "Subject: x\nContent-Transfer-Encoding: base64\n\nQQ==",
            true,
        ),
        ("Just text.\nSubject: x\n", false),
        ("key: value\n\nother: value\n", false),
        ("<html><p>From: x", false),
        ("", false),
    ] {
        let kind = FileKind::of_mail(text.as_bytes());
        assert_eq!(kind.is_some(), wanted, "{text}");
        assert_eq!(FileKind::detect(text.as_bytes()), None, "{text}");
    }
}

#[test]
fn a_text_is_read_as_it_is_whatever_it_says_to_be() {
    for (says, text, wanted) in [
        ("text/plain; charset=us-ascii", "Caf\u{e9}", "Caf\u{e9}"),
        (
            "text/plain\r\nContent-Transfer-Encoding: base64",
            "It is plain, really.\r\nAll of it.",
            "It is plain, really.  \nAll of it.",
        ),
        (
            "text/plain; format=flowed; delsp=yes",
            "\u{65e5} \r\n\u{672c}\r\n> a \r\n> b\r\n-- \r\nAnn",
            "\u{65e5}\u{672c}  \n> ab  \n--  \nAnn",
        ),
        (
            "text/plain; format=Flowed",
            "one \r\nline \r\n>quoted\r\n From here",
            "one line  \n> quoted  \nFrom here",
        ),
    ] {
        let document = converted(format!("{HEAD}Content-Type: {says}\r\n\r\n{text}").as_bytes());
        let markdown = document.unwrap().markdown.replace('\\', "");
        let body = markdown
            .split_once("\n\n")
            .and_then(|(_, behind)| behind.split_once("\n\n"));
        assert_eq!(body.unwrap().1, wanted, "{says}");
    }
}

#[track_caller]
fn check_body(head: &str, body: &[u8], wanted: &str) {
    let file = [format!("{HEAD}{head}\n\n").as_bytes(), body].concat();
    let markdown = converted(&file).unwrap().markdown;
    let body = markdown.split_once("example.com>\n\n").unwrap().1;
    assert_eq!(body, wanted, "{head}");
}

#[test]
fn of_two_forms_the_page_is_shown_where_the_text_is_a_stub() {
    let long = "Your total for this month is 1,234 EUR and is due on 1 January 2026.";
    let html = format!("<style>p {{ color: red }}</style><h1>Invoice 77</h1><p>{long}");
    let related = format!(
        "Content-Type: multipart/related; boundary=rr\n\n--rr\nContent-Type: \
         text/html\n\n{html}\n--rr--\n"
    );
    let page = format!("Content-Type: text/html\n\n{html}\n");
    let expected = format!("# Invoice 77\n\n{long}");
    for (plain, page, wanted) in [
        (
            "View online: https://e.org/a/long/address/of/it",
            &page,
            &*expected,
        ),
        ("[image: logo]", &related, &*expected),
        (
            "The total of invoice 77 is 1,234 EUR.",
            &page,
            "The total of invoice 77 is 1,234 EUR.",
        ),
    ] {
        let body = format!("--bb\n\n{plain}\n--bb\n{page}--bb--\n");
        let head = "Content-Type: multipart/alternative; boundary=bb";
        check_body(head, body.as_bytes(), wanted);
    }
    let body = format!("--b\n{page}--b\n\nA list's footer.\n--b--\n");
    let head = "Content-Type: multipart/mixed; boundary=b";
    check_body(
        head,
        body.as_bytes(),
        &format!("A list's footer.\n\n{expected}"),
    );
}

#[test]
fn a_body_has_the_character_set_that_it_declares_wherever_it_does() {
    for (head, body, wanted) in [
        (
            "Content-Type: text/html",
            &b"<meta charset=windows-1251><p>\xcf\xf0\xe8"[..],
            "\u{41f}\u{440}\u{438}",
        ),
        (
            "Content-Type: text/html; charset=us-ascii",
            b"<meta http-equiv=content-type content='text/html; charset=koi8-r'><p>\xf0",
            "\u{41f}",
        ),
        (
            "Content-Type: text/html",
            "<meta charset=koi8-r><p>ü".as_bytes(),
            "ü",
        ),
        (
            "Content-Type: text/plain; charset=cp850",
            b"Gr\x81\xe1e",
            "Grüße",
        ),
        (
            "Content-Type: text/plain; charset=IBM437",
            b"Gr\x81\xe1e",
            "Grüße",
        ),
        (
            "Content-Type: text/plain; charset=ISO-2022-KR",
            b"\x1b$)C\x0e\x3e\x48\x0f ok",
            "\u{c548} ok",
        ),
        (
            "Content-Type: text/plain; charset=HZ-GB-2312",
            b"~{VPND~} ok",
            "中文 ok",
        ),
        ("Content-Type: text/plain; charset=iso-2022-cn", b"ok", "ok"),
    ] {
        check_body(head, body, wanted);
    }
}

#[test]
fn what_stands_after_base64_is_text_and_padded_pieces_are_joined() {
    let head = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64";
    for (body, wanted) in [
        (
            "w5xiZXI=\n\n_____\nList https://e.org/\n",
            "Über\n\n_____  \nList https://e.org/",
        ),
        ("Zmlyc3Qg\n\nFooter: text\n", "first\n\nFooter: text"),
        (
            "Zmlyc3QgcGFydC4=\nc2Vjb25kIHBhcnQu\n",
            "first part.second part.",
        ),
        (
            "Zmlyc3QgcGFydC4=\n\nc2Vjb25kIHBhcnQu\n",
            "first part.second part.",
        ),
        ("Zmlyc3Qg\n\nc2Vjb25k\n", "first second"),
    ] {
        let file = format!("{HEAD}{head}\n\n{body}");
        let markdown = converted(file.as_bytes())
            .unwrap()
            .markdown
            .replace('\\', "");
        assert_eq!(
            markdown.split_once("example.com>\n\n").unwrap().1,
            wanted,
            "{body}"
        );
    }
}

#[test]
fn many_padded_pieces_take_no_longer_than_one() {
    let head = format!("{HEAD}Content-Transfer-Encoding: base64\n\n");
    let start = CpuInstant::now();
    let document = converted(format!("{head}{}", "YQ==\n\n".repeat(200_000)).as_bytes());
    assert!(document.unwrap().markdown.contains("aaaa"));
    let taken = start.elapsed();
    assert!(taken < Duration::from_secs(5), "{taken:?}");
}

#[test]
fn parts_are_shown_though_their_boundary_is_missing() {
    let parts = b"--o\nContent-Type: text/plain\n\nHello there\n--o--\n";
    for head in ["multipart/mixed", "multipart/mixed; boundary=zz"] {
        check_body(&format!("Content-Type: {head}"), parts, "Hello there");
    }
    check_body("Content-Type: multipart/mixed", b"Just text.", "Just text.");
    let partial = "Content-Type: message/partial; id=x; number=2; total=2";
    check_body(
        partial,
        b"the rest of it",
        "[Part 2 of 2 of a message sent in parts.]\n\nthe rest of it",
    );
}

#[test]
fn parts_within_parts_end_somewhere() {
    let mut nested = String::from(HEAD);
    for index in 0..10_000 {
        let _ = write!(
            nested,
            "Content-Type: multipart/mixed; boundary=b{index}\n\n--b{index}\n"
        );
    }
    let nested = nested + "Content-Type: text/plain\n\ndeep";
    let document = converted(nested.as_bytes()).unwrap();
    let expected = "# A title\n\n**From:** Ann Ä \\<ann@example.com>\n\n[Cut off: ";
    assert!(
        document.markdown.starts_with(expected),
        "{}",
        document.markdown
    );
    let within = "Content-Type: message/rfc822\n\nSubject: x\n".repeat(10_000);
    assert!(converted(format!("{HEAD}{within}").as_bytes()).is_ok());
    let many = "--b\nContent-Type: text/plain\n\nx\n".repeat(10_000);
    let file = format!("{HEAD}Content-Type: multipart/mixed; boundary=b\n\n{many}");
    assert!(converted(file.as_bytes()).unwrap().markdown.len() < 10_000);
}

#[test]
fn a_body_of_one_line_takes_no_longer_than_others() {
    let head = format!("{HEAD}Content-Transfer-Encoding: quoted-printable\r\n\r\n");
    let start = CpuInstant::now();
    let document = converted(format!("{head}{}", "a= b".repeat(500_000)).as_bytes()).unwrap();
    assert!(document.markdown.contains("a= ba= b"));
    let taken = start.elapsed();
    assert!(taken < Duration::from_secs(5), "{taken:?}");
}
