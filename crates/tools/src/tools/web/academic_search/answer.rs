//! The answer: the specification's object for programs, a shorter form for models and people, and
//! metadata for clients.

use serde_json::{Value, json};

use crate::contract::notes::Notes;
use crate::tools::web::research_call::ResearchCall;
use crate::tools::web::searching::result_list::FoundList;
use crate::tools::web::searching::search_fields;
use crate::tools::web::searching::search_meta::SearchMeta;
use iki_base::wording::{count_noun, join_list};
use iki_research::papers::cached_papers::TIME_TO_LIVE;
use iki_research::papers::paper::Paper;
use iki_research::papers::paper_search::{PaperSearch, SOURCES};
use iki_research::papers::paper_searcher::{self, PaperAnswer};
use iki_web::page::retraction::RetractionStatus;
use iki_web::search::hints::SearchHints;

/// Maximum number of authors on a line.
const MAX_SHOWN_AUTHORS: usize = 6;

/// Returns a paper as lines of text, for reading; an empty line is not shown.
fn lines(paper: &Paper) -> Value {
    let work = &paper.work;
    let labelled = |label: &str, text: &str| match text {
        "" => String::new(),
        text => format!("{label}: {text}"),
    };
    let year = work.year().map(|year| year.to_string());
    let cited = work.citation_count;
    let cited = cited.map(|count| format!("cited by {count}"));
    let is_open = work.open_access == Some(true);
    let about = [
        work.names(MAX_SHOWN_AUTHORS),
        year.unwrap_or_default(),
        paper.journal().to_owned(),
        cited.unwrap_or_default(),
        if is_open { "open access" } else { "" }.to_owned(),
        paper.source.clone(),
    ];
    let about: Vec<String> = about.into_iter().filter(|one| !one.is_empty()).collect();
    let notice = work.retraction.as_ref().map(RetractionStatus::in_words);
    json!({
        "title": work.title,
        "about": about.join("; "),
        "notice": notice.unwrap_or_default(),
        "url": work.url,
        "pdf": labelled("PDF", &work.pdf_url),
        "tldr": labelled("In short", &paper.tldr),
        "abstract": paper.summary,
    })
}

/// Builds the list that is answered with.
pub fn list(search: &PaperSearch, answer: &PaperAnswer, call: &ResearchCall<'_, '_>) -> FoundList {
    let routed = &answer.routed;
    let papers = answer.papers.iter();
    let count = u64::try_from(answer.papers.len()).unwrap_or(u64::MAX);
    let first = answer.answered.first().map_or("", String::as_str);
    let route = Some(routed).filter(|_| search.provider.is_none());
    let row = if call.in_words() {
        lines
    } else {
        Paper::fields
    };
    FoundList {
        noun: "papers",
        rows: papers.map(row).collect(),
        fields: vec![
            ("papers", Value::Null),
            ("query", search.query.as_str().into()),
            ("totalResults", answer.total.max(count).into()),
            ("resultCount", Value::Null),
            ("source", answer.answered.join(", ").into()),
        ],
        requested: search_fields::requested(call.request),
        hints: answer.papers.is_empty().then(|| {
            let answered = answer.answered.iter().map(String::as_str);
            let providers: Vec<&str> = answered.chain(routed.attempted.iter().copied()).collect();
            SearchHints::new(
                filters(search),
                paper_searcher::others(&call.context, &providers),
            )
        }),
        notes: notes(search, answer),
        meta: SearchMeta::new(first, route, (answer.age, TIME_TO_LIVE), answer.took),
    }
}

/// Returns the fields that may exclude papers, with their values, the most restrictive first.
fn filters(search: &PaperSearch) -> [(&'static str, Option<String>); 9] {
    let year = |year: Option<u16>| year.map(|year| year.to_string());
    let flag = |is_set: bool| is_set.then(|| "true".to_owned());
    let source = Some(search.source).filter(|source| *source != SOURCES[0]);
    let all = [
        ("venue", search.venue.clone()),
        ("author", search.author.clone()),
        (
            "min_citations",
            search.min_citations.map(|least| least.to_string()),
        ),
        ("type", search.kind.map(|kind| kind.name().to_owned())),
        ("source", source.map(|source| source.name.to_owned())),
        ("pdf_only", flag(search.pdf_only)),
        ("open_access", flag(search.open_access)),
        ("year_from", year(search.year_from)),
        ("year_to", year(search.year_to)),
    ];
    // A work that is looked up comes whatever they say.
    let is_one = search.target.work().is_some();
    all.map(|(name, value)| (name, value.filter(|_| !is_one)))
}

/// Writes notes on providers that did not answer, and on what was removed.
fn notes(search: &PaperSearch, answer: &PaperAnswer) -> Notes {
    let mut notes = Notes::default();
    let reason = answer.routed.fallback_reason();
    match (answer.searched_with, reason) {
        (Some(title), reason) => notes.add(format!(
            "No provider of papers answered ({}): these are results of a web search with {title} \
             on hosts of scholarly works, and their details are what addresses tell.",
            reason.unwrap_or_default()
        )),
        (None, Some(reason)) => notes.add(format!("Some did not answer: {reason}.")),
        (None, None) => {}
    }
    if let Some(id) = search.target.work()
        && answer.papers.is_empty()
    {
        notes.add(match answer.is_registered {
            Some(true) => format!(
                "{id} is registered, but none of {} describes it.",
                answered_providers(answer)
            ),
            Some(false) => format!("{id} is not registered: there is no such DOI."),
            None => format!("{id} is not known to {}.", answered_providers(answer)),
        });
    }
    if let Some(id) = search.target.center() {
        for (names, one, several) in [
            (&answer.unknown_to, "does not know", "do not know"),
            (
                &answer.withheld_by,
                "keeps to itself the list of",
                "keep to themselves the list of",
            ),
        ] {
            if !names.is_empty() && answer.papers.is_empty() {
                let what = if names.len() == 1 { one } else { several };
                notes.add(format!("{} {what} {id}.", join_list(names, "and")));
            }
        }
        if answer.answered.is_empty() && answer.papers.is_empty() {
            notes.add("So nothing is known of them; that is not the same as none.".to_owned());
        }
    }
    if !answer.filtered.is_empty() {
        let by = answer
            .filtered
            .iter()
            .map(|(name, fields)| format!("{name} has no {}", join_list(fields, "and")));
        notes.add(format!(
            "{}: of the {} that came, those are shown that fit.",
            by.collect::<Vec<_>>().join("; "),
            count_noun(answer.looked_at as u64, "paper")
        ));
    }
    if let (Some(page), Some(provider)) = (search.page, answer.answered.first()) {
        let (before, total) = (search.before() as u64, answer.total);
        notes.add(if total > 0 && before >= total {
            let last = total.div_ceil(search.count as u64);
            format!(
                "Page {page} is beyond the end: {provider} has {} of these papers.",
                count_noun(last, "page")
            )
        } else if answer.papers.is_empty() && answer.filtered.is_empty() {
            format!("Page {page} is beyond the end of what {provider} has.")
        } else {
            format!(
                "Page {page} of {provider}; go on with \"page\":{},\"provider\":\"{provider}\".",
                page + 1
            )
        });
    }
    notes.add(answer.removed.note_of_page("the papers"));
    notes
}

/// Names those who were asked.
fn answered_providers(answer: &PaperAnswer) -> String {
    join_list(&answer.answered, "and")
}
