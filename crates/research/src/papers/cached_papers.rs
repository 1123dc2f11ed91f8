//! Answers in the cache: the key of a search, and for how long its answer is valid.

use std::time::Duration;

use super::paper_provider::order;
use super::paper_search::{PaperSearch, PaperTarget};
use super::unpaywall;
use iki_web::cache::CacheQuestion;
use iki_web::credentials::Credentials;
use iki_web::work::WorkKind;
use iki_web::work::work_id::WorkId;

/// Time for which an answer is valid.
pub const TIME_TO_LIVE: Duration = Duration::from_secs(60 * 60);

/// Version of the stored form: incremented whenever
/// [`PaperAnswer`](super::paper_searcher::PaperAnswer) changes.
const VERSION: u32 = 3;

/// Builds the cache key of a search, as the providers are configured.
#[must_use]
pub fn question(search: &PaperSearch, credentials: &Credentials<'_>) -> CacheQuestion {
    // Destructured in full, so that a new field does not compile until it is named here.
    let PaperSearch {
        query,
        count,
        year_from,
        year_to,
        source,
        pdf_only,
        open_access,
        author,
        venue,
        kind,
        min_citations,
        order: sort,
        page,
        target,
        provider,
    } = search;
    let target = match target {
        PaperTarget::Words => "words".to_owned(),
        PaperTarget::Reference => "reference".to_owned(),
        PaperTarget::Works(ids) => {
            let ids: Vec<String> = ids.iter().map(WorkId::to_string).collect();
            format!("works {}", ids.join(" "))
        }
        PaperTarget::CitationsOf(id) => format!("citations {id}"),
        PaperTarget::ReferencesOf(id) => format!("references {id}"),
    };
    let services = order(search).into_iter().map(|provider| &provider.service);
    let places = services.chain([&unpaywall::PROVIDER]);
    // One that cannot be asked has no place.
    let places: Vec<String> = places
        .map(|one| {
            one.account(credentials)
                .map_or(String::new(), |one| one.place())
        })
        .collect();
    CacheQuestion::new("academic_search", VERSION)
        .with("query", Some(query))
        .with("count", Some(count.to_le_bytes()))
        .with("year_from", year_from.map(u16::to_le_bytes))
        .with("year_to", year_to.map(u16::to_le_bytes))
        .with("source", Some(source.name))
        .with(
            "filters",
            Some([u8::from(*pdf_only), u8::from(*open_access), *sort as u8]),
        )
        .with("author", author.as_ref())
        .with("venue", venue.as_ref())
        .with("kind", kind.map(WorkKind::name))
        .with("min_citations", min_citations.map(u64::to_le_bytes))
        .with("page", page.map(usize::to_le_bytes))
        .with("target", Some(target))
        .with("provider", *provider)
        .with_list("places", &places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::paper_search::{PaperOrder, SOURCES};

    type SearchChange = fn(&mut PaperSearch);

    /// Fields of a request that have no effect on what is found.
    const WITHOUT_EFFECT: [&str; 1] = ["sessionId"];

    fn cache_question(search: &PaperSearch) -> CacheQuestion {
        question(search, &Credentials::from_vars(&|_| None, None))
    }

    fn plain() -> PaperSearch {
        PaperSearch {
            query: "words".to_owned(),
            count: 5,
            ..PaperSearch::default()
        }
    }

    #[test]
    fn every_field_of_a_request_is_in_the_question_or_known_to_have_no_effect() {
        let changes: [(&str, SearchChange); 16] = [
            ("query", |search| search.query.push('x')),
            ("num_results", |search| search.count += 1),
            ("year_from", |search| search.year_from = Some(2020)),
            ("year_to", |search| search.year_to = Some(2020)),
            ("source", |search| search.source = SOURCES[1]),
            ("pdf_only", |search| search.pdf_only = true),
            ("open_access", |search| search.open_access = true),
            ("sort_by", |search| search.order = PaperOrder::Date),
            ("author", |search| search.author = Some("x".to_owned())),
            ("venue", |search| search.venue = Some("x".to_owned())),
            ("type", |search| search.kind = Some(WorkKind::Book)),
            ("min_citations", |search| search.min_citations = Some(1)),
            ("page", |search| search.page = Some(1)),
            ("citations_of", |search| {
                search.target = PaperTarget::CitationsOf(WorkId::Pubmed("1".to_owned()));
            }),
            ("references_of", |search| {
                search.target = PaperTarget::ReferencesOf(WorkId::Pubmed("1".to_owned()));
            }),
            ("provider", |search| search.provider = Some("arxiv")),
        ];
        let mut all = vec![cache_question(&plain())];
        for (field, change) in changes {
            let mut search = plain();
            change(&mut search);
            let other = cache_question(&search);
            assert!(!all.contains(&other), "{field}");
            all.push(other);
        }
        // The schema of the tool that asks.
        let schema = include_str!("../../../tools/src/tools/schemas/academic_search.json");
        let schema: serde_json::Value = serde_json::from_str(schema).unwrap();
        let fields = schema["parameters"]["properties"].as_object().unwrap();
        for field in fields.keys() {
            let known = changes.iter().any(|(name, _)| name == field);
            let without = WITHOUT_EFFECT.contains(&field.as_str());
            assert!(
                known != without,
                "nobody knows whether {field} has an effect"
            );
        }
        assert_eq!(fields.len(), changes.len() + WITHOUT_EFFECT.len());
    }

    #[test]
    fn another_address_of_a_provider_that_may_be_asked_is_another_question() {
        let question_at = |variable: &'static str, address: &'static str, search: &PaperSearch| {
            let var = |name: &str| (name == variable).then(|| address.to_owned());
            question(search, &Credentials::from_vars(&var, None))
        };
        let search = plain();
        let one = question_at("IKIGAI_CROSSREF_URL", "http://127.0.0.1:1/works", &search);
        assert_ne!(one, cache_question(&search));
        let login = "http://user:secret@127.0.0.1:1/works";
        assert_eq!(one, question_at("IKIGAI_CROSSREF_URL", login, &search));
        assert_eq!(
            question_at("OPENALEX_API_KEY", "key", &search),
            cache_question(&search)
        );
        // Files are found only with it.
        assert_ne!(
            question_at("UNPAYWALL_EMAIL", "me@example.com", &search),
            cache_question(&search)
        );
        let search = PaperSearch {
            provider: Some("pubmed"),
            ..search
        };
        let other = question_at("IKIGAI_CROSSREF_URL", "http://127.0.0.1:1/works", &search);
        assert_eq!(other, cache_question(&search));
    }
}
