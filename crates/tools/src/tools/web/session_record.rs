//! Records what a call has found, or why it found nothing, in the research session that its request
//! names.
//!
//! Rules: the specification's `sessionId` of the tools that search and read.

use std::env;
use std::time::Duration;

use crate::contract::call_terms::CallTerms;
use crate::contract::failure::{ErrorCode, Failure};
use crate::contract::reply::Reply;
use crate::contract::request::Request;
use crate::tools::web::research_failure;
use iki_base::wording::{beginning, count_noun};
use iki_process::sandbox::confinement;
use iki_research::sessions::{self, MAX_STEPS, ResearchSession, SessionFault, SessionStore};
use iki_web::cache::{CacheStore, KEY_VARIABLE, PersistentFault, PersistentFiles, PersistentStore};

pub use iki_research::sessions::{CallOutcome, SessionSource};

/// Length of a day's date, in bytes.
const DAY_BYTES: usize = 10;

/// The field that names a session.
pub const SESSION_ID: &str = "sessionId";

/// The other name of that field.
pub const ALIASES: &[(&str, &str)] = &[("session_id", SESSION_ID)];

/// Sources and outcomes that a call adds to a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionFindings {
    /// The provider that was asked; for pages, the host.
    pub provider: String,
    /// Sources; those that the session has are not added again.
    pub sources: Vec<SessionSource>,
    /// Outcomes, in addition to that of the call itself.
    pub outcomes: Vec<CallOutcome>,
}

/// Returns the result of a call of `tool`, after it was recorded, with `findings`, in the session
/// that the request names. If there is no such session, a note says so. `store` is the one of a
/// server in whose own process the call is answered.
///
/// # Errors
/// Those of the call.
pub fn recorded<'a>(
    request: &Request<'_>,
    store: Option<&dyn CacheStore>,
    tool: &str,
    mut findings: SessionFindings,
    result: Result<Reply<'a>, Failure>,
) -> Result<Reply<'a>, Failure> {
    // A value of another type names no session.
    let id = match request.text(SESSION_ID) {
        Ok(None) => return result,
        Ok(Some(id)) => id,
        Err(_) => "",
    };
    let failure = result.as_ref().err();
    findings.outcomes.push(CallOutcome {
        tool: tool.to_owned(),
        provider: match failure.and_then(|failure| failure.advice.as_ref()?.provider.clone()) {
            Some(provider) => provider,
            None => std::mem::take(&mut findings.provider),
        },
        failure: failure.map_or("", |failure| failure.code.kind()).to_owned(),
    });
    let Some(note) = record(request.terms(), store, id, &findings) else {
        return result;
    };
    match result {
        Ok(reply) => Ok(Reply::new(move |object| {
            let written = reply.write(object);
            object.note(note);
            written
        })),
        Err(failure) => Err(failure.and_note(&note)),
    }
}

/// Records `findings` in the session called `id`; returns the note if that was not possible, or not
/// for all.
fn record(
    terms: &CallTerms,
    store: Option<&dyn CacheStore>,
    id: &str,
    findings: &SessionFindings,
) -> Option<String> {
    let mut left_out = 0;
    let recorded = with_sessions(terms, store, |sessions| {
        add_findings(sessions, id, findings, &mut left_out).map(drop)
    });
    match recorded {
        Ok(()) if left_out == 0 => None,
        Ok(()) => Some(format!(
            "The research session has no room for {} of this call.",
            count_noun(left_out as u64, "source")
        )),
        Err(fault) => Some(format!(
            "Nothing was recorded in a research session: {}.",
            code_and_words(fault).1
        )),
    }
}

/// Adds `findings` to a session, and counts the sources for which it has no room.
pub fn add_findings(
    sessions: &SessionStore<'_>,
    id: &str,
    findings: &SessionFindings,
    left_out: &mut usize,
) -> Result<ResearchSession, SessionFault> {
    let now = sessions::now();
    let today = beginning(&now, DAY_BYTES);
    sessions.update(id, &mut |session| {
        *left_out = session.add_sources(&findings.sources, today);
        for outcome in &findings.outcomes {
            session.add_outcome(outcome.clone());
        }
        Ok(())
    })
}

/// Lets `work` use the caller's sessions: those of the server whose call this is, or in whose own
/// process the call is answered, with its `store`; otherwise the user's.
pub fn with_sessions<T>(
    terms: &CallTerms,
    store: Option<&dyn CacheStore>,
    work: impl FnOnce(&SessionStore<'_>) -> Result<T, SessionFault>,
) -> Result<T, SessionFault> {
    let no_place = SessionFault::Store(PersistentFault::NoPlace);
    if let Some(store) = store {
        return work(&SessionStore::new(store.persistent().ok_or(no_place)?));
    }
    let remote = terms.context.and_then(|context| context.cache.as_ref());
    let files;
    let persistent: &dyn PersistentStore = match remote {
        Some(remote) => remote,
        // The owner of a token has no files among this user's.
        None if terms.context.is_some_and(|context| context.owner.is_some()) => {
            return Err(no_place);
        }
        None => {
            let secret = env::var(KEY_VARIABLE).ok();
            let calls = confinement::current();
            files = PersistentFiles::of_user(secret.as_deref(), calls).ok_or(no_place)?;
            &files
        }
    };
    work(&SessionStore::new(persistent))
}

/// Returns the failure of a tool that is about sessions.
pub fn session_failure(fault: SessionFault, terms: &CallTerms) -> Failure {
    let (code, mut message) = code_and_words(fault);
    if let Some(first) = message.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    message.push('.');
    message.push_str(match fault {
        SessionFault::Unknown => terms.if_served(
            "get_research_session",
            " get_research_session without sessionId lists those that there are.",
        ),
        SessionFault::Full => {
            " Begin another one with step 1 and no sessionId; say in its researchGoal what is left."
        }
        SessionFault::Store(_) => "",
    });
    research_failure::with_advice(code, message)
}

/// Returns a fault as a code and a clause.
fn code_and_words(fault: SessionFault) -> (ErrorCode, String) {
    let (code, words) = match fault {
        SessionFault::Unknown => {
            let words = format!(
                "there is no research session of this sessionId, or no more; sessions last {} \
                 after their last use",
                lifetime_in_words(sessions::lifetime())
            );
            return (ErrorCode::NotFound, words);
        }
        SessionFault::Full => {
            let words =
                format!("this research session is full, with {MAX_STEPS} steps or 4 MiB of text");
            return (ErrorCode::InvalidArg, words);
        }
        SessionFault::Store(PersistentFault::NoPlace) => (
            ErrorCode::Config,
            "research sessions have no place here: they need a state directory (XDG_STATE_HOME) \
             of the user's own that confined calls cannot change",
        ),
        SessionFault::Store(PersistentFault::NoSpace) => (
            ErrorCode::NoSpace,
            "there is no space left for research sessions, and nothing was changed",
        ),
        SessionFault::Store(PersistentFault::Busy) => (
            ErrorCode::UpstreamUnavailable,
            "other calls hold the research sessions, and nothing was changed; send the call again",
        ),
        SessionFault::Store(PersistentFault::Unreachable) => (
            ErrorCode::UpstreamUnavailable,
            "what keeps the research sessions does not answer, so that it is not known if \
             anything was changed; look again in a few seconds",
        ),
        SessionFault::Store(PersistentFault::Refused) => (
            ErrorCode::WriteFailed,
            "research sessions cannot be read or written here, and nothing was changed",
        ),
    };
    (code, words.to_owned())
}

fn lifetime_in_words(lifetime: Duration) -> String {
    let seconds = lifetime.as_secs();
    match (seconds % 3600, seconds % 60) {
        (0, _) => count_noun(seconds / 3600, "hour"),
        (_, 0) => count_noun(seconds / 60, "minute"),
        _ => count_noun(seconds, "second"),
    }
}
