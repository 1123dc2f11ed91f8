//! Reads the data of a record, value by value.
//!
//! Rules: MS-XLS 2.5.217 and MS-XLSB 2.5.122 (`RkNumber`), 2.5.293 (texts that go on in further
//! records), 2.5.10 (errors).

use iki_base::charset::Charset;

/// The rest of a record, and of those that continue it.
#[derive(Clone, Default)]
pub(in super::super) struct RecordData<'a> {
    unread: &'a [u8],
    more: std::vec::IntoIter<&'a [u8]>,
}

impl<'a> RecordData<'a> {
    pub(in super::super) fn new(data: &'a [u8], more: Vec<&'a [u8]>) -> Self {
        Self {
            unread: data,
            more: more.into_iter(),
        }
    }

    /// The number of bytes left before the next record.
    pub(in super::super) fn len(&self) -> usize {
        self.unread.len()
    }

    /// The bytes left before the next record.
    pub(in super::super) fn unread(&self) -> &'a [u8] {
        self.unread
    }

    pub(in super::super) fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        for slot in &mut bytes {
            while self.unread.is_empty() {
                self.unread = self.more.next()?;
            }
            (*slot, self.unread) = self
                .unread
                .split_first()
                .map(|(byte, tail)| (*byte, tail))?;
        }
        Some(bytes)
    }

    pub(in super::super) fn byte(&mut self) -> Option<u8> {
        self.bytes().map(|[byte]| byte)
    }

    pub(in super::super) fn short(&mut self) -> Option<u16> {
        self.bytes().map(u16::from_le_bytes)
    }

    pub(in super::super) fn long(&mut self) -> Option<u32> {
        self.bytes().map(u32::from_le_bytes)
    }

    pub(in super::super) fn real(&mut self) -> Option<f64> {
        self.bytes().map(f64::from_le_bytes)
    }

    /// A number in four bytes: the upper half of a real one, or a whole one, perhaps of hundredths.
    pub(in super::super) fn compact_number(&mut self) -> Option<f64> {
        let bits = self.long()?;
        let number = if bits & 2 == 0 {
            f64::from_bits(u64::from(bits & !3) << 32)
        } else {
            f64::from(bits.cast_signed() >> 2)
        };
        Some(if bits & 1 == 0 {
            number
        } else {
            number / 100.0
        })
    }

    /// The name of an error.
    pub(in super::super) fn error(&mut self) -> Option<&'static str> {
        Some(match self.byte()? {
            0x00 => "#NULL!",
            0x07 => "#DIV/0!",
            0x0f => "#VALUE!",
            0x17 => "#REF!",
            0x1d => "#NAME?",
            0x24 => "#NUM!",
            0x2a => "#N/A",
            _ => "#GETTING_DATA",
        })
    }

    pub(in super::super) fn truth(&mut self) -> Option<&'static str> {
        Some(if self.byte()? == 0 { "FALSE" } else { "TRUE" })
    }

    pub(in super::super) fn skip(&mut self, mut count: usize) {
        while count > self.unread.len() {
            count -= self.unread.len();
            self.unread = self.more.next().unwrap_or_default();
            if self.unread.is_empty() && self.more.len() == 0 {
                return;
            }
        }
        self.unread = &self.unread[count..];
    }

    /// Characters of two bytes each, as many as there are.
    pub(in super::super) fn wide_text(&mut self, count: usize) -> String {
        let units: Vec<u16> = (0..count).map_while(|_| self.short()).collect();
        String::from_utf16_lossy(&units)
    }

    /// Characters in this encoding; without one, a flag says whether they are of one or of two
    /// bytes, and does so anew in each further record.
    pub(in super::super) fn text(
        &mut self,
        count: usize,
        encoding: Option<Charset>,
    ) -> Option<String> {
        if let Some(encoding) = encoding {
            let bytes: Vec<u8> = (0..count).map_while(|_| self.byte()).collect();
            return Some(encoding.decode(&bytes).into_owned());
        }
        let flags = self.byte()?;
        let runs = if flags & 8 == 0 { 0 } else { self.short()? };
        let extension = if flags & 4 == 0 { 0 } else { self.long()? };
        let (mut is_wide, mut units) = (flags & 1 == 1, Vec::new());
        for _ in 0..count {
            if self.unread.is_empty() {
                self.unread = self.more.next().unwrap_or_default();
                let Some(flags) = self.byte() else { break };
                is_wide = flags & 1 == 1;
            }
            units.push(if is_wide {
                self.short()?
            } else {
                self.byte()?.into()
            });
        }
        self.skip(4 * usize::from(runs) + extension as usize);
        Some(String::from_utf16_lossy(&units))
    }
}

#[cfg(test)]
mod tests {
    use super::RecordData;

    #[test]
    fn a_text_goes_on_in_the_next_record_in_characters_of_another_size() {
        let mut data = RecordData::new(b"\x04\0\x08\x01\0ab", vec![b"\x01c\0\x2d\x4e****x", b""]);
        let count = data.short().unwrap();
        assert_eq!(data.text(count.into(), None).unwrap(), "abc\u{4e2d}");
        assert_eq!(data.byte(), Some(b'x'));
        assert_eq!(data.byte(), None);
    }

    #[test]
    fn a_number_of_four_bytes_is_real_or_whole() {
        for (bits, wanted) in [
            (0x3ff0_0000, 1.0),
            (0x3ff0_0001, 0.01),
            (0x0000_0006, 1.0),
            (0xffff_fffe, -1.0),
            (0x0000_0007, 0.01),
        ] {
            let bytes = u32::to_le_bytes(bits);
            let number = RecordData::new(&bytes, Vec::new())
                .compact_number()
                .unwrap();
            assert!((number - wanted).abs() < 1e-12, "{bits:x} {number}");
        }
    }
}
