//! `get_research_session`: the owner's sessions, a summary of one, or one of its steps, for a model
//! that has lost its context.

use std::fmt::Write as _;
use std::io;

use serde_json::{Value, json};

use super::session_parts::{self, ShownSession, TRAIL};
use crate::contract::failure::{ErrorCode, Failure};
use crate::contract::reply::Reply;
use crate::contract::request::Request;
use crate::contract::tool::{FieldRole, Tool, ToolHints};
use crate::tools::web::research_call::research_tool;
use crate::tools::web::research_failure;
use crate::tools::web::session_record::{SESSION_ID, session_failure, with_sessions};
use iki_base::wording::count_noun;
use iki_research::sessions::{
    ResearchSession, SessionSource, SessionStep, SessionStore, SourceCoverage,
};

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    link: "get-research-session-tool",
    title: "Recover a research session",
    hints: ToolHints::LOOKS,
    // The others are for programs only.
    fields: &[
        (TRAIL, FieldRole::Output),
        ("count", FieldRole::Count),
        ("trust", FieldRole::Silent),
    ],
    run,
    ..research_tool!("get_research_session")
};

fn run<'a>(request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
    let terms = request.terms();
    let failed = |fault| session_failure(fault, terms);
    let number = request.integer("stepId", 1..=u64::MAX)?;
    let Some(id) = request.text(SESSION_ID)? else {
        if number.is_some() {
            let message = "stepId is the number of a step of a session: send the sessionId too. \
                           Without both, all sessions are listed.";
            return Err(research_failure::with_advice(
                ErrorCode::InvalidArg,
                message,
            ));
        }
        let all = with_sessions(terms, None, |sessions: &SessionStore<'_>| sessions.all());
        let all = all.map_err(failed)?;
        return Ok(Reply::new(move |object| {
            object.field("count", &all.len())?;
            if all.is_empty() {
                object.nothing_found("no research sessions")?;
            }
            session_parts::write(object, &|out| show_list(out, &all))
        }));
    };
    let session = with_sessions(terms, None, |sessions| sessions.open(id)).map_err(failed)?;
    if let Some(number) = number
        && !session.steps.iter().any(|step| step.step_number == number)
    {
        let last = session.steps.iter().map(|step| step.step_number).max();
        let message = format!(
            "This session has no step {number}: its highest is {}. Without stepId all are listed.",
            last.unwrap_or(0)
        );
        return Err(research_failure::with_advice(ErrorCode::NotFound, message));
    }
    Ok(Reply::new(move |object| {
        object.field(SESSION_ID, &session.session_id)?;
        session_parts::write(object, &|out| match number {
            Some(number) => show_step(out, &session, number),
            None => show_session(out, &session),
        })
    }))
}

fn show_list(out: &mut ShownSession<'_, '_>, all: &[ResearchSession]) -> io::Result<()> {
    let row = |session: &ResearchSession| {
        let (goal, steps) = (session_parts::goal(session), session.steps.len());
        let is_complete = session.completed_at.is_some();
        if let Some(text) = out.text() {
            let complete = if is_complete { ", complete" } else { "" };
            let _ = writeln!(
                text,
                "{} {goal} ({}{complete}; last used {})",
                session.session_id,
                count_noun(steps as u64, "step"),
                session.last_used_at
            );
        }
        json!({
            "sessionId": session.session_id,
            "researchGoal": goal,
            "steps": steps,
            "isComplete": is_complete,
            "lastUsedAt": session.last_used_at,
        })
    };
    let rows: Vec<Value> = all.iter().map(row).collect();
    out.rows("sessions", &rows)
}

fn show_session(out: &mut ShownSession<'_, '_>, session: &ResearchSession) -> io::Result<()> {
    out.head(session)?;
    out.summary(session)?;
    out.list("gaps", "Gaps", &session.gaps())?;
    out.field("coverage", &SourceCoverage::from_session(session))?;
    out.outcomes(session)?;
    out.sources(&session.sources.iter().collect::<Vec<_>>(), &[])
}

/// Shows the last version of a step, the earlier ones on its branch, steps of other branches with
/// that number, and the sources that were found at it.
fn show_step(
    out: &mut ShownSession<'_, '_>,
    session: &ResearchSession,
    number: u64,
) -> io::Result<()> {
    let versions = session
        .steps
        .iter()
        .filter(|step| step.step_number == number);
    let versions: Vec<&SessionStep> = versions.collect();
    if let Some((last, earlier)) = versions.split_last() {
        out.field("step", last)?;
        if out.text().is_some() {
            out.steps("step", &versions)?;
        } else {
            let (own_versions, others): (Vec<&SessionStep>, Vec<&SessionStep>) = earlier
                .iter()
                .copied()
                .partition(|step| step.branch_id == last.branch_id);
            for (name, steps) in [("earlierVersions", own_versions), ("otherBranches", others)] {
                if !steps.is_empty() {
                    out.rows(name, &steps)?;
                }
            }
        }
    }
    let sources = session
        .sources
        .iter()
        .filter(|source| source.step == number);
    out.sources(&sources.collect::<Vec<&SessionSource>>(), &[])
}
