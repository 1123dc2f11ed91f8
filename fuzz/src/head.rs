//! The head that is made of an answer's is one that a strict parser takes, of which nothing that
//! matters is lost; and it does not depend on how much of the answer has come.

use iki_web::client::reply_head::{ResponseHead, read};

/// Without these an answer is another one.
const ESSENTIAL: &[&str] = &[
    "content-length",
    "content-type",
    "content-encoding",
    "transfer-encoding",
    "location",
];

pub fn check(data: &[u8]) {
    raw(data);
    raw(&[b"HTTP/1.1 200 OK\r\n", data].concat());
    raw(&[b"HTTP/1.1 200 OK\r\n", data, b"\r\n\r\nbody"].concat());
}

fn raw(data: &[u8]) {
    let ResponseHead::Whole {
        length,
        bytes,
        reason,
    } = read(data)
    else {
        return;
    };
    assert!(length <= data.len());
    // A folded line takes a line end of two bytes at least, and is given one blank.
    assert!(bytes.len() <= 3 * length + 4);
    let again = read(&data[..length]);
    assert_eq!(
        again,
        ResponseHead::Whole {
            length,
            bytes: bytes.clone(),
            reason
        }
    );
    for end in [length - 1, length / 2, 5.min(length - 1)] {
        assert_eq!(read(&data[..end]), ResponseHead::Partial, "{end} of {length} bytes");
    }
    let mut headers = [httparse::EMPTY_HEADER; 1024];
    let mut made = httparse::Response::new(&mut headers);
    let parsed = made.parse(&bytes);
    if bytes.iter().filter(|byte| **byte == b'\n').count() > 1000 {
        return;
    }
    assert_eq!(
        parsed,
        Ok(httparse::Status::Complete(bytes.len())),
        "{:?}",
        bytes.escape_ascii().to_string()
    );
    let code = made.code.unwrap();
    assert!(code == 101 || code >= 200, "an interim answer");
    // What another parser reads of the answer itself is all there, with the same values.
    let mut headers = [httparse::EMPTY_HEADER; 1024];
    let mut theirs = httparse::Response::new(&mut headers);
    if !matches!(theirs.parse(data), Ok(httparse::Status::Complete(_))) || theirs.code != Some(code)
    {
        return;
    }
    for name in ESSENTIAL {
        let values = |all: &[httparse::Header<'_>]| -> Vec<Vec<u8>> {
            let named = all
                .iter()
                .filter(|header| header.name.eq_ignore_ascii_case(name));
            named
                .map(|header| header.value.trim_ascii().to_vec())
                .collect()
        };
        let mut wanted = values(theirs.headers);
        if *name == "content-length" {
            // One that is no number says nothing.
            let number = |part: &[u8]| {
                !part.trim_ascii().is_empty() && part.trim_ascii().iter().all(u8::is_ascii_digit)
            };
            wanted.retain(|value| value.split(|byte| *byte == b',').all(number));
        }
        assert_eq!(values(made.headers), wanted, "{name}");
    }
}
