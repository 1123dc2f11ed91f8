//! A page as a call wants it.
//!
//! Rules: the specification's input of `scrape_page`.

use url::Url;

use crate::contract::call_terms::CallTerms;

/// Requested form of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScrapeMode {
    /// Its main content, or its text.
    Full,
    /// The beginning of that.
    Preview,
    /// Its bytes, as received.
    Raw,
}

impl ScrapeMode {
    /// Modes by their names in requests.
    pub const NAMES: [(&'static str, Self); 3] = [
        ("full", Self::Full),
        ("preview", Self::Preview),
        ("raw", Self::Raw),
    ];

    /// Returns its name in a request.
    pub fn name(self) -> &'static str {
        let mut names = Self::NAMES.iter();
        names
            .find(|(_, mode)| *mode == self)
            .map_or("", |(name, _)| name)
    }
}

/// Default length of content, in bytes.
pub const DEFAULT_CONTENT_BYTES: usize = 50_000;

/// A wanted page.
#[derive(Clone, Debug)]
pub struct ScrapeRequest {
    /// URL of the page.
    pub url: Url,
    /// Requested form.
    pub mode: ScrapeMode,
    /// Maximum number of bytes of content.
    pub max_length: usize,
    /// The terms of the call.
    pub terms: CallTerms,
}
