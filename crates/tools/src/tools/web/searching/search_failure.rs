//! Failures of a search as codes and sentences, with advice.

use crate::contract::failure::{ErrorCode, Failure, FailureAdvice};
use crate::tools::web::provider_answer::config_required;
use crate::tools::web::research_failure;
use iki_web::credentials::Credentials;
use iki_web::provider::failure::{ProviderFailure, ProviderFailureKind};
use iki_web::search::provider_choice;
use iki_web::search::search_answer::{ProviderRouting, SearchFailure};

/// Converts a failed search to a failure of `tool`.
pub fn failure(tool: &str, error: &SearchFailure, credentials: &Credentials<'_>) -> Failure {
    let message = error.to_string();
    match error {
        SearchFailure::NoProvider(why) => {
            let code = if why.is_of_the_request() {
                ErrorCode::InvalidArg
            } else {
                ErrorCode::Config
            };
            let configured = provider_choice::configured(credentials);
            let advice = FailureAdvice {
                alternatives: names(&configured.iter().map(|one| one.name).collect::<Vec<_>>()),
                ..research_failure::advice(code)
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
            let reasons = routed.as_ref().and_then(ProviderRouting::fallback_reason);
            let advice = FailureAdvice {
                retryable: after.is_some(),
                retry_after: after,
                suggested_action: Some(research_failure::action(code, after.is_some()).to_owned()),
                provider: Some(failure.provider.to_owned()),
                alternatives: names(alternatives),
                detail: reasons,
            };
            let mut failed = Failure::new(code, message).with_advice(advice);
            if code == ErrorCode::AuthMissing {
                failed.event = Some(event(tool, failure));
            }
            failed
        }
    }
}

fn names(all: &[&str]) -> Vec<String> {
    all.iter().map(|name| (*name).to_owned()).collect()
}

fn code(kind: ProviderFailureKind) -> ErrorCode {
    match kind {
        ProviderFailureKind::AuthMissing => ErrorCode::AuthMissing,
        ProviderFailureKind::AuthInvalid => ErrorCode::AuthInvalid,
        ProviderFailureKind::Config => ErrorCode::Config,
        ProviderFailureKind::TooLong => ErrorCode::InvalidArg,
        ProviderFailureKind::RateLimited { .. } => ErrorCode::RateLimit,
        ProviderFailureKind::Network { .. } => ErrorCode::NetworkError,
        ProviderFailureKind::Upstream => ErrorCode::UpstreamUnavailable,
        ProviderFailureKind::Rejected | ProviderFailureKind::NotUnderstood => ErrorCode::ApiError,
    }
}

/// Builds the event for a host's user if a key is missing.
fn event(tool: &str, failure: &ProviderFailure) -> String {
    let missing = serde_json::json!({"tool": tool, "provider": failure.provider});
    let notice = format!("\u{26a0} Configuration Required\n\n{failure}");
    config_required(&notice, &missing.to_string())
}
