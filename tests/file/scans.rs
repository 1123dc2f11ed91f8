//! Scanned pages of PDF files, as OCR reads them, and what is said where none does.

use std::fs;
use std::net::TcpListener;
use std::path::Path;

use crate::common::messages::TextRow;
use crate::common::{self, Answer, Call, directory, eventually, tool};
use crate::mcp::session::Session;
use crate::scanned::{self, FIRST, Image, Page, SECOND, SIZE};
use serde_json::{Value, json};

/// A call for a file of these pages, as a person makes it.
fn call(here: &Path, pages: &[Page]) -> Call {
    let file = here.join("scan.pdf");
    fs::write(&file, scanned::pdf(pages)).unwrap();
    tool("file-read").arg(file).without_env("IKIGAI_OCR")
}

/// The lines that are shown, without blank ones.
#[track_caller]
fn lines(answer: &Answer) -> Vec<String> {
    let shown = String::from_utf8(answer.stdout.clone()).unwrap();
    assert_eq!(answer.code(), 0, "{}", answer.stderr);
    let lines = shown.lines().filter(|line| !line.is_empty());
    lines.map(str::to_owned).collect()
}

fn read(pages: &[Page]) -> Vec<String> {
    let here = directory();
    lines(&call(here.path(), pages).env("LANG", "C").run())
}

/// The last line of an answer that OCR gave.
const BY_OCR: &str = "[By OCR (tesseract, eng), which makes mistakes: ";

#[test]
fn the_image_of_a_page_is_read_in_each_of_its_formats() {
    if let Some(why) = scanned::no_ocr() {
        return common::skip(why);
    }
    let grey = "/ColorSpace /DeviceGray /BitsPerComponent";
    let bits = scanned::bits("first");
    let inverted: Vec<u8> = bits.iter().map(|byte| !byte).collect();
    let pixels = scanned::pixels("first");
    let times = |pixel: &dyn Fn(u8) -> Vec<u8>| pixels.iter().flat_map(|one| pixel(*one)).collect();
    let size = format!("/Columns {} /Rows {}", SIZE.0, SIZE.1);
    let fax = |more: &str, entries: &str| {
        let filter = "/Filter [/CCITTFaxDecode] /DecodeParms";
        let entries = format!("{entries} {filter} [<< /K -1 {size} {more} >>]");
        Image::new(&entries, scanned::data("first.g4"))
    };
    let hex = |name: &str| {
        let data = scanned::data(name);
        data.iter()
            .flat_map(|byte| format!("{byte:02x}").into_bytes())
            .collect::<Vec<u8>>()
    };
    let pictures = |images: Vec<Image>, program: &str| {
        let here = directory();
        let pages: Vec<Page> = images.into_iter().map(Page::Image).collect();
        let call = call(here.path(), &pages).env("LANG", "C");
        let program = match program {
            "tesseract" => program.to_owned(),
            script => scanned::program(here.path(), script),
        };
        let mut lines = lines(&call.env("IKIGAI_OCR", program).run());
        let last = lines.pop().unwrap();
        assert!(
            last.contains(&format!("pages 1 to {}.]", pages.len())),
            "{last}"
        );
        assert_eq!(lines.len(), pages.len());
        lines
    };
    let lines = pictures(
        vec![
            Image::of_bits("first"),
            Image::new(
                "/ColorSpace [/Indexed /DeviceRGB 1 <ffffff102030>] /BitsPerComponent 1",
                inverted.clone(),
            ),
            fax(
                "/BlackIs1 true",
                "/ColorSpace /DeviceGray /BitsPerComponent 1",
            ),
            fax("", "/ImageMask true /Decode [1 0]"),
            Image::new(
                &format!("{grey} 8 /Filter [/AHx /DCTDecode]"),
                hex("first.jpg"),
            ),
            Image::new("/Filter /JPXDecode", scanned::data("first.jp2")),
        ],
        "tesseract",
    );
    assert!(lines.iter().all(|line| line == FIRST), "{lines:?}");
    // The others come to the same pixels as the first.
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, &pixels).unwrap();
    let images = vec![
        Image::of_bits("first"),
        Image::new(&format!("{grey} 1 /Decode [1 0]"), inverted.clone()),
        Image::new("/ImageMask true /BitsPerComponent 1", bits.clone()),
        Image::new("/ImageMask true /Decode [1 0]", inverted),
        Image::new(&format!("{grey} 8 /Filter /Fl"), packed.finish().unwrap()),
        Image::new(&format!("{grey} 16"), times(&|one| vec![one, one])),
        Image::new(
            "/ColorSpace /DeviceRGB /BitsPerComponent 8",
            times(&|one| vec![one, one, one]),
        ),
        Image::new(
            "/ColorSpace /DeviceCMYK /BitsPerComponent 8",
            times(&|one| vec![0, 0, 0, 255 - one]),
        ),
    ];
    let mut lines = pictures(images, "cksum");
    lines.dedup();
    assert_eq!(lines.len(), 1, "{lines:?}");
}

#[test]
fn a_page_is_read_as_it_is_shown_however_its_image_lies() {
    if let Some(why) = scanned::no_ocr() {
        return common::skip(why);
    }
    let fax = format!(
        "/ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /CCITTFaxDecode \
         /DecodeParms << /K -1 /Columns {} /Rows {} /BlackIs1 true >>",
        SIZE.0, SIZE.1
    );
    let turn = |(at, x, y): (usize, usize, usize)| {
        let right = SIZE.0 - 1 - x;
        let below = SIZE.1 - 1 - y;
        match at {
            0 => (x, below),
            1 => (right, below),
            _ => (right, y),
        }
    };
    let first = scanned::pixels("first");
    let mut pages = Vec::new();
    // Images that lie otherwise, and matrices that put them right.
    for (at, matrix) in [
        [1.0, 0.0, 0.0, -1.0],
        [-1.0, 0.0, 0.0, -1.0],
        [-1.0, 0.0, 0.0, 1.0],
    ]
    .into_iter()
    .enumerate()
    {
        let place = |pixel: usize| {
            let (x, y) = turn((at, pixel % SIZE.0, pixel / SIZE.0));
            first[y * SIZE.0 + x]
        };
        let pixels = (0..first.len()).map(place).collect();
        pages.push(Page::Image(Image {
            matrix,
            ..Image::new("/ColorSpace /DeviceGray /BitsPerComponent 8", pixels)
        }));
    }
    // Pages that are turned, and images that are turned back on them.
    for (rotate, matrix) in [
        (90, [0.0, 1.0, -1.0, 0.0]),
        (180, [-1.0, 0.0, 0.0, -1.0]),
        (270, [0.0, -1.0, 1.0, 0.0]),
    ] {
        for image in [
            Image::of_bits("first"),
            Image::new(&fax, scanned::data("first.g4")),
        ] {
            pages.push(Page::Image(Image {
                rotate,
                matrix,
                ..image
            }));
        }
    }
    let lines = read(&pages);
    assert_eq!(lines[..lines.len() - 1], vec![FIRST.to_owned(); 9]);
}

#[test]
fn a_scan_among_other_pages_stands_in_its_place() {
    if let Some(why) = scanned::no_ocr() {
        return common::skip(why);
    }
    let pages = [
        Page::Text("One page has words of its own."),
        Page::Image(Image::of_bits("second")),
        Page::Text("So has this one, which is the last."),
    ];
    let expected = [
        "One page has words of its own.",
        "[Page 2, a scan, by OCR:]",
        SECOND,
        "So has this one, which is the last.",
        &format!("{BY_OCR}page 2.]"),
    ];
    assert_eq!(read(&pages), expected);
}

#[test]
fn what_is_not_read_is_named_with_the_reason() {
    let here = directory();
    let image = || Page::Image(Image::of_bits("first"));
    // Of a document that is nothing but scans.
    let off = call(here.path(), &[image(), image()])
        .env("IKIGAI_OCR", "")
        .run();
    let place = [(here.path().to_str().unwrap(), "<here>")];
    off.stderr
        .assert_row_at("file_read", "a scan where no OCR is wanted", &place);
    let none = call(here.path(), &[image()])
        .env("PATH", "/nonexistent")
        .run();
    none.stderr
        .assert_row_at("file_read", "a scan where there is no OCR", &place);
    let other = call(here.path(), &[image()])
        .env("IKIGAI_OCR", "no-such-program")
        .run();
    other
        .stderr
        .assert_row_at("file_read", "a scan with an OCR that is not there", &place);
    // Of one page of several.
    let mixed = || [Page::Text("Words are on this page."), image()];
    let off = call(here.path(), &mixed()).env("IKIGAI_OCR", "").run();
    assert_eq!(
        lines(&off),
        [
            "Words are on this page.",
            "[Scans that were not read: page 2 (IKIGAI_OCR names no program that can be run).]"
        ]
    );
    let confined = call(here.path(), &mixed())
        .arg("--root")
        .arg(here.path())
        .run();
    if scanned::no_landlock().is_none() {
        lines(&confined)[1].assert_row("file_read", "a scan in a confined call");
    }
}

#[test]
fn an_image_that_cannot_be_read_is_named_and_none_is_made_that_is_too_large() {
    if let Some(why) = scanned::no_landlock() {
        return common::skip(why);
    }
    let here = directory();
    let grey = "/ColorSpace /DeviceGray /BitsPerComponent 8";
    let huge = |more: &str| {
        let entries = format!("/Width 40000 /Height 40000 {grey} {more}");
        Page::Image(Image {
            entries,
            ..Image::of_bits("first")
        })
    };
    let file = |filter: &str, data: &[u8]| {
        Page::Image(Image::new(
            &format!("{grey} /Filter {filter}"),
            data.to_vec(),
        ))
    };
    let pages = [
        Page::Text("Words are on this page."),
        file("/JBIG2Decode", b"\0"),
        huge(""),
        huge("/Filter /DCTDecode"),
        file("/DCTDecode", b"/etc/passwd\n"),
        file("/JPXDecode", b""),
        Page::Image(Image::new(grey, Vec::new())),
        Page::Image(Image::of_bits("first")),
    ];
    let program = scanned::program(here.path(), "cat >/dev/null; echo read");
    let answer = call(here.path(), &pages).env("IKIGAI_OCR", program).run();
    let last = lines(&answer).pop().unwrap();
    assert_eq!(
        last,
        "[By OCR (reader, eng), which makes mistakes: page 8. Scans that were not read: page 2 (the \
         image is in a format that is not read, such as JBIG2); pages 3, 4 (the image is too large); \
         pages 5 to 7 (the image is damaged).]"
    );
}

#[test]
fn at_most_20_pages_are_read_and_the_others_named() {
    if let Some(why) = scanned::no_landlock() {
        return common::skip(why);
    }
    let here = directory();
    let pages: Vec<Page> = (0..23)
        .map(|_| Page::Image(Image::of_bits("second")))
        .collect();
    let program = scanned::program(here.path(), "cat >/dev/null; echo read");
    let answer = call(here.path(), &pages).env("IKIGAI_OCR", program).run();
    let mut lines = lines(&answer);
    let last = lines.pop().unwrap();
    assert_eq!(lines, vec!["read"; 20]);
    assert!(
        last.ends_with(
            "pages 1 to 20. Scans that were not read: pages 21 to 23 (at most 20 are read).]"
        ),
        "{last}"
    );
}

#[test]
fn what_the_program_says_is_text_and_what_it_fails_at_is_named() {
    if let Some(why) = scanned::no_landlock() {
        return common::skip(why);
    }
    let here = directory();
    let image = || Page::Image(Image::of_bits("first"));
    for (script, shown) in [
        (
            "printf '# a\\n\\n1. *b* <c>\\n'",
            vec!["\\# a", "1\\. \\*b* \\<c>"],
        ),
        (
            "printf 'One address\\nof a street\\n'",
            vec!["One address  ", "of a street"],
        ),
        ("exit 3", vec![]),
        ("head -c 2000000 /dev/zero", vec![]),
        ("echo half; kill -9 $$", vec![]),
        ("kill -9 $PPID || echo refused", vec!["refused"]),
    ] {
        let program = scanned::program(here.path(), script);
        let pages = [Page::Text("Words are on this page."), image()];
        let answer = call(here.path(), &pages).env("IKIGAI_OCR", program).run();
        let lines = lines(&answer);
        let (last, lines) = lines.split_last().unwrap();
        if shown.is_empty() {
            assert_eq!(lines.len(), 1, "{script}: {lines:?}");
            assert_eq!(
                last, "[Scans that were not read: page 2 (OCR failed).]",
                "{script}"
            );
        } else {
            assert_eq!(lines[2..], shown, "{script}");
        }
    }
    let program = scanned::program(here.path(), "true");
    let answer = call(here.path(), &[image()])
        .env("IKIGAI_OCR", program)
        .run();
    let place = [(here.path().to_str().unwrap(), "<here>")];
    answer
        .stderr
        .assert_row_at("file_read", "a scan in which OCR finds no text", &place);
}

#[test]
fn the_program_is_confined_and_sees_no_key() {
    if let Some(why) = scanned::no_landlock() {
        return common::skip(why);
    }
    let here = common::public_directory();
    let other = common::public_directory();
    fs::write(other.path().join("secret"), "a secret").unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let script = format!(
        "cat {0}/secret && echo read; touch {0}/written && echo written; touch {1}/written && echo written\n\
         echo over >&0 && echo stdin; env | sort | grep -v ^LC_ | cut -d= -f1 | tr '\\n' ' '\n\
         bash -c 'exec 3<>/dev/tcp/127.0.0.1/{2}' && echo network; ulimit -d",
        other.path().display(),
        here.path().display(),
        listener.local_addr().unwrap().port()
    );
    let program = scanned::program(here.path(), &script);
    let pages = [Page::Image(Image::of_bits("first"))];
    let answer = call(here.path(), &pages)
        .env("IKIGAI_OCR", program)
        .env("LANG", "C")
        .env("BRAVE_API_KEY", "4711")
        .env("LD_PRELOAD", "")
        .without_env("LD_LIBRARY_PATH")
        .without_env("TESSDATA_PREFIX")
        .run();
    let lines = lines(&answer);
    assert_eq!(
        lines[0], "LANG OMP_THREAD_LIMIT PATH PWD 1048576",
        "{lines:?}"
    );
    assert!(!here.path().join("written").exists() && !other.path().join("written").exists());
}

#[test]
fn the_time_of_a_call_holds_whatever_the_program_does() {
    if let Some(why) = scanned::no_landlock() {
        return common::skip(why);
    }
    let here = directory();
    let mark = common::alone(4711);
    let script = format!("trap '' TERM; sleep {mark}");
    let program = scanned::program(here.path(), &script);
    let pages: Vec<Page> = (0..6)
        .map(|_| Page::Image(Image::of_bits("second")))
        .collect();
    fs::write(here.path().join("scan.pdf"), scanned::pdf(&pages)).unwrap();
    let ocr = [("IKIGAI_OCR".to_owned(), program)];
    let mut session = Session::unprepared_with(here.path(), &["--timeout", "5"], &ocr);
    session.shake_hands_as("someone", "2025-11-25");
    let (answer, _) = session.text_of("file_read", &json!({"file_path": "scan.pdf"}));
    let unread = "not read: pages 1 to 6 (there was no time).";
    assert!(answer.contains(unread), "{answer}");
    assert!(eventually(|| common::processes_with(&mark).is_empty()));
}

#[test]
fn a_call_that_is_killed_leaves_no_program() {
    if let Some(why) = scanned::no_landlock() {
        return common::skip(why);
    }
    let here = directory();
    let mark = common::alone(4712);
    let program = scanned::program(here.path(), &format!("exec sleep {mark}"));
    let pages: Vec<Page> = (0..6)
        .map(|_| Page::Image(Image::of_bits("second")))
        .collect();
    for signal in ["KILL", "TERM"] {
        let mut child = call(here.path(), &pages)
            .env("IKIGAI_OCR", &program)
            .start();
        let at_once = std::thread::available_parallelism()
            .map_or(1, usize::from)
            .min(4);
        assert!(eventually(|| common::processes_with(&mark).len() == at_once));
        let kill = format!("kill -{signal} {}", child.id());
        let done = std::process::Command::new("sh")
            .args(["-c", &kill])
            .status();
        assert!(done.unwrap().success());
        child.wait().unwrap();
        assert!(
            eventually(|| common::processes_with(&mark).is_empty()),
            "{signal}"
        );
    }
}

#[test]
fn a_program_sees_in_fields_what_is_missing() {
    let here = directory();
    let pages = [
        Page::Text("Words are on this page."),
        Page::Image(Image::of_bits("first")),
    ];
    let answer = call(here.path(), &pages)
        .arg("--json")
        .env("IKIGAI_OCR", "")
        .run();
    let note: Value = answer.json()["note"].clone();
    let note = note.as_str().unwrap();
    note.assert_row("file_read", "a scan beside a page of text");
}
