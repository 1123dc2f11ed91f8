//! Reads the messages of Outlook: their properties, and the names of their attachments.
//!
//! Rules: MS-OXMSG (properties as streams), MS-OXRTFCP (compressed RTF).

use std::collections::HashMap;

use encoding_rs::UTF_16LE;

use super::super::compound::{CompoundFile, MSG_STREAM};
use super::mime::{charset_in_page, decode_text};
use super::{MAX_PARTS, MailMessage};
use iki_base::calendar;

/// Limit of RTF once it is decompressed, in bytes.
const MAX_RTF_BYTES: usize = 16 << 20;

/// Maximum nesting of messages.
const MAX_DEPTH: usize = 8;

/// The text that compressed RTF may refer to.
const DICTIONARY: &[u8] = b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx";

/// Reads a message.
pub(super) fn read(bytes: &[u8]) -> Option<MailMessage> {
    let file = CompoundFile::open(bytes)?;
    let mut left = MAX_PARTS;
    Some(read_message(&file, 0, 0, &mut left))
}

/// The properties of a message or an attachment.
struct PropertyBag<'f, 'a> {
    file: &'f CompoundFile<'a>,
    streams: HashMap<&'f str, usize>,
}

impl PropertyBag<'_, '_> {
    fn bytes(&self, tag: &str) -> Vec<u8> {
        let stream = self.streams.get(format!("__substg1.0_{tag}").as_str());
        stream
            .map(|stream| self.file.stream(*stream))
            .unwrap_or_default()
    }

    /// The text of a property, in UTF-16 or in a code page.
    fn text(&self, id: &str) -> String {
        let wide = self.bytes(&format!("{id}001F"));
        let text = if wide.is_empty() {
            decode_text(&self.bytes(&format!("{id}001E")), None).into_owned()
        } else {
            UTF_16LE.decode_without_bom_handling(&wide).0.into_owned()
        };
        text.trim_matches(['\0', ' ']).to_owned()
    }

    /// The time at which a message was sent.
    fn date(&self) -> String {
        let index = self.streams.get(MSG_STREAM);
        let all = index
            .map(|index| self.file.stream(*index))
            .unwrap_or_default();
        // The head of these is not as long everywhere.
        for tag in [0x0039_0040_u32, 0x0e06_0040, 0x3007_0040] {
            let entry = all
                .chunks_exact(8)
                .position(|part| part[..4] == tag.to_le_bytes());
            let value =
                entry.and_then(|index| all.get(index * 8 + 8..index * 8 + 16)?.try_into().ok());
            if let Some(value) = value {
                // In units of 100 nanoseconds since 1601.
                let seconds = i64::from_le_bytes(value) / 10_000_000 - 11_644_473_600;
                let (year, month, day) = calendar::date_of(seconds.div_euclid(86_400));
                let (hour, minute) = (
                    seconds.rem_euclid(86_400) / 3600,
                    seconds.rem_euclid(3600) / 60,
                );
                return format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02} UTC");
            }
        }
        String::new()
    }
}

fn read_message(
    file: &CompoundFile<'_>,
    storage: usize,
    depth: usize,
    left: &mut usize,
) -> MailMessage {
    let bag = PropertyBag {
        file,
        streams: file.children(storage),
    };
    let mut message = MailMessage {
        subject: bag.text("0037"),
        from: bag.text("0C1A"),
        to: bag.text("0E04"),
        cc: bag.text("0E03"),
        date: bag.date(),
        ..MailMessage::default()
    };
    let addresses = ["5D01", "0C1F"].map(|id| bag.text(id));
    if let Some(address) = addresses.iter().find(|address| address.contains('@'))
        && *address != message.from
    {
        let blank = if message.from.is_empty() { "" } else { " " };
        message.from.extend([blank, "<", address.as_str(), ">"]);
    }
    message.plain = bag.text("1000");
    let page = bag.bytes("10130102");
    message.page = decode_text(&page, charset_in_page(&page)).into_owned();
    message.keep_one_form(0, 0);
    if message.plain.is_empty() {
        message.rtf = decompress_rtf(&bag.bytes("10090102")).unwrap_or_default();
    }
    let mut attachments: Vec<_> = bag
        .streams
        .iter()
        .filter(|(name, _)| name.starts_with("__attach"))
        .collect();
    attachments.sort_unstable();
    for (_, storage) in attachments {
        if *left == 0 {
            break;
        }
        *left -= 1;
        let attachment = PropertyBag {
            file,
            streams: file.children(*storage),
        };
        let within = attachment.streams.get("__substg1.0_3701000D").copied();
        let names = ["3707", "3704", "3001"].map(|id| attachment.text(id));
        let name = names.into_iter().find(|name| !name.is_empty());
        match within {
            Some(within) if depth < MAX_DEPTH => {
                message
                    .messages
                    .push(read_message(file, within, depth + 1, left));
            }
            _ => message.attachments.extend(name),
        }
    }
    message
}

/// Decompresses RTF; `None` if it is not compressed as Outlook does.
fn decompress_rtf(bytes: &[u8]) -> Option<Vec<u8>> {
    let size = u32::from_le_bytes(bytes.get(4..8)?.try_into().ok()?) as usize;
    let kind = bytes.get(8..12)?;
    let packed = bytes.get(16..)?;
    if kind == b"MELA" {
        return Some(packed.to_vec());
    }
    if kind != b"LZFu" {
        return None;
    }
    let mut all = DICTIONARY.to_vec();
    let limit = all.len() + size.min(MAX_RTF_BYTES);
    let mut offset = 0;
    'runs: while let Some(control) = packed.get(offset) {
        offset += 1;
        for bit in 0..8 {
            if all.len() >= limit {
                break 'runs;
            }
            if control >> bit & 1 == 0 {
                let Some(byte) = packed.get(offset) else {
                    break 'runs;
                };
                all.push(*byte);
                offset += 1;
                continue;
            }
            let Some(pair) = packed.get(offset..offset + 2) else {
                break 'runs;
            };
            offset += 2;
            let pair = usize::from(pair[0]) << 8 | usize::from(pair[1]);
            let (place, length) = (pair >> 4, (pair & 15) + 2);
            // A place in a ring of 4,096 bytes; the one after the last ends the text.
            let back = (all.len() + 4096 - place) % 4096;
            if back == 0 {
                break 'runs;
            }
            for _ in 0..length {
                let byte = all
                    .len()
                    .checked_sub(back)
                    .and_then(|offset| all.get(offset))
                    .copied();
                all.push(byte.unwrap_or(b' '));
            }
        }
    }
    Some(all.split_off(DICTIONARY.len()))
}

#[cfg(test)]
mod tests {
    use super::decompress_rtf;

    #[test]
    fn compressed_rtf_is_read_as_the_rules_have_it() {
        // The example of MS-OXRTFCP, 4.1.
        let bytes = [
            0x2d, 0, 0, 0, 0x2b, 0, 0, 0, 0x4c, 0x5a, 0x46, 0x75, 0xf1, 0xc5, 0xc7, 0xa7, 3, 0,
            0x0a, 0, 0x72, 0x63, 0x70, 0x67, 0x31, 0x32, 0x35, 0x42, 0x32, 0x0a, 0xf3, 0x20, 0x68,
            0x65, 0x6c, 9, 0, 0x20, 0x62, 0x77, 5, 0xb0, 0x6c, 0x64, 0x7d, 0x0a, 0x80, 0x0f, 0xa0,
        ];
        let text = decompress_rtf(&bytes).unwrap();
        assert_eq!(
            String::from_utf8(text).unwrap(),
            "{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"
        );
        assert_eq!(decompress_rtf(&bytes[..10]), None);
    }
}
