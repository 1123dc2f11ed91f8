//! Images that are whole, as far as their structure tells. One that is not ends a conversation for
//! good, since whoever is sent it refuses every message that has it.
//!
//! Rules: PNG (third edition) 5, ITU T.81 B.1, `GIF89a`, RFC 9649 2.

use flate2::Crc;
use memchr::memchr;

use super::binary_kind::{BinaryKind, big, little};

/// True if `bytes` are a PNG, JPEG, GIF or WebP image from its beginning to its end.
#[must_use]
pub fn is_whole_image(kind: BinaryKind, bytes: &[u8]) -> bool {
    let has_size = kind
        .measures
        .is_some_and(|(width, height)| width > 0 && height > 0);
    let end = match kind.mime {
        "image/png" => png_end(bytes),
        "image/jpeg" => jpeg_end(bytes),
        "image/gif" => gif_end(bytes),
        "image/webp" => webp_end(bytes),
        _ => None,
    };
    has_size && end.is_some()
}

/// The end of the last chunk; each has its length, its type and a checksum.
fn png_end(bytes: &[u8]) -> Option<usize> {
    let (mut offset, mut has_pixels) = (8, false);
    loop {
        let length = usize::try_from(big(bytes.get(offset..offset + 4)?)).ok()?;
        let end = length.checked_add(offset + 8)?;
        let chunk = bytes.get(offset + 4..end)?;
        let mut sum = Crc::new();
        sum.update(chunk);
        if sum.sum() != big(bytes.get(end..end + 4)?) {
            return None;
        }
        has_pixels |= chunk.starts_with(b"IDAT");
        offset = end + 4;
        if chunk.starts_with(b"IEND") {
            return has_pixels.then_some(offset);
        }
    }
}

/// The end of the image, after the last of its scans, whose lengths it does not have.
fn jpeg_end(bytes: &[u8]) -> Option<usize> {
    let (mut offset, mut has_pixels) = (2, false);
    loop {
        if *bytes.get(offset)? != 0xFF {
            return None;
        }
        match *bytes.get(offset + 1)? {
            0xFF => offset += 1,
            0x01 | 0xD0..=0xD8 => offset += 2,
            0xD9 => return has_pixels.then_some(offset + 2),
            marker => {
                offset += 2 + usize::try_from(big(bytes.get(offset + 2..offset + 4)?)).ok()?;
                if marker != 0xDA {
                    continue;
                }
                has_pixels = true;
                // Within a scan a zero or the mark of a restart follows such a byte.
                loop {
                    offset += memchr(0xFF, bytes.get(offset..)?)?;
                    if !matches!(bytes.get(offset + 1)?, 0 | 0xD0..=0xD7) {
                        break;
                    }
                    offset += 2;
                }
            }
        }
    }
}

/// The end of the last block.
fn gif_end(bytes: &[u8]) -> Option<usize> {
    let colours = |flags: u8| match flags {
        0x80.. => 6 << (flags & 7),
        _ => 0,
    };
    let (mut offset, mut has_pixels) = (13 + colours(*bytes.get(10)?), false);
    loop {
        match *bytes.get(offset)? {
            0x3B => return has_pixels.then_some(offset + 1),
            0x21 => offset += 2,
            0x2C => {
                offset += 11 + colours(*bytes.get(offset + 9)?);
                has_pixels = true;
            }
            _ => return None,
        }
        loop {
            let length = usize::from(*bytes.get(offset)?);
            offset += 1 + length;
            if length == 0 {
                break;
            }
        }
    }
}

/// The end that the head tells.
fn webp_end(bytes: &[u8]) -> Option<usize> {
    let end = usize::try_from(little(bytes.get(4..8)?))
        .ok()?
        .checked_add(8)?;
    let first = usize::try_from(little(bytes.get(16..20)?)).ok()?;
    (end <= bytes.len() && first <= end.checked_sub(20)?).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binary_kind;

    fn chunk(kind: &[u8], data: &[u8]) -> Vec<u8> {
        let mut sum = Crc::new();
        sum.update(kind);
        sum.update(data);
        let length = u32::try_from(data.len()).unwrap().to_be_bytes();
        [&length[..], kind, data, &sum.sum().to_be_bytes()].concat()
    }

    fn images() -> [Vec<u8>; 4] {
        let png = [
            b"\x89PNG\r\n\x1a\n".to_vec(),
            chunk(b"IHDR", b"\0\0\0\x01\0\0\0\x01\x08\0\0\0\0"),
            chunk(b"IDAT", b"\x78\x9c\x63\x60\0\0\0\x02\0\x01"),
            chunk(b"IEND", b""),
        ];
        let jpeg = b"\xFF\xD8\xFF\xC0\0\x0B\x08\0\x01\0\x01\x01\x01\x11\0\
            \xFF\xDA\0\x08\x01\x01\0\0\x3F\0\xAB\xFF\0\xCD\xFF\xD0\x12\xFF\xD9";
        let gif = b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xFF\xFF\xFF\x21\xF9\x04\0\0\0\0\0\
            \x2C\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0\x3B";
        let webp = b"RIFF\x16\0\0\0WEBPVP8L\x0A\0\0\0\x2F\0\0\0\0\x88\x88\x08\0\0";
        [png.concat(), jpeg.to_vec(), gif.to_vec(), webp.to_vec()]
    }

    #[test]
    fn an_image_is_whole_up_to_its_last_byte() {
        for image in images() {
            let kind = binary_kind::detect(&image).unwrap();
            assert!(is_whole_image(kind, &image), "{}", kind.words);
            let longer = [&image[..], b"<html>"].concat();
            assert!(is_whole_image(kind, &longer), "{}", kind.words);
            for end in 0..image.len() {
                let cut = &image[..end];
                assert!(!is_whole_image(kind, cut), "{}: {end} bytes", kind.words);
            }
        }
    }

    #[test]
    fn what_only_begins_as_an_image_is_none() {
        for image in images() {
            let page = b"<!DOCTYPE html><html><body>Not found</body></html>".repeat(9);
            let bytes = [&image[..image.len() / 2], &page].concat();
            let kind = binary_kind::detect(&image).unwrap();
            if kind.mime != "image/webp" {
                assert!(!is_whole_image(kind, &bytes), "{}", kind.words);
            }
        }
        let mut wrong = images()[0].clone();
        wrong[45] ^= 1;
        assert!(!is_whole_image(
            binary_kind::detect(&wrong).unwrap(),
            &wrong
        ));
    }
}
