//! Research sessions: the steps of a research as a model records them, with what searches and pages
//! gave at each, kept so that a model that has lost its context finds them again.
//!
//! Nothing is decided or written for the model here: steps are its own words, and what is computed
//! is counted. Sessions are persistent entries of the [cache](iki_web::cache), a session an entry,
//! and another that lists those of an owner.
//!
//! | module | purpose |
//! |---|---|
//! | `session` | a session: steps with branches and revisions, sources, outcomes |
//! | `store` | the sessions of an owner: found, changed, listed |
//! | `coverage` | counts of a session's sources, and what could be searched for next |
//! | `markdown` | a session, or a part of it, as text |

mod coverage;
pub mod markdown;
mod session;
mod store;

pub use coverage::{SourceCoverage, refinement_queries};
pub use session::{
    CallOutcome, MAX_STEPS, ResearchSession, SessionFault, SessionSource, SessionStep,
};
pub use store::{SessionStore, lifetime, now};
