//! Fields of a request.
//!
//! Rules: the specification's input of `scrape_page`; the decisions on the host's calls (4).

use url::Url;

use crate::contract::failure::{Code, Failure};
use crate::contract::request::Request;
use crate::contract::terms::Terms;
use crate::tools::web::meant_url;
use crate::web::client;

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
    const NAMES: [(&'static str, Self); 3] = [
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
const USUAL_LENGTH: usize = 50_000;

/// Longest content that can be requested, in bytes.
pub const LONGEST: u64 = 5_000_000;

/// Length of a preview, in bytes.
const PREVIEW: usize = 5000;

/// A parsed request.
#[derive(Clone, Debug)]
pub struct ScrapeRequest {
    /// URL of the page.
    pub url: Url,
    /// Requested form.
    pub mode: ScrapeMode,
    /// Most bytes of content.
    pub max_length: usize,
    /// Terms of the call.
    pub terms: Terms,
}

impl ScrapeRequest {
    /// Parses a request.
    pub fn of(request: &Request<'_>) -> Result<Self, Failure> {
        let address = request.required_text("url")?;
        let mode = request.choice("mode", &ScrapeMode::NAMES)?;
        let mode = mode.unwrap_or(ScrapeMode::Full);
        let length = request.integer("max_length", 1..=LONGEST)?;
        // Another tool's field: its value is ignored here.
        let length = length.and_then(|length| usize::try_from(length).ok());
        let url = client::parse_url(address).map_err(|error| {
            let note = meant_url::of_no_url(super::NAME, address, request.terms());
            let message = format!("Invalid URL: {error}. Send an http or https address.");
            Failure::new(Code::InvalidUrl, message).with_note(note)
        })?;
        Ok(Self {
            url,
            mode,
            max_length: match mode {
                ScrapeMode::Preview => PREVIEW,
                ScrapeMode::Full | ScrapeMode::Raw => length.unwrap_or(USUAL_LENGTH),
            },
            terms: *request.terms(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(request: &str) -> Result<ScrapeRequest, Failure> {
        ScrapeRequest::of(&Request::parse(request.as_bytes()).unwrap())
    }

    #[test]
    fn fields_that_say_nothing_are_the_usual_ones() {
        for rest in [
            "",
            r#","mode":"","max_length":0,"sessionId":"""#,
            r#","mode":null,"max_length":null,"sessionId":7"#,
            r#","mode":" FULL ","max_length":"50000""#,
        ] {
            let asked = asked(&format!(r#"{{"url":"http://a.example/"{rest}}}"#)).unwrap();
            assert_eq!((asked.mode, asked.max_length), (ScrapeMode::Full, 50_000));
        }
    }

    #[test]
    fn lengths_are_brought_within_bounds_and_a_preview_has_its_own() {
        for (rest, expected) in [
            (r#""max_length":-5"#, 1),
            (r#""max_length":9e9"#, 5_000_000),
            (r#""max_length":70,"mode":"raw""#, 70),
            (r#""max_length":70,"mode":"preview""#, 5000),
        ] {
            let asked = asked(&format!(r#"{{"url":"http://a.example/",{rest}}}"#)).unwrap();
            assert_eq!(asked.max_length, expected, "{rest}");
        }
    }
}
