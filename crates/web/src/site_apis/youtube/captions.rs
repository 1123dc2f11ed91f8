//! Captions of a video: the best track, and its lines with their times, in each of the three
//! formats (`json3`, `srv1`, `srv3`).

use std::fmt::Write as _;

use serde_json::Value;
use url::Url;

use super::get;
use crate::client::HttpClient;
use crate::guard::names::is_within;
use iki_document::{XmlEvent, XmlReader, entities};

/// Maximum number of caption lines.
const MAX_LINES: usize = 50_000;

/// Maximum length of all captions, in bytes.
const MAX_CAPTIONS_BYTES: usize = 4 * 1024 * 1024;

/// Maximum length of a line, in characters.
const MAX_LINE_CHARS: usize = 1000;

/// A caption track.
struct CaptionTrack<'a> {
    address: &'a str,
    language: &'a str,
    is_generated: bool,
}

/// Returns the tracks, best first: in the wanted language, and written by a person.
fn tracks<'a>(player: &'a Value, wanted: Option<&str>) -> Vec<CaptionTrack<'a>> {
    let list = player.pointer("/captions/playerCaptionsTracklistRenderer/captionTracks");
    let list = list.and_then(Value::as_array).into_iter().flatten();
    let mut tracks: Vec<CaptionTrack<'_>> = list
        .take(500)
        .filter_map(|track| {
            Some(CaptionTrack {
                address: track.get("baseUrl")?.as_str()?,
                language: track
                    .get("languageCode")
                    .and_then(Value::as_str)
                    .unwrap_or(""),
                is_generated: track.get("kind").and_then(Value::as_str) == Some("asr"),
            })
        })
        .collect();
    let main = |code: &str| {
        code.split('-')
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase()
    };
    let rank = |track: &CaptionTrack<'_>| {
        let other = wanted.is_none_or(|wanted| main(wanted) != main(track.language));
        let exact = wanted.is_some_and(|wanted| wanted.eq_ignore_ascii_case(track.language));
        4 * usize::from(other) + 2 * usize::from(track.is_generated) + usize::from(!exact)
    };
    tracks.sort_by_key(rank);
    tracks
}

/// Fetches the lines of the captions; `None` if there are none. The error is a few words.
pub(super) fn captions(
    client: &HttpClient,
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
    // Captions are fetched from the page's own host or from YouTube, whatever URL the page gives.
    let host = url.host_str();
    let of_youtube = host.is_some_and(|host| is_within(host, "youtube.com"));
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
    Ok(Some(format_lines(&lines)))
}

/// Caption lines with their start times, in milliseconds.
type CaptionLines = Vec<(u64, String)>;

fn lines_of_json(value: &Value) -> CaptionLines {
    let events = value.get("events").and_then(Value::as_array);
    let mut lines = CaptionLines::new();
    for event in events.into_iter().flatten() {
        let Some(parts) = event.get("segs").and_then(Value::as_array) else {
            continue;
        };
        let parts = parts.iter().filter_map(|part| part.get("utf8")?.as_str());
        let text: String = parts.collect();
        let start = event.get("tStartMs").and_then(number).unwrap_or_default();
        push(&mut lines, start, &text);
    }
    lines
}

/// Parses the lines of `<text start="1.5">` (seconds) or `<p t="1500">` (milliseconds).
fn lines_of_xml(text: &str) -> CaptionLines {
    let mut lines = CaptionLines::new();
    let mut xml = XmlReader::new(text, None);
    while let Some(event) = xml.next() {
        let XmlEvent::Open(tag) = event else {
            continue;
        };
        let start = match tag.name() {
            "text" => tag
                .attribute("start")
                .and_then(|time| seconds_in_words(&time)),
            "p" => tag.attribute("t").and_then(|time| time.parse().ok()),
            _ => continue,
        };
        let inner = xml.text_within(MAX_CAPTIONS_BYTES);
        if xml.is_broken {
            break;
        }
        // The text of a line is escaped twice.
        push(
            &mut lines,
            start.unwrap_or_default(),
            &entities::decoded(&inner),
        );
    }
    lines
}

/// Converts seconds with a fraction to milliseconds.
fn seconds_in_words(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let whole: u64 = whole.parse().ok()?;
    let digits: String = fraction.chars().chain("000".chars()).take(3).collect();
    whole.checked_mul(1000)?.checked_add(digits.parse().ok()?)
}

fn push(lines: &mut CaptionLines, start: u64, text: &str) {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    if words.is_empty() || lines.len() >= MAX_LINES {
        return;
    }
    let text: String = words.join(" ").chars().take(MAX_LINE_CHARS).collect();
    lines.push((start, text));
}

fn format_lines(lines: &CaptionLines) -> String {
    let mut text = String::new();
    for (start, line) in lines {
        if text.len() > MAX_CAPTIONS_BYTES {
            text.push_str("\n[Cut off: these captions are too long to be shown whole.]");
            break;
        }
        let separator = if text.is_empty() { "" } else { "\n" };
        // Writing to a string does not fail.
        let _ = write!(text, "{separator}[{}] {line}", timestamp(start / 1000));
    }
    text
}

/// Formats a time in a video: `1:05`, `1:01:05`.
pub(super) fn timestamp(seconds: u64) -> String {
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}

/// Returns a number that is written as a number or as a string of digits.
pub(super) fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
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
            assert_eq!(timestamp(seconds), told);
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
            format_lines(&lines_of_json(&json)),
            "[0:01] Hello there\n[1:05] two lines [31m"
        );
        let first = "<?xml version=\"1.0\"?><transcript><text start=\"1.23\" \
                     dur=\"2\">It&amp;#39;s &lt;b&gt;</text><text \
                     start=\"3661\">a&#10;b</text><text start=\"9\">half";
        assert_eq!(
            format_lines(&lines_of_xml(first)),
            "[0:01] It's <b>\n[1:01:01] a b"
        );
        let third = "<timedtext format=\"3\"><body><p t=\"1230\" d=\"1\"><s>Hello</s><s> \
                     you</s></p><p t=\"5\" /></body></timedtext>";
        assert_eq!(format_lines(&lines_of_xml(third)), "[0:01] Hello you");
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
}
