//! The owner of a token, as the rest of the server knows them.

use std::sync::Arc;

/// The owner of a token.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TokenOwner {
    name: Arc<str>,
}

impl TokenOwner {
    /// The owner called `name`.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self { name: name.into() }
    }

    /// Their name, which is not secret.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}
