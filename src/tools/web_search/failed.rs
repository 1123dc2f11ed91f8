//! Why there is no answer: the workshop's failures as codes, sentences and what may be done.

use serde::Serialize;

use crate::contract::failure::{Code, Failure, FailureAdvice};
use crate::tools::research;
use crate::web::credentials::Credentials;
use crate::web::search::choice;
use crate::web::search::failure::{self, Kind};
use crate::web::search::outcome::{Routed, SearchFailure};

/// A host's event, as one line of JSON on stderr.
#[derive(Serialize)]
struct Event<'a> {
    kind: &'static str,
    content: String,
    data_json: &'a str,
}

/// The failure that `error` is.
pub fn failure(error: &SearchFailure, credentials: &Credentials<'_>) -> Failure {
    let message = error.to_string();
    match error {
        SearchFailure::NoProvider(why) => {
            let code = if why.is_of_the_request() {
                Code::InvalidArg
            } else {
                Code::Config
            };
            let configured = choice::configured(credentials);
            let advice = FailureAdvice {
                alternatives: names(&configured.iter().map(|one| one.name).collect::<Vec<_>>()),
                ..research::advice(code)
            };
            Failure::new(code, message).with_advice(advice)
        }
        SearchFailure::Failed {
            failure,
            routed,
            alternatives,
        } => {
            let code = code(failure.kind);
            let after = failure.retry_after();
            let reasons = routed.as_ref().and_then(Routed::fallback_reason);
            let advice = FailureAdvice {
                retryable: after.is_some(),
                retry_after: after,
                suggested_action: Some(research::action(code, after.is_some()).to_owned()),
                provider: Some(failure.provider.to_owned()),
                alternatives: names(alternatives),
                detail: reasons,
            };
            let mut failed = Failure::new(code, message).with_advice(advice);
            if code == Code::AuthMissing {
                failed.event = event(failure);
            }
            failed
        }
    }
}

fn names(all: &[&str]) -> Vec<String> {
    all.iter().map(|name| (*name).to_owned()).collect()
}

fn code(kind: Kind) -> Code {
    match kind {
        Kind::AuthMissing => Code::AuthMissing,
        Kind::AuthInvalid => Code::AuthInvalid,
        Kind::Config => Code::Config,
        Kind::TooLong => Code::InvalidArg,
        Kind::RateLimited { .. } => Code::RateLimit,
        Kind::Network { .. } => Code::NetworkError,
        Kind::Upstream => Code::UpstreamUnavailable,
        Kind::Rejected | Kind::NotUnderstood => Code::ApiError,
    }
}

/// What a host is told for its user where a key is missing.
fn event(failure: &failure::Failure) -> Option<String> {
    let missing = serde_json::json!({"tool": "web_search", "provider": failure.provider});
    let event = Event {
        kind: "config_required",
        content: format!("\u{26a0} Configuration Required\n\n{failure}"),
        data_json: &missing.to_string(),
    };
    serde_json::to_string(&event).ok()
}
