//! The course of one entry's check: what was asked, the work that fits best, and what becomes of
//! the entry.

use super::check_outcome::{CheckedReference, ReferenceLookup, ReferenceStatus};
use super::comparison::{Comparison, Difference, KnownWork};
use super::entry::ReferenceEntry;
use crate::papers::paper::Paper;
use crate::papers::paper_provider::PaperProvider;
use iki_web::work::work_id::WorkId;

/// An entry on its way.
#[derive(Default)]
pub(super) struct EntryCheck {
    pub(super) checked: Vec<ReferenceLookup>,
    /// The work that fits best, with its provider.
    pub(super) best: Option<(Comparison, Paper)>,
    is_by_number: bool,
    /// Identifiers that are nobody's, or another work's.
    pub(super) foreign_ids: Vec<WorkId>,
    /// Why one who should have been asked did not answer.
    pub(super) refusal: Option<String>,
    /// Why nobody could have answered.
    pub(super) is_in_vain: bool,
}

impl EntryCheck {
    /// True if there is a work that is as the entry says.
    pub(super) fn is_clear(&self) -> bool {
        let best = self.best.as_ref();
        best.is_some_and(|(compared, _)| compared.differences.is_empty())
    }

    /// Notes a provider's answer.
    pub(super) fn note(&mut self, provider: &PaperProvider, url: &str, result: Result<(), String>) {
        let outcome = match result {
            // Only the comparison tells if one of them is meant.
            Ok(()) => "not_found".to_owned(),
            Err(why) => {
                self.refusal = Some(format!("{}: {why}", provider.name));
                why
            }
        };
        self.checked.push(ReferenceLookup {
            provider: provider.name.to_owned(),
            url: url.to_owned(),
            outcome,
        });
    }

    /// Compares the works of a number. If there is one already, they are it under this number, too.
    pub(super) fn consider_by_number(
        &mut self,
        entry: &ReferenceEntry,
        id: &WorkId,
        papers: Vec<Paper>,
    ) {
        let Some((_, best)) = &self.best else {
            return self.consider(entry, papers, true);
        };
        let is_it = |paper: &Paper| {
            let compared = Comparison::compare(entry, &KnownWork::from_paper(paper));
            // A title may be translated.
            compared.same_title
                || compared.same_author
                || (!best.work.doi.is_empty() && best.work.doi == paper.work.doi)
        };
        let outcome = if papers.iter().any(is_it) {
            "found"
        } else {
            self.foreign_ids.push(id.clone());
            "differs"
        };
        if let Some(last) = self.checked.last_mut() {
            outcome.clone_into(&mut last.outcome);
        }
    }

    /// Compares what was found last.
    pub(super) fn consider(&mut self, entry: &ReferenceEntry, papers: Vec<Paper>, by_number: bool) {
        for paper in papers {
            let compared = Comparison::compare(entry, &KnownWork::from_paper(&paper));
            if !by_number && !compared.may_be_meant(entry) {
                continue;
            }
            let count = compared.differences.len();
            if let Some(last) = self.checked.last_mut() {
                if count == 0 {
                    "found".clone_into(&mut last.outcome);
                } else if last.outcome != "found" {
                    "differs".clone_into(&mut last.outcome);
                }
            }
            let is_better = self.best.as_ref().is_none_or(|(best, _)| {
                let key = |one: &Comparison| (!one.same_title, one.differences.len());
                key(&compared) < key(best)
            });
            if is_better {
                self.best = Some((compared, paper));
                self.is_by_number = by_number;
            }
        }
    }

    /// Returns what became of the entry.
    pub(super) fn outcome(self, entry: &ReferenceEntry) -> CheckedReference {
        let Some((compared, paper)) = self.best else {
            let is_known = self.refusal.is_none();
            let words = entry.authors.len() + entry.years.len();
            let status = if is_known {
                ReferenceStatus::NotFound
            } else {
                ReferenceStatus::Unchecked
            };
            let confidence = match (is_known, words > 1 || entry.is_plain()) {
                (false, _) => "",
                (true, true) => "high",
                (true, false) => "medium",
            };
            // A provider that was not asked says nothing of the work.
            return CheckedReference {
                status,
                confidence: confidence.to_owned(),
                checked: self.checked,
                reason: self.refusal.unwrap_or_default(),
                may_change: !is_known && !self.is_in_vain,
                ..CheckedReference::default()
            };
        };
        let mut differences = compared.differences;
        for id in &self.foreign_ids {
            let (kind, number) = id.in_work(&paper.work);
            differences.push(Difference {
                field: kind.to_owned(),
                given: id.number().to_owned(),
                found: number.to_owned(),
            });
        }
        let confidence = match (differences.is_empty(), self.is_by_number) {
            (true, _) if compared.is_doubtful => "medium",
            (_, true) => "high",
            (true, false) if compared.is_telling => "high",
            (false, false) if compared.same_title && compared.same_author => "high",
            (true, false) => "medium",
            (false, false) if compared.same_title => "medium",
            (false, false) => "low",
        };
        CheckedReference {
            status: if differences.is_empty() {
                ReferenceStatus::Found
            } else {
                ReferenceStatus::Differs
            },
            confidence: confidence.to_owned(),
            checked: self.checked,
            differences,
            source: paper.source.clone(),
            paper: Some(paper),
            reason: String::new(),
            may_change: false,
        }
    }
}
