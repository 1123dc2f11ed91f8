//! A hash that is the same in every run on every machine: FNV-1a over characters.

pub(super) struct FnvHash(u64);

impl Default for FnvHash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl FnvHash {
    pub(super) fn from_text(text: &str) -> Self {
        let mut hash = Self::default();
        text.chars().for_each(|c| hash.push(c));
        hash
    }

    pub(super) fn push(&mut self, c: char) {
        self.0 = (self.0 ^ u64::from(u32::from(c))).wrapping_mul(0x0000_0100_0000_01b3);
    }

    /// Adds a character in lower case.
    pub(super) fn lower(&mut self, c: char) {
        if c.is_ascii() {
            self.push(c.to_ascii_lowercase());
        } else {
            c.to_lowercase().for_each(|c| self.push(c));
        }
    }

    /// Adds another hash.
    pub(super) fn join(&mut self, other: u64) {
        self.0 = (self.0 ^ other).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    pub(super) fn end(&self) -> u64 {
        // The last character is mixed only into the low bits.
        self.0 ^ self.0 >> 32
    }
}
