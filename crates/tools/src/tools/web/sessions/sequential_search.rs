//! `sequential_search`: a step of a research is recorded, and what matters of the session comes
//! back.

use std::io;

use serde_json::Value;

use super::refinement;
use super::session_parts::{self, ShownSession, TRAIL};
use super::step_fields::StepFields;
use crate::contract::call_terms::CallTerms;
use crate::contract::failure::Failure;
use crate::contract::reply::{AnswerObject, Reply};
use crate::contract::request::Request;
use crate::contract::tool::{FieldRole, Tool, ToolHints};
use crate::tools::web::research_call::research_tool;
use crate::tools::web::session_record::{
    self, SESSION_ID, SessionFindings, session_failure, with_sessions,
};
use iki_base::wording::count_noun;
use iki_research::sessions::{
    self, MAX_STEPS, ResearchSession, SessionFault, SessionStore, SourceCoverage, markdown,
    refinement_queries,
};

/// Maximum number of steps that are shown in full unless the request says otherwise.
const MAX_FULL_STEPS: usize = 8;

/// Number of sources that are shown; the last ones.
const MAX_SHOWN_SOURCES: usize = 20;

/// From this number of steps on, an answer says how many are left.
const NEARLY_FULL_STEPS: usize = MAX_STEPS - 10;

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    link: "sequential-search-tool",
    title: "Record a research step",
    hints: ToolHints {
        read_only: false,
        idempotent: false,
        ..ToolHints::ASKS
    },
    // The others are for programs only.
    fields: &[(TRAIL, FieldRole::Output), ("trust", FieldRole::Silent)],
    run,
    ..research_tool!("sequential_search")
};

/// A recorded step and what was computed with it.
struct RecordedStep {
    session: ResearchSession,
    wants_all: Option<bool>,
    warning: String,
    coverage: Option<SourceCoverage>,
    queries: Vec<String>,
    results: Option<Vec<Value>>,
    /// Reason why the results are not in the session.
    unrecorded: Option<Failure>,
}

fn run<'a>(request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
    let fields = StepFields::from_request(request)?;
    let terms = request.terms();
    let recorded = with_sessions(terms, None, |sessions| record(&fields, sessions));
    let session = recorded.map_err(|fault| session_failure(fault, terms))?;
    let mut step = RecordedStep {
        warning: warning(&session, fields.step.step_number),
        session,
        wants_all: fields.wants_all,
        coverage: None,
        queries: Vec::new(),
        results: None,
        unrecorded: None,
    };
    if let Some(searches) = fields.refines {
        step.refine(searches, terms);
    }
    Ok(Reply::new(move |object| step.write(object)))
}

/// Records a step in its session, or in a new one.
fn record(
    fields: &StepFields,
    sessions: &SessionStore<'_>,
) -> Result<ResearchSession, SessionFault> {
    let mut add = |session: &mut ResearchSession| {
        let now = sessions::now();
        if session.started_at.is_empty() {
            session.started_at.clone_from(&now);
        }
        let mut step = fields.step.clone();
        step.recorded_at.clone_from(&now);
        session.total_steps_estimate = fields.estimate.unwrap_or(session.total_steps_estimate);
        session.add_step(step)?;
        if let Some(goal) = &fields.goal {
            session.research_goal.clone_from(goal);
        }
        if let Some(summary) = &fields.summary {
            session.session_summary.clone_from(summary);
            session.summary_step = fields.step.step_number;
        }
        // The clock may have been set back meanwhile.
        let completed = now.max(session.started_at.clone());
        session.completed_at = (!fields.next_step_needed).then_some(completed);
        Ok(())
    };
    if let Some(id) = &fields.session {
        return sessions.update(id, &mut add);
    }
    let mut session = ResearchSession::default();
    add(&mut session)?;
    sessions.start_session(&mut session)?;
    Ok(session)
}

/// Returns sentences on what the model may not have meant; empty if there is nothing.
fn warning(session: &ResearchSession, number: u64) -> String {
    let steps = &session.steps;
    let has = |number: u64| steps.iter().any(|step| step.step_number == number);
    let mut sentences = Vec::new();
    if number > 1 && !has(number - 1) {
        sentences.push(format!("Step {} is not recorded yet.", number - 1));
    }
    if let Some(step) = steps.iter().rev().find(|step| step.step_number == number) {
        for (what, other) in [
            ("revises", step.revises_step),
            ("branches off from", step.branch_from_step),
        ] {
            if let Some(other) = other.filter(|other| !has(*other)) {
                sentences.push(format!(
                    "It {what} step {other}, which this session has not."
                ));
            }
        }
    }
    if session.research_goal.is_empty() {
        sentences.push("The session has no researchGoal yet.".to_owned());
    }
    if steps.len() >= NEARLY_FULL_STEPS {
        let left = MAX_STEPS.saturating_sub(steps.len());
        let left = count_noun(left as u64, "step");
        sentences.push(format!("The session has room for {left} more."));
    }
    sentences.join(" ")
}

impl RecordedStep {
    /// Adds coverage and queries, and what these find if it `searches`.
    fn refine(&mut self, searches: bool, terms: &CallTerms) {
        let mut coverage = SourceCoverage::from_session(&self.session);
        self.queries = refinement_queries(&self.session, &coverage);
        if searches {
            let mut findings = SessionFindings::default();
            self.results = Some(refinement::search(&self.queries, terms, &mut findings));
            let id = &self.session.session_id;
            let added = with_sessions(terms, None, |sessions| {
                session_record::add_findings(sessions, id, &findings, &mut 0)
            });
            match added {
                Ok(session) => {
                    coverage = SourceCoverage::from_session(&session);
                    self.session = session;
                }
                Err(fault) => self.unrecorded = Some(session_failure(fault, terms)),
            }
        }
        self.coverage = Some(coverage);
    }

    fn write(&self, object: &mut AnswerObject<'_>) -> io::Result<()> {
        object.field(SESSION_ID, &self.session.session_id)?;
        session_parts::write(object, &|out| self.show(out))?;
        if let Some(failure) = &self.unrecorded {
            object.note(format!(
                "The step is recorded, but not what the searches found: {}",
                failure.message
            ));
        }
        if object.terms().reader.reads_words() {
            object.note(Some(self.warning.clone()).filter(|warning| !warning.is_empty()));
        } else if self.session.sources.len() > MAX_SHOWN_SOURCES {
            object.note(format!(
                "These are the last {MAX_SHOWN_SOURCES} of {} sources; get_research_session has \
                 all.",
                self.session.sources.len()
            ));
        }
        Ok(())
    }

    /// Shows the answer: steps as lines to readers of text, unless they ask for another form.
    fn show(&self, out: &mut ShownSession<'_, '_>) -> io::Result<()> {
        let session = &self.session;
        let all = self
            .wants_all
            .unwrap_or(session.steps.len() <= MAX_FULL_STEPS);
        out.field("responseMode", if all { "full" } else { "summary" })?;
        out.say(&format!(
            "Step {} of about {} is recorded{}.\n\n",
            session.last_step(),
            session.total_steps_estimate,
            match &session.completed_at {
                Some(_) => ", and the research complete",
                None => "",
            }
        ));
        out.head(session)?;
        if !self.warning.is_empty() {
            out.field("warning", &self.warning)?;
        }
        out.list("gaps", "Gaps", &session.gaps())?;
        if let Some(coverage) = &self.coverage {
            out.field("coverage", coverage)?;
            let (sources, domains) = (coverage.source_count, coverage.unique_domains);
            let (sources, domains) = (sources as u64, domains as u64);
            let (sources, domains) = (count_noun(sources, "source"), count_noun(domains, "domain"));
            out.say(&format!("{sources} of {domains}.\n\n"));
            if let Some(text) = out.text() {
                markdown::write_list(text, "Missing among the sources", &coverage.gaps);
            }
            let queries: Vec<&str> = self.queries.iter().map(String::as_str).collect();
            out.list("refinementQueries", "Queries for what is missing", &queries)?;
        }
        match self.wants_all {
            None if out.text().is_some() => out.step_index(session)?,
            _ if all => out.steps("steps", &session.in_order())?,
            _ => out.summary(session)?,
        }
        if let Some(results) = &self.results {
            out.rows("refinementResults", results)?;
            if let Some(text) = out.text() {
                for result in results {
                    write_result(text, result);
                }
            }
        }
        let first = session.sources.len().saturating_sub(MAX_SHOWN_SOURCES);
        out.rows("sources", &session.sources[first..])
    }
}

/// Appends what a search has found, or why it found nothing.
fn write_result(text: &mut String, result: &Value) {
    let of = |object: &Value, name: &str| object[name].as_str().unwrap_or_default().to_owned();
    let results = result["results"].as_array().into_iter().flatten();
    let lines = results.map(|one| {
        format!(
            "{} <{}> {}",
            of(one, "title"),
            of(one, "url"),
            of(one, "snippet")
        )
    });
    let failed = result["error"].as_str().map(str::to_owned);
    let lines: Vec<String> = lines.chain(failed).collect();
    markdown::write_list(
        text,
        &format!("Results for {}", of(result, "query")),
        &lines,
    );
}
