//! Fields of a request.
//!
//! Rules: the specification's input of `scrape_page`; the decisions on the host's calls (4).

use crate::contract::failure::Failure;
use crate::contract::request::Request;
use crate::tools::web::page_reading::failure;
use crate::tools::web::page_reading::page_request::{
    DEFAULT_CONTENT_BYTES, ScrapeMode, ScrapeRequest,
};
use iki_web::client;

/// Maximum length of a content that can be requested, in bytes.
pub const MAX_CONTENT_BYTES: u64 = 5_000_000;

/// Length of a preview, in bytes.
const PREVIEW_BYTES: usize = 5000;

/// Parses a request.
pub fn read(request: &Request<'_>) -> Result<ScrapeRequest, Failure> {
    let address = request.required_text("url")?;
    let mode = request.choice("mode", &ScrapeMode::NAMES)?;
    let mode = mode.unwrap_or(ScrapeMode::Full);
    let length = request.integer("max_length", 1..=MAX_CONTENT_BYTES)?;
    // Another tool's field: its value is ignored here.
    let length = length.and_then(|length| usize::try_from(length).ok());
    let url = client::parse_url(address);
    let url = url.map_err(|why| failure::of_no_url(&why.to_string(), address, request.terms()))?;
    Ok(ScrapeRequest {
        url,
        mode,
        max_length: match mode {
            ScrapeMode::Preview => PREVIEW_BYTES,
            ScrapeMode::Full | ScrapeMode::Raw => length.unwrap_or(DEFAULT_CONTENT_BYTES),
        },
        terms: *request.terms(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::schema::Schema;
    use crate::tools::web::page_reading::cached_page::question;
    use iki_web::cache::CacheQuestion;

    fn read_request(request: &str) -> Result<ScrapeRequest, Failure> {
        read(&Request::parse(request.as_bytes()).unwrap())
    }

    #[test]
    fn fields_that_say_nothing_are_the_usual_ones() {
        for fields in [
            "",
            r#","mode":"","max_length":0,"sessionId":"""#,
            r#","mode":null,"max_length":null,"sessionId":7"#,
            r#","mode":" FULL ","max_length":"50000""#,
        ] {
            let request =
                read_request(&format!(r#"{{"url":"http://a.example/"{fields}}}"#)).unwrap();
            assert_eq!(
                (request.mode, request.max_length),
                (ScrapeMode::Full, 50_000)
            );
        }
    }

    #[test]
    fn lengths_are_brought_within_bounds_and_a_preview_has_its_own() {
        for (fields, expected) in [
            (r#""max_length":-5"#, 1),
            (r#""max_length":9e9"#, 5_000_000),
            (r#""max_length":70,"mode":"raw""#, 70),
            (r#""max_length":70,"mode":"preview""#, 5000),
        ] {
            let request =
                read_request(&format!(r#"{{"url":"http://a.example/",{fields}}}"#)).unwrap();
            assert_eq!(request.max_length, expected, "{fields}");
        }
    }

    /// Fields of a request that are not part of the key, each with the reason.
    const WITHOUT_EFFECT: &[(&str, &str)] = &[(
        "sessionId",
        "it belongs to another tool of the system that has it",
    )];

    fn cache_question(request: &serde_json::Value) -> CacheQuestion {
        let text = request.to_string();
        let request = Request::parse(text.as_bytes()).unwrap();
        question(&read(&request).unwrap())
    }

    #[test]
    fn every_field_is_in_the_question_or_known_to_have_no_effect() {
        let plain = serde_json::json!({"url": "https://a.example/"});
        let schema = Schema::read(super::super::TOOL.schema);
        assert!(schema.fields.len() >= 4);
        for field in &schema.fields {
            let other = match field.name.as_str() {
                "url" => serde_json::json!("https://a.example/?b"),
                "mode" => serde_json::json!("raw"),
                "max_length" => serde_json::json!(49_999),
                "sessionId" => serde_json::json!("s"),
                name => panic!("nobody knows whether {name} has an effect"),
            };
            let mut changed = plain.clone();
            changed[&field.name] = other;
            let without = WITHOUT_EFFECT.iter().any(|(name, _)| *name == field.name);
            assert_eq!(
                cache_question(&changed) == cache_question(&plain),
                without,
                "{}",
                field.name
            );
        }
    }

    #[test]
    fn what_is_the_same_is_one_question() {
        let plain = cache_question(&serde_json::json!({"url": "https://a.example/"}));
        for same in [
            serde_json::json!({"url": "HTTPS://A.example:443", "mode": "full"}),
            serde_json::json!({"url": "https://a.example/", "mode": "", "max_length": 0}),
            serde_json::json!({"url": "https://a.example/", "max_length": "50000"}),
        ] {
            assert_eq!(cache_question(&same), plain, "{same}");
        }
        let other = cache_question(&serde_json::json!({"url": "https://a.example/#b"}));
        assert_ne!(other, plain);
    }
}
