//! `get_research_session`: the owner's sessions, a summary of one, or one of its steps, for a model
//! that has lost its context.

use std::fmt::Write as _;
use std::io;

use serde::Serialize;

use super::shown_session::{
    TRAIL, is_in_words, put, put_head, put_outcomes, put_rows, put_summary, write_summary,
};
use crate::basics::words::counted;
use crate::contract::failure::{Code, Failure};
use crate::contract::reply::{Object, Reply};
use crate::contract::request::Request;
use crate::contract::tool::{AccessScope, Family, FieldRole, Tool, ToolHints, ToolManual, ToolSet};
use crate::research_sessions::markdown::{self, one_liner};
use crate::research_sessions::{ResearchSession, SessionStore, SourceCoverage, failure_patterns};
use crate::tools::web::research_cache::{self, TRUST};
use crate::tools::web::session_record::{self, SESSION_ID, session_failure, with_sessions};

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    name: "get_research_session",
    link: "get-research-session-tool",
    title: "Recover a research session",
    family: Family::Research,
    set: ToolSet::Research,
    offered: false,
    hints: ToolHints::LOOKS,
    scope: AccessScope::Network,
    schema: include_str!("../../schemas/get_research_session.json"),
    model_schema: include_str!("../../schemas/for_models/get_research_session.json"),
    output_schema: Some(include_str!(
        "../../schemas/output/get_research_session.json"
    )),
    aliases: session_record::ALIASES,
    manual: ToolManual {
        text:
            "\
Shows the research sessions that sequential-search has begun: without --session-id all of them, the
last used first; with it a summary of one, its gaps and sources, failures that came again and again,
and each provider's record; with --step-id one step whole. Sessions are kept for four hours after
their last use, and this is one. Nothing leaves this machine. --session-id= (empty) lists them all.",
        example: r#"{"sessionId":"6f0c1c9e-5f3a-4b5e-9d0e-2f1b7a3c4d5e"}"#,
        environment: &[
            session_record::LIFETIME,
            research_cache::CACHE_KEY,
            research_cache::STATE_PLACE,
        ],
    },
    // The others are for programs alone.
    fields: &[
        (TRAIL, FieldRole::Output),
        ("count", FieldRole::Count),
        ("trust", FieldRole::Silent),
    ],
    run,
    ..Tool::PLAIN
};

/// A session in a list.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListedSession<'a> {
    session_id: &'a str,
    research_goal: String,
    steps: usize,
    is_complete: bool,
    last_used_at: &'a str,
}

impl<'a> ListedSession<'a> {
    fn of(session: &'a ResearchSession) -> Self {
        // A session without a goal is told by its first step.
        let begin = session.steps.first().map(one_liner);
        let goal = Some(session.research_goal.clone()).filter(|goal| !goal.is_empty());
        Self {
            session_id: &session.session_id,
            research_goal: goal.or(begin).unwrap_or_default(),
            steps: session.steps.len(),
            is_complete: session.completed_at.is_some(),
            last_used_at: &session.last_used_at,
        }
    }
}

fn run<'a>(request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
    let terms = request.terms();
    let failed = |fault| session_failure(fault, terms);
    let number = request.integer("stepId", 1..=u64::MAX)?;
    let Some(id) = request.text(SESSION_ID)? else {
        if number.is_some() {
            let message = "stepId is the number of a step of a session: send the sessionId too. \
                           Without both, all sessions are listed.";
            return Err(Failure::new(Code::InvalidArg, message)
                .with_advice(research_cache::advice(Code::InvalidArg)));
        }
        let all = with_sessions(terms, None, |sessions: &SessionStore<'_>| sessions.all());
        let all = all.map_err(failed)?;
        return Ok(Reply::new(move |object| write_list(object, &all)));
    };
    let session = with_sessions(terms, None, |sessions| sessions.open(id)).map_err(failed)?;
    let Some(number) = number else {
        return Ok(Reply::new(move |object| {
            if is_in_words(object) {
                write_words(object, &session)
            } else {
                write_session(object, &session)
            }
        }));
    };
    if !session.steps.iter().any(|step| step.step_number == number) {
        let last = session.steps.iter().map(|step| step.step_number).max();
        let message = format!(
            "This session has no step {number}: its highest is {}. Without stepId all are listed.",
            last.unwrap_or(0)
        );
        return Err(Failure::new(Code::NotFound, message)
            .with_advice(research_cache::advice(Code::NotFound)));
    }
    Ok(Reply::new(move |object| {
        write_step(object, &session, number)
    }))
}

fn write_list(object: &mut Object<'_>, all: &[ResearchSession]) -> io::Result<()> {
    let rows: Vec<ListedSession<'_>> = all.iter().map(ListedSession::of).collect();
    object.field("count", &rows.len())?;
    if !is_in_words(object) {
        put_rows(object, "sessions", &rows)?;
        return object.field("trust", TRUST);
    }
    let mut out = String::new();
    for row in &rows {
        let complete = if row.is_complete { ", complete" } else { "" };
        let _ = writeln!(
            out,
            "{} {} ({}{complete}; last used {})",
            row.session_id,
            row.research_goal,
            counted(row.steps as u64, "step"),
            row.last_used_at
        );
    }
    if rows.is_empty() {
        object.nothing_found("no research sessions")?;
    }
    object.whole_text(TRAIL, out.as_bytes()).map(drop)
}

/// Writes a session for programs.
fn write_session(object: &mut Object<'_>, session: &ResearchSession) -> io::Result<()> {
    object.field(SESSION_ID, &session.session_id)?;
    put_head(object, session)?;
    put_summary(object, session)?;
    put(object, "gaps", &session.gaps())?;
    put(object, "coverage", &SourceCoverage::of(session))?;
    put_outcomes(object, session)?;
    put_rows(object, "sources", &session.sources)?;
    object.field("trust", TRUST)
}

/// Writes a session for readers of text.
fn write_words(object: &mut Object<'_>, session: &ResearchSession) -> io::Result<()> {
    object.field(SESSION_ID, &session.session_id)?;
    let mut out = String::new();
    write_summary(&mut out, session);
    markdown::write_list(&mut out, "Gaps", &session.gaps());
    let patterns = failure_patterns(&session.outcomes);
    let lines: Vec<String> = patterns
        .iter()
        .map(|one| {
            let providers = one.providers.join(", ");
            format!(
                "{} ×{} ({providers}): {}",
                one.kind, one.count, one.suggestion
            )
        })
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    markdown::write_list(&mut out, "Failures that came again and again", &lines);
    if !session.sources.is_empty() {
        out.push_str("## Sources\n\n");
    }
    for (at, source) in session.sources.iter().enumerate() {
        markdown::write_source(&mut out, at + 1, source);
    }
    object.whole_text(TRAIL, out.trim_end().as_bytes())?;
    object.field("trust", TRUST)
}

/// Writes the last version of a step, the earlier ones, and the sources that were found at it.
fn write_step(object: &mut Object<'_>, session: &ResearchSession, number: u64) -> io::Result<()> {
    object.field(SESSION_ID, &session.session_id)?;
    let versions = session.steps.iter().rev();
    let mut versions = versions.filter(|step| step.step_number == number);
    let last = versions.next();
    let earlier: Vec<_> = versions.rev().collect();
    let sources: Vec<_> = session
        .sources
        .iter()
        .filter(|source| source.step == number)
        .collect();
    if !is_in_words(object) {
        if let Some(step) = last {
            put(object, "step", step)?;
        }
        if !earlier.is_empty() {
            put_rows(object, "earlierVersions", &earlier)?;
        }
        put_rows(object, "sources", &sources)?;
        return object.field("trust", TRUST);
    }
    let mut out = String::new();
    for step in earlier.into_iter().chain(last) {
        markdown::write_step(&mut out, step);
    }
    for (at, source) in sources.into_iter().enumerate() {
        markdown::write_source(&mut out, at + 1, source);
    }
    object.whole_text(TRAIL, out.trim_end().as_bytes())?;
    object.field("trust", TRUST)
}
