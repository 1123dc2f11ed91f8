//! A session: the steps that a model recorded, with branches and revisions, the sources that calls
//! have found, and the outcomes of those calls.

use serde::{Deserialize, Serialize};

use crate::cache::PersistentFault;
use crate::search::{SearchResult, same_page_key};
use iki_base::unseen;
use iki_base::wording::beginning;

/// Length of a day's date, in bytes.
const DAY_BYTES: usize = 10;

/// Maximum number of steps of a session, revisions among them.
pub const MAX_STEPS: usize = 200;

/// Maximum number of sources.
const MAX_SOURCES: usize = 1000;

/// Maximum number of outcomes; the oldest ones go.
const MAX_OUTCOMES: usize = 200;

/// The longest texts of sources that are kept, and the most of all of them, in bytes: what others
/// write must not take the room of steps.
const MAX_TEXT_CHARS: usize = 1000;
const MAX_ALL_TEXT_BYTES: usize = 2 * 1024 * 1024;

/// The reason why there is no session, or why it was not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionFault {
    /// There is none of that name, or no more.
    Unknown,
    /// It has as many steps, or as much text, as a session can have.
    Full,
    /// The store cannot be read or written.
    Store(PersistentFault),
}

impl From<PersistentFault> for SessionFault {
    fn from(fault: PersistentFault) -> Self {
        Self::Store(fault)
    }
}

/// A session. Times are in UTC, as RFC 3339.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResearchSession {
    /// Its name, a UUID of version 4.
    pub session_id: String,
    /// The question of the research.
    pub research_goal: String,
    /// The time of its first step.
    pub started_at: String,
    /// The time of the step after which no other is needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<String>,
    /// The time of its last use.
    pub last_used_at: String,
    /// The number of steps that the model expects.
    pub total_steps_estimate: u64,
    /// The model's own summary, and the step that it was sent with.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub session_summary: String,
    /// The step of that summary.
    pub summary_step: u64,
    /// The steps, in the order in which they came.
    pub steps: Vec<SessionStep>,
    /// The sources, each once, in the order in which they were found.
    pub sources: Vec<SessionSource>,
    /// The outcomes of calls, the oldest first.
    pub outcomes: Vec<CallOutcome>,
}

/// A step, in the words of the model. What it did not send is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SessionStep {
    /// Its number, from 1. Revisions of it, and steps of other branches, have the same.
    pub step_number: u64,
    /// The text of the step: a search, or a finding.
    pub search_step: String,
    /// The reason for it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    /// `high`, `medium` or `low`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub confidence: String,
    /// Ways that were given up.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rejected_approaches: Vec<String>,
    /// What is not known yet.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub knowledge_gap: String,
    /// The branch that it belongs to.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub branch_id: String,
    /// The step from which that branch goes off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch_from_step: Option<u64>,
    /// True if it replaces what an earlier one said.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_revision: bool,
    /// The step that it revises.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revises_step: Option<u64>,
    /// The time at which it was recorded.
    pub recorded_at: String,
}

/// A source that a call found. What is not known is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SessionSource {
    /// Its address.
    pub url: String,
    /// Its title.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Its authors, separated by semicolons, or by commas between whole names.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub author: String,
    /// The day, month or year of its publication.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub date: String,
    /// The journal that it appeared in.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub journal: String,
    /// Its DOI.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub doi: String,
    /// True if it was read, and not only found.
    pub read: bool,
    /// True if the caller named the address, or another one of its host that led there.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub named: bool,
    /// The session's last step when it was found; set here.
    pub step: u64,
    /// The day on which it was found; set here.
    pub accessed: String,
}

impl From<&SearchResult> for SessionSource {
    fn from(result: &SearchResult) -> Self {
        let date = result.published_at.as_deref().unwrap_or_default();
        Self {
            url: result.url.clone(),
            title: result.title.clone(),
            date: beginning(date, DAY_BYTES).to_owned(),
            ..Self::default()
        }
    }
}

/// The outcome of one question to a provider or a site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CallOutcome {
    /// The tool that asked.
    pub tool: String,
    /// The provider that was asked; for pages, the host.
    pub provider: String,
    /// The kind of failure; empty if there was an answer.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub failure: String,
}

impl ResearchSession {
    /// Returns the number of the step that was recorded last.
    #[must_use]
    pub fn last_step(&self) -> u64 {
        self.steps.last().map_or(0, |step| step.step_number)
    }

    /// Adds a step, which is a revision if there is one of its number in its branch.
    ///
    /// # Errors
    /// The session is full.
    pub fn add_step(&mut self, mut step: SessionStep) -> Result<(), SessionFault> {
        if self.steps.len() >= MAX_STEPS {
            return Err(SessionFault::Full);
        }
        let number = step.step_number;
        let is_same =
            |one: &SessionStep| one.step_number == number && one.branch_id == step.branch_id;
        if step.revises_step.is_none() && (step.is_revision || self.steps.iter().any(is_same)) {
            step.revises_step = Some(number);
        }
        step.is_revision = step.revises_step.is_some();
        self.total_steps_estimate = self.total_steps_estimate.max(number);
        self.steps.push(step);
        Ok(())
    }

    /// Adds sources, each once: one that is there is completed by what another knows of it. Returns
    /// the number of those for which there was no room.
    pub fn add_sources(&mut self, sources: &[SessionSource], today: &str) -> usize {
        let step = self.last_step();
        let mut left_out = 0;
        for source in sources.iter().filter(|source| !source.url.is_empty()) {
            let key = same_page_key(&source.url);
            let is_same = |one: &&mut SessionSource| {
                let is_doi = !one.doi.is_empty() && one.doi.eq_ignore_ascii_case(&source.doi);
                is_doi || same_page_key(&one.url) == key
            };
            let taken: usize = self.sources.iter().map(SessionSource::length).sum();
            let has_room = taken + source.length() <= MAX_ALL_TEXT_BYTES;
            let takes_more = has_room && self.sources.len() < MAX_SOURCES;
            match self.sources.iter_mut().find(is_same) {
                Some(there) => {
                    // Another address of the same work is not the one that was named.
                    there.named |= source.named && same_page_key(&there.url) == key;
                    if has_room {
                        there.complete(source);
                    }
                }
                None if takes_more => {
                    let mut new = SessionSource {
                        url: source.url.clone(),
                        step,
                        accessed: today.to_owned(),
                        named: source.named,
                        ..SessionSource::default()
                    };
                    new.complete(source);
                    self.sources.push(new);
                }
                None => left_out += 1,
            }
        }
        left_out
    }

    /// Adds the outcome of a call.
    pub fn add_outcome(&mut self, outcome: CallOutcome) {
        if self.outcomes.len() >= MAX_OUTCOMES {
            self.outcomes.remove(0);
        }
        self.outcomes.push(outcome);
    }

    /// Returns the steps by their numbers, revisions after what they revise.
    #[must_use]
    pub fn in_order(&self) -> Vec<&SessionStep> {
        let mut steps: Vec<&SessionStep> = self.steps.iter().collect();
        steps.sort_by_key(|step| step.step_number);
        steps
    }

    /// What is not known yet, as the last version of each step says, each once.
    #[must_use]
    pub fn gaps(&self) -> Vec<&str> {
        let mut gaps: Vec<&str> = Vec::new();
        for (at, step) in self.steps.iter().enumerate() {
            let is_revised = self.steps[at + 1..].iter().any(|later| {
                later.branch_id == step.branch_id && later.revises_step == Some(step.step_number)
            });
            let gap = step.knowledge_gap.as_str();
            if !(is_revised || gap.is_empty() || gaps.contains(&gap)) {
                gaps.push(gap);
            }
        }
        gaps
    }
}

impl SessionSource {
    /// Returns the length of its texts, as far as they are kept.
    fn length(&self) -> usize {
        let texts = [
            &self.title,
            &self.author,
            &self.date,
            &self.journal,
            &self.doi,
        ];
        let texts = texts.iter().map(|text| text.len().min(MAX_TEXT_CHARS));
        self.url.len() + texts.sum::<usize>()
    }

    /// Takes over what `other` knows of the same source: all that it says, if it was read and this
    /// was not, else what is missing here.
    fn complete(&mut self, other: &Self) {
        let prefers_other = other.read && !self.read;
        for (own, others) in [
            (&mut self.title, &other.title),
            (&mut self.author, &other.author),
            (&mut self.date, &other.date),
            (&mut self.journal, &other.journal),
            (&mut self.doi, &other.doi),
        ] {
            if own.is_empty() || (prefers_other && !others.is_empty()) {
                *own = unseen::visible(beginning(others, MAX_TEXT_CHARS)).into_owned();
            }
        }
        self.read |= other.read;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(number: usize, length: usize) -> SessionSource {
        SessionSource {
            url: format!("https://example.com/{number}?{}", "x".repeat(length)),
            title: "T".repeat(length),
            ..SessionSource::default()
        }
    }

    #[test]
    fn what_others_write_takes_no_room_from_steps() {
        let mut session = ResearchSession::default();
        let sources: Vec<_> = (0..40).map(|number| source(number, 80_000)).collect();
        let left_out = session.add_sources(&sources, "2026-01-01");
        assert_eq!((session.sources.len(), left_out), (25, 15));
        // A known source needs no room.
        assert_eq!(session.add_sources(&sources[..1], "2026-01-01"), 0);
        let length = serde_json::to_vec(&session).unwrap().len();
        assert!(
            length < MAX_ALL_TEXT_BYTES + MAX_ALL_TEXT_BYTES / 8,
            "{length}"
        );
    }

    #[test]
    fn another_address_of_a_work_is_not_the_one_that_was_named() {
        let work = |url: &str, named| SessionSource {
            url: url.to_owned(),
            doi: "10.1000/1".to_owned(),
            named,
            ..SessionSource::default()
        };
        let mut session = ResearchSession::default();
        let found = work("http://10.0.0.1/found", false);
        session.add_sources(&[found.clone(), work("https://a.example/", true)], "");
        assert!(session.sources.len() == 1 && !session.sources[0].named);
        session.add_sources(
            &[SessionSource {
                named: true,
                ..found
            }],
            "",
        );
        assert!(session.sources[0].named);
    }
}
