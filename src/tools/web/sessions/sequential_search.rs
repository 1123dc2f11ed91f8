//! `sequential_search`: a step of a research is recorded, and what matters of the session comes
//! back.

use std::fmt::Write as _;
use std::io;

use serde_json::Value;

use super::refinement;
use super::shown_session::{
    TRAIL, is_in_words, put, put_head, put_rows, put_summary, write_summary,
};
use super::step_fields::{StepDepth, StepFields};
use crate::basics::words::counted;
use crate::contract::failure::Failure;
use crate::contract::reply::{Object, Reply};
use crate::contract::request::Request;
use crate::contract::terms::Terms;
use crate::contract::tool::{AccessScope, Family, FieldRole, Tool, ToolHints, ToolManual, ToolSet};
use crate::research_sessions::{
    self, MOST_STEPS, ResearchSession, SessionFault, SessionStore, SourceCoverage, markdown,
    refinement_queries,
};
use crate::tools::web::research_cache::{self, TRUST};
use crate::tools::web::session_record::{
    self, SESSION_ID, SessionFinds, session_failure, with_sessions,
};

/// Most steps that are shown in full unless the request says otherwise.
const FEW_STEPS: usize = 8;

/// Number of sources that are shown; the last ones.
const SHOWN_SOURCES: usize = 20;

/// From this number of steps on, an answer says how many are left.
const NEARLY_FULL: usize = MOST_STEPS - 10;

/// The tool's row in the registry.
pub const TOOL: Tool = Tool {
    name: "sequential_search",
    link: "sequential-search-tool",
    title: "Record a research step",
    family: Family::Research,
    set: ToolSet::Research,
    offered: false,
    hints: ToolHints {
        read_only: false,
        idempotent: false,
        ..ToolHints::ASKS
    },
    scope: AccessScope::Network,
    schema: include_str!("../../schemas/sequential_search.json"),
    model_schema: include_str!("../../schemas/for_models/sequential_search.json"),
    output_schema: Some(include_str!("../../schemas/output/sequential_search.json")),
    aliases: session_record::ALIASES,
    manual: ToolManual {
        text: "\
Records a step of a research in a session, and answers with what the session has so far: steps,
gaps, sources. Step 1 begins a session and returns its sessionId, with which web-search, scrape-page
and the others add their sources to it. A step number that comes again is kept as a revision. A
session has 200 steps at most and is kept for four hours after its last use, encrypted, in
~/.local/state/ikigai-tools/sessions; the 50 last used ones are kept. Nothing leaves this machine
unless --depth thorough searches the web for what is missing, as web-search does.",
        example: r#"{"searchStep":"Find surveys of the field","stepNumber":1,"nextStepNeeded":true,"researchGoal":"How are heat pumps tested?"}"#,
        environment: &[
            session_record::LIFETIME,
            research_cache::CACHE_KEY,
            research_cache::STATE_PLACE,
        ],
    },
    fields: &[
        (TRAIL, FieldRole::Output),
        ("responseMode", FieldRole::Silent),
        ("researchGoal", FieldRole::Silent),
        ("currentStep", FieldRole::Silent),
        ("totalStepsEstimate", FieldRole::Silent),
        ("isComplete", FieldRole::Silent),
        ("startedAt", FieldRole::Silent),
        ("completedAt", FieldRole::Silent),
        ("warning", FieldRole::Silent),
        ("steps", FieldRole::Silent),
        ("summary", FieldRole::Silent),
        ("stepIndex", FieldRole::Silent),
        ("lastSteps", FieldRole::Silent),
        ("gaps", FieldRole::Silent),
        ("coverage", FieldRole::Silent),
        ("refinementQueries", FieldRole::Silent),
        ("refinementResults", FieldRole::Silent),
        ("sources", FieldRole::Silent),
        ("trust", FieldRole::Silent),
    ],
    run,
    ..Tool::PLAIN
};

/// A recorded step and what was computed beside it.
struct RecordedStep {
    session: ResearchSession,
    wants_all: Option<bool>,
    warning: String,
    coverage: Option<SourceCoverage>,
    queries: Vec<String>,
    results: Vec<Value>,
    /// Reason why the results are not in the session.
    unrecorded: Option<Failure>,
}

fn run<'a>(request: &'a Request<'a>) -> Result<Reply<'a>, Failure> {
    let fields = StepFields::of(request)?;
    let terms = request.terms();
    let (wants_all, depth, number) = (fields.wants_all, fields.depth, fields.step.step_number);
    let recorded = with_sessions(terms, None, |sessions| record(&fields, sessions));
    let session = recorded.map_err(|fault| session_failure(fault, terms))?;
    let mut step = RecordedStep {
        warning: warning(&session, number),
        session,
        wants_all,
        coverage: None,
        queries: Vec::new(),
        results: Vec::new(),
        unrecorded: None,
    };
    if depth != StepDepth::Quick {
        step.refine(depth, terms);
    }
    Ok(Reply::new(move |object| {
        if is_in_words(object) {
            step.write_words(object)
        } else {
            step.write(object)
        }
    }))
}

/// Records a step in its session, or in a new one.
fn record(
    fields: &StepFields,
    sessions: &SessionStore<'_>,
) -> Result<ResearchSession, SessionFault> {
    let mut add = |session: &mut ResearchSession| {
        let now = research_sessions::now();
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
    sessions.begin(&mut session)?;
    Ok(session)
}

/// What the model may not have meant, in sentences; empty if there is nothing.
fn warning(session: &ResearchSession, number: u64) -> String {
    let steps = &session.steps;
    let has = |number: u64| steps.iter().any(|step| step.step_number == number);
    let mut warning = String::new();
    if number > 1 && !has(number - 1) {
        let _ = write!(warning, "Step {} is not recorded yet. ", number - 1);
    }
    if let Some(step) = steps.iter().rev().find(|step| step.step_number == number) {
        for (what, other) in [
            ("revises", step.revises_step),
            ("branches off from", step.branch_from_step),
        ] {
            if let Some(other) = other.filter(|other| !has(*other)) {
                let _ = write!(
                    warning,
                    "It {what} step {other}, which this session has not. "
                );
            }
        }
    }
    if session.research_goal.is_empty() {
        warning.push_str("The session has no researchGoal yet. ");
    }
    if steps.len() >= NEARLY_FULL {
        let left = MOST_STEPS.saturating_sub(steps.len());
        let _ = write!(
            warning,
            "The session has room for {} more. ",
            counted(left as u64, "step")
        );
    }
    warning.truncate(warning.trim_end().len());
    warning
}

impl RecordedStep {
    /// Adds coverage and queries, and for a thorough step what these find.
    fn refine(&mut self, depth: StepDepth, terms: &Terms) {
        let mut coverage = SourceCoverage::of(&self.session);
        self.queries = refinement_queries(&self.session, &coverage);
        if depth == StepDepth::Thorough {
            let mut finds = SessionFinds::default();
            self.results = refinement::search(&self.queries, terms, &mut finds);
            let id = &self.session.session_id;
            let added = with_sessions(terms, None, |sessions| {
                session_record::add_finds(sessions, id, &finds, &mut 0)
            });
            match added {
                Ok(session) => {
                    coverage = SourceCoverage::of(&session);
                    self.session = session;
                }
                Err(fault) => self.unrecorded = Some(session_failure(fault, terms)),
            }
        }
        self.coverage = Some(coverage);
    }

    fn shown_sources(&self) -> &[research_sessions::SessionSource] {
        let sources = &self.session.sources;
        &sources[sources.len().saturating_sub(SHOWN_SOURCES)..]
    }

    fn note(&self, object: &mut Object<'_>) {
        if let Some(failure) = &self.unrecorded {
            object.note(format!(
                "The step is recorded, but not what the searches found: {}",
                failure.message
            ));
        }
    }

    /// Writes the answer for programs.
    fn write(&self, object: &mut Object<'_>) -> io::Result<()> {
        let session = &self.session;
        let all = self.wants_all.unwrap_or(session.steps.len() <= FEW_STEPS);
        object.field(SESSION_ID, &session.session_id)?;
        object.field("responseMode", if all { "full" } else { "summary" })?;
        put_head(object, session)?;
        if !self.warning.is_empty() {
            object.field("warning", &self.warning)?;
        }
        if let Some(coverage) = &self.coverage {
            put(object, "coverage", coverage)?;
            put(object, "refinementQueries", &self.queries)?;
        }
        if !self.results.is_empty() {
            put_rows(object, "refinementResults", &self.results)?;
        }
        put(object, "gaps", &session.gaps())?;
        if all {
            put_rows(object, "steps", &session.in_order())?;
        } else {
            put_summary(object, session)?;
        }
        let sources = self.shown_sources();
        put_rows(object, "sources", sources)?;
        if sources.len() < session.sources.len() {
            object.note(format!(
                "These are the last {} of {} sources; get_research_session has all.",
                sources.len(),
                session.sources.len()
            ));
        }
        object.field("trust", TRUST)?;
        self.note(object);
        Ok(())
    }

    /// Writes the answer for readers of text: steps as lines, unless all of them are wanted.
    fn write_words(&self, object: &mut Object<'_>) -> io::Result<()> {
        let session = &self.session;
        object.field(SESSION_ID, &session.session_id)?;
        let mut out = format!(
            "Step {} of about {} is recorded{}.\n\n",
            session.last_step(),
            session.total_steps_estimate,
            match &session.completed_at {
                Some(_) => ", and the research complete",
                None => "",
            }
        );
        match self.wants_all {
            Some(true) => {
                for step in session.in_order() {
                    markdown::write_step(&mut out, step);
                }
            }
            Some(false) => write_summary(&mut out, session),
            None => {
                out.push_str("## Steps\n\n");
                for step in session.in_order() {
                    markdown::write_step_line(&mut out, step);
                }
                out.push('\n');
            }
        }
        markdown::write_list(&mut out, "Gaps", &session.gaps());
        if let Some(coverage) = &self.coverage {
            let _ = writeln!(
                out,
                "{} of {}.\n",
                counted(coverage.source_count as u64, "source"),
                counted(coverage.unique_domains as u64, "domain")
            );
            markdown::write_list(&mut out, "Missing among the sources", &coverage.gaps);
            let queries: Vec<&str> = self.queries.iter().map(String::as_str).collect();
            markdown::write_list(&mut out, "Queries for what is missing", &queries);
        }
        for result in &self.results {
            let found = result["results"].as_array().into_iter().flatten();
            let lines = found.map(|one| {
                let text = |name: &str| one[name].as_str().unwrap_or_default();
                format!("{} <{}> {}", text("title"), text("url"), text("snippet"))
            });
            let failed = result["error"].as_str().map(str::to_owned);
            let lines: Vec<String> = lines.chain(failed).collect();
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let query = result["query"].as_str().unwrap_or_default();
            markdown::write_list(&mut out, &format!("Results for {query}"), &lines);
        }
        object.whole_text(TRAIL, out.trim_end().as_bytes())?;
        object.field("trust", TRUST)?;
        if !self.warning.is_empty() {
            object.note(self.warning.clone());
        }
        self.note(object);
        Ok(())
    }
}
