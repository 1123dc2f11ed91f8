//! Checks the Markdown of mail.

use std::fmt::Write as _;
use std::time::Duration;

use super::{check, converted};
use crate::FileKind;
use iki_base::cpu_clock::CpuInstant;

const HEAD: &str = "Message-ID: <1@example.com>\r\nFrom: =?utf-8?Q?Ann_=C3=84?= <ann@example.com>\r\nSubject: A\r\n\ttitle\r\n";

#[test]
fn a_message_has_its_people_its_text_and_the_names_of_its_attachments() {
    let file = format!(
        "{HEAD}To: bob@example.com\r\nDate: Mon, 1 Jan 2024\r\nContent-Type: multipart/mixed; boundary=\"a b\"\r\n\r\nnot shown\r\n\
         --a b\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nCaf=E9=\r\n!\r\nnext\r\n\r\nend\r\n\
         --a b\r\nContent-Disposition: attachment; filename*0*=utf-8''a%20; filename*1=b.pdf\r\n\r\nsecret\r\n\
         --a b\r\nContent-Type: message/rfc822\r\n\r\nSubject: Within\r\nContent-Transfer-Encoding: base64\r\nContent-Type: text/html\r\n\r\nPHA+PGI+eDwv\r\nYj48L3A+\r\n--a b--\r\nbehind"
    );
    check(
        file.as_bytes(),
        "# A title\n\n**From:** Ann Ä \\<ann@example.com>  \n**To:** bob@example.com  \n**Date:** Mon, 1 Jan 2024\n\nCafé!  \nnext\n\nend\n\n\
         **Attachments:** a b.pdf\n\n## Within\n\n**x**",
    );
    assert_eq!(FileKind::of(file.as_bytes()), Some(FileKind::Eml));
    assert_eq!(converted(file.as_bytes()).unwrap().title, "A title");
}

#[test]
fn of_a_mailbox_the_first_message_is_read_and_the_others_are_counted() {
    let one =
        format!("From ann@example.com Mon Jan  1 10:00:00 2024\n{HEAD}\nFrom there to here.\n");
    let shown = "# A title\n\n**From:** Ann Ä \\<ann@example.com>\n\nFrom there to here.";
    assert_eq!(FileKind::of(one.as_bytes()), Some(FileKind::Eml));
    check(one.as_bytes(), shown);
    let three = [&*one, &*one, &*one].join("\n");
    let notice = "\n\n[Left out: 2 more messages of this mailbox.]";
    check(three.as_bytes(), &format!("{shown}{notice}"));
    assert_eq!(FileKind::of(b"From here on\nthere is text.\n"), None);
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
        let shown = markdown
            .split_once("\n\n")
            .and_then(|(_, rest)| rest.split_once("\n\n"));
        assert_eq!(shown.unwrap().1, wanted, "{says}");
    }
}

#[test]
fn parts_within_parts_end_somewhere() {
    let mut nested = String::from(HEAD);
    for at in 0..10_000 {
        let _ = write!(
            nested,
            "Content-Type: multipart/mixed; boundary=b{at}\n\n--b{at}\n"
        );
    }
    let nested = nested + "Content-Type: text/plain\n\ndeep";
    let document = converted(nested.as_bytes()).unwrap();
    let shown = "# A title\n\n**From:** Ann Ä \\<ann@example.com>\n\n[Cut off: ";
    assert!(
        document.markdown.starts_with(shown),
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
    let begin = CpuInstant::now();
    let document = converted(format!("{head}{}", "a= b".repeat(500_000)).as_bytes()).unwrap();
    assert!(document.markdown.contains("a= ba= b"));
    let taken = begin.elapsed();
    assert!(taken < Duration::from_secs(5), "{taken:?}");
}
