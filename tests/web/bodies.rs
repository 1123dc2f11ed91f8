//! Bodies in every coding, from whole ones to bombs.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use super::searching::get;
use crate::common::messages::TextRow;
use crate::server::{Server, reply};
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use flate2::{Compress, Compression, FlushCompress};
use iki_web::client::{FetchError as Error, HttpResponse, MAX_BODY};

fn served(coding: &str, body: impl AsRef<[u8]>) -> Result<HttpResponse, Error> {
    let server = Server::bytes(reply(
        &format!("200 OK\r\nContent-Encoding: {coding}"),
        body,
    ));
    get(&server.url("/"))
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zlib(text: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn raw_deflate(text: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn br(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = brotli::CompressorWriter::new(&mut out, 4096, 5, 22);
    encoder.write_all(text).unwrap();
    drop(encoder);
    out
}

fn text() -> Vec<u8> {
    (0..20_000)
        .flat_map(|n| format!("line {n}\n").into_bytes())
        .collect()
}

#[test]
fn every_coding_that_was_asked_for_is_undone() {
    let text = text();
    for (coding, body) in [
        ("gzip", gzip(&text)),
        ("x-gzip", gzip(&text)),
        ("GZIP", gzip(&text)),
        ("deflate", zlib(&text)),
        ("deflate", raw_deflate(&text)),
        ("br", br(&text)),
        ("identity", text.clone()),
        ("identity, gzip", gzip(&text)),
        ("gzip, br", br(&gzip(&text))),
        ("gzip", [gzip(&text[..1000]), gzip(&text[1000..])].concat()),
        ("gzip", [gzip(&text), vec![0; 64]].concat()),
    ] {
        let got = served(coding, body).unwrap();
        assert!(got.body == text && !got.is_truncated, "{coding}");
    }
}

#[test]
fn an_empty_body_is_empty_whatever_its_coding() {
    for coding in ["gzip", "deflate", "br", "identity"] {
        assert_eq!(served(coding, "").unwrap().body, b"", "{coding}");
    }
}

#[test]
fn a_body_cut_off_inside_its_coding_is_an_error() {
    let text = text();
    for (coding, body) in [
        ("gzip", gzip(&text)),
        ("deflate", zlib(&text)),
        ("deflate", raw_deflate(&text)),
        ("br", br(&text)),
    ] {
        for keep in [1, 2, 9, body.len() / 2, body.len() - 9, body.len() - 1] {
            let result = served(coding, &body[..keep]);
            assert!(
                matches!(result, Err(Error::Network(_))),
                "{coding} {keep}: {result:?}"
            );
        }
    }
}

#[test]
fn what_is_not_in_its_coding_or_in_an_unknown_one_is_an_error() {
    for coding in ["gzip", "deflate", "br", "zstd", "gzip, gzip, gzip, gzip"] {
        let result = served(coding, "<html>this is no archive</html>");
        assert!(
            matches!(result, Err(Error::Network(_))),
            "{coding}: {result:?}"
        );
    }
}

#[test]
fn a_brotli_window_of_a_gibibyte_is_refused() {
    let params = brotli::enc::BrotliEncoderParams {
        large_window: true,
        lgwin: 30,
        ..Default::default()
    };
    let mut body = Vec::new();
    brotli::BrotliCompress(&mut &text()[..], &mut body, &params).unwrap();
    assert_eq!(body[0], 0x11);
    let result = served("br", body);
    assert!(matches!(result, Err(Error::Network(_))), "{result:?}");
}

/// A deflate stream's middle that stands for a mebibyte of zeros and may be repeated at will.
fn mebibyte_of_zeros() -> Vec<u8> {
    let mut out = Vec::with_capacity(1 << 16);
    let mut encoder = Compress::new(Compression::best(), false);
    encoder
        .compress_vec(&vec![0; 1 << 20], &mut out, FlushCompress::Full)
        .unwrap();
    out
}

/// The same in Brotli: its beginning, and the part that may be repeated.
fn mebibyte_of_zeros_br() -> (Vec<u8>, Vec<u8>) {
    let mut encoder = brotli::CompressorWriter::new(Vec::new(), 4096, 5, 22);
    let mut sizes = Vec::new();
    for _ in 0..3 {
        encoder.write_all(&vec![0; 1 << 20]).unwrap();
        encoder.flush().unwrap();
        sizes.push(encoder.get_ref().len());
    }
    let out = encoder.get_ref();
    (out[..sizes[1]].to_vec(), out[sizes[1]..sizes[2]].to_vec())
}

fn stream(conn: &mut dyn Write, coding: &str, head: &[u8], part: &[u8]) -> io::Result<()> {
    write!(
        conn,
        "HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\n\r\n"
    )?;
    conn.write_all(head)?;
    for _ in 0..4096 {
        conn.write_all(part)?;
    }
    Ok(())
}

#[test]
fn bombs_of_four_gibibytes_end_at_ten_mebibytes() {
    let deflated = mebibyte_of_zeros();
    let (br_head, br_part) = mebibyte_of_zeros_br();
    let gzip_head = b"\x1f\x8b\x08\0\0\0\0\0\0\x03".to_vec();
    for (coding, head, part) in [
        ("gzip", gzip_head, deflated.clone()),
        ("deflate", b"\x78\xda".to_vec(), deflated.clone()),
        ("deflate", Vec::new(), deflated),
        ("br", br_head, br_part),
    ] {
        let server = Server::start(move |_, conn| stream(conn, coding, &head, &part));
        let start = Instant::now();
        let got = get(&server.url("/")).unwrap();
        assert_eq!(
            (got.body.len(), got.is_truncated),
            (MAX_BODY, true),
            "{coding}"
        );
        assert!(got.body.iter().all(|b| *b == 0));
        assert!(start.elapsed() < Duration::from_secs(15), "{coding}");
    }
}

#[test]
fn a_bomb_inside_a_bomb_is_bounded_as_well() {
    let inner: Vec<u8> = [
        &b"\x1f\x8b\x08\0\0\0\0\0\0\x03"[..],
        &mebibyte_of_zeros().repeat(64),
    ]
    .concat();
    let got = served("gzip, gzip", gzip(&inner)).unwrap();
    assert_eq!((got.body.len(), got.is_truncated), (MAX_BODY, true));
}

#[test]
fn an_archive_without_end_that_holds_nothing_is_given_up() {
    let empty = gzip(b"");
    let server = Server::start(move |_, conn| {
        conn.write_all(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n")?;
        let many = empty.repeat(1000);
        loop {
            conn.write_all(&many)?;
        }
    });
    match get(&server.url("/")) {
        Err(Error::Network(error)) => {
            error
                .text
                .assert_row("web_fetch", "an archive without an end");
        }
        other => panic!("{other:?}"),
    }
}
