//! Results that are too large to be shown at once, kept for a while so that they can be read by an
//! address of their own.
//!
//! The address is made of the content's SHA-256, so that equal results are one, and an address that
//! was not given away cannot be guessed. Content that has another digest than its address says
//! counts as missing.

use std::fmt;
use std::time::Duration;

use ring::digest::{SHA256, SHA256_OUTPUT_LEN, digest};

use super::{CacheEntry, CacheQuestion, CacheStore, LayeredCache};
use iki_base::hex;

/// Time that an artifact can be read.
pub const LIFETIME: Duration = Duration::from_secs(30 * 60);

/// Maximum time between storing an artifact and checking that it can be read.
const MAX_CHECK_DELAY: Duration = Duration::from_secs(60);

/// Prefix of an artifact's address; its id follows.
pub const ADDRESS: &str = "research://artifact/";

/// Version of the stored form: the MIME type, a newline, the content.
const VERSION: u32 = 1;

/// An artifact's id: the SHA-256 of its content, as 64 lower-case hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArtifactId(String);

impl ArtifactId {
    /// The id of this content.
    #[must_use]
    pub fn for_content(content: &[u8]) -> Self {
        Self(hex::encode(digest(&SHA256, content).as_ref()))
    }

    /// The id that an artifact's address names; `None` if it is not such an address.
    #[must_use]
    pub fn in_address(address: &str) -> Option<Self> {
        let id = address.strip_prefix(ADDRESS)?;
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let sound = id.len() == 2 * SHA256_OUTPUT_LEN && id.bytes().all(is_digit);
        sound.then(|| Self(id.to_owned()))
    }

    /// The address under which a server serves the artifact.
    #[must_use]
    pub fn address(&self) -> String {
        format!("{ADDRESS}{self}")
    }

    fn question(&self) -> CacheQuestion {
        CacheQuestion::new("artifact", VERSION).with("id", Some(&self.0))
    }
}

impl fmt::Display for ArtifactId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A result that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredArtifact {
    /// Its MIME type.
    pub mime_type: String,
    /// The content.
    pub content: Vec<u8>,
}

/// Keeps `content` for [`LIFETIME`] from now. `None` if it cannot be read back, because the disk is
/// full or the directory may not be written to: the caller then needs the content itself.
#[must_use]
pub fn store_content(
    store: &dyn CacheStore,
    mime_type: &str,
    content: &[u8],
) -> Option<ArtifactId> {
    let id = ArtifactId::for_content(content);
    let mime_type: String = mime_type.chars().filter(|c| !c.is_control()).collect();
    let mut stored = Vec::with_capacity(mime_type.len() + 1 + content.len());
    stored.extend_from_slice(mime_type.as_bytes());
    stored.push(b'\n');
    stored.extend_from_slice(content);
    let question = id.question();
    store.put(&question, &stored, LIFETIME);
    // An older one may still be there if this one could not replace it: it expires too soon.
    let there = store.get(&question, MAX_CHECK_DELAY)?;
    (there.bytes == stored).then_some(id)
}

/// The artifact of that id, if there is one that is not too old.
#[must_use]
pub fn get(store: &dyn CacheStore, id: &ArtifactId) -> Option<StoredArtifact> {
    opened(id, store.get(&id.question(), LIFETIME)?)
}

/// Reads an artifact from the cache that a server holds.
pub async fn get_from(layers: &LayeredCache, id: &ArtifactId) -> Option<StoredArtifact> {
    opened(id, layers.get(&id.question(), LIFETIME).await?)
}

fn opened(id: &ArtifactId, entry: CacheEntry) -> Option<StoredArtifact> {
    let mut stored = entry.bytes;
    let end = memchr::memchr(b'\n', &stored)?;
    let content = stored.split_off(end + 1);
    stored.truncate(end);
    let mime_type = String::from_utf8(stored).ok()?;
    (ArtifactId::for_content(&content) == *id).then_some(StoredArtifact { mime_type, content })
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use iki_base::mutex::lock;

    /// A store in memory, in which one entry has room; it may refuse new ones.
    #[derive(Default)]
    struct StoreOfOne {
        entry: Mutex<Option<(CacheQuestion, Vec<u8>)>>,
        age: Duration,
        is_full: bool,
    }

    impl CacheStore for StoreOfOne {
        fn get(&self, question: &CacheQuestion, longest: Duration) -> Option<CacheEntry> {
            let stored_entry = lock(&self.entry);
            let (_, bytes) = stored_entry
                .as_ref()
                .filter(|(stored_question, _)| stored_question == question)?;
            let entry = CacheEntry {
                bytes: bytes.clone(),
                age: self.age,
            };
            (self.age < longest).then_some(entry)
        }

        fn put(&self, question: &CacheQuestion, bytes: &[u8], _good_for: Duration) {
            if !self.is_full {
                *lock(&self.entry) = Some((question.clone(), bytes.to_vec()));
            }
        }

        fn forget(&self, _question: &CacheQuestion) {
            lock(&self.entry).take();
        }
    }

    #[test]
    fn an_id_is_the_content_s_digest_and_is_read_back_from_its_address_alone() {
        let id = ArtifactId::for_content(b"abc");
        let digits = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(id.to_string(), digits);
        assert_eq!(id.address(), format!("research://artifact/{digits}"));
        assert_eq!(ArtifactId::in_address(&id.address()), Some(id));
        for wrong in [
            String::new(),
            digits.to_owned(),
            format!("research://artifact/{}", digits.to_uppercase()),
            format!("research://artifact/{}", &digits[1..]),
            format!("research://artifact/{digits}0"),
            format!("research://artifact/{digits}/"),
            format!("research://artifacts/{digits}"),
            format!("research://artifact/../{}", &digits[3..]),
            format!("https://artifact/{digits}"),
            format!("research://artifact/{}", "é".repeat(32)),
        ] {
            assert_eq!(ArtifactId::in_address(&wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_is_kept_comes_back_as_it_was_until_its_time_is_over() {
        let mut store = StoreOfOne::default();
        for (mime_type, content) in [
            ("text/plain", &b"line\nline\n"[..]),
            ("application/pdf", &[0, 255, b'\n', 7]),
            ("", b""),
        ] {
            store.age = Duration::ZERO;
            let id = store_content(&store, mime_type, content).unwrap();
            let there = get(&store, &id).unwrap();
            assert_eq!(there.mime_type, mime_type);
            assert_eq!(there.content, content);
            store.age = LIFETIME;
            assert_eq!(get(&store, &id), None);
        }
        store.age = Duration::ZERO;
        let id = store_content(&store, "text/x\r\nbroken", b"c").unwrap();
        assert_eq!(get(&store, &id).unwrap().mime_type, "text/xbroken");
    }

    #[test]
    fn what_could_not_be_kept_has_no_id() {
        let mut store = StoreOfOne {
            is_full: true,
            ..StoreOfOne::default()
        };
        assert_eq!(store_content(&store, "text/plain", b"a"), None);
        store.is_full = false;
        assert!(store_content(&store, "text/plain", b"a").is_some());
        // The older one is still there, and would be gone before the time that is promised.
        store.is_full = true;
        store.age = Duration::from_secs(120);
        assert_eq!(store_content(&store, "text/plain", b"a"), None);
    }

    #[test]
    fn nothing_but_the_content_of_that_id_is_shown() {
        let store = StoreOfOne::default();
        let id = store_content(&store, "text/plain", b"mine").unwrap();
        for content in [&b"text/plain\nother"[..], b"mine", b"", b"\xff\nmine"] {
            store.put(&id.question(), content, LIFETIME);
            assert_eq!(get(&store, &id), None);
        }
    }
}
