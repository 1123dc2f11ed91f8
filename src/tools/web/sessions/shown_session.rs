//! Parts of a session as answers have them: fields for programs, Markdown for readers of text.

use std::fmt::Write as _;
use std::io;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::basics::words::{counted, on_one_line};
use crate::contract::reply::Object;
use crate::contract::terms::Audience;
use crate::research_sessions::markdown::{self, one_liner};
use crate::research_sessions::{ResearchSession, SessionStep, failure_patterns, provider_records};

/// Number of the last steps that a summary has in full.
const LAST: usize = 3;

/// The field with the Markdown for readers of text.
pub const TRAIL: &str = "trail";

/// A step as one line.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StepLine<'a> {
    step_number: u64,
    one_liner: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    branch_id: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    confidence: &'a str,
}

/// True if the answer's reader reads text.
pub fn is_in_words(object: &Object<'_>) -> bool {
    matches!(object.terms().reader, Audience::Model | Audience::Person)
}

/// Writes a field of any value.
pub fn put<T: Serialize + ?Sized>(
    object: &mut Object<'_>,
    name: &str,
    value: &T,
) -> io::Result<()> {
    object.field(name, &*to_raw_value(value)?)
}

/// Writes as many rows as there is room for, and says so if that is not all.
pub fn put_rows<T: Serialize>(object: &mut Object<'_>, name: &str, rows: &[T]) -> io::Result<()> {
    let all: Result<Vec<Box<RawValue>>, _> = rows.iter().map(to_raw_value).collect();
    let shown = object.rows(name, &all?)?;
    if shown < rows.len() {
        object.note(format!(
            "{shown} of {} {name} are shown, for which there is room.",
            rows.len()
        ));
    }
    Ok(())
}

/// Writes how the calls of a session went.
pub fn put_outcomes(object: &mut Object<'_>, session: &ResearchSession) -> io::Result<()> {
    let outcomes = &session.outcomes;
    put(object, "errorPatterns", &failure_patterns(outcomes))?;
    put_rows(object, "providerStats", &provider_records(outcomes))
}

/// Writes what is known of a session as a whole.
pub fn put_head(object: &mut Object<'_>, session: &ResearchSession) -> io::Result<()> {
    object.field("researchGoal", &session.research_goal)?;
    object.field("currentStep", &session.last_step())?;
    object.field("totalStepsEstimate", &session.total_steps_estimate)?;
    object.field("isComplete", &session.completed_at.is_some())?;
    object.field("startedAt", &session.started_at)?;
    if let Some(completed) = &session.completed_at {
        object.field("completedAt", completed)?;
    }
    Ok(())
}

/// Writes a summary: the model's own, a line for each step, the last steps.
pub fn put_summary(object: &mut Object<'_>, session: &ResearchSession) -> io::Result<()> {
    object.field("summary", &summary(session))?;
    let lines: Vec<StepLine<'_>> = session
        .in_order()
        .into_iter()
        .map(|step| StepLine {
            step_number: step.step_number,
            one_liner: one_liner(step),
            branch_id: &step.branch_id,
            confidence: &step.confidence,
        })
        .collect();
    put_rows(object, "stepIndex", &lines)?;
    put_rows(object, "lastSteps", last_steps(session))
}

/// The steps that were recorded last.
fn last_steps(session: &ResearchSession) -> &[SessionStep] {
    &session.steps[session.steps.len().saturating_sub(LAST)..]
}

/// The model's own summary, and how old it is; else numbers.
pub fn summary(session: &ResearchSession) -> String {
    if session.session_summary.is_empty() {
        return format!(
            "{}, {}. No sessionSummary was sent yet.",
            counted(session.steps.len() as u64, "step"),
            counted(session.sources.len() as u64, "source")
        );
    }
    let own = session.session_summary.clone();
    if session.summary_step == session.last_step() {
        return own;
    }
    format!("{own} (Sent with step {}.)", session.summary_step)
}

/// Appends the head and the summary of a session as text.
pub fn write_summary(out: &mut String, session: &ResearchSession) {
    let _ = writeln!(out, "Goal: {}", on_one_line(&session.research_goal));
    let _ = writeln!(out, "Begun: {}", session.started_at);
    if let Some(completed) = &session.completed_at {
        let _ = writeln!(out, "Completed: {completed}");
    }
    let _ = writeln!(out, "Summary: {}\n\n## Steps\n", summary(session));
    for step in session.in_order() {
        markdown::write_step_line(out, step);
    }
    out.push_str("\n## Last steps\n\n");
    for step in last_steps(session) {
        markdown::write_step(out, step);
    }
}
