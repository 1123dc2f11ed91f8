//! Parts of a session as answers have them: fields for programs, Markdown for readers of text.

use std::fmt::Write as _;
use std::io;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use super::outcomes::{failure_patterns, provider_records};
use crate::contract::reply::AnswerObject;
use crate::tools::web::research_call::TRUST;
use iki_base::wording::{count_noun, on_one_line};
use iki_research::sessions::markdown::{self, one_liner};
use iki_research::sessions::{ResearchSession, SessionSource, SessionStep};

/// Number of the last steps that a summary has in full.
const LAST_STEPS: usize = 3;

/// Number of authors that the text of their names has.
const MAX_NAMES: usize = 20;

/// The field with the Markdown for readers of text.
pub const TRAIL: &str = "trail";

/// A session on its way out: each part is a field, or a piece of Markdown.
pub enum ShownSession<'o, 'w> {
    /// Programs read fields.
    Fields(&'o mut AnswerObject<'w>),
    /// Models and people read Markdown.
    Text(String),
}

/// Writes the answer that `parts` makes, in the form that its reader takes.
pub fn write(
    object: &mut AnswerObject<'_>,
    parts: &dyn Fn(&mut ShownSession<'_, '_>) -> io::Result<()>,
) -> io::Result<()> {
    if object.terms().reader.reads_words() {
        let mut text = ShownSession::Text(String::new());
        parts(&mut text)?;
        let text = text.text().map(|text| text.trim_end().as_bytes().to_vec());
        let text = text.unwrap_or_default();
        if let Some(cut) = object.whole_text(TRAIL, &text)? {
            let (byte_count, all) = (cut.bytes, count_noun(text.len() as u64, "byte"));
            let terms = object.terms();
            let one = terms.if_served(
                "get_research_session",
                "; get_research_session with stepId gives one step whole",
            );
            let whole = terms.if_served("research_export", "; research_export gives all sources");
            let note =
                format!("{byte_count} of {all} are shown, for which there is room{one}{whole}.");
            object.note(note);
        }
    } else {
        parts(&mut ShownSession::Fields(object))?;
    }
    object.field("trust", TRUST)
}

impl ShownSession<'_, '_> {
    /// Returns the Markdown so far, if the reader reads text.
    pub fn text(&mut self) -> Option<&mut String> {
        match self {
            Self::Fields(_) => None,
            Self::Text(text) => Some(text),
        }
    }

    /// Adds words for readers of text.
    pub fn say(&mut self, words: &str) {
        if let Self::Text(text) = self {
            text.push_str(words);
        }
    }

    /// Adds a field for programs, unless there is no room for it; a text is cut to that.
    pub fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> io::Result<()> {
        let Self::Fields(object) = self else {
            return Ok(());
        };
        let value = to_raw_value(value)?;
        let is_text = value.get().starts_with('"');
        if !is_text && object.room().is_some_and(|room| room < value.get().len()) {
            object.note(format!("There was no room for {name}."));
            return Ok(());
        }
        object.field(name, &*value)
    }

    /// Adds a list for programs, as much of it as there is room for.
    pub fn rows<T: Serialize>(&mut self, name: &str, rows: &[T]) -> io::Result<()> {
        let Self::Fields(object) = self else {
            return Ok(());
        };
        let all: Result<Vec<Box<RawValue>>, _> = rows.iter().map(to_raw_value).collect();
        let row_count = object.rows(name, &all?)?;
        if row_count < rows.len() {
            object.note(format!(
                "{row_count} of {} {name} are shown, for which there is room.",
                rows.len()
            ));
        }
        Ok(())
    }

    /// Adds a list of texts, under a heading for readers of text.
    pub fn list(&mut self, name: &str, heading: &str, items: &[&str]) -> io::Result<()> {
        if let Some(text) = self.text() {
            markdown::write_list(text, heading, items);
        }
        self.rows(name, items)
    }

    /// Adds whole steps.
    pub fn steps(&mut self, name: &str, steps: &[&SessionStep]) -> io::Result<()> {
        if let Some(text) = self.text() {
            for step in steps {
                markdown::write_step(text, step);
            }
        }
        self.rows(name, steps)
    }

    /// Adds each step as a line.
    pub fn step_index(&mut self, session: &ResearchSession) -> io::Result<()> {
        let steps = session.in_order();
        if let Some(text) = self.text() {
            text.push_str("## Steps\n\n");
            for step in &steps {
                markdown::write_step_line(text, step);
            }
            text.push('\n');
        }
        let line = |step: &&SessionStep| {
            let mut line = json!({"stepNumber": step.step_number, "oneLiner": one_liner(step)});
            for (name, text) in [
                ("branchId", &step.branch_id),
                ("confidence", &step.confidence),
            ] {
                if !text.is_empty() {
                    line[name] = text.as_str().into();
                }
            }
            line
        };
        self.rows("stepIndex", &steps.iter().map(line).collect::<Vec<Value>>())
    }

    /// Adds sources, each with its remark if there are any.
    pub fn sources(&mut self, sources: &[&SessionSource], remarks: &[String]) -> io::Result<()> {
        if let Some(text) = self.text().filter(|_| !sources.is_empty()) {
            text.push_str("## Sources\n\n");
            for (index, source) in sources.iter().enumerate() {
                markdown::write_source(text, index + 1, source);
                if let Some(remark) = remarks.get(index).filter(|remark| !remark.is_empty()) {
                    let _ = writeln!(text, "   - {remark}");
                }
            }
        }
        let row = |source: &&SessionSource| {
            let mut row = serde_json::to_value(source)?;
            let names = source.work.names(MAX_NAMES);
            if !names.is_empty() {
                row["author"] = names.into();
            }
            Ok(row)
        };
        let rows: serde_json::Result<Vec<Value>> = sources.iter().map(row).collect();
        self.rows("sources", &rows?)
    }

    /// Adds a session's times and counts for readers of text.
    pub fn say_extent(&mut self, session: &ResearchSession) {
        self.say(&format!("- Begun: {}\n", session.started_at));
        if let Some(completed) = &session.completed_at {
            self.say(&format!("- Completed: {completed}\n"));
        }
        let (steps, sources) = (session.steps.len(), session.sources.len());
        self.say(&format!("- Steps: {steps}\n- Sources: {sources}\n\n"));
    }

    /// Adds what is known of a session as a whole, for programs.
    pub fn head(&mut self, session: &ResearchSession) -> io::Result<()> {
        self.field("researchGoal", &session.research_goal)?;
        self.field("currentStep", &session.last_step())?;
        self.field("totalStepsEstimate", &session.total_steps_estimate)?;
        self.field("isComplete", &session.completed_at.is_some())?;
        self.field("startedAt", &session.started_at)?;
        match &session.completed_at {
            Some(completed) => self.field("completedAt", completed),
            None => Ok(()),
        }
    }

    /// Adds a summary: the model's own, a line for each step, the last steps.
    pub fn summary(&mut self, session: &ResearchSession) -> io::Result<()> {
        let summary = summary(session);
        self.say(&format!(
            "Goal: {}\n\n",
            on_one_line(&session.research_goal)
        ));
        self.say_extent(session);
        if let Some(text) = self.text() {
            markdown::write_labelled(text, "Summary", &summary);
            text.push('\n');
        }
        self.field("summary", &summary)?;
        self.step_index(session)?;
        self.say("## Last steps\n\n");
        let first = session.steps.len().saturating_sub(LAST_STEPS);
        let last: Vec<&SessionStep> = session.steps[first..].iter().collect();
        self.steps("lastSteps", &last)
    }

    /// Adds how the calls of a session went; of their failures, readers of text get those that came
    /// again and again.
    pub fn outcomes(&mut self, session: &ResearchSession) -> io::Result<()> {
        let patterns = failure_patterns(&session.outcomes);
        if let Some(text) = self.text() {
            let lines = patterns.iter().map(|one| {
                let providers = one["providers"].as_array().into_iter().flatten();
                let providers: Vec<&str> = providers.filter_map(Value::as_str).collect();
                let string = |name: &str| one[name].as_str().unwrap_or_default();
                let (kind, count, advice) = (string("kind"), &one["count"], string("suggestion"));
                format!("{kind} ×{count} ({}): {advice}", providers.join(", "))
            });
            let lines: Vec<String> = lines.collect();
            markdown::write_list(text, "Failures that came again and again", &lines);
        }
        self.rows("errorPatterns", &patterns)?;
        self.rows("providerStats", &provider_records(&session.outcomes))
    }
}

/// Returns the model's own summary, and how old it is; else numbers.
fn summary(session: &ResearchSession) -> String {
    if session.session_summary.is_empty() {
        return format!(
            "{}, {}. No sessionSummary was sent yet.",
            count_noun(session.steps.len() as u64, "step"),
            count_noun(session.sources.len() as u64, "source")
        );
    }
    let text = session.session_summary.clone();
    if session.summary_step == session.last_step() {
        return text;
    }
    format!("{text} (Sent with step {}.)", session.summary_step)
}

/// Returns the question of a session, on one line; its first step, if it has none.
pub fn goal(session: &ResearchSession) -> String {
    match (&*session.research_goal, session.steps.first()) {
        ("", Some(step)) => one_liner(step),
        (goal, _) => on_one_line(goal),
    }
}
