//! What every tool and every front end keeps: what a tool is, a request in, an answer or a failure
//! out, and how a tool is described.
//!
//! Rules: the specification's protocol of all tools, and the decisions on the host's calls.
//!
//! | module | what it is |
//! |---|---|
//! | [`tool`] | a row of the registry: all that is to be known of a tool |
//! | [`terms`] | who reads the answer, how long it may be and how long it may take |
//! | [`call_context`] | the description of a call that its server hands over |
//! | [`request`] | JSON in: fields, each asked for by its type |
//! | [`reply`] | JSON out: an answer's fields, straight to their reader |
//! | [`failure`] | why a call did not do what it was asked to, and the codes |
//! | [`bounded`] | answers within a limit: where text is cut |
//! | [`aside`] | what is known beside an answer's content, in lines |
//! | [`notes`] | what a model is to know beyond an answer's fields |
//! | [`envelope`] | the fields by which an answer says whether the call failed |
//! | [`schema`] | a tool's schema as people's front ends need it, and as hosts validate it |
//! | [`reduction`] | a schema in the words that every model's provider takes |
//! | [`provider`] | the tools' definitions in each provider's own form |
//!
//! # An answer has two phases
//!
//! A tool **prepares**, and may fail: [`tool::Tool::run`] reads the request's fields and does what
//! can go wrong, and comes back with a [`failure::Failure`], which is then the whole answer, or
//! with a [`reply::Reply`]. The reply **streams**, and may only fail as I/O does: it writes fields
//! to a reader that takes them as they come, be it a host or a person. So nothing is collected
//! before it is shown, an answer of a gigabyte takes no more memory than one of a line, and no
//! answer turns into an error after its beginning has been read. A source that breaks off in the
//! second phase is no third kind of ending: what was answered stands, and
//! [`reply::Object::break_off`] says behind it why there is no more.
//!
//! ```text
//! request bytes ─ Request::parse ─ Tool::run ──┬─ Err(Failure) ─ Object::fail
//!                                              └─ Ok(Reply) ──── Object::succeed, Reply::write ─┬─ end
//!                                                                                               └─ Object::break_off
//! ```

pub mod aside;
pub mod bounded;
pub mod call_context;
pub mod envelope;
pub mod failure;
pub mod notes;
pub mod provider;
pub mod reduction;
pub mod reply;
pub mod request;
pub mod schema;
pub mod terms;
pub mod tool;
