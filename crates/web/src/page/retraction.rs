//! Retractions, corrections and doubts about a scholarly work: Crossref's notices for its DOI, from
//! publishers and from Retraction Watch.
//!
//! Rules: Crossref's REST API, `/works/{doi}`. `message.updated-by` lists the notices about a work;
//! `update-to`, which only a notice has, lists the works that it is about, and says nothing of the
//! work itself. Only the DOI leaves the machine.

use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use crate::client::{FetchError, FetchRequest, HttpClient, parse_url};
use crate::partial_date::PartialDate;
use iki_base::wording::{beginning, on_one_line};

/// Timeout of the request, a part of the call's.
pub const TIMEOUT: Duration = Duration::from_secs(3);

/// Default endpoint.
const ENDPOINT: &str = "https://api.crossref.org/works";

/// Variable that replaces [`ENDPOINT`].
const ENDPOINT_VARIABLE: &str = "IKIGAI_CROSSREF_URL";

/// Maximum length of a DOI of a notice that is returned, in bytes.
const MAX_DOI_BYTES: usize = 256;

/// Characters that a path segment cannot hold unencoded.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Words with which publishers mark the title of a work that they have retracted; those after them.
const TITLE_MARKS: [&str; 3] = ["retracted", "withdrawn", "removed"];
const KINDS: [&str; 4] = ["article", "chapter", "paper", "preprint"];

/// Kind of a notice that takes a retraction back.
const REINSTATEMENT: &str = "reinstatement";

/// The status that the worst notice about a work gives it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RetractionStatus {
    /// True if the whole work has been retracted.
    pub retracted: bool,
    /// `correction`, `expression_of_concern`, `retraction`, or the `reinstatement` after one.
    pub kind: String,
    /// Day of the notice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// DOI of the notice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice_doi: Option<String>,
    /// `publisher` or `retraction-watch`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

impl RetractionStatus {
    /// Returns the status of a work that has been retracted.
    #[must_use]
    pub fn retracted() -> Self {
        Self {
            retracted: true,
            kind: "retraction".to_owned(),
            ..Self::default()
        }
    }

    /// Returns it in words: `RETRACTED, 2022-02-06, 10.1038/notice`.
    #[must_use]
    pub fn in_words(&self) -> String {
        let mut words = match (self.retracted, self.kind.as_str()) {
            (true, _) => "RETRACTED".to_owned(),
            (false, kind) => format!("Notice about it: {}", kind.replace('_', " ")),
        };
        for fact in [&self.date, &self.notice_doi].into_iter().flatten() {
            words.push_str(", ");
            words.push_str(fact);
        }
        words
    }
}

/// Returns a title without the mark of a retraction before it, such as `RETRACTED ARTICLE: ` or
/// `[Retracted] `. That of a notice, which is another work, is a noun: `Retraction: `.
#[must_use]
pub fn without_mark(title: &str) -> &str {
    let title = title.trim();
    let bracketed = title.strip_prefix('[');
    let parts = match bracketed {
        Some(inside) => inside.split_once(']'),
        None => title.split_once(':'),
    };
    let Some((mark, remainder)) = parts else {
        return title;
    };
    let lower = mark.to_lowercase();
    let mut words = lower.split_whitespace();
    let first = words.next().unwrap_or_default();
    let is_mark = TITLE_MARKS.contains(&first) && words.all(|word| KINDS.contains(&word));
    // Books are called so, too.
    let is_clear = bracketed.is_some() || first == TITLE_MARKS[0] || mark == mark.to_uppercase();
    let remainder = remainder.trim_start_matches([':', ' ']);
    if is_mark && is_clear && !remainder.is_empty() {
        remainder
    } else {
        title
    }
}

/// Asks Crossref about `doi`, for [`TIMEOUT`] at most. `None` if no notice is known.
///
/// # Errors
///
/// [`CrossrefUnavailable`]: the work's status is unknown.
pub fn status(
    client: &HttpClient,
    doi: &str,
) -> Result<Option<RetractionStatus>, CrossrefUnavailable> {
    let variable = std::env::var(ENDPOINT_VARIABLE).ok();
    let endpoint = variable.as_deref().map(str::trim);
    let endpoint = endpoint
        .filter(|value| !value.is_empty())
        .unwrap_or(ENDPOINT);
    status_at(
        client,
        &parse_url(endpoint).map_err(|_| CrossrefUnavailable)?,
        doi,
    )
}

/// Like [`status`], with another endpoint.
///
/// # Errors
///
/// [`CrossrefUnavailable`]: the work's status is unknown.
pub fn status_at(
    client: &HttpClient,
    endpoint: &Url,
    doi: &str,
) -> Result<Option<RetractionStatus>, CrossrefUnavailable> {
    let Some(url) = address(endpoint, doi) else {
        return Ok(None);
    };
    let client = client.for_at_most(TIMEOUT);
    let reply = client.get(&FetchRequest {
        url: &url,
        accept: "application/json",
        headers: &[],
    });
    let reply = match reply {
        Ok(reply) => reply,
        // Crossref does not know the work.
        Err(FetchError::Status(reply)) if reply.status == 404 => return Ok(None),
        Err(_) => return Err(CrossrefUnavailable),
    };
    if reply.is_truncated {
        return Err(CrossrefUnavailable);
    }
    let reply: Value = serde_json::from_slice(&reply.body).map_err(|_| CrossrefUnavailable)?;
    let work = reply.get("message").filter(|work| work.is_object());
    Ok(of_record(work.ok_or(CrossrefUnavailable)?))
}

/// Error: there was no readable answer; a later request may succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrossrefUnavailable;

/// Returns the URL of Crossref's record for `doi`; if the endpoint has no path, it is `/works`.
#[must_use]
pub fn address(endpoint: &Url, doi: &str) -> Option<Url> {
    // Texts with characters that no DOI has are not sent.
    let sendable =
        doi.starts_with("10.") && !doi.contains(|c: char| c.is_whitespace() || c.is_control());
    if !sendable {
        return None;
    }
    let mut url = endpoint.clone();
    let path = match url.path().trim_end_matches('/') {
        "" => "/works",
        path => path,
    };
    let path = format!("{path}/{}", utf8_percent_encode(doi, ENCODED));
    url.set_path(&path);
    Some(url)
}

/// Returns the kind of a notice, and whether it retracts the whole work. Crossref accepts any name
/// from publishers; only those of its own list are distinguished here, the mildest first.
fn meaning(notice: &Value) -> Option<(usize, &'static str, bool)> {
    let name = notice["type"].as_str()?.trim().to_ascii_lowercase();
    let name = name.replace(['-', ' '], "_");
    Some(match name.as_str() {
        "correction" | "erratum" | "corrigendum" => (0, "correction", false),
        "reinstatement" => (1, REINSTATEMENT, false),
        "expression_of_concern" | "concern" => (2, "expression_of_concern", false),
        "partial_retraction" => (3, "retraction", false),
        "retraction" | "withdrawal" | "removal" => (4, "retraction", true),
        _ => return None,
    })
}

/// Returns the day of a notice, if year, month and day are known.
fn day(notice: &Value) -> Option<String> {
    let updated = &notice["updated"];
    let parts = updated["date-parts"][0].as_array().into_iter().flatten();
    let parts: Vec<i64> = parts.filter_map(Value::as_i64).collect();
    let time = updated["date-time"].as_str().and_then(PartialDate::parse);
    let mut dates = [PartialDate::of_parts(&parts), time].into_iter().flatten();
    let date = dates.find(|date| date.is_whole());
    date.map(|date| date.to_string())
}

/// Returns the DOI of a notice in a normalised form.
fn notice_doi(notice: &Value) -> Option<String> {
    let doi = on_one_line(beginning(notice["DOI"].as_str()?, MAX_DOI_BYTES));
    (doi.starts_with("10.") && doi.contains('/')).then_some(doi)
}

/// Returns the status of a work that Crossref's record of it tells, by its worst notice; of equal
/// ones the most detailed counts.
#[must_use]
pub fn of_record(work: &Value) -> Option<RetractionStatus> {
    let mut worst: Option<((usize, usize), RetractionStatus)> = None;
    let notices = work["updated-by"].as_array()?.iter();
    let notices = notices.filter_map(|notice| Some((notice, meaning(notice)?)));
    let reinstated = notices
        .clone()
        .filter(|(_, (_, kind, _))| *kind == REINSTATEMENT)
        .filter_map(|(notice, _)| day(notice))
        .max();
    for (notice, (severity, kind, retracted)) in notices {
        // Days in this form are in the order of their letters.
        let is_taken_back = retracted && day(notice).is_some_and(|day| Some(day) <= reinstated);
        if is_taken_back {
            continue;
        }
        let source = notice["source"].as_str();
        let source = source.filter(|name| matches!(*name, "retraction-watch" | "publisher"));
        let status = RetractionStatus {
            retracted,
            kind: kind.to_owned(),
            date: day(notice),
            notice_doi: notice_doi(notice),
            source: source.map(str::to_owned),
        };
        let facts = [&status.date, &status.notice_doi, &status.source];
        let rank = (severity, facts.into_iter().flatten().count());
        if worst.as_ref().is_none_or(|(best, _)| rank > *best) {
            worst = Some((rank, status));
        }
    }
    worst.map(|(_, status)| status)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(updated_by: &Value) -> Value {
        serde_json::to_value(of_record(&json!({"updated-by": updated_by}))).unwrap()
    }

    #[test]
    fn a_mark_before_a_title_is_not_part_of_it() {
        for (title, expected) in [
            ("RETRACTED: On salt: a study", "On salt: a study"),
            ("RETRACTED ARTICLE: On salt", "On salt"),
            ("Retracted: On salt", "On salt"),
            ("WITHDRAWN: On salt", "On salt"),
            ("[Retracted] On salt", "On salt"),
            ("Retraction: On salt", "Retraction: On salt"),
            (
                "Retraction notice to: On salt",
                "Retraction notice to: On salt",
            ),
            ("Withdrawn: a novel", "Withdrawn: a novel"),
            ("Retracted papers: a study", "Retracted papers: a study"),
            ("[Retracted]", "[Retracted]"),
        ] {
            assert_eq!(without_mark(title), expected);
        }
    }

    #[test]
    fn the_worst_notice_counts() {
        let notice = |kind: &str| json!({"type": kind, "DOI": "10.1/x"});
        for (kinds, retracted, kind) in [
            (
                &["correction", "retraction", "erratum"][..],
                true,
                "retraction",
            ),
            (&["withdrawal"], true, "retraction"),
            (&["removal"], true, "retraction"),
            (&["partial_retraction", "retraction"], true, "retraction"),
            (&["partial_retraction", "erratum"], false, "retraction"),
            (
                &["corrigendum", "expression_of_concern"],
                false,
                "expression_of_concern",
            ),
            (&["Expression of Concern"], false, "expression_of_concern"),
            (&["new_version", "erratum"], false, "correction"),
            (&["corrigendum"], false, "correction"),
        ] {
            let all: Vec<Value> = kinds.iter().map(|kind| notice(kind)).collect();
            let told = told(&Value::Array(all));
            assert_eq!(told["retracted"], retracted, "{kinds:?}");
            assert_eq!(told["kind"], kind, "{kinds:?}");
        }
        assert_eq!(told(&json!([notice("new_edition"), {}])), Value::Null);
        assert_eq!(told(&json!([])), Value::Null);
    }

    #[test]
    fn a_reinstatement_takes_back_the_retractions_before_it() {
        let notice = |kind: &str, day: Option<u8>| match day {
            Some(day) => json!({"type": kind, "updated": {"date-parts": [[2022, 1, day]]}}),
            None => json!({"type": kind}),
        };
        for (notices, retracted, kind) in [
            (
                vec![("retraction", Some(1)), ("reinstatement", Some(2))],
                false,
                "reinstatement",
            ),
            (
                vec![("reinstatement", Some(2)), ("retraction", Some(1))],
                false,
                "reinstatement",
            ),
            (
                vec![("reinstatement", Some(1)), ("retraction", Some(2))],
                true,
                "retraction",
            ),
            (
                vec![("retraction", None), ("reinstatement", Some(2))],
                true,
                "retraction",
            ),
            (
                vec![("retraction", Some(1)), ("reinstatement", None)],
                true,
                "retraction",
            ),
            (
                vec![
                    ("retraction", Some(1)),
                    ("reinstatement", Some(2)),
                    ("concern", Some(3)),
                ],
                false,
                "expression_of_concern",
            ),
        ] {
            let all: Vec<Value> = notices
                .iter()
                .map(|(kind, day)| notice(kind, *day))
                .collect();
            let told = told(&Value::Array(all));
            assert_eq!(
                (&told["retracted"], &told["kind"]),
                (&json!(retracted), &json!(kind)),
                "{notices:?}"
            );
        }
    }

    #[test]
    fn of_equal_notices_the_one_counts_that_says_most() {
        let told = told(&json!([
            {"type": "retraction", "source": "publisher"},
            {"type": "retraction", "source": "retraction-watch", "DOI": "10.1234/NOTICE",
             "updated": {"date-parts": [[2010, 2, 6]], "date-time": "2010-02-06T00:00:00Z"}},
            {"type": "retraction", "source": "elsewhere"},
        ]));
        assert_eq!(
            told,
            json!({
                "retracted": true, "kind": "retraction", "date": "2010-02-06",
                "noticeDoi": "10.1234/NOTICE", "source": "retraction-watch",
            })
        );
    }

    #[test]
    fn a_date_is_a_whole_day_or_absent() {
        for (updated, date) in [
            (json!({"date-parts": [[2010, 2, 6]]}), Some("2010-02-06")),
            (
                json!({"date-time": "2020-05-05T00:00:00Z"}),
                Some("2020-05-05"),
            ),
            (json!({"date-parts": [[2010, 2]]}), None),
            (json!({"date-parts": [[null]]}), None),
            (json!({"date-parts": []}), None),
            (json!({}), None),
        ] {
            let told = told(&json!([{"type": "erratum", "updated": updated}]));
            assert_eq!(told.get("date").and_then(Value::as_str), date);
        }
    }

    #[test]
    fn the_doi_is_one_segment_of_the_address() {
        let doi_at = |endpoint: &str, doi: &str| {
            let url = address(&Url::parse(endpoint).unwrap(), doi);
            url.map(|url| url.to_string())
        };
        let result = doi_at(
            ENDPOINT,
            "10.1002/(sici)1097-0258(19980815/30)17:15<1661::aid>3.0.co;2-2",
        );
        assert_eq!(
            result.unwrap(),
            "https://api.crossref.org/works/10.1002%2F%28sici%291097-0258%2819980815%2F30%2917%3A15\
             %3C1661%3A%3Aaid%3E3.0.co%3B2-2"
        );
        let local = doi_at("http://127.0.0.1:9", "10.1/a?b#c/../d").unwrap();
        assert_eq!(local, "http://127.0.0.1:9/works/10.1%2Fa%3Fb%23c%2F..%2Fd");
        assert_eq!(doi_at(ENDPOINT, "10.1/a b"), None);
        assert_eq!(
            doi_at("http://127.0.0.1:9", "10.1/\u{e9}").unwrap(),
            "http://127.0.0.1:9/works/10.1%2F%C3%A9"
        );
        assert_eq!(doi_at(ENDPOINT, "../members"), None);
    }
}
