//! Fields of a step, parsed and validated, with errors for those that make no sense.

use crate::contract::failure::{ErrorCode, Failure};
use crate::contract::request::Request;
use crate::tools::web::research_failure;
use crate::tools::web::session_record::SESSION_ID;
use iki_base::unseen;
use iki_research::sessions::SessionStep;

/// Maximum length of a text of a step, in characters, and longest name of a branch.
const MAX_TEXT_CHARS: usize = 10_000;
const MAX_NAME_CHARS: usize = 100;

/// Maximum number of rejected approaches.
const MAX_REJECTED_APPROACHES: usize = 50;

/// Highest number of a step.
const MAX_STEP_NUMBER: u64 = 100_000;

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
    /// True to count what is missing and to search for it, false to only count it; `None` for
    /// neither.
    pub refines: Option<bool>,
}

impl StepFields {
    /// Parses a request.
    pub fn from_request(request: &Request<'_>) -> Result<Self, Failure> {
        let search_step = text(request, "searchStep")?.unwrap_or_default();
        if search_step.is_empty() {
            let missing = request.required_text("searchStep").map(drop);
            return Err(missing.err().unwrap_or_else(|| {
                invalid("searchStep must say what was searched for or found out, and is empty")
            }));
        }
        for name in ["stepNumber", "nextStepNeeded"] {
            if !request.has(name) {
                return Err(Failure::bad_request(format!("missing {name} field")));
            }
        }
        // Another number than the one that is meant would be recorded.
        let requested = request.number("stepNumber")?.unwrap_or(0);
        let step_number = u64::try_from(requested).ok();
        let step_number = step_number.filter(|number| (1..=MAX_STEP_NUMBER).contains(number));
        let step_number = step_number.ok_or_else(|| {
            invalid(&format!(
                "stepNumber must be from 1 to {MAX_STEP_NUMBER}, and is {requested}"
            ))
        })?;
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
            ("quick", None),
            ("standard", Some(false)),
            ("thorough", Some(true)),
        ];
        let rejected = request.texts("rejectedApproaches")?;
        if rejected.len() > MAX_REJECTED_APPROACHES {
            return Err(invalid("rejectedApproaches must be 50 or fewer"));
        }
        let rejected = rejected.into_iter();
        let rejected = rejected.map(|text| within("rejectedApproaches", text, MAX_TEXT_CHARS));
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
                rejected_approaches: rejected.collect::<Result<_, _>>()?,
                knowledge_gap: text(request, "knowledgeGap")?.unwrap_or_default(),
                branch_id: within("branchId", branch_id, MAX_NAME_CHARS)?,
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
            refines: request.choice("depth", &depths)?.flatten(),
        })
    }
}

/// Returns an optional text without blanks around it.
fn text(request: &Request<'_>, name: &str) -> Result<Option<String>, Failure> {
    let text = request.text(name)?;
    let text = text.map(|text| within(name, text, MAX_TEXT_CHARS));
    Ok(text.transpose()?.filter(|text| !text.is_empty()))
}

/// Returns a text without unseen characters, if it is not too long.
fn within(name: &str, text: &str, limit: usize) -> Result<String, Failure> {
    let text = unseen::visible(text.trim());
    let length = text.chars().count();
    if length > limit {
        return Err(invalid(&format!(
            "{name} must have at most {limit} characters, and has {length}: say it in fewer"
        )));
    }
    Ok(text.trim().to_owned())
}

fn number(request: &Request<'_>, name: &str) -> Result<Option<u64>, Failure> {
    request.integer(name, 1..=MAX_STEP_NUMBER)
}

fn invalid(message: &str) -> Failure {
    research_failure::with_advice(ErrorCode::InvalidArg, message)
}
