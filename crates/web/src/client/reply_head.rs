//! The head of an answer, cleaned up for the HTTP library, which would reject a whole page for one
//! odd line.
//!
//! Anything that a browser ignores is ignored: interim answers, lines that are not headers, values
//! with control characters, blanks around names. A folded line belongs to the one before it (RFC
//! 9112, section 5.2). The headers that frame the body stay as the server sent them, unless their
//! value is not a number.

/// Maximum number of headers given to the library, which rejects more than 128. Essential headers
/// are kept in any case.
const MAX_HEADERS: usize = 120;

/// Headers that change the meaning of an answer.
const ESSENTIAL: [&[u8]; 5] = [
    b"content-length",
    b"content-type",
    b"content-encoding",
    b"transfer-encoding",
    b"location",
];

/// Result of parsing the first bytes of an answer.
#[derive(Debug, PartialEq, Eq)]
pub enum ResponseHead {
    /// The head is incomplete.
    Partial,
    /// Not HTTP/1; the library reports it.
    NotHttp1,
    /// A complete head.
    Whole {
        /// Length of the head in the input, in bytes, including the heads of interim answers.
        length: usize,
        /// The cleaned head.
        bytes: Vec<u8>,
        /// Reason phrase of the status line.
        reason: String,
    },
}

/// Parses the head that `input` begins with.
pub fn read(input: &[u8]) -> ResponseHead {
    let mut offset = 0;
    loop {
        let remainder = &input[offset..];
        let blank = remainder
            .iter()
            .take_while(|byte| matches!(byte, b'\r' | b'\n'));
        let start = offset + blank.count();
        let remainder = &input[start..];
        if remainder.len() < 5 && b"HTTP/".starts_with(remainder) {
            return ResponseHead::Partial;
        }
        if !remainder.starts_with(b"HTTP/") {
            return ResponseHead::NotHttp1;
        }
        let Some(length) = length_of(remainder) else {
            return ResponseHead::Partial;
        };
        let mut lines = HeadLines(&remainder[..length]);
        let Some(status) = lines.next().and_then(StatusLine::read) else {
            return ResponseHead::NotHttp1;
        };
        offset = start + length;
        // Interim answers are skipped, except 101, which is the last one (RFC 9110, section 15.2).
        if status.code[0] == b'1' && status.code != b"101" {
            continue;
        }
        return ResponseHead::Whole {
            length: offset,
            bytes: rewrite_head(&status, lines),
            reason: String::from_utf8_lossy(status.reason).into_owned(),
        };
    }
}

/// Returns the length of a head, including its final empty line.
fn length_of(head: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'\n', head).find_map(|offset| match &head[offset + 1..] {
        [b'\n', ..] => Some(offset + 2),
        [b'\r', b'\n', ..] => Some(offset + 3),
        _ => None,
    })
}

/// Iterator over lines, without their ends.
struct HeadLines<'a>(&'a [u8]);

impl<'a> Iterator for HeadLines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let end = memchr::memchr(b'\n', self.0)?;
        let line = &self.0[..end];
        self.0 = &self.0[end + 1..];
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }
}

/// A parsed status line.
struct StatusLine<'a> {
    version: &'a [u8],
    code: &'a [u8],
    reason: &'a [u8],
}

impl<'a> StatusLine<'a> {
    fn read(line: &'a [u8]) -> Option<Self> {
        let (version, remainder) = line.split_at_checked(8)?;
        let known = version == b"HTTP/1.1" || version == b"HTTP/1.0";
        let remainder = remainder.strip_prefix(b" ")?.trim_ascii_start();
        let (code, remainder) = remainder.split_at_checked(3)?;
        let number = code.iter().all(u8::is_ascii_digit) && code[0] != b'0';
        let ended = remainder.first().is_none_or(u8::is_ascii_whitespace);
        (known && number && ended).then_some(Self {
            version,
            code,
            reason: remainder.trim_ascii(),
        })
    }
}

/// Writes the head again, from its readable lines.
fn rewrite_head(status: &StatusLine<'_>, lines: HeadLines<'_>) -> Vec<u8> {
    let mut headers: Vec<(&[u8], Vec<u8>)> = Vec::new();
    // True while a folded line would have a header to continue.
    let mut open = false;
    for line in lines {
        if line.starts_with(b" ") || line.starts_with(b"\t") {
            if let Some((_, value)) = headers.last_mut().filter(|_| open) {
                value.push(b' ');
                value.extend_from_slice(line.trim_ascii());
            }
            continue;
        }
        open = false;
        let Some(colon) = line.iter().position(|byte| *byte == b':') else {
            continue;
        };
        let name = line[..colon].trim_ascii_end();
        if !name.is_empty() && name.iter().all(|byte| is_token(*byte)) {
            headers.push((name, line[colon + 1..].trim_ascii().to_owned()));
            open = true;
        }
    }
    let mut out = [status.version, b" ", status.code, b"\r\n"].concat();
    let mut count = 0;
    for (name, value) in headers {
        let essential = ESSENTIAL.iter().any(|one| name.eq_ignore_ascii_case(one));
        if !is_value(name, &value) || (count >= MAX_HEADERS && !essential) {
            continue;
        }
        count += 1;
        out.extend_from_slice(&[name, b": ", &value, b"\r\n"].concat());
    }
    out.extend_from_slice(b"\r\n");
    out
}

/// True for a character of a token (RFC 9110, section 5.6.2).
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// True if a header of that name may have this value: no control characters (RFC 9110, section
/// 5.5); a length is a number, or a list of numbers, as proxies that merge headers produce.
fn is_value(name: &[u8], value: &[u8]) -> bool {
    let control = |byte: &u8| (*byte < 0x20 && *byte != b'\t') || *byte == 0x7f;
    let digits = |part: &[u8]| {
        let part = part.trim_ascii();
        !part.is_empty() && part.iter().all(u8::is_ascii_digit)
    };
    if name.eq_ignore_ascii_case(b"content-length")
        && !value.split(|byte| *byte == b',').all(digits)
    {
        return false;
    }
    !value.iter().any(control)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn whatever_comes_the_head_that_is_made_of_it_is_plain(
            lines in prop::collection::vec("(?s:.){0,20}|X: y|Content-Length: 5|\\PC{0,12}: \\PC{0,12}| fold", 0..12)
                .prop_map(|lines| lines.join("\r\n")),
        ) {
            let head = format!("HTTP/1.1 200 OK\r\n{lines}\r\n\r\nbody");
            let ResponseHead::Whole { length, bytes, .. } = read(head.as_bytes()) else {
                return Err(TestCaseError::fail("a head that ends is whole"));
            };
            prop_assert!(length <= head.len() && bytes.len() <= length + 2 * lines.len());
            let remainder = bytes.strip_prefix(b"HTTP/1.1 200\r\n").unwrap();
            let mut lines: Vec<&[u8]> = HeadLines(remainder).collect();
            prop_assert_eq!(lines.pop(), Some(&b""[..]));
            for line in lines {
                let colon = line.iter().position(|byte| *byte == b':').unwrap();
                prop_assert!(colon > 0 && line[..colon].iter().all(|byte| is_token(*byte)));
                let is_control = |byte: &u8| byte.is_ascii_control() && *byte != b'\t';
                prop_assert!(!line.iter().any(is_control));
            }
        }
    }

    fn made(head: &[u8]) -> String {
        match read(head) {
            ResponseHead::Whole { length, bytes, .. } => {
                assert_eq!(length, head.len());
                String::from_utf8(bytes).unwrap()
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_plain_head_stays_as_it_is() {
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nSet-Cookie: a=b; c\r\nX: \r\n\r\n";
        assert_eq!(made(head.as_bytes()), head.replace(" OK", ""));
        let bare = head.replace("\r\n", "\n");
        assert_eq!(made(bare.as_bytes()), head.replace(" OK", ""));
    }

    #[test]
    fn odd_lines_go_and_folded_ones_are_joined() {
        let head = b"HTTP/1.0  200   Fine \r\n folded before any\r\nno colon\r\nA B: name with a blank\r\n: none\r\n\
            Content-Type : text/html;\r\n\tcharset=\"utf-8\"\r\n  ; x\r\nB\xc3: y\r\n folded to nothing\r\n\
            X: nul \0 inside\r\nY: bell\r\n \x07\r\nContent-Length: many\r\n\"Z\": q\r\nLast: \xe9 tab\there\r\n\r\n";
        let ResponseHead::Whole { bytes, reason, .. } = read(head) else {
            panic!()
        };
        assert_eq!(reason, "Fine");
        let expected = b"HTTP/1.0 200\r\nContent-Type: text/html; charset=\"utf-8\" ; x\r\nLast: \xe9 tab\there\r\n\r\n";
        assert_eq!(
            String::from_utf8_lossy(&bytes),
            String::from_utf8_lossy(expected)
        );
    }

    #[test]
    fn a_length_with_a_control_character_in_it_is_none() {
        let head =
            "HTTP/1.1 200\r\nContent-Length: 1, \r1\r\nContent-Length: 1,\x0c1\r\nX: y\r\n\r\n";
        assert_eq!(made(head.as_bytes()), "HTTP/1.1 200\r\nX: y\r\n\r\n");
    }

    #[test]
    fn interim_answers_are_passed_over() {
        let head = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103\r\nLink: <x>\r\n\r\n\r\nHTTP/1.1 404 Gone Fishing\r\n\r\nbody";
        let ResponseHead::Whole {
            length,
            bytes,
            reason,
        } = read(head)
        else {
            panic!()
        };
        assert_eq!(&head[length..], b"body");
        assert_eq!(
            (bytes.as_slice(), reason.as_str()),
            (&b"HTTP/1.1 404\r\n\r\n"[..], "Gone Fishing")
        );
        for end in 0..length {
            assert_eq!(read(&head[..end]), ResponseHead::Partial, "{end}");
        }
        let switch = b"HTTP/1.1 101 Switching Protocols\r\n\r\n";
        assert_eq!(made(switch), "HTTP/1.1 101\r\n\r\n");
    }

    #[test]
    fn what_is_no_http_is_foreign() {
        for bytes in [
            &b"SSH-2.0"[..],
            b"\x15\x03\x01\0\x02\x02",
            b"HTTP/1.1 OK\r\n\r\n",
            b"HTTP/1.1 2000 x\r\n\r\n",
            b"HTTP/1.1 099 x\r\n\r\n",
            b"HTTP/9 200 x\r\n\r\n",
            b"<html>\n\n",
        ] {
            assert_eq!(read(bytes), ResponseHead::NotHttp1);
        }
        assert_eq!(read(b""), ResponseHead::Partial);
    }

    #[test]
    fn of_many_headers_those_that_matter_come_through() {
        let many = "X-Filler: y\r\n".repeat(500);
        let head = format!("HTTP/1.1 301 x\r\n{many}location: /a\r\nContent-Length: 5, 5\r\n\r\n");
        let made = made(head.as_bytes());
        assert_eq!(made.matches("X-Filler").count(), MAX_HEADERS);
        assert!(made.ends_with("location: /a\r\nContent-Length: 5, 5\r\n\r\n"));
    }
}
