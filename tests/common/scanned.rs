//! PDF files of scanned pages, and programs that take tesseract's place. The images in
//! `tests/data/scans` are two sheets of some words in Liberation Serif, of 760 by 240 pixels.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::common;

/// The words of the first sheet, whose second line ends in a hyphen, and of the second.
pub const FIRST: &str = "The harbour office received the payment for the boat, and returned the \
     papers on Monday.";
pub const SECOND: &str = "A second sheet lists the names of all sailors on board.";

/// The size of a sheet, in pixels, and in points at 150 to the inch.
pub const SIZE: (usize, usize) = (760, 240);
const POINTS: (f32, f32) = (364.8, 115.2);

/// Why no page can be read here, if so.
pub fn no_ocr() -> Option<&'static str> {
    no_program("tesseract", "no tesseract is here").or_else(no_landlock)
}

/// The reason that is given, where no such program is on the PATH.
pub fn no_program(name: &str, reason: &'static str) -> Option<&'static str> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = std::env::split_paths(&path).any(|place| place.join(name).is_file());
    (!is_there).then_some(reason)
}

/// The same of a program in its place.
pub fn no_landlock() -> Option<&'static str> {
    let asked = common::piped(Path::new("/"), &["bash", "--root", "/", "true"]);
    (asked.0 != 0).then_some("this kernel has no Landlock")
}

/// A file of `tests/data/scans`.
pub fn data(name: &str) -> Vec<u8> {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/scans");
    fs::read(place.join(name)).unwrap()
}

/// The content of a file that is compressed there.
fn unpacked(name: &str) -> Vec<u8> {
    let (packed, mut bytes) = (data(name), Vec::new());
    flate2::read::ZlibDecoder::new(&packed[..])
        .read_to_end(&mut bytes)
        .unwrap();
    bytes
}

/// The bits of a sheet; 1 is white.
pub fn bits(sheet: &str) -> Vec<u8> {
    unpacked(&format!("{sheet}.bits.z"))
}

/// A document of this kind, of before 2007.
pub fn legacy_office(kind: &str) -> Vec<u8> {
    unpacked(&format!("../older/boats.{kind}.z"))
}

/// Its pixels, a byte each.
pub fn pixels(sheet: &str) -> Vec<u8> {
    let bits = bits(sheet);
    let pixel = |at: usize| {
        if bits[at / 8] >> (7 - at % 8) & 1 == 1 {
            255
        } else {
            0
        }
    };
    (0..SIZE.0 * SIZE.1).map(pixel).collect()
}

/// A page of a file.
pub enum Page {
    /// A line of text.
    Text(&'static str),
    /// An image of these entries and data.
    Image(Image),
}

pub struct Image {
    pub entries: String,
    pub data: Vec<u8>,
    /// The page's rotation, and the matrix of the image in its unit square.
    pub rotate: u16,
    pub matrix: [f32; 4],
}

impl Image {
    pub fn new(entries: &str, data: Vec<u8>) -> Self {
        let size = format!("/Width {} /Height {} ", SIZE.0, SIZE.1);
        Self {
            entries: size + entries,
            data,
            rotate: 0,
            matrix: [1.0, 0.0, 0.0, 1.0],
        }
    }

    /// Of bits that are grey or a mask.
    pub fn of_bits(sheet: &str) -> Self {
        Self::new("/ColorSpace /DeviceGray /BitsPerComponent 1", bits(sheet))
    }
}

/// A file of these pages.
pub fn pdf(pages: &[Page]) -> Vec<u8> {
    let mut objects: Vec<Vec<u8>> = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        Vec::new(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_vec(),
    ];
    let mut kids = String::new();
    for page in pages {
        let at = objects.len() + 1;
        kids.extend([at.to_string().as_str(), " 0 R "]);
        let stream = |entries: &str, data: &[u8]| {
            let length = data.len();
            let begin = format!("<< {entries} /Length {length} >>\nstream\n");
            [begin.as_bytes(), data, b"\nendstream"].concat()
        };
        let content;
        let mut image = b"null".to_vec();
        let (mut size, mut rotate) = (POINTS, 0);
        match page {
            Page::Text(text) => content = format!("BT /F1 12 Tf 20 80 Td ({text}) Tj ET"),
            Page::Image(one) => {
                let matrix = one.matrix;
                if matrix[0] == 0.0 {
                    size = (POINTS.1, POINTS.0);
                }
                // Its corner is where it comes to lie within the page.
                let corner = [0, 1].map(|at| (matrix[at] + matrix[at + 2]).min(0.0).abs());
                let numbers = matrix.into_iter().chain(corner).enumerate();
                let scaled = numbers.map(|(at, number)| {
                    let scale = if at % 2 == 0 { size.0 } else { size.1 };
                    (number * scale).to_string()
                });
                let scaled: Vec<String> = scaled.collect();
                content = format!("q {} cm /I Do Q", scaled.join(" "));
                rotate = one.rotate;
                let entries = format!("/Type /XObject /Subtype /Image {}", one.entries);
                image = stream(&entries, &one.data);
            }
        }
        objects.push(
            format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {} {}] /Rotate {rotate} /Contents {} 0 R \
                 /Resources << /Font << /F1 3 0 R >> /XObject << /I {} 0 R >> >> >>",
                size.0,
                size.1,
                at + 1,
                at + 2
            )
            .into_bytes(),
        );
        objects.push(stream("", content.as_bytes()));
        objects.push(image);
    }
    objects[1] = format!("<< /Type /Pages /Kids [{kids}] /Count {} >>", pages.len()).into_bytes();
    let mut file = b"%PDF-1.5\n".to_vec();
    let mut places = Vec::new();
    for (at, object) in objects.iter().enumerate() {
        places.push(file.len());
        writeln!(file, "{} 0 obj", at + 1).unwrap();
        file.extend_from_slice(object);
        file.extend_from_slice(b"\nendobj\n");
    }
    let (table, size) = (file.len(), objects.len() + 1);
    write!(file, "xref\n0 {size}\n0000000000 65535 f \n").unwrap();
    for place in places {
        writeln!(file, "{place:010} 00000 n ").unwrap();
    }
    let trailer = "trailer\n<< /Root 1 0 R";
    write!(
        file,
        "{trailer} /Size {size} >>\nstartxref\n{table}\n%%EOF\n"
    )
    .unwrap();
    file
}

/// A program that takes tesseract's place: it has English, and does `script` for a page.
pub fn program(room: &Path, script: &str) -> String {
    let languages = "[ \"$1\" != --list-langs ] || { echo eng; exit; }";
    program_called(room, "reader", &format!("{languages}\n{script}"))
}

/// A program of this name that does `script`.
pub fn program_called(room: &Path, name: &str, script: &str) -> String {
    let path = room.join(name);
    let draft = room.join("draft");
    fs::write(&draft, format!("#!/bin/sh\n{script}\n")).unwrap();
    common::copy_program(&draft, &path);
    fs::remove_file(draft).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}
