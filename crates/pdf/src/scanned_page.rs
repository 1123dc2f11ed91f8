//! Pages that are images without text, and the image of such a page as a file that OCR programs
//! read: JPEG and JPEG 2000 as they are, fax data and grey pixels as TIFF.
//!
//! Rules: ISO 32000-2, 7.4 (filters), 8.6 (colour spaces), 8.9.5 (images); TIFF 6.0.

use std::cell::OnceCell;

use lopdf::{Dictionary, Object, ObjectId};

use super::file::{PdfFile, as_dict, decode_stream};
use super::geometry::{Matrix, Rect};
use crate::ocr_input::{MAX_SCANS, ScanFault, ScanImage};
use iki_markdown::limits::FileLimits;
use iki_markdown::model::{ModelBuilder, NodeContent};
use iki_markdown::reader_panics;

/// Share of a page from which on its pictures make it a scan, if it has no text.
const MIN_PICTURE_SHARE: f32 = 0.1;

/// Limit of the letters over a scan; share of the page that the scan has then, and its resolution,
/// because the pictures behind the words of slides are coarser.
const MAX_STAMP_LETTERS: u32 = 200;
const MIN_SHEET_SHARE: f32 = 0.8;
const MIN_SHEET_DPI: f32 = 190.0;

/// Limit of the pictures of a page that are looked at.
const MAX_PICTURES: usize = 256;

/// Limits of an image, and of one that is made here, in pixels.
const MAX_PIXELS: usize = 100_000_000;
const MAX_MADE_PIXELS: usize = 40_000_000;

/// Width of a column, in letters, that paragraphs of shorter lines are taken to have.
const MIN_COLUMN_LETTERS: usize = 30;

/// Resolution from which on an image is halved: letters are legible, and four times as fast.
const MIN_HALVED_DPI: f32 = 500.0;

/// A picture that a page draws.
#[derive(Clone, Copy)]
struct DrawnPicture {
    /// Unknown for a picture within the content.
    id: Option<ObjectId>,
    matrix: Matrix,
    area: f32,
    pixels: f32,
}

/// The pictures of a page.
#[derive(Default)]
pub(super) struct PagePictures(Vec<DrawnPicture>);

impl PagePictures {
    pub(super) fn add(
        &mut self,
        image: Option<(ObjectId, f32)>,
        matrix: Matrix,
        visible_area: &Rect,
    ) {
        let area = visible_area.width().max(0.0) * visible_area.height().max(0.0);
        if area > 0.0 && self.0.len() < MAX_PICTURES {
            self.0.push(DrawnPicture {
                id: image.map(|(id, _)| id),
                matrix,
                area,
                pixels: image.map_or(0.0, |(_, pixels)| pixels),
            });
        }
    }

    /// The page as a scan, if its pictures are large enough; beneath a few letters, as of a stamp,
    /// only if one is as large and as fine as a sheet that was scanned.
    pub(super) fn scan(&self, number: usize, page: &Rect, letters: u32) -> Option<ScannedPage> {
        let whole = page.width() * page.height();
        let total: f32 = self.0.iter().map(|picture| picture.area).sum();
        let is_most = |picture: &&DrawnPicture| picture.area * 2.0 > total.min(whole);
        let large = self.0.iter().filter(is_most);
        // If several are drawn over each other, the finest has the letters.
        let finest = large.max_by(|one, other| one.pixels.total_cmp(&other.pixels));
        let is_sheet = |picture: &DrawnPicture| {
            let fine = (MIN_SHEET_DPI / 72.0).powi(2) * picture.area;
            picture.area >= MIN_SHEET_SHARE * whole && picture.pixels >= fine
        };
        let is_scan = match letters {
            0 => total >= MIN_PICTURE_SHARE * whole,
            1..MAX_STAMP_LETTERS => finest.is_some_and(is_sheet),
            _ => false,
        };
        is_scan.then(|| ScannedPage {
            number,
            picture: finest.copied(),
        })
    }
}

/// A page that is an image, without text but for that of stamps.
pub(super) struct ScannedPage {
    /// Its index.
    pub(super) number: usize,
    /// `None` if the page is in pieces.
    picture: Option<DrawnPicture>,
}

/// The images of a file's scanned pages. The file is opened again for the first of them, because
/// they were not kept when it was read.
pub struct ScanImages<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) limits: FileLimits,
    pub(super) scans: &'a [ScannedPage],
    pub(super) opened: OnceCell<Option<PdfFile>>,
}

impl ScanImages<'_> {
    /// Makes the image of the scanned page at this index, of the first [`MAX_SCANS`]. A panic is a
    /// fault of this image only.
    pub fn image(&self, index: usize) -> Result<ScanImage, ScanFault> {
        let picture = self.scans.get(index).and_then(|scan| scan.picture);
        let picture = picture.ok_or(ScanFault::Pieces)?;
        let made = reader_panics::catch_reader_panic(|| {
            let open = || {
                let pictures = self.scans.iter().take(MAX_SCANS);
                let ids = pictures.filter_map(|scan| scan.picture?.id);
                PdfFile::open(self.bytes, &self.limits, &ids.collect::<Vec<_>>()).ok()
            };
            let file = self.opened.get_or_init(open);
            picture.to_file(file.as_ref().ok_or(ScanFault::Damaged)?, self.limits.part)
        });
        made.unwrap_or(Err(ScanFault::Damaged))
    }
}

/// Writes the text of a scanned page: blank lines part paragraphs, and a line at whose end the next
/// word would have fitted ends there.
pub(super) fn write(text: &str, builder: &mut ModelBuilder) {
    builder.count_source(text.len());
    let mut lines = text.lines().map(str::trim).peekable();
    while lines.peek().is_some() {
        let paragraph: Vec<&str> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
        let letters = |text: &str| text.chars().count();
        let widths = paragraph.iter().map(|line| letters(line));
        let column = widths.max().unwrap_or_default().max(MIN_COLUMN_LETTERS);
        builder.open(NodeContent::Paragraph);
        for (index, line) in paragraph.iter().enumerate() {
            let next = paragraph.get(index + 1);
            let next = next.and_then(|next| next.split_whitespace().next());
            let word = line.strip_suffix(['-', '\u{2010}']);
            let word = word.filter(|word| word.ends_with(char::is_alphabetic));
            let joined =
                word.filter(|_| next.is_some_and(|next| next.starts_with(char::is_lowercase)));
            let text = builder.keep(joined.unwrap_or(line));
            builder.add(NodeContent::Text(text));
            match next {
                Some(_) if joined.is_some() => {}
                // Letters are not equally wide.
                Some(next) if 10 * (letters(line) + 1 + letters(next)) > 9 * column => {
                    let blank = builder.keep(" ");
                    builder.add(NodeContent::Text(blank));
                }
                Some(_) => builder.add(NodeContent::Break),
                None => {}
            }
        }
        builder.close_unless_empty();
    }
}

impl DrawnPicture {
    fn to_file(self, file: &PdfFile, limit: usize) -> Result<ScanImage, ScanFault> {
        let image = self.id.map(Object::Reference);
        let Some(Object::Stream(stream)) = image.as_ref().map(|image| file.resolve(image)) else {
            return Err(ScanFault::Format);
        };
        let size = [&b"Width"[..], b"Height"].map(|key| file.number(&stream.dict, key));
        let [Some(width @ 1.0..), Some(height @ 1.0..)] = size else {
            return Err(ScanFault::Damaged);
        };
        if width * height > MAX_PIXELS as f32 {
            return Err(ScanFault::TooLarge);
        }
        let size = (width as usize, height as usize);
        let mut filters = file.filters(&stream.dict);
        let codec = filters.pop_if(|(name, _)| {
            matches!(
                *name,
                b"DCTDecode" | b"JPXDecode" | b"CCITTFaxDecode" | b"JBIG2Decode"
            )
        });
        let data = || {
            decode_stream(stream, &filters, limit).map_err(|error| match error {
                lopdf::Error::Decompress(_) => ScanFault::TooLarge,
                _ => ScanFault::Format,
            })
        };
        let orientation = self.orientation();
        let mut dpi = self.dpi(width);
        let mut is_turned = false;
        let bytes = match codec {
            Some((b"DCTDecode" | b"JPXDecode", _)) => {
                is_turned = orientation != 1;
                // Programs may take other data for a list of files.
                let marks: [&[u8]; 3] = [b"\xff\xd8", b"\0\0\0\x0cjP  ", b"\xff\x4f\xff\x51"];
                let is_marked = |data: &Vec<u8>| marks.iter().any(|mark| data.starts_with(mark));
                Some(data()?).filter(is_marked).ok_or(ScanFault::Damaged)?
            }
            Some((b"CCITTFaxDecode", params)) => {
                let colours = Colours::read(file, &stream.dict).ok_or(ScanFault::Format)?;
                fax_as_tiff(file, params, &colours, &data()?, size, orientation)?
            }
            Some(_) => return Err(ScanFault::Format),
            None => {
                let colours = Colours::read(file, &stream.dict).ok_or(ScanFault::Format)?;
                let made = MAX_MADE_PIXELS.isqrt().max(1);
                let by = size.0 * size.1 / made / made;
                let by = (by.isqrt() + 1).max(1 + usize::from(dpi >= MIN_HALVED_DPI));
                dpi /= by as f32;
                let (grey, size) = colours.grey(&data()?, size, by)?;
                write_tiff(&grey, size, [8, 1, 1, 0], orientation)
            }
        };
        let dpi = (100.0..1200.0).contains(&dpi).then_some(dpi as u32);
        Ok(ScanImage {
            bytes,
            dpi,
            is_turned,
        })
    }

    /// Resolution at which the page shows it.
    fn dpi(&self, width: f32) -> f32 {
        let [a, b, ..] = self.matrix.0;
        72.0 * width / a.hypot(b)
    }

    /// The way in which the page turns and mirrors it, as TIFF counts them: 1 is upright.
    fn orientation(&self) -> usize {
        let [a, b, c, d, ..] = self.matrix.0;
        if a.abs() >= b.abs() {
            match (a >= 0.0, d >= 0.0) {
                (true, true) => 1,
                (false, true) => 2,
                (false, false) => 3,
                (true, false) => 4,
            }
        } else {
            match (c >= 0.0, b >= 0.0) {
                (false, false) => 5,
                (true, false) => 6,
                (true, true) => 7,
                (false, true) => 8,
            }
        }
    }
}

/// The meaning of an image's samples.
struct Colours {
    bits: usize,
    components: usize,
    /// True if a higher value is darker.
    ink: bool,
    /// The brightness that each value has, of a component or of the one colour.
    levels: Vec<u8>,
}

impl Colours {
    fn read(file: &PdfFile, dict: &Dictionary) -> Option<Self> {
        let is_mask = matches!(file.get(dict, b"ImageMask"), Some(Object::Boolean(true)));
        let bits = match file.number(dict, b"BitsPerComponent") {
            _ if is_mask => 1,
            Some(bits) => bits as usize,
            None => 8,
        };
        if !matches!(bits, 1 | 2 | 4 | 8 | 16) {
            return None;
        }
        let (mut components, mut ink, mut palette) = (1, false, None);
        match file.get(dict, b"ColorSpace") {
            Some(space) if !is_mask => (components, ink, palette) = colour_space(file, space, 0)?,
            _ => {}
        }
        let decode = file.array(dict, b"Decode").map(|array| file.numbers(array));
        let is_turned = decode.is_some_and(|decode| decode.len() > 1 && decode[0] > decode[1]);
        let limit = (1 << bits.min(8)) - 1;
        let level = |value: usize| {
            let value = if is_turned { limit - value } else { value };
            let level = (value * 255 / limit) as u8;
            match &palette {
                Some(palette) => palette.get(value).copied().unwrap_or_default(),
                None if ink && components == 1 => 255 - level,
                None => level,
            }
        };
        let levels = (0..=limit).map(level).collect();
        Some(Self {
            bits,
            components,
            ink,
            levels,
        })
    }

    /// The image as grey pixels, each of which is `by` times `by` of its own; and its size.
    fn grey(
        &self,
        data: &[u8],
        (width, height): (usize, usize),
        by: usize,
    ) -> Result<(Vec<u8>, (usize, usize)), ScanFault> {
        let row = (width * self.components * self.bits).div_ceil(8);
        let size = (width / by, height / by);
        if data.len() < row || size.0 == 0 || size.1 == 0 {
            return Err(ScanFault::Damaged);
        }
        // Rows that are missing are white.
        let mut grey = vec![255; size.0 * size.1];
        let bands = grey.chunks_exact_mut(size.0);
        for (band, rows) in bands.zip(data.chunks(row * by)) {
            let mut sums = vec![0_usize; size.0];
            let rows = rows.chunks_exact(row);
            let count = rows.len();
            for row in rows {
                for (index, sum) in sums.iter_mut().enumerate() {
                    *sum += (index * by..(index + 1) * by)
                        .map(|index| self.pixel(row, index))
                        .sum::<usize>();
                }
            }
            for (pixel, sum) in band.iter_mut().zip(sums) {
                *pixel = sum.checked_div(by * count).map_or(255, |level| level as u8);
            }
        }
        Ok((grey, size))
    }

    /// Brightness of a pixel.
    fn pixel(&self, row: &[u8], index: usize) -> usize {
        let part = |part: usize| {
            let index = index * self.components + part;
            let value = match self.bits {
                8 => row[index],
                16 => row[2 * index],
                bits => row[index * bits / 8] >> (8 - bits - index * bits % 8) & ((1 << bits) - 1),
            };
            usize::from(self.levels[usize::from(value)])
        };
        match self.components {
            1 => part(0),
            3 if !self.ink => brightness_of_rgb([part(0), part(1), part(2)]),
            _ => brightness_of_inks((0..self.components).map(part)),
        }
    }
}

fn brightness_of_rgb([red, green, blue]: [usize; 3]) -> usize {
    (77 * red + 151 * green + 28 * blue) >> 8
}

fn brightness_of_inks(inks: impl Iterator<Item = usize>) -> usize {
    255_usize.saturating_sub(inks.sum())
}

/// Number of components, whether these are inks, and the brightness of an index's colours.
type ColourSpace = (usize, bool, Option<Vec<u8>>);

fn colour_space(file: &PdfFile, space: &Object, depth: usize) -> Option<ColourSpace> {
    let empty = Vec::new();
    let (name, parameters) = match space {
        Object::Array(parts) => (file.resolve(parts.first()?).as_name().ok()?, parts),
        other => (other.as_name().ok()?, &empty),
    };
    let part = |index: usize| parameters.get(index).map(|part| file.resolve(part));
    Some(match name {
        b"DeviceGray" | b"CalGray" | b"G" => (1, false, None),
        b"DeviceRGB" | b"CalRGB" | b"RGB" => (3, false, None),
        b"DeviceCMYK" | b"CMYK" => (4, true, None),
        b"Separation" => (1, true, None),
        b"DeviceN" => (part(1)?.as_array().ok()?.len().clamp(1, 32), true, None),
        b"ICCBased" => match file.number(as_dict(part(1)?)?, b"N")? as usize {
            4 => (4, true, None),
            3 => (3, false, None),
            _ => (1, false, None),
        },
        b"Indexed" | b"I" if depth == 0 => {
            let (components, ink, _) = colour_space(file, part(1)?, 1)?;
            let lookup = match part(3)? {
                Object::Stream(stream) => file.stream_data(stream),
                other => other.as_str().ok()?.to_vec(),
            };
            let colours = lookup.chunks_exact(components).take(256);
            let brightness = |colour: &[u8]| {
                let mut parts = colour.iter().map(|part| usize::from(*part));
                (match *colour {
                    _ if ink => brightness_of_inks(parts),
                    [red, green, blue] => brightness_of_rgb([red, green, blue].map(usize::from)),
                    _ => parts.next().unwrap_or_default(),
                }) as u8
            };
            (1, false, Some(colours.map(brightness).collect()))
        }
        _ => return None,
    })
}

/// Fax data as a TIFF file.
fn fax_as_tiff(
    file: &PdfFile,
    params: Option<&Dictionary>,
    colours: &Colours,
    data: &[u8],
    (width, height): (usize, usize),
    orientation: usize,
) -> Result<Vec<u8>, ScanFault> {
    let number = |key: &[u8]| params.and_then(|params| file.number(params, key));
    let is_set = |key: &[u8]| {
        let value = params.and_then(|params| file.get(params, key));
        matches!(value, Some(Object::Boolean(true)))
    };
    if is_set(b"EncodedByteAlign") || colours.components != 1 || colours.bits != 1 {
        return Err(ScanFault::Format);
    }
    let columns = number(b"Columns").map_or(1728, |columns| columns as usize);
    if columns.abs_diff(width) > 64 {
        return Err(ScanFault::Damaged);
    }
    let black = colours.levels[usize::from(is_set(b"BlackIs1"))];
    let photometric = usize::from(black >= 128);
    Ok(match number(b"K").unwrap_or(0.0) {
        k if k < 0.0 => write_tiff(data, (columns, height), [1, 4, photometric, 0], orientation),
        // Its option is that lines refer to the one above.
        k => {
            let format = [1, 3, photometric, usize::from(k > 0.0)];
            write_tiff(data, (columns, height), format, orientation)
        }
    })
}

/// A TIFF file of one strip, with its bits, compression, photometric interpretation and options.
fn write_tiff(
    data: &[u8],
    (width, height): (usize, usize),
    [bits, compression, photometric, options]: [usize; 4],
    orientation: usize,
) -> Vec<u8> {
    let ifd = 8 + data.len() + data.len() % 2;
    let entries: [(u16, usize); 10] = [
        (256, width),
        (257, height),
        (258, bits),
        (259, compression),
        (262, photometric),
        (273, 8),
        (274, orientation),
        (278, height),
        (279, data.len()),
        (if compression == 3 { 292 } else { 293 }, options),
    ];
    let mut file = Vec::with_capacity(ifd + 14 + 12 * entries.len());
    file.extend_from_slice(b"II*\0");
    file.extend((ifd as u32).to_le_bytes());
    file.extend_from_slice(data);
    file.resize(ifd, 0);
    file.extend((entries.len() as u16).to_le_bytes());
    for (tag, value) in entries {
        file.extend(tag.to_le_bytes());
        // One number of 32 bits.
        file.extend([4, 0, 1, 0, 0, 0]);
        file.extend((value as u32).to_le_bytes());
    }
    file.extend([0; 4]);
    file
}
