//! The contract between tools and front ends: a tool's row, a request in, an answer or a failure
//! out, and a tool's description.
//!
//! Rules: the specification's protocol of all tools, and agreed behaviour (REFERENCE.md, "For
//! hosts").
//!
//! | module | purpose |
//! |---|---|
//! | [`tool`] | a row of the registry: everything that others need to know about a tool |
//! | [`call_terms`] | the terms of a call: audience, size and time |
//! | [`call_context`] | the description of a call that its server hands over |
//! | [`background`] | commands in the background, as a server and its calls tell of them |
//! | [`request`] | JSON in: fields, each asked for by its type |
//! | [`reply`] | JSON out: an answer's fields, straight to their reader |
//! | [`failure`] | failures of calls, and their codes |
//! | [`answer_limit`] | answers within a limit: measuring and truncating text |
//! | `line_window` | a part of a text by its lines |
//! | [`key_facts`] | facts about an answer's content, as lines |
//! | [`notes`] | the field `note`, for models |
//! | [`envelope`] | the fields that say if a call succeeded |
//! | [`schema`] | a tool's schema, read for people's front ends and validated as hosts do |
//! | [`schema_reduction`] | a schema reduced to the keywords that every model provider takes |
//! | [`search_style`] | what a person's flags ask of a search beyond its request |
//! | [`provider`] | tool definitions in each model provider's format |
//!
//! # An answer has two phases
//!
//! A tool **prepares**, and may fail: [`tool::Tool::run`] reads the request's fields and does
//! everything that can go wrong. It returns a [`failure::Failure`], which is then the whole answer,
//! or a [`reply::Reply`]. The reply **streams**, and can only fail as I/O does: it writes fields to
//! a host or a person as they come. So nothing is collected before it is shown, an answer of a
//! gigabyte takes no more memory than one of a line, and no answer turns into an error after its
//! beginning has been read. If a source fails in the second phase, the answer so far stands, and
//! [`reply::AnswerObject::break_off`] adds the reason after it.
//!
//! ```text
//! request bytes ─ Request::parse ─ Tool::run ─┬─ Err(Failure) ─ AnswerObject::fail
//!                                             └─ Ok(Reply) ─ AnswerObject::succeed
//!                                                 Reply::write ─┬─ end
//!                                                               └─ AnswerObject::break_off
//! ```

pub mod answer_limit;
pub mod background;
pub mod call_context;
pub mod call_terms;
pub mod envelope;
pub mod failure;
pub mod key_facts;
pub(crate) mod line_window;
pub mod notes;
pub mod provider;
pub mod reply;
pub mod request;
pub mod schema;
pub mod schema_reduction;
pub mod search_style;
pub mod tool;
