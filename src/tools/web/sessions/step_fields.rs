//! Fields of a step, parsed and validated, with errors for those that make no sense.

use crate::contract::failure::{Code, Failure};
use crate::contract::request::Request;
use crate::research_sessions::SessionStep;
use crate::tools::web::research_cache;
use crate::tools::web::session_record::SESSION_ID;

/// Longest text of a step, in characters, and longest name of a branch.
const LONGEST_TEXT: usize = 10_000;
const LONGEST_NAME: usize = 100;

/// Most rejected approaches.
const MOST_REJECTED: usize = 50;

/// Highest number of a step.
const HIGHEST: u64 = 100_000;

/// The extent of what is computed beside a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepDepth {
    /// Nothing.
    Quick,
    /// Coverage, and queries for what is missing.
    Standard,
    /// The same, and the results of these queries.
    Thorough,
}

/// A parsed request.
pub struct StepFields {
    /// The session; `None` to begin one.
    pub session: Option<String>,
    /// The step.
    pub step: SessionStep,
    /// True if another step follows.
    pub next_step_needed: bool,
    /// The question of the research, if it is said.
    pub goal: Option<String>,
    /// The model's summary so far, if it sends one.
    pub summary: Option<String>,
    /// Number of steps that it expects.
    pub estimate: Option<u64>,
    /// True for all steps in full, false for a summary, if it says which.
    pub wants_all: Option<bool>,
    /// The extent of what is computed beside it.
    pub depth: StepDepth,
}

impl StepFields {
    /// Parses a request.
    pub fn of(request: &Request<'_>) -> Result<Self, Failure> {
        let search_step = text(request, "searchStep")?.unwrap_or_default();
        if search_step.is_empty() {
            let missing = request.required_text("searchStep").map(drop);
            return Err(missing.err().unwrap_or_else(|| {
                invalid("searchStep must say what was searched for or found out, and is empty")
            }));
        }
        let step_number = number(request, "stepNumber")?;
        let step_number =
            step_number.ok_or_else(|| Failure::bad_request("missing stepNumber field"))?;
        if !request.has("nextStepNeeded") {
            return Err(Failure::bad_request("missing nextStepNeeded field"));
        }
        let session = request.text(SESSION_ID)?.map(str::to_owned);
        if session.is_none() && step_number > 1 {
            let lists = request.terms().if_served(
                "get_research_session",
                ": get_research_session without sessionId lists your sessions",
            );
            return Err(invalid(&format!(
                "step {step_number} belongs to a session, and needs its sessionId{lists}. Only \
                 step 1 begins a new session."
            )));
        }
        let confidence = [("high", "high"), ("medium", "medium"), ("low", "low")];
        let modes = [("full", true), ("summary", false)];
        let depths = [
            ("quick", StepDepth::Quick),
            ("standard", StepDepth::Standard),
            ("thorough", StepDepth::Thorough),
        ];
        let mut rejected_approaches = Vec::new();
        for approach in request.texts("rejectedApproaches")? {
            rejected_approaches.push(within("rejectedApproaches", approach, LONGEST_TEXT)?);
        }
        if rejected_approaches.len() > MOST_REJECTED {
            return Err(invalid("rejectedApproaches must be 50 or fewer"));
        }
        let branch_id = request.text("branchId")?.unwrap_or_default();
        Ok(Self {
            session,
            step: SessionStep {
                step_number,
                search_step,
                reasoning: text(request, "reasoning")?.unwrap_or_default(),
                confidence: request
                    .choice("confidence", &confidence)?
                    .unwrap_or_default()
                    .to_owned(),
                rejected_approaches,
                knowledge_gap: text(request, "knowledgeGap")?.unwrap_or_default(),
                branch_id: within("branchId", branch_id, LONGEST_NAME)?,
                branch_from_step: number(request, "branchFromStep")?,
                is_revision: request.flag("isRevision")?,
                revises_step: number(request, "revisesStep")?,
                recorded_at: String::new(),
            },
            next_step_needed: request.flag("nextStepNeeded")?,
            goal: text(request, "researchGoal")?,
            summary: text(request, "sessionSummary")?,
            estimate: number(request, "totalStepsEstimate")?,
            wants_all: request.choice("responseMode", &modes)?,
            depth: request
                .choice("depth", &depths)?
                .unwrap_or(StepDepth::Quick),
        })
    }
}

/// An optional text without blanks around it.
fn text(request: &Request<'_>, name: &str) -> Result<Option<String>, Failure> {
    let text = request.text(name)?.map(str::trim);
    let text = text.filter(|text| !text.is_empty());
    text.map(|text| within(name, text, LONGEST_TEXT))
        .transpose()
}

/// A text, if it is not too long.
fn within(name: &str, text: &str, most: usize) -> Result<String, Failure> {
    let length = text.chars().count();
    if length > most {
        return Err(invalid(&format!(
            "{name} must have at most {most} characters, and has {length}: say it in fewer"
        )));
    }
    Ok(text.trim().to_owned())
}

fn number(request: &Request<'_>, name: &str) -> Result<Option<u64>, Failure> {
    request.integer(name, 1..=HIGHEST)
}

fn invalid(message: &str) -> Failure {
    Failure::new(Code::InvalidArg, message).with_advice(research_cache::advice(Code::InvalidArg))
}
