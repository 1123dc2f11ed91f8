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

use super::date::PartialDate;
use crate::basics::words::{beginning, on_one_line};
use crate::web::client::{FetchError, FetchRequest, HttpClient, parse_url};

/// Timeout of the request, a part of the call's.
pub const TIMEOUT: Duration = Duration::from_secs(3);

/// Default endpoint.
const ENDPOINT: &str = "https://api.crossref.org/works";

/// Variable that replaces [`ENDPOINT`].
const ENDPOINT_VARIABLE: &str = "IKIGAI_CROSSREF_URL";

/// Longest DOI of a notice that is returned, in bytes.
const MAX_DOI: usize = 256;

/// Characters that a path segment cannot hold unencoded.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Status of a work's integrity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RetractionStatus {
    /// True if it was retracted, withdrawn or removed.
    pub retracted: bool,
    /// Kind of the worst notice.
    pub kind: NoticeKind,
    /// Date of that notice: `2024-05-17`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// DOI of the notice itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice_doi: Option<String>,
    /// Origin of the notice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<NoticeSource>,
}

/// Kind of a notice, the mildest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeKind {
    /// An error in the work was corrected.
    Correction,
    /// The editors doubt the work.
    ExpressionOfConcern,
    /// The work, or a part of it, was withdrawn.
    Retraction,
}

/// Origin of a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoticeSource {
    /// The database of Retraction Watch.
    RetractionWatch,
    /// The publisher of the work.
    Publisher,
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
    if reply.truncated {
        return Err(CrossrefUnavailable);
    }
    let reply: CrossrefReply =
        serde_json::from_slice(&reply.body).map_err(|_| CrossrefUnavailable)?;
    Ok(worst(&reply.message.updated_by))
}

/// Returns what the notices say that Crossref's record of a work lists.
#[must_use]
pub fn of_record(work: &Value) -> Option<RetractionStatus> {
    work.get("updated-by")?;
    // By the reader of a reply, which would take its room a second time for a value.
    let reply = serde_json::to_vec(&serde_json::json!({ "message": work })).ok()?;
    let reply: CrossrefReply = serde_json::from_slice(&reply).ok()?;
    worst(&reply.message.updated_by)
}

/// Error: there was no readable answer; a later request may succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrossrefUnavailable;

/// Returns the URL of Crossref's record for `doi`; if the endpoint has no path, it is `/works`.
fn address(endpoint: &Url, doi: &str) -> Option<Url> {
    // Texts with blanks or other characters that no DOI has are not sent.
    let sendable = doi.starts_with("10.") && doi.bytes().all(|byte| byte.is_ascii_graphic());
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

#[derive(Deserialize)]
struct CrossrefReply {
    message: CrossrefMessage,
}

#[derive(Deserialize)]
struct CrossrefMessage {
    #[serde(default, rename = "updated-by")]
    updated_by: Vec<CrossrefNotice>,
}

#[derive(Deserialize)]
struct CrossrefNotice {
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default, rename = "DOI")]
    doi: Option<String>,
    #[serde(default)]
    source: Option<String>,
    #[serde(default)]
    updated: Option<NoticeUpdate>,
}

#[derive(Deserialize)]
struct NoticeUpdate {
    #[serde(default, rename = "date-parts")]
    parts: Vec<Vec<Option<i64>>>,
    #[serde(default, rename = "date-time")]
    time: Option<String>,
}

impl NoticeUpdate {
    fn date(&self) -> Option<PartialDate> {
        let parts: Vec<i64> = self.parts.first()?.iter().flatten().copied().collect();
        PartialDate::of_parts(&parts)
    }

    /// Returns the date if year, month and day are known.
    fn day(&self) -> Option<String> {
        let date = self.date().filter(|date| date.is_whole());
        let date = date.or_else(|| PartialDate::parse(self.time.as_deref()?));
        date.filter(|date| date.is_whole())
            .map(|date| date.to_string())
    }
}

impl CrossrefNotice {
    /// Returns the kind of the notice, and whether it retracts the whole work. Crossref accepts any
    /// name from publishers; only those of its own list are distinguished here.
    fn meaning(&self) -> Option<(NoticeKind, bool)> {
        let name = self.kind.as_deref()?.trim().to_ascii_lowercase();
        let name = name.replace(['-', ' '], "_");
        Some(match name.as_str() {
            "retraction" | "withdrawal" | "removal" => (NoticeKind::Retraction, true),
            "partial_retraction" => (NoticeKind::Retraction, false),
            "expression_of_concern" | "concern" => (NoticeKind::ExpressionOfConcern, false),
            "correction" | "erratum" | "corrigendum" => (NoticeKind::Correction, false),
            _ => return None,
        })
    }
}

/// Returns the DOI of a notice in a normalised form.
fn notice_doi(text: &str) -> Option<String> {
    let doi = on_one_line(beginning(text, MAX_DOI));
    (doi.starts_with("10.") && doi.contains('/')).then_some(doi)
}

/// Returns the worst of the notices; of equals the most detailed one.
fn worst(notices: &[CrossrefNotice]) -> Option<RetractionStatus> {
    let mut found: Option<((NoticeKind, bool, usize), RetractionStatus)> = None;
    for notice in notices {
        let Some((kind, whole)) = notice.meaning() else {
            continue;
        };
        let status = RetractionStatus {
            retracted: whole,
            kind,
            date: notice.updated.as_ref().and_then(NoticeUpdate::day),
            notice_doi: notice.doi.as_deref().and_then(notice_doi),
            source: match notice.source.as_deref() {
                Some("retraction-watch") => Some(NoticeSource::RetractionWatch),
                Some("publisher") => Some(NoticeSource::Publisher),
                _ => None,
            },
        };
        let said = usize::from(status.date.is_some())
            + usize::from(status.notice_doi.is_some())
            + usize::from(status.source.is_some());
        let rank = (kind, whole, said);
        if found.as_ref().is_none_or(|(best, _)| rank > *best) {
            found = Some((rank, status));
        }
    }
    found.map(|(_, status)| status)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(updated_by: &Value) -> Value {
        let reply: CrossrefReply =
            serde_json::from_value(json!({"message": {"updated-by": updated_by}})).unwrap();
        serde_json::to_value(worst(&reply.message.updated_by)).unwrap()
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
        let at = |endpoint: &str, doi: &str| {
            let url = address(&Url::parse(endpoint).unwrap(), doi);
            url.map(|url| url.to_string())
        };
        let own = at(
            ENDPOINT,
            "10.1002/(sici)1097-0258(19980815/30)17:15<1661::aid>3.0.co;2-2",
        );
        assert_eq!(
            own.unwrap(),
            "https://api.crossref.org/works/10.1002%2F%28sici%291097-0258%2819980815%2F30%2917%3A15\
             %3C1661%3A%3Aaid%3E3.0.co%3B2-2"
        );
        let local = at("http://127.0.0.1:9", "10.1/a?b#c/../d").unwrap();
        assert_eq!(local, "http://127.0.0.1:9/works/10.1%2Fa%3Fb%23c%2F..%2Fd");
        assert_eq!(at(ENDPOINT, "10.1/a b"), None);
        assert_eq!(at(ENDPOINT, "10.1/\u{e9}"), None);
        assert_eq!(at(ENDPOINT, "../members"), None);
    }
}
