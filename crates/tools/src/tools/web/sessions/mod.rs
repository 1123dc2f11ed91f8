//! Research sessions as tools: a step is recorded, a session found again, all of it exported.
//!
//! Rules: the specification's `sequential_search`, `get_research_session` and `research_export`,
//! and the decisions on them.
//!
//! | module | contents |
//! |---|---|
//! | `sequential_search`, `step_fields` | the tool that records a step, and the fields of a step |
//! | `refinement` | searches for what is missing |
//! | `get_research_session` | the tool that finds sessions again |
//! | `research_export` | the tool that exports one |
//! | `session_parts` | parts of a session, as answers have them |
//! | `outcomes` | failures that came again and again, and each provider's record |

pub mod get_research_session;
mod outcomes;
mod refinement;
pub mod research_export;
pub mod sequential_search;
mod session_parts;
mod step_fields;
