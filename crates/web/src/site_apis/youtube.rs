//! A video of `YouTube`: its captions, line by line with their times, or else its description.
//!
//! Facts: the watch page, whose `ytInitialPlayerResponse` lists the caption tracks, and the formats
//! of their text (`json3`, `srv1`, `srv3`). `YouTube` documents none of this.

use std::time::Instant;

use serde_json::Value;
use url::Url;

use super::{
    MAX_TEXT_BYTES, SiteApiError, SiteApiPage, base, escaped, get, markdown, name_of, single_line,
};
use crate::bot_checks::vendor_of;
use crate::client::{FetchError, HttpClient, HttpResponse};
use crate::credentials::Credentials;
use captions::{captions, number, timestamp};
use iki_base::wording::beginning;
use iki_document::Document;

mod captions;

/// Base URL of the site.
const SITE: &str = "https://www.youtube.com/";

/// Environment variable that replaces [`SITE`].
const VARIABLE: &str = "IKIGAI_YOUTUBE_URL";

/// Name of the page's variable that holds the player's data.
const PLAYER: &str = "ytInitialPlayerResponse";

/// A video of `YouTube`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YoutubeVideo {
    id: String,
    /// Language that the URL asks for.
    language: Option<String>,
}

impl YoutubeVideo {
    /// Returns the video at `url`, if it leads to one.
    pub(super) fn for_url(host: &str, url: &Url) -> Option<Self> {
        let host = host.to_ascii_lowercase();
        let parameter = |name: &str| {
            let mut pairs = url.query_pairs();
            let pair = pairs.find(|(one, _)| one == name);
            pair.map(|(_, value)| value.into_owned())
        };
        let mut path = url.path_segments()?;
        let id = match host.as_str() {
            "youtu.be" | "www.youtu.be" => path.next()?.to_owned(),
            "youtube.com"
            | "www.youtube.com"
            | "m.youtube.com"
            | "music.youtube.com"
            | "youtube-nocookie.com"
            | "www.youtube-nocookie.com" => match path.next()? {
                "watch" => parameter("v")?,
                "shorts" | "embed" | "live" | "v" | "e" => path.next()?.to_owned(),
                _ => return None,
            },
            _ => return None,
        };
        let sound = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        if id.len() != 11 || !id.bytes().all(sound) {
            return None;
        }
        let language = parameter("hl").filter(|code| {
            let sound = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
            (2..=10).contains(&code.len()) && code.bytes().all(sound)
        });
        Some(Self { id, language })
    }

    pub(super) fn read(
        &self,
        client: &HttpClient,
        variables: &Credentials<'_>,
        end: Instant,
    ) -> Result<SiteApiPage, SiteApiError> {
        let site = base(variables, VARIABLE, SITE)?;
        let mut watch = site.clone();
        if let Ok(mut path) = watch.path_segments_mut() {
            path.pop_if_empty().push("watch");
        }
        watch.query_pairs_mut().append_pair("v", &self.id);
        if let Some(language) = &self.language {
            watch.query_pairs_mut().append_pair("hl", language);
        }
        let reply = get(client, &watch, "text/html").map_err(refused)?;
        let page = String::from_utf8_lossy(&reply.body);
        let player = player(&page).ok_or_else(|| without_player(&reply, &page))?;
        playable(&player)?;
        let about = player.get("videoDetails").unwrap_or(&Value::Null);
        let title = name_of(about, "title").unwrap_or_else(|| format!("Video {}", self.id));
        let author = name_of(about, "author");
        let date = date(&player);
        let length = about.get("lengthSeconds").and_then(number);
        let length = length.filter(|length| *length > 0).map(timestamp);
        let told: Vec<String> = [author.clone(), date.clone(), length]
            .into_iter()
            .flatten()
            .collect();
        let html = format!(
            "<h1>{}</h1><p>{}</p>",
            escaped(&title),
            escaped(&told.join(", "))
        );
        let mut text = markdown(&html, &site, end);
        let wanted = self.language.clone().or_else(|| language_of(&page));
        let captions = captions(client, &player, &reply.url, wanted.as_deref());
        let described = description(about);
        let is_partial = !matches!(captions, Ok(Some(_)));
        let say = |text: &mut String, block: &str| {
            text.push_str("\n\n");
            text.push_str(block);
        };
        match captions {
            Ok(Some(lines)) => say(&mut text, &lines),
            Ok(None) if described.is_empty() => {
                return Err(SiteApiError::Empty(
                    "This video has neither captions nor a description: there is nothing to read."
                        .to_owned(),
                ));
            }
            Ok(None) => {
                say(&mut text, "[This video has no captions. Its description:]");
                say(&mut text, &described);
            }
            Err(why) => {
                let why = single_line(&why);
                let why = why.trim_end_matches('.');
                if described.is_empty() {
                    return Err(SiteApiError::Empty(format!(
                        "The captions of this video could not be read ({why}), and it has no \
                         description."
                    )));
                }
                let why = format!("[Its captions could not be read: {why}. Its description:]");
                say(&mut text, &why);
                say(&mut text, &described);
            }
        }
        Ok(SiteApiPage {
            kind: "youtube",
            document: Document {
                title,
                markdown: text,
                author,
                date,
                ..Document::default()
            },
            is_partial,
        })
    }
}

/// Reports a refusal that is a bot check as one.
fn refused(error: FetchError) -> SiteApiError {
    match &error {
        // A 429 is a rate limit, whatever its page says.
        FetchError::Status(reply) if reply.status != 429 && vendor_of(reply).is_some() => {
            blocked(&reply.status_text())
        }
        _ => SiteApiError::Fetch(error),
    }
}

fn blocked(why: &str) -> SiteApiError {
    SiteApiError::Blocked(format!(
        "YouTube wants to see a human and did not show the video ({why}). Try again later, or \
         find a transcript elsewhere."
    ))
}

/// Returns the reason why a page has no player data.
fn without_player(reply: &HttpResponse, page: &str) -> SiteApiError {
    let host = reply.url.host_str().unwrap_or_default();
    let consent = host.starts_with("consent.")
        || page.contains("consent.youtube.com")
        || page.contains("consent.google.com");
    if consent {
        return blocked("it asks for consent to cookies first");
    }
    if reply.url.path().starts_with("/sorry") || page.contains("unusual traffic") {
        return blocked("unusual traffic from this network");
    }
    if let Some(check) = vendor_of(reply) {
        return blocked(check);
    }
    SiteApiError::NotUnderstood(
        "YouTube's page is not as it usually is: it names no video. Try again later, or find a \
         transcript elsewhere."
            .to_owned(),
    )
}

/// Extracts the player's data from the page.
fn player(page: &str) -> Option<Value> {
    for (offset, _) in page.match_indices(PLAYER).take(20) {
        let tail = page[offset + PLAYER.len()..].trim_start_matches(['"', '\'', ']']);
        let Some(tail) = tail.trim_start().strip_prefix('=') else {
            continue;
        };
        let tail = tail.trim_start();
        if !tail.starts_with('{') {
            continue;
        }
        let mut values = serde_json::Deserializer::from_str(tail).into_iter::<Value>();
        if let Some(Ok(value)) = values.next()
            && (value.get("videoDetails").is_some() || value.get("playabilityStatus").is_some())
        {
            return Some(value);
        }
    }
    None
}

/// Checks that the video can be played, and so has data to read.
fn playable(player: &Value) -> Result<(), SiteApiError> {
    let state = player.get("playabilityStatus").unwrap_or(&Value::Null);
    let status = state.get("status").and_then(Value::as_str).unwrap_or("OK");
    let reason = name_of(state, "reason").unwrap_or_default();
    let message = if reason.is_empty() {
        String::new()
    } else {
        format!(" ({})", reason.trim_end_matches('.'))
    };
    let lower = reason.to_lowercase();
    match status {
        "LOGIN_REQUIRED" if lower.contains("bot") => Err(blocked(reason.trim_end_matches('.'))),
        "LOGIN_REQUIRED" | "AGE_CHECK_REQUIRED" | "CONTENT_CHECK_REQUIRED" => {
            Err(SiteApiError::AuthRequired(format!(
                "YouTube shows this video to those who are logged in{message}. It cannot be read \
                 here; ask the user, or find a transcript elsewhere."
            )))
        }
        "ERROR" => Err(SiteApiError::NotFound(format!(
            "There is no such video at YouTube{message}. Look the address up again."
        ))),
        "UNPLAYABLE" if player.get("videoDetails").is_none() => Err(SiteApiError::Blocked(
            format!("YouTube does not show this video here{message}. Find a transcript elsewhere."),
        )),
        _ => Ok(()),
    }
}

/// Returns the day of publication.
fn date(player: &Value) -> Option<String> {
    let about = player.pointer("/microformat/playerMicroformatRenderer")?;
    let fields = ["publishDate", "uploadDate"];
    let text = fields
        .iter()
        .find_map(|field| about.get(field).and_then(Value::as_str))?;
    crate::search::dates::day(text)
}

/// Returns the language of the page.
fn language_of(page: &str) -> Option<String> {
    let head = beginning(page, 4096);
    let tag = &head[head.find("<html")?..];
    let tag = &tag[..tag.find('>')?];
    let value = tag.split_once("lang=")?.1;
    let code: String = value
        .trim_start_matches(['"', '\''])
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || *c == '-')
        .collect();
    (!code.is_empty()).then_some(code)
}

/// Returns the description, line by line.
fn description(about: &Value) -> String {
    let text = about.get("shortDescription").and_then(Value::as_str);
    let text = beginning(text.unwrap_or_default().trim(), MAX_TEXT_BYTES);
    let seen = |c: &char| *c == '\n' || !c.is_control();
    text.chars().filter(seen).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_player_is_found_wherever_the_page_has_it() {
        for page in [
            "<script>var ytInitialPlayerResponse = {\"videoDetails\":{\"title\":\"};\"}};var x={}",
            "<script>if(window[\"ytInitialPlayerResponse\"]){}window[\"ytInitialPlayerResponse\"] \
             = {\"videoDetails\":{}};",
            "ytInitialPlayerResponse = null; ytInitialPlayerResponse={\"playabilityStatus\":{}}",
        ] {
            assert!(player(page).is_some(), "{page}");
        }
        for page in [
            "",
            "ytInitialPlayerResponse = {\"a\":1}",
            "ytInitialPlayerResponse = {\"videoDetails\":",
            "ytInitialPlayerResponse",
        ] {
            assert_eq!(player(page), None, "{page}");
        }
        let deep = format!("ytInitialPlayerResponse = {}", "{\"a\":".repeat(100_000));
        assert_eq!(player(&deep), None);
    }
}
