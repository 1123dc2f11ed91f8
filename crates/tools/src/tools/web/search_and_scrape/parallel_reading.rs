//! Pages that are read side by side, a few at a time, until the time of the call is over.
//!
//! Those that the cache has are taken first. Each of the others ends with the time that its client
//! and its conversion have. A page that has not come when the call's time is over is a failure, and
//! its thread, which nobody waits for, ends with the process.

use std::collections::VecDeque;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crate::contract::call_terms::{CallTerms, Deadline};
use crate::contract::failure::{ErrorCode, Failure};
use crate::tools::web::network;
use crate::tools::web::page_reading::cached_page::{self, CacheHit};
use crate::tools::web::page_reading::page_request::ScrapeRequest;
use crate::tools::web::research_cache;
use crate::tools::web::research_failure;
use iki_base::mutex::lock;
use iki_web::cache::CacheStore;
use iki_web::client::HttpClient;

/// Maximum number of pages that are read at the same time.
const MAX_CONCURRENT_PAGES: usize = 5;

/// Stack of a thread, in bytes: that of a process.
const STACK_BYTES: usize = 8 << 20;

/// A page, or the reason why there is none.
pub type PageOutcome = Result<CacheHit, Failure>;

/// Reads the pages, each with an outcome at the same place; `None` stands for an address that
/// cannot be parsed. Copies of `client` fetch them; if it is offline and the cache lacks a page,
/// there are no outcomes.
pub fn read(
    requests: Vec<Option<ScrapeRequest>>,
    terms: &CallTerms,
    client: &HttpClient,
    store: Option<&dyn CacheStore>,
) -> Option<Vec<PageOutcome>> {
    let mut outcomes: Vec<Option<PageOutcome>> = Vec::new();
    let mut waiting = VecDeque::new();
    for (index, request) in requests.into_iter().enumerate() {
        let Some(request) = request else {
            outcomes.push(Some(Err(of_no_address())));
            continue;
        };
        let store = store.filter(|_| client.may_fetch(&request.url));
        let cached = store.and_then(|store| cached_page::cached_answer(&request, store));
        if cached.is_none() {
            if client.is_offline() {
                return None;
            }
            waiting.push_back((index, request));
        }
        outcomes.push(cached);
    }
    // One that takes all of its time must not leave those after it without any.
    let turns = if waiting.len() > MAX_CONCURRENT_PAGES {
        2
    } else {
        1
    };
    let longest = terms.time_left(network::CALL_TIMEOUT) / turns;
    let threads = waiting.len().min(MAX_CONCURRENT_PAGES);
    let waiting = Arc::new(Mutex::new(waiting));
    let (sender, comes) = mpsc::channel();
    for _ in 0..threads {
        let worker = PageThread {
            waiting: Arc::clone(&waiting),
            outcome_sender: sender.clone(),
            client: client.clone(),
            longest,
        };
        let thread = thread::Builder::new().stack_size(STACK_BYTES);
        // Without a thread the others have more to do.
        let _ = thread.spawn(move || worker.read_waiting());
    }
    drop(sender);
    // Until the time is over, or all threads have ended.
    while let Ok((index, outcome)) = comes.recv_timeout(terms.time_left(network::CALL_TIMEOUT)) {
        outcomes[index] = Some(outcome);
    }
    lock(&waiting).clear();
    let outcomes = outcomes.into_iter();
    Some(outcomes.map(|one| one.unwrap_or_else(too_late)).collect())
}

/// One of the threads.
struct PageThread {
    waiting: Arc<Mutex<VecDeque<(usize, ScrapeRequest)>>>,
    outcome_sender: Sender<(usize, PageOutcome)>,
    client: HttpClient,
    longest: Duration,
}

impl PageThread {
    /// Reads waiting pages until there are none.
    fn read_waiting(self) {
        let mut store = None;
        while let Some((index, mut request)) = self.next() {
            let left = request.terms.time_left(self.longest);
            request.terms.deadline = Deadline::after(left);
            let client = network::on_terms(self.client.clone(), &request.terms);
            let store = store.get_or_insert_with(|| research_cache::for_answers(&request.terms));
            let store = store.as_deref().filter(|_| client.may_fetch(&request.url));
            let outcome = cached_page::answer(&request, client, store).unwrap_or_else(too_late);
            if self.outcome_sender.send((index, outcome)).is_err() {
                return;
            }
        }
    }

    fn next(&self) -> Option<(usize, ScrapeRequest)> {
        lock(&self.waiting).pop_front()
    }
}

/// Creates the failure of a page that has not come.
fn too_late() -> PageOutcome {
    let message = "The page did not come within the time of this call. Read it by itself with \
                   scrape_page, or use another source.";
    Err(research_failure::with_advice(ErrorCode::Timeout, message))
}

fn of_no_address() -> Failure {
    let message = "The result's address cannot be fetched. Use another source.";
    research_failure::with_advice(ErrorCode::InvalidUrl, message)
}
