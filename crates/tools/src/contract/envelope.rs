//! The envelope: the fields by which an answer says if the call succeeded.
//!
//! There is one for tools and front ends alike. Rules: the specification's response formats, and
//! the decisions on the host's calls (1 to 3).
//!
//! | outcome | local tools | web tools |
//! |---|---|---|
//! | succeeded | the tool's fields | `success: true`, and these |
//! | failed before anything was written | `error`, `error_code` | `success: false`, and these |
//! | failed while it was written | the answer so far, then these two | `success: true`, and these |
//!
//! The tools of research answer as local tools do and fail as web tools do.
//!
//! After `error_code` there may be fields on how to proceed ([`FailureAdvice`]): `retryable`,
//! `retryAfterSeconds`, `suggestedAction`, `provider`, `alternatives`, `detail`.
//!
//! Any of them may end in `note`, for its reader (see [`notes`]).
//!
//! [`notes`]: crate::contract::notes

use std::io;

use serde_json::Value;

use crate::contract::failure::{Failure, FailureAdvice};
use crate::contract::notes::Notes;
use crate::contract::reply::AnswerObject;
use crate::contract::tool::EnvelopeFamily;

impl AnswerObject<'_> {
    /// Begins the answer of a call that succeeded.
    pub fn succeed(&mut self, family: EnvelopeFamily) -> io::Result<()> {
        match family {
            EnvelopeFamily::Local | EnvelopeFamily::Research => Ok(()),
            EnvelopeFamily::Web => self.field("success", &true),
        }
    }

    /// Writes the whole answer of a call that failed before anything was written.
    pub fn fail(&mut self, family: EnvelopeFamily, failure: &Failure) -> io::Result<()> {
        match family {
            EnvelopeFamily::Local => {}
            EnvelopeFamily::Web | EnvelopeFamily::Research => self.field("success", &false)?,
        }
        self.break_off(failure)
    }

    /// Ends an answer that fails midway: adds the failure after the fields written so far, unless
    /// the answer has one already.
    pub fn break_off(&mut self, failure: &Failure) -> io::Result<()> {
        if self.has_failed() {
            return Ok(());
        }
        let message = self.spell_names(&failure.message).into_owned();
        self.field("error", &message)?;
        let mut note = Notes::default();
        if failure.quotes_file {
            note.quote(failure.note.clone());
        } else {
            note.add(failure.note.clone());
        }
        self.note(note);
        self.field("error_code", failure.code.as_str())?;
        match &failure.advice {
            Some(advice) => self.advise(advice),
            None => Ok(()),
        }
    }

    fn advise(&mut self, advice: &FailureAdvice) -> io::Result<()> {
        self.field("retryable", &advice.retryable)?;
        if let Some(seconds) = advice.retry_after {
            self.field("retryAfterSeconds", &seconds)?;
        }
        if let Some(action) = &advice.suggested_action {
            self.field("suggestedAction", action)?;
        }
        if let Some(provider) = &advice.provider {
            self.field("provider", provider)?;
        }
        if !advice.alternatives.is_empty() {
            self.field("alternatives", &advice.alternatives)?;
        }
        match &advice.detail {
            Some(detail) => self.field("detail", detail),
            None => Ok(()),
        }
    }
}

/// The JSON text of an answer that is only `failure`, for callers that answer in a tool's place.
#[must_use]
pub fn failure_text(family: EnvelopeFamily, failure: &Failure) -> String {
    let mut answer = Vec::new();
    let written = AnswerObject::open(&mut answer).and_then(|mut object| {
        object.fail(family, failure)?;
        object.close()
    });
    // Writing to memory cannot fail, and JSON is UTF-8.
    written
        .ok()
        .and_then(|()| String::from_utf8(answer).ok())
        .unwrap_or_default()
}

/// The fields that every tool's answer may have.
const ENVELOPE_FIELDS: &str = "success error error_code retryable retryAfterSeconds \
                               suggestedAction provider alternatives detail note";

/// True if every tool's answer may have a field of this name.
#[must_use]
pub fn is_envelope_field(field: &str) -> bool {
    ENVELOPE_FIELDS.split(' ').any(|name| name == field)
}

/// True if `answer` says that the call failed.
#[must_use]
pub fn has_failed(answer: &Value) -> bool {
    answer["success"] == false || answer["error"].is_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::failure::ErrorCode;

    #[test]
    fn a_failure_is_said_as_each_family_says_it() {
        let failure = Failure::new(ErrorCode::Timeout, "too \"long\"");
        for (family, expected) in [
            (
                EnvelopeFamily::Local,
                r#"{"error":"too \"long\"","error_code":"TIMEOUT"}"#,
            ),
            (
                EnvelopeFamily::Web,
                r#"{"success":false,"error":"too \"long\"","error_code":"TIMEOUT"}"#,
            ),
        ] {
            assert_eq!(failure_text(family, &failure), expected);
        }
    }

    #[test]
    fn what_may_be_done_about_a_failure_stands_behind_its_code() {
        let advice = FailureAdvice {
            retryable: true,
            retry_after: Some(60),
            provider: Some("brave".to_owned()),
            alternatives: vec!["exa".to_owned()],
            ..FailureAdvice::default()
        };
        let failure = Failure::new(ErrorCode::RateLimit, "slow").with_advice(advice);
        assert_eq!(
            failure_text(EnvelopeFamily::Web, &failure.with_note("Wait.")),
            r#"{"success":false,"error":"slow","error_code":"RATE_LIMIT","retryable":true,"retryAfterSeconds":60,"provider":"brave","alternatives":["exa"],"note":"Wait."}"#
        );
    }

    #[test]
    fn a_failure_s_note_comes_last() {
        let failure = Failure::new(ErrorCode::NotFound, "none").with_note("Read the file again.");
        assert_eq!(
            failure_text(EnvelopeFamily::Local, &failure),
            r#"{"error":"none","error_code":"NOT_FOUND","note":"Read the file again."}"#
        );
    }

    #[test]
    fn an_answer_that_breaks_off_says_why_once_and_keeps_what_there_was() {
        let failure = Failure::new(ErrorCode::ReadFailed, "the disk");
        let mut out = Vec::new();
        let mut object = AnswerObject::open(&mut out).unwrap();
        object.succeed(EnvelopeFamily::Web).unwrap();
        object.whole_text("output", b"begun").unwrap();
        object.break_off(&failure).unwrap();
        object
            .break_off(&Failure::new(ErrorCode::ToolFailed, "again"))
            .unwrap();
        object.close().unwrap();
        assert_eq!(
            out,
            br#"{"success":true,"output":"begun","error":"the disk","error_code":"READ_FAILED"}"#
        );
        assert!(has_failed(&serde_json::from_slice(&out).unwrap()));
    }
}
