//! Workshop: scholarly papers, found by the providers of them and put together.
//!
//! A provider is a row ([`paper_provider::PaperProvider`]) in a file of its own, with only the
//! differences between providers. [`paper_searcher::search`] asks them one after the other, until
//! there are as many papers as were asked for.
//!
//! | module | contents |
//! |---|---|
//! | `paper` | a paper, and one that two providers know |
//! | `paper_search` | a search for papers, and the papers that it admits |
//! | `paper_caller` | one provider asked |
//! | `paper_provider` | a provider: its requests and replies |
//! | `openalex`, `crossref`, `pubmed`, `arxiv`, `semanticscholar` | the five providers |
//! | `datacite`, `doi_registry` | single works that the five do not know, by their DOIs |
//! | `unpaywall` | free PDF files of papers without one |
//! | `scholarly_web` | the web search that takes the place of all of them |
//! | `matching` | filters that providers lack |
//! | `request_limits` | requests that providers allow, as their answers say |
//! | `request_pace` | providers that take one request in a given time |
//! | `cached_papers` | answers in the cache |
//! | `paper_searcher` | one search, and its answer |

pub(crate) mod arxiv;
pub mod cached_papers;
pub(crate) mod crossref;
pub(crate) mod datacite;
pub(crate) mod doi_registry;
pub(crate) mod matching;
pub(crate) mod openalex;
pub mod paper;
pub(crate) mod paper_caller;
pub mod paper_provider;
pub mod paper_search;
pub mod paper_searcher;
pub(crate) mod pubmed;
pub(crate) mod request_limits;
pub(crate) mod request_pace;
pub(crate) mod scholarly_web;
pub(crate) mod semanticscholar;
pub(crate) mod unpaywall;
