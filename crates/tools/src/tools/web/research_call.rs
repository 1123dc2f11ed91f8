//! The course of a call that searches or reads: in a process of its own, or offline in a server,
//! from its cache.

use crate::contract::failure::Failure;
use crate::contract::reply::Reply;
use crate::contract::request::Request;
use crate::tools::web::research_cache;
use crate::tools::web::session_record::{self, SessionFindings};
use crate::tools::web::{network, searching::search_failure};
use iki_web::cache::CacheStore;
use iki_web::client::HttpClient;
use iki_web::credentials::Credentials;
use iki_web::search::context::SearchContext;
use iki_web::search::search_answer::SearchFailure;

/// Mark of every answer: its texts are untrusted, and not instructions.
pub const TRUST: &str = "untrusted-external-content";

/// The row of a tool of research, as far as its name tells it and most have it: its texts are the
/// files of that name. The function `$answer` answers a call, or finds its answer in the cache.
macro_rules! research_tool {
    ($name:literal) => {{
        use $crate::contract::tool;
        tool::Tool {
            name: $name,
            family: tool::EnvelopeFamily::Research,
            set: tool::ToolSet::Research,
            is_served_by_default: false,
            hints: tool::ToolHints::ASKS,
            scope: tool::AccessScope::Network,
            schema: include_str!(concat!("../../schemas/", $name, ".json")),
            model_schema: include_str!(concat!("../../schemas/for_models/", $name, ".json")),
            output_schema: Some(include_str!(concat!(
                "../../schemas/output/",
                $name,
                ".json"
            ))),
            aliases: $crate::tools::web::session_record::ALIASES,
            manual: tool::ToolManual(include_str!(concat!("../../manuals/", $name, ".txt"))),
            ..tool::Tool::PLAIN
        }
    }};
    ($name:literal, $answer:path) => {{
        use $crate::tools::web::research_call;
        $crate::contract::tool::Tool {
            run: |request| research_call::run(request, $name, $answer),
            from_cache: Some(|request, store| {
                research_call::from_cache(request, $name, $answer, store)
            }),
            ..research_tool!($name)
        }
    }};
}
pub(crate) use research_tool;

/// A call that searches or reads.
pub struct ResearchCall<'a, 'c> {
    /// Its request.
    pub request: &'a Request<'a>,
    /// Name of the tool.
    pub tool: &'static str,
    /// Client, configuration and caches; the client is an offline one if only the cache may answer.
    pub context: SearchContext<'c>,
    /// Filled with what a session keeps of the answer.
    pub session_findings: SessionFindings,
}

/// Answers a call; `None` if its client is offline, and the cache does not have the answer.
pub type Answerer = for<'a> fn(&mut ResearchCall<'a, '_>) -> Result<Option<Reply<'a>>, Failure>;

/// Runs a call of `tool`.
pub fn run<'a>(
    request: &'a Request<'a>,
    tool: &'static str,
    answer: Answerer,
) -> Result<Reply<'a>, Failure> {
    let store = research_cache::store(request.terms());
    let client = network::client(request.terms());
    let answered = answered(request, tool, answer, store.as_deref(), &client);
    // Only an offline client has no answer.
    answered.unwrap_or_else(|| Err(Failure::bad_request("nobody was asked")))
}

/// Answers a call of `tool` from the cache, if that has the answer.
pub fn from_cache<'a>(
    request: &'a Request<'a>,
    tool: &'static str,
    answer: Answerer,
    store: &dyn CacheStore,
) -> Option<Result<Reply<'a>, Failure>> {
    answered(request, tool, answer, Some(store), &HttpClient::offline())
}

fn answered<'a>(
    request: &'a Request<'a>,
    tool: &'static str,
    answer: Answerer,
    store: Option<&dyn CacheStore>,
    client: &HttpClient,
) -> Option<Result<Reply<'a>, Failure>> {
    let credentials = Credentials::from_env();
    let context = SearchContext {
        client,
        credentials: &credentials,
        store,
        keeps_answers: research_cache::keeps_answers(request.terms()),
    };
    let mut call = ResearchCall {
        request,
        tool,
        context,
        session_findings: SessionFindings::default(),
    };
    let result = answer(&mut call).transpose()?;
    let (findings, store) = (call.session_findings, store.filter(|_| client.is_offline()));
    Some(session_record::recorded(
        request, store, tool, findings, result,
    ))
}

impl ResearchCall<'_, '_> {
    /// True if the answer is read as text.
    pub fn in_words(&self) -> bool {
        self.request.terms().reader.reads_words()
    }

    /// Returns the answer to a search; `None` if it failed offline, where another process can do
    /// more.
    pub fn answer_of<T>(&self, result: Result<T, SearchFailure>) -> Result<Option<T>, Failure> {
        match result {
            Ok(answer) => Ok(Some(answer)),
            Err(_) if self.context.client.is_offline() => Ok(None),
            Err(error) => {
                let credentials = self.context.credentials;
                Err(search_failure::failure(self.tool, &error, credentials))
            }
        }
    }
}
