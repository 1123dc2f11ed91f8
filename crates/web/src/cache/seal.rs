//! The encryption of an entry: AES-256-GCM with a fresh nonce each time, bound to the entry's name,
//! so that no entry passes for another.

use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom, SystemRandom};

/// Prefix of a sealed entry, before its nonce.
pub(super) const MAGIC: &[u8; 4] = b"ikc1";

/// The key that entries are sealed with.
pub(super) struct EntryCipher(LessSafeKey);

impl EntryCipher {
    /// The cipher with that key; `None` if its length is wrong.
    pub(super) fn new(key: &[u8]) -> Option<Self> {
        let key = UnboundKey::new(&AES_256_GCM, key).ok()?;
        Some(Self(LessSafeKey::new(key)))
    }

    /// `bytes` sealed as the entry of that name; `None` without a source of randomness.
    pub(super) fn close(&self, name: &str, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut nonce = [0; NONCE_LEN];
        SystemRandom::new().fill(&mut nonce).ok()?;
        let mut text = bytes.to_vec();
        self.0
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(name.as_bytes()),
                &mut text,
            )
            .ok()?;
        let mut sealed = Vec::with_capacity(MAGIC.len() + nonce.len() + text.len());
        sealed.extend_from_slice(MAGIC);
        sealed.extend_from_slice(&nonce);
        sealed.append(&mut text);
        Some(sealed)
    }

    /// The content that was sealed as the entry of that name; `None` if this was not.
    pub(super) fn open(&self, name: &str, sealed: &[u8]) -> Option<Vec<u8>> {
        let remainder = sealed.strip_prefix(MAGIC)?;
        let (nonce, text) = remainder.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut text = text.to_vec();
        let length = self
            .0
            .open_in_place(nonce, Aad::from(name.as_bytes()), &mut text)
            .ok()?
            .len();
        text.truncate(length);
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_opened_under_its_name_with_its_key_alone() {
        let seal = EntryCipher::new(&[7; 32]).unwrap();
        let sealed = seal.close("name", b"content").unwrap();
        assert_eq!(seal.open("name", &sealed).unwrap(), b"content");
        assert_eq!(seal.open("other", &sealed), None);
        assert_eq!(
            EntryCipher::new(&[8; 32]).unwrap().open("name", &sealed),
            None
        );
        assert!(EntryCipher::new(&[7; 31]).is_none());
        assert_ne!(seal.close("name", b"content").unwrap(), sealed);
        assert_eq!(
            seal.open("name", &seal.close("name", b"").unwrap()),
            Some(Vec::new())
        );
    }

    #[test]
    fn whatever_is_changed_in_it_closes_it() {
        let seal = EntryCipher::new(&[7; 32]).unwrap();
        let sealed = seal.close("name", b"content").unwrap();
        for index in 0..sealed.len() {
            let mut other = sealed.clone();
            other[index] ^= 1;
            assert_eq!(seal.open("name", &other), None, "byte {index}");
            assert_eq!(seal.open("name", &sealed[..index]), None, "{index} bytes");
        }
    }
}
