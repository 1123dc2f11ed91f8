//! Patents: four providers, the choice among them, and the web search where none of them answers.
//!
//! A provider is a row ([`patent_provider::PatentProvider`]), in a file of its own with only the
//! differences between providers.
//!
//! | module | contents |
//! |---|---|
//! | `query` | a search, and its parts as providers take them |
//! | `patent` | a patent |
//! | `patent_provider` | a provider, and the choice among them |
//! | `uspto`, `epo`, `lens`, `searchapi` | the providers |
//! | `web_patents` | patents by a web search |
//! | `patent_list` | clean-up of a provider's patents |
//! | `patent_searcher` | one search |
//! | `patent_answer` | its answer, and the answer in the cache |

mod epo;
mod lens;
pub mod patent;
pub mod patent_answer;
mod patent_list;
pub mod patent_provider;
pub mod patent_searcher;
pub mod query;
mod searchapi;
mod uspto;
mod web_patents;
