//! A session: the steps that a model recorded, with branches and revisions, the sources that calls
//! have found, and the outcomes of those calls.

use serde::{Deserialize, Serialize};

use iki_base::unseen;
use iki_base::wording::beginning;
use iki_web::cache::PersistentFault;
use iki_web::partial_date::PartialDate;
use iki_web::search::{SearchResult, same_page_key};
use iki_web::work::Work;

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
    /// The gap in knowledge that is left.
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

/// A source that a call found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SessionSource {
    /// The work that it is, as far as it is known.
    #[serde(flatten)]
    pub work: Work,
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
        let work = Work {
            url: result.url.clone(),
            title: result.title.clone(),
            date: PartialDate::parse(date),
            ..Work::default()
        };
        work.into()
    }
}

impl From<Work> for SessionSource {
    fn from(work: Work) -> Self {
        Self {
            work,
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
        for source in sources.iter().filter(|source| !source.work.url.is_empty()) {
            let (url, doi) = (&source.work.url, &source.work.doi);
            let key = same_page_key(url);
            let is_same = |one: &&mut SessionSource| {
                let is_doi = !doi.is_empty() && one.work.doi.eq_ignore_ascii_case(doi);
                is_doi || same_page_key(&one.work.url) == key
            };
            let source = source.shortened();
            let taken: usize = self.sources.iter().map(|one| one.work.length()).sum();
            let has_room = taken + source.work.length() <= MAX_ALL_TEXT_BYTES;
            let takes_more = has_room && self.sources.len() < MAX_SOURCES;
            match self.sources.iter_mut().find(is_same) {
                Some(there) => {
                    // Another address of the same work is not the one that was named.
                    there.named |= source.named && same_page_key(&there.work.url) == key;
                    if has_room {
                        there.complete(&source);
                    }
                }
                None if takes_more => {
                    self.sources.push(SessionSource {
                        step,
                        accessed: today.to_owned(),
                        ..source
                    });
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

    /// The gaps in knowledge that the last version of each step names, each once.
    #[must_use]
    pub fn gaps(&self) -> Vec<&str> {
        let mut gaps: Vec<&str> = Vec::new();
        for (index, step) in self.steps.iter().enumerate() {
            let is_revised = self.steps[index + 1..].iter().any(|later| {
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
    /// Returns it as it is kept: no text is longer than those may be, and nothing in it unseen.
    fn shortened(&self) -> Self {
        let mut source = self.clone();
        for text in source.work.texts() {
            *text = unseen::visible(beginning(text, MAX_TEXT_CHARS)).into_owned();
        }
        source.work.url.clone_from(&self.work.url);
        source
    }

    /// Takes over what `other` knows of the same source: what is missing here, and all that it says
    /// if only it describes a work, or if none does and it was read and this was not.
    fn complete(&mut self, other: &Self) {
        let (ours, theirs) = (self.work.is_described(), other.work.is_described());
        let prefers_other = if ours || theirs {
            theirs && !ours
        } else {
            other.read && !self.read
        };
        let url = self.work.url.clone();
        let mut other_work = other.work.clone();
        if prefers_other {
            std::mem::swap(&mut self.work, &mut other_work);
        }
        self.work.absorb(other_work);
        // Another address has not been named, nor been read.
        self.work.url = url;
        self.read |= other.read;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use iki_web::work::WorkKind;

    fn source(number: usize, length: usize) -> SessionSource {
        let work = Work {
            url: format!("https://example.com/{number}?{}", "x".repeat(length)),
            title: "T".repeat(length),
            ..Work::default()
        };
        work.into()
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
            work: Work {
                url: url.to_owned(),
                doi: "10.1000/1".to_owned(),
                ..Work::default()
            },
            named,
            ..SessionSource::default()
        };
        let mut session = ResearchSession::default();
        let known_work = work("http://10.0.0.1/found", false);
        session.add_sources(&[known_work.clone(), work("https://a.example/", true)], "");
        assert!(session.sources.len() == 1 && !session.sources[0].named);
        session.add_sources(
            &[SessionSource {
                named: true,
                ..known_work
            }],
            "",
        );
        assert!(session.sources[0].named);
    }

    #[test]
    fn a_page_does_not_replace_what_a_provider_says_of_a_work() {
        let paper = Work {
            url: "https://doi.org/10.1000/1".to_owned(),
            title: "A Title".to_owned(),
            kind: WorkKind::Article,
            container: "Nature".to_owned(),
            volume: "5".to_owned(),
            doi: "10.1000/1".to_owned(),
            ..Work::default()
        };
        let page = SessionSource {
            work: Work {
                url: "https://publisher.example/1".to_owned(),
                title: "A Title | Publisher".to_owned(),
                doi: "10.1000/1".to_owned(),
                pmid: "17".to_owned(),
                ..Work::default()
            },
            read: true,
            ..SessionSource::default()
        };
        let expected = Work {
            pmid: "17".to_owned(),
            ..paper.clone()
        };
        for (first, second) in [
            (paper.clone().into(), page.clone()),
            (page.clone(), paper.into()),
        ] {
            let mut session = ResearchSession::default();
            session.add_sources(&[first, second], "2026-01-01");
            let [source] = session.sources.as_slice() else {
                panic!("{:?}", session.sources);
            };
            let url = source.work.url.clone();
            assert_eq!(
                source.work,
                Work {
                    url,
                    ..expected.clone()
                }
            );
            assert!(source.read);
        }
    }

    #[test]
    fn a_session_of_a_former_version_is_read() {
        let json = r#"{"sessionId": "x", "sources": [{"url": "https://example.com/", "title": "T",
            "author": "Doe, Jane; Roe, John", "date": "2020-03", "journal": "Nature",
            "doi": "10.1000/1", "read": true, "step": 2, "accessed": "2026-01-01"}]}"#;
        let session: ResearchSession = serde_json::from_str(json).unwrap();
        let source = &session.sources[0];
        assert_eq!(source.work.names(9), "Jane Doe, John Roe");
        assert_eq!((source.work.container.as_str(), source.step), ("Nature", 2));
        assert!(source.read && source.work.date.is_some());
        let again = serde_json::to_string(&session).unwrap();
        let again: ResearchSession = serde_json::from_str(&again).unwrap();
        assert_eq!(again, session);
    }
}
