//! The name of an entry: a keyed digest of all that its content depends on.

use ring::hmac;

use iki_base::hex;

/// A question as the cache knows it: everything that the answer depends on, each part with its name
/// and its length, so that no two questions are written the same way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CacheQuestion {
    parts: Vec<u8>,
    changes: bool,
}

impl CacheQuestion {
    /// A question of this kind. `version` is that of the stored answer's form: another form has
    /// another version, and is never taken for this one.
    #[must_use]
    pub fn new(kind: &str, version: u32) -> Self {
        let mut question = Self {
            parts: Vec::new(),
            changes: false,
        };
        question.push(kind.as_bytes());
        question.push(&version.to_le_bytes());
        question
    }

    /// A question whose answer changes: the newest one counts, and no layer keeps one for itself.
    #[must_use]
    pub fn that_changes(mut self) -> Self {
        self.changes = true;
        self
    }

    /// True if the answer changes.
    pub(super) fn changes(&self) -> bool {
        self.changes
    }

    /// The parts, encoded.
    pub(super) fn parts(&self) -> &[u8] {
        &self.parts
    }

    /// The question with these encoded parts.
    pub(super) fn of_parts(parts: Vec<u8>, changes: bool) -> Self {
        Self { parts, changes }
    }

    /// Adds a part of the question; a missing one makes another question than an empty one.
    #[must_use]
    pub fn with(mut self, name: &str, value: Option<impl AsRef<[u8]>>) -> Self {
        self.push(name.as_bytes());
        match value {
            Some(value) => {
                self.parts.push(1);
                self.push(value.as_ref());
            }
            None => self.parts.push(0),
        }
        self
    }

    /// Adds a list, whose order counts.
    #[must_use]
    pub fn with_list<T: AsRef<[u8]>>(mut self, name: &str, values: &[T]) -> Self {
        self.push(name.as_bytes());
        self.parts.push(2);
        self.length(values.len());
        for value in values {
            self.push(value.as_ref());
        }
        self
    }

    /// This question of `owner`; without one, of the user whose process this is.
    pub(super) fn of_owner(self, owner: Option<&str>) -> Self {
        match owner {
            Some(owner) => self.with("owner", Some(owner)),
            None => self,
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        self.length(bytes.len());
        self.parts.extend_from_slice(bytes);
    }

    fn length(&mut self, length: usize) {
        self.parts
            .extend_from_slice(&u64::try_from(length).unwrap_or(u64::MAX).to_le_bytes());
    }

    /// The entry's name, 64 hexadecimal digits.
    pub(super) fn name(&self, key: &hmac::Key) -> String {
        hex::encode(hmac::sign(key, &self.parts).as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(question: &CacheQuestion) -> String {
        question.name(&hmac::Key::new(hmac::HMAC_SHA256, b"key"))
    }

    #[test]
    fn questions_that_differ_in_anything_have_other_names() {
        let ask = || CacheQuestion::new("search", 1);
        let absent: Option<&str> = None;
        let questions = [
            ask(),
            CacheQuestion::new("search", 2),
            CacheQuestion::new("searc", 1),
            ask().with("a", absent),
            ask().with("a", Some("")),
            ask().with("a", Some("b")),
            ask().with("ab", Some("")),
            ask().with("b", Some("a")),
            ask().with("a", Some("1")).with("b", Some("2")),
            ask().with("b", Some("2")).with("a", Some("1")),
            ask().with("a", Some("1b2")),
            ask().with_list("a", &["b"]),
            ask().with_list("a", &["b", "c"]),
            ask().with_list("a", &["c", "b"]),
            ask().with_list("a", &["bc"]),
            ask().with_list("a", &["b", ""]),
            ask().with_list::<&str>("a", &[]),
        ];
        let names: std::collections::HashSet<String> = questions.iter().map(name).collect();
        assert_eq!(names.len(), questions.len());
        assert!(names.iter().all(|name| name.len() == 64));
    }

    #[test]
    fn a_name_says_nothing_to_those_who_have_not_the_key() {
        let question = CacheQuestion::new("search", 1).with("query", Some("plain words"));
        let other = question.name(&hmac::Key::new(hmac::HMAC_SHA256, b"other"));
        assert_ne!(name(&question), other);
        assert_eq!(name(&question), name(&question.clone()));
    }
}
