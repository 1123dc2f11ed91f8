//! Failures of the tools of research, with the advice that follows from their codes.
//!
//! Rules: the specification's errors of `web_search` and `scrape_page`.

use crate::contract::failure::{ErrorCode, Failure, FailureAdvice};

/// Wait after a network failure, in seconds.
const NETWORK_WAIT_SECONDS: u64 = 5;

/// Wait after a rate limit or a server failure without a given time, in seconds.
const DEFAULT_WAIT_SECONDS: u64 = 60;

/// Creates a failure with the advice that follows from its code.
pub fn with_advice(code: ErrorCode, message: impl Into<String>) -> Failure {
    Failure::new(code, message).with_advice(advice(code))
}

/// Returns the advice that follows from a failure's code.
#[must_use]
pub fn advice(code: ErrorCode) -> FailureAdvice {
    let retry_after = match code {
        ErrorCode::NetworkError | ErrorCode::Timeout => Some(NETWORK_WAIT_SECONDS),
        ErrorCode::RateLimit | ErrorCode::UpstreamUnavailable => Some(DEFAULT_WAIT_SECONDS),
        _ => None,
    };
    let retryable = retry_after.is_some();
    FailureAdvice {
        retryable,
        retry_after,
        suggested_action: Some(action(code, retryable).to_owned()),
        ..FailureAdvice::default()
    }
}

/// Returns the action for programs after a failure of this code, as one of their keywords; the
/// advice for models is part of the message.
#[must_use]
pub fn action(code: ErrorCode, retryable: bool) -> &'static str {
    match code {
        _ if retryable => "retry_after_delay",
        ErrorCode::AuthMissing | ErrorCode::AuthInvalid => "check_api_key",
        ErrorCode::ApiError | ErrorCode::RateLimit => "try_different_provider",
        ErrorCode::ToolFailed => "report_bug",
        _ => "inform_user",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_pass_is_worth_another_try() {
        for (code, wait, action) in [
            (ErrorCode::NetworkError, Some(5), "retry_after_delay"),
            (ErrorCode::RateLimit, Some(60), "retry_after_delay"),
            (ErrorCode::InvalidArg, None, "inform_user"),
            (ErrorCode::AuthMissing, None, "check_api_key"),
            (ErrorCode::ApiError, None, "try_different_provider"),
        ] {
            let advice = advice(code);
            assert_eq!(
                (advice.retryable, advice.retry_after),
                (wait.is_some(), wait)
            );
            assert_eq!(advice.suggested_action.as_deref(), Some(action));
        }
    }
}
