//! A video of `YouTube`: its captions, line by line with their time, else its description.
//!
//! Facts: the watch page, whose `ytInitialPlayerResponse` lists the caption tracks; their text in
//! the forms that it comes in (`json3`, `srv1`, `srv3`). None of it is documented by `YouTube`.

use std::fmt::Write as _;
use std::time::Instant;

use serde_json::Value;
use url::Url;

use super::{
    LONGEST_TEXT, NativeError, NativePage, base, beginning, escaped, get, markdown, name_of, seen,
};
use crate::document::{Document, entities};
use crate::web::client::{Client, FetchError, Response};
use crate::web::credentials::Credentials;
use crate::web::refusal;

/// Where videos are.
const SITE: &str = "https://www.youtube.com/";

/// Replaces it.
const VARIABLE: &str = "IKIGAI_YOUTUBE_URL";

/// What the page calls what its player is told.
const PLAYER: &str = "ytInitialPlayerResponse";

/// The most lines of captions.
const MOST_LINES: usize = 50_000;

/// The most text of captions, in bytes.
const MOST_TEXT: usize = 4 * 1024 * 1024;

/// The longest line, in characters.
const LONGEST_LINE: usize = 1000;

/// A video.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Video {
    id: String,
    /// The language that the address asks for.
    language: Option<String>,
}

impl Video {
    /// The video at `url`, if there is one.
    pub(super) fn at(host: &str, url: &Url) -> Option<Self> {
        let host = host.to_ascii_lowercase();
        let parameter = |name: &str| {
            let mut pairs = url.query_pairs();
            let found = pairs.find(|(one, _)| one == name);
            found.map(|(_, value)| value.into_owned())
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
        client: &Client,
        variables: &Credentials<'_>,
        end: Instant,
    ) -> Result<NativePage, NativeError> {
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
        let length = about.get("lengthSeconds").and_then(seconds);
        let length = length.filter(|length| *length > 0).map(at);
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
        let partial = !matches!(captions, Ok(Some(_)));
        let say = |text: &mut String, block: &str| {
            text.push_str("\n\n");
            text.push_str(block);
        };
        match captions {
            Ok(Some(lines)) => say(&mut text, &lines),
            Ok(None) if described.is_empty() => {
                return Err(NativeError::Empty(
                    "This video has neither captions nor a description: there is nothing to read."
                        .to_owned(),
                ));
            }
            Ok(None) => {
                say(&mut text, "[This video has no captions. Its description:]");
                say(&mut text, &described);
            }
            Err(why) => {
                let why = seen(&why);
                let why = why.trim_end_matches('.');
                if described.is_empty() {
                    return Err(NativeError::Empty(format!(
                        "The captions of this video could not be read ({why}), and it has no \
                         description."
                    )));
                }
                let why = format!("[Its captions could not be read: {why}. Its description:]");
                say(&mut text, &why);
                say(&mut text, &described);
            }
        }
        Ok(NativePage {
            kind: "youtube",
            document: Document {
                title,
                markdown: text,
                ..Document::default()
            },
            author,
            date,
            partial,
        })
    }
}

/// A refusal that is a bot check is said as one.
fn refused(error: FetchError) -> NativeError {
    match &error {
        // With 429 it asks for slower reading, whatever page it shows.
        FetchError::Status(reply) if reply.status != 429 && refusal::bot_check(reply).is_some() => {
            blocked(&reply.status_text())
        }
        _ => NativeError::Fetch(error),
    }
}

fn blocked(why: &str) -> NativeError {
    NativeError::Blocked(format!(
        "YouTube wants to see a human and did not show the video ({why}). Try again later, or find \
         a transcript elsewhere."
    ))
}

/// Why a page that came has no player.
fn without_player(reply: &Response, page: &str) -> NativeError {
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
    if let Some(check) = refusal::bot_check(reply) {
        return blocked(check);
    }
    NativeError::NotUnderstood(
        "YouTube's page is not as it usually is: it names no video. Try again later, or find a \
         transcript elsewhere."
            .to_owned(),
    )
}

/// What the page tells its player.
fn player(page: &str) -> Option<Value> {
    for (at, _) in page.match_indices(PLAYER).take(20) {
        let rest = page[at + PLAYER.len()..].trim_start_matches(['"', '\'', ']']);
        let Some(rest) = rest.trim_start().strip_prefix('=') else {
            continue;
        };
        let rest = rest.trim_start();
        if !rest.starts_with('{') {
            continue;
        }
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        if let Some(Ok(value)) = values.next()
            && (value.get("videoDetails").is_some() || value.get("playabilityStatus").is_some())
        {
            return Some(value);
        }
    }
    None
}

/// Whether there is something to be read of the video.
fn playable(player: &Value) -> Result<(), NativeError> {
    let state = player.get("playabilityStatus").unwrap_or(&Value::Null);
    let status = state.get("status").and_then(Value::as_str).unwrap_or("OK");
    let reason = name_of(state, "reason").unwrap_or_default();
    let said = if reason.is_empty() {
        String::new()
    } else {
        format!(" ({})", reason.trim_end_matches('.'))
    };
    let lower = reason.to_lowercase();
    match status {
        "LOGIN_REQUIRED" if lower.contains("bot") => Err(blocked(reason.trim_end_matches('.'))),
        "LOGIN_REQUIRED" | "AGE_CHECK_REQUIRED" | "CONTENT_CHECK_REQUIRED" => {
            Err(NativeError::AuthRequired(format!(
                "YouTube shows this video to those who are logged in{said}. It cannot be read \
                 here; ask the user, or find a transcript elsewhere."
            )))
        }
        "ERROR" => Err(NativeError::NotFound(format!(
            "There is no such video at YouTube{said}. Look the address up again."
        ))),
        "UNPLAYABLE" if player.get("videoDetails").is_none() => Err(NativeError::Blocked(format!(
            "YouTube does not show this video here{said}. Find a transcript elsewhere."
        ))),
        _ => Ok(()),
    }
}

/// When it was shown first, as a day.
fn date(player: &Value) -> Option<String> {
    let about = player.pointer("/microformat/playerMicroformatRenderer")?;
    let fields = ["publishDate", "uploadDate"];
    let text = fields
        .iter()
        .find_map(|field| about.get(field).and_then(Value::as_str))?;
    let day = text.get(..10)?;
    crate::web::search::dates::iso(day)
}

/// The language that the page is in.
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

/// A track of captions.
struct Track<'a> {
    address: &'a str,
    language: &'a str,
    made: bool,
}

/// The tracks, the best one first: in the language that is wanted, and by a person.
fn tracks<'a>(player: &'a Value, wanted: Option<&str>) -> Vec<Track<'a>> {
    let list = player.pointer("/captions/playerCaptionsTracklistRenderer/captionTracks");
    let list = list.and_then(Value::as_array).into_iter().flatten();
    let mut tracks: Vec<Track<'_>> = list
        .take(500)
        .filter_map(|track| {
            Some(Track {
                address: track.get("baseUrl")?.as_str()?,
                language: track
                    .get("languageCode")
                    .and_then(Value::as_str)
                    .unwrap_or(""),
                made: track.get("kind").and_then(Value::as_str) == Some("asr"),
            })
        })
        .collect();
    let main = |code: &str| {
        code.split('-')
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase()
    };
    let rank = |track: &Track<'_>| {
        let other = wanted.is_none_or(|wanted| main(wanted) != main(track.language));
        let exact = wanted.is_some_and(|wanted| wanted.eq_ignore_ascii_case(track.language));
        (other, track.made, !exact)
    };
    tracks.sort_by_key(rank);
    tracks
}

/// The lines of the captions; `None` where there are none. The error is in a few words.
fn captions(
    client: &Client,
    player: &Value,
    page: &Url,
    wanted: Option<&str>,
) -> Result<Option<String>, String> {
    let tracks = tracks(player, wanted);
    let Some(track) = tracks.first() else {
        return Ok(None);
    };
    let mut url = page
        .join(track.address)
        .map_err(|error| error.to_string())?;
    // Whatever a page says, captions are asked for where the page is, or of YouTube.
    let of_youtube = url
        .host_str()
        .is_some_and(|host| host == "youtube.com" || host.ends_with(".youtube.com"));
    if url.origin() != page.origin() && !(of_youtube && url.scheme() == "https") {
        return Err("they are said to be at another site".to_owned());
    }
    let pairs: Vec<(String, String)> = url
        .query_pairs()
        .filter(|(name, _)| name != "fmt")
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    url.query_pairs_mut()
        .clear()
        .extend_pairs(pairs)
        .append_pair("fmt", "json3");
    let reply =
        get(client, &url, "application/json, */*;q=0.5").map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&reply.body);
    let lines = match serde_json::from_str::<Value>(&text) {
        Ok(value) => lines_of_json(&value),
        Err(_) => lines_of_xml(&text),
    };
    if lines.is_empty() {
        let why = if text.trim().is_empty() {
            "YouTube answered with nothing"
        } else {
            "the answer has no lines"
        };
        return Err(why.to_owned());
    }
    Ok(Some(written(&lines)))
}

/// The lines with their times, in milliseconds.
type Lines = Vec<(u64, String)>;

fn lines_of_json(value: &Value) -> Lines {
    let events = value.get("events").and_then(Value::as_array);
    let mut lines = Lines::new();
    for event in events.into_iter().flatten() {
        let Some(parts) = event.get("segs").and_then(Value::as_array) else {
            continue;
        };
        let parts = parts.iter().filter_map(|part| part.get("utf8")?.as_str());
        let text: String = parts.collect();
        let start = event.get("tStartMs").and_then(millis).unwrap_or_default();
        push(&mut lines, start, &text);
    }
    lines
}

/// The lines of `<text start="1.5">` (seconds) or `<p t="1500">` (milliseconds).
fn lines_of_xml(text: &str) -> Lines {
    let mut lines = Lines::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let (name, in_seconds) = if rest.starts_with("text ") {
            ("text", true)
        } else if rest.starts_with("p ") {
            ("p", false)
        } else {
            continue;
        };
        let Some((tag, after)) = rest.split_once('>') else {
            break;
        };
        let close = format!("</{name}>");
        let Some((inner, after)) = after.split_once(close.as_str()) else {
            break;
        };
        rest = after;
        let attribute = |name: &str| {
            let value = tag.split_once(&format!(" {name}=\""))?.1;
            value.split_once('"').map(|(value, _)| value)
        };
        let start = if in_seconds {
            attribute("start").and_then(seconds_in_words)
        } else {
            attribute("t").and_then(|value| value.parse().ok())
        };
        // What stands in the words of a line are entities of entities.
        let inner = entities::decoded(&entities::decoded(&without_tags(inner)));
        push(&mut lines, start.unwrap_or_default(), &inner);
    }
    lines
}

fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut inside = false;
    for c in text.chars() {
        match c {
            '<' => inside = true,
            '>' if inside => inside = false,
            c if !inside => out.push(c),
            _ => {}
        }
    }
    out
}

/// Milliseconds of a number of seconds with a fraction.
fn seconds_in_words(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let whole: u64 = whole.parse().ok()?;
    let digits: String = fraction.chars().chain("000".chars()).take(3).collect();
    whole.checked_mul(1000)?.checked_add(digits.parse().ok()?)
}

fn push(lines: &mut Lines, start: u64, text: &str) {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    if words.is_empty() || lines.len() >= MOST_LINES {
        return;
    }
    let text: String = words.join(" ").chars().take(LONGEST_LINE).collect();
    lines.push((start, text));
}

fn written(lines: &Lines) -> String {
    let mut text = String::new();
    for (start, line) in lines {
        if text.len() > MOST_TEXT {
            text.push_str("\n[Cut off: these captions are too long to be shown whole.]");
            break;
        }
        let separator = if text.is_empty() { "" } else { "\n" };
        // Writing to a string does not fail.
        let _ = write!(text, "{separator}[{}] {line}", at(start / 1000));
    }
    text
}

/// A time in a video: `1:05`, `1:01:05`.
fn at(seconds: u64) -> String {
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}

/// A number of milliseconds, as a number or as its digits.
fn millis(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

fn seconds(value: &Value) -> Option<u64> {
    millis(value)
}

/// The description, line by line.
fn description(about: &Value) -> String {
    let text = about.get("shortDescription").and_then(Value::as_str);
    let text = beginning(text.unwrap_or_default().trim(), LONGEST_TEXT);
    let seen = |c: &char| *c == '\n' || !c.is_control();
    text.chars().filter(seen).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_as_players_show_them() {
        for (seconds, told) in [
            (0, "0:00"),
            (65, "1:05"),
            (3599, "59:59"),
            (3665, "1:01:05"),
        ] {
            assert_eq!(at(seconds), told);
        }
        assert_eq!(seconds_in_words("1.5"), Some(1500));
        assert_eq!(seconds_in_words("12"), Some(12_000));
        assert_eq!(seconds_in_words("99999999999999999999.1"), None);
        assert_eq!(seconds_in_words("x"), None);
    }

    #[test]
    fn captions_are_read_in_each_form() {
        let json = serde_json::json!({"events": [
            {"tStartMs": 0, "dDurationMs": 10, "id": 1},
            {"tStartMs": 1230, "segs": [{"utf8": "Hello"}, {"utf8": " there"}]},
            {"tStartMs": 1240, "aAppend": 1, "segs": [{"utf8": "\n"}]},
            {"tStartMs": "65000", "segs": [{"utf8": "two\nlines\u{1b}[31m"}]},
            {"segs": 5}, 7,
        ]});
        assert_eq!(
            written(&lines_of_json(&json)),
            "[0:01] Hello there\n[1:05] two lines [31m"
        );
        let first = "<?xml version=\"1.0\"?><transcript><text start=\"1.23\" dur=\"2\">It&amp;#39;s \
            &lt;b&gt;</text><text start=\"3661\">a&#10;b</text><text start=\"9\">half";
        assert_eq!(
            written(&lines_of_xml(first)),
            "[0:01] It's <b>\n[1:01:01] a b"
        );
        let third = "<timedtext format=\"3\"><body><p t=\"1230\" d=\"1\"><s>Hello</s><s> you</s></p>\
            <p t=\"5\" /></body></timedtext>";
        assert_eq!(written(&lines_of_xml(third)), "[0:01] Hello you");
        for nothing in [
            "",
            "<",
            "<text ",
            "<p t=\"1\">",
            "{}",
            "<text start=\"x\"></text>",
        ] {
            assert!(lines_of_xml(nothing).is_empty(), "{nothing}");
        }
    }

    #[test]
    fn the_best_track_is_in_the_language_and_by_a_person() {
        let track = |language: &str, made: bool| {
            let kind = if made { "asr" } else { "" };
            serde_json::json!({"baseUrl": format!("/{language}{kind}"), "languageCode": language, "kind": kind})
        };
        let best = |tracks: Vec<Value>, wanted: Option<&str>| {
            let player = serde_json::json!({"captions": {"playerCaptionsTracklistRenderer":
                {"captionTracks": tracks}}});
            super::tracks(&player, wanted)
                .first()
                .map(|track| track.address.to_owned())
        };
        let all = || {
            vec![
                track("fr", true),
                track("de", false),
                track("en-GB", false),
                track("en", true),
            ]
        };
        for (wanted, expected) in [
            (Some("en"), "/en-GB"),
            (Some("de-AT"), "/de"),
            (Some("fr"), "/frasr"),
            (Some("ja"), "/de"),
            (None, "/de"),
        ] {
            assert_eq!(best(all(), wanted).as_deref(), Some(expected), "{wanted:?}");
        }
        assert_eq!(best(Vec::new(), None), None);
    }

    #[test]
    fn the_player_is_found_wherever_the_page_has_it() {
        for page in [
            "<script>var ytInitialPlayerResponse = {\"videoDetails\":{\"title\":\"};\"}};var x={}",
            "<script>if(window[\"ytInitialPlayerResponse\"]){}window[\"ytInitialPlayerResponse\"] = {\"videoDetails\":{}};",
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
