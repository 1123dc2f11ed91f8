//! One search, from whom to ask to what was found: from the cache if it is there, else by as many
//! requests as its hosts need, at the next provider where the first one fails.

use std::fmt;
use std::thread;
use std::time::{Duration, Instant};

use super::breaker::{Breakers, State};
use super::choice::{self, NoProvider, Route};
use super::exchange::{self, Patience};
use super::failure::{Failure, Kind};
use super::kept::{self, GOOD_FOR, Kept};
use super::provider::{Account, Provider};
use super::query::{Ask, MOST_RESULTS, Search};
use super::{DomainFilter, SearchResult, google, results, terms};
use crate::cache::{Store, Turn, first_or_after};
use crate::web::client::Client;
use crate::web::credentials::Credentials;

/// How many more results are asked for than are wanted, to make up for those that are dropped.
const SPARE: usize = 5;

/// The least time that is left for a second page.
const PAGE_NEEDS: Duration = Duration::from_secs(3);

/// How long a provider may take where others can be asked after it.
const TURN: Duration = Duration::from_secs(8);

/// The least time that is worth asking another one.
const LEAST: Duration = Duration::from_secs(1);

/// How long a call waits for another one that asks the same.
const WAIT: Duration = Duration::from_secs(8);

/// The least time of a search whose failure to reach a provider is the provider's.
const PATIENT: Duration = Duration::from_secs(5);

/// The most requests to a provider at the same time.
const AT_ONCE: usize = 6;

/// What it takes to search.
pub struct Searcher<'a> {
    /// Asks the providers; the search ends when its time does.
    pub client: &'a Client,
    /// What is known before one of them is asked.
    pub known: Known<'a>,
}

/// What is known of searches before anybody is asked.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// What is configured.
    pub credentials: &'a Credentials<'a>,
    /// Where answers and breakers are kept, if there is a place.
    pub store: Option<&'a dyn Store>,
    /// Whether answers may come from there, and go there. Breakers do in any case.
    pub keeps_answers: bool,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Who found it.
    pub provider: &'static Provider,
    /// The results, best first, no more than were wanted.
    pub results: Vec<SearchResult>,
    /// How old the answer is; `None` for one that was found just now.
    pub age: Option<Duration>,
    /// How it came to this provider, where there was a choice.
    pub routed: Option<Routed>,
    /// The fields of the request that the provider has no way to heed.
    pub unheeded: Vec<String>,
    /// The hosts that could not be searched, and why.
    pub unsearched: Vec<(Vec<String>, Failure)>,
    /// The query that was asked for, where the provider takes no longer one.
    pub shortened: Option<String>,
    /// How long it took.
    pub took: Duration,
}

/// How a search came to its provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Routed {
    /// Those that were asked, in their order, the one that answered among them.
    pub attempted: Vec<&'static str>,
    /// Why those before it did not answer: each with its name and the reason in a few words.
    pub passed: Vec<(&'static str, String)>,
}

impl Routed {
    /// Why it is not the first one that answered; `None` where it is.
    #[must_use]
    pub fn fallback_reason(&self) -> Option<String> {
        let all = self.passed.iter();
        let all: Vec<String> = all.map(|(name, why)| format!("{name}: {why}")).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    fn pass(&mut self, failure: &Failure) {
        let why = failure.kind.in_words().to_owned();
        self.passed.push((failure.provider, why));
    }

    /// Notes a provider that is left alone for so long; in seconds.
    fn leave_alone(&mut self, provider: &Provider, left: Duration) -> u64 {
        let seconds = left.as_secs() + 1;
        let why = format!("left alone for {seconds} seconds after failures");
        self.passed.push((provider.name, why));
        seconds
    }
}

/// Why nothing can be said of what there is to find.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchFailure {
    /// Nobody can be asked.
    NoProvider(NoProvider),
    /// The one that was asked failed, or the last one of several.
    Failed {
        /// Why.
        failure: Box<Failure>,
        /// What became of the others, where there was a choice.
        routed: Option<Routed>,
        /// Others that are configured and well.
        alternatives: Vec<&'static str>,
    },
}

impl fmt::Display for SearchFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoProvider(error) => error.fmt(f),
            Self::Failed {
                failure, routed, ..
            } => {
                failure.fmt(f)?;
                let passed = routed.as_ref().map_or(&[][..], |routed| &routed.passed);
                let others: Vec<String> = passed
                    .iter()
                    .filter(|(name, _)| *name != failure.provider)
                    .map(|(name, why)| format!("{name} ({why})"))
                    .collect();
                if others.is_empty() {
                    return Ok(());
                }
                write!(f, " Nor was there an answer from {}.", others.join(", "))
            }
        }
    }
}

impl std::error::Error for SearchFailure {}

/// The results of one provider.
#[derive(Debug, Default)]
struct Found {
    results: Vec<SearchResult>,
    unheeded: Vec<String>,
    unsearched: Vec<(Vec<String>, Failure)>,
    shortened: Option<String>,
    /// Why a second page is missing, where one was asked for.
    broken_off: Option<Failure>,
}

impl Known<'_> {
    /// The answer to a search that is kept, where it is the one that [`Searcher::search`] would
    /// come back with before it asks anybody.
    #[must_use]
    pub fn answer(&self, search: &Search) -> Option<Answer> {
        let providers = match choice::choose(search, self.credentials).ok()? {
            Route::One(provider) => {
                let account = provider.account(self.credentials).ok()?;
                return self.kept(search, provider, &account);
            }
            Route::FirstOf(providers) => providers,
        };
        let mut routed = Routed::default();
        for provider in providers {
            let account = match provider.account(self.credentials) {
                Ok(account) => account,
                Err(failure) => {
                    routed.pass(&failure);
                    continue;
                }
            };
            if let Some(answer) = self.kept(search, provider, &account) {
                return Some(Answer {
                    routed: Some(routed),
                    ..answer
                });
            }
            let State::Open(left) = self.breakers().state(provider) else {
                return None;
            };
            routed.leave_alone(provider, left);
        }
        None
    }

    /// The breakers.
    #[must_use]
    pub fn breakers(&self) -> Breakers<'_> {
        Breakers::new(self.store)
    }

    /// The answer that is kept, if there is one.
    fn kept(
        &self,
        search: &Search,
        provider: &'static Provider,
        account: &Account,
    ) -> Option<Answer> {
        let store = self.store.filter(|_| self.keeps_answers)?;
        let question = kept::question(search, provider, account);
        let entry = store.get(&question, GOOD_FOR)?;
        let kept: Kept = serde_json::from_slice(&entry.bytes).ok()?;
        Some(Answer {
            provider,
            results: kept.results,
            age: Some(entry.age),
            routed: None,
            unheeded: kept.unheeded,
            unsearched: Vec::new(),
            shortened: kept.shortened,
            took: Duration::ZERO,
        })
    }
}

impl Searcher<'_> {
    /// Searches.
    pub fn search(&self, search: &Search) -> Result<Answer, SearchFailure> {
        let begin = Instant::now();
        let route =
            choice::choose(search, self.known.credentials).map_err(SearchFailure::NoProvider)?;
        let mut answer = match route {
            Route::One(provider) => self.ask_one(search, provider),
            Route::FirstOf(providers) => self.ask_first_of(search, &providers),
        }?;
        answer.took = begin.elapsed();
        Ok(answer)
    }

    fn ask_one(
        &self,
        search: &Search,
        provider: &'static Provider,
    ) -> Result<Answer, SearchFailure> {
        let asked = provider
            .account(self.known.credentials)
            .and_then(
                |account| match self.kept_or_turn(search, provider, &account) {
                    Ok(answer) => Ok(answer),
                    Err(_turn) => self.ask(self.client, search, provider, &account),
                },
            );
        asked.map_err(|failure| self.failed(failure, None))
    }

    fn ask_first_of(
        &self,
        search: &Search,
        providers: &[&'static Provider],
    ) -> Result<Answer, SearchFailure> {
        let mut routed = Routed::default();
        let mut worst: Option<Failure> = None;
        for (at, provider) in providers.iter().enumerate() {
            let account = match provider.account(self.known.credentials) {
                Ok(account) => account,
                Err(failure) => {
                    routed.pass(&failure);
                    worst.get_or_insert(failure);
                    continue;
                }
            };
            if let Some(answer) = self.known.kept(search, provider, &account) {
                return Ok(Answer {
                    routed: Some(routed),
                    ..answer
                });
            }
            // Who gets no time is not to blame for giving no answer.
            if self.client.left() < LEAST && !routed.attempted.is_empty() {
                let why = "no time left for it".to_owned();
                routed.passed.push((provider.name, why));
                continue;
            }
            let mut state = self.known.breakers().state(provider);
            let mut _turn = None;
            if !matches!(state, State::Open(_)) {
                match self.kept_or_turn(search, provider, &account) {
                    Ok(answer) => {
                        return Ok(Answer {
                            routed: Some(routed),
                            ..answer
                        });
                    }
                    Err(turn) => _turn = Some(turn),
                }
                state = self.known.breakers().pass(provider);
            }
            if let State::Open(left) = state {
                let seconds = routed.leave_alone(provider, left);
                let kind = Kind::RateLimited {
                    seconds,
                    quota: false,
                };
                let text = format!(
                    "{} failed lately and is left alone for a while.",
                    provider.title
                );
                let failure = Failure::new(provider, kind, text);
                // The one that is well again first says how long to wait, unless one was asked.
                let longer = match worst.as_ref().map(|worst| worst.kind) {
                    Some(Kind::RateLimited { seconds: other, .. }) => seconds < other,
                    _ => true,
                };
                if longer && routed.attempted.is_empty() {
                    worst = Some(failure);
                }
                continue;
            }
            routed.attempted.push(provider.name);
            let last = at + 1 == providers.len();
            let turn = if last { self.client.left() } else { TURN };
            let client = self.client.for_at_most(turn);
            match self.ask(&client, search, provider, &account) {
                Ok(answer) => {
                    return Ok(Answer {
                        routed: Some(routed),
                        ..answer
                    });
                }
                Err(failure) => {
                    routed.pass(&failure);
                    worst = Some(failure);
                }
            }
        }
        let nobody = || {
            let text = "No provider is named.";
            Failure::new(&google::PROVIDER, Kind::Config, text)
        };
        Err(self.failed(worst.unwrap_or_else(nobody), Some(routed)))
    }

    fn failed(&self, failure: Failure, routed: Option<Routed>) -> SearchFailure {
        let tried = |name: &str| {
            let passed = routed.as_ref().map_or(&[][..], |routed| &routed.passed);
            name == failure.provider || passed.iter().any(|(one, _)| *one == name)
        };
        let breakers = self.known.breakers();
        let alternatives = choice::configured(self.known.credentials)
            .into_iter()
            .filter(|other| !tried(other.name) && breakers.state(other) == State::Closed)
            .map(|other| other.name)
            .collect();
        SearchFailure::Failed {
            failure: Box::new(failure),
            routed,
            alternatives,
        }
    }

    /// The answer that is kept, or that another call keeps while this one waits; else the turn to
    /// ask for it.
    fn kept_or_turn(
        &self,
        search: &Search,
        provider: &'static Provider,
        account: &Account,
    ) -> Result<Answer, Turn> {
        let Some(store) = self.known.store.filter(|_| self.known.keeps_answers) else {
            return Err(Turn::default());
        };
        let question = kept::question(search, provider, account);
        let longest = WAIT.min(self.client.left() / 3);
        let look = || self.known.kept(search, provider, account);
        first_or_after(store, &question, longest, look)
    }

    /// Asks a provider, and keeps what it answers.
    fn ask(
        &self,
        client: &Client,
        search: &Search,
        provider: &'static Provider,
        account: &Account,
    ) -> Result<Answer, Failure> {
        let is_patient = client.left() >= PATIENT;
        // A caller who cannot wait says nothing of the provider.
        let failed = |failure: &Failure| {
            if is_patient || !matches!(failure.kind, Kind::Network { .. }) {
                self.known.breakers().failed(provider, failure.kind);
            }
        };
        let found = match found(client, search, provider, account) {
            Ok(found) => found,
            Err(failure) => {
                failed(&failure);
                return Err(failure);
            }
        };
        let Found {
            results,
            unheeded,
            unsearched,
            shortened,
            broken_off,
        } = found;
        let failures = unsearched.iter().map(|(_, failure)| failure);
        match failures.chain(&broken_off).next() {
            Some(failure) => failed(failure),
            None => self.known.breakers().succeeded(provider),
        }
        let kept = Kept {
            results,
            unheeded,
            shortened,
        };
        // Half an answer is not kept.
        if let Some(store) = self
            .known
            .store
            .filter(|_| self.known.keeps_answers && unsearched.is_empty() && broken_off.is_none())
            && let Ok(bytes) = serde_json::to_vec(&kept)
        {
            store.put(&kept::question(search, provider, account), &bytes, GOOD_FOR);
        }
        Ok(Answer {
            provider,
            results: kept.results,
            age: None,
            routed: None,
            unheeded: kept.unheeded,
            unsearched,
            shortened: kept.shortened,
            took: Duration::ZERO,
        })
    }
}

/// What a provider finds, with as many requests as it takes.
fn found(
    client: &Client,
    search: &Search,
    provider: &'static Provider,
    account: &Account,
) -> Result<Found, Failure> {
    let wanted = search.count.clamp(1, MOST_RESULTS);
    let lens = search.lens.as_ref();
    let cx = lens
        .and_then(|lens| lens.cx.as_deref())
        .filter(|_| *provider == google::PROVIDER);
    let hosts = if cx.is_some() { &[] } else { search.hosts() };
    if cx.is_none() && lens.is_some() && hosts.is_empty() {
        let name = lens.map_or("", |lens| &lens.name);
        let text = format!(
            "The lens \"{name}\" has no domains and a search engine of Google's alone, which {} \
             does not have.",
            provider.title
        );
        return Err(Failure::new(provider, Kind::Config, text)
            .advising("Configure Google, or give the lens a list of domains."));
    }
    let whole = Ask {
        search,
        sites: hosts,
        cx,
        count: wanted,
        page: 0,
    };
    let shortened = terms::shortened(&whole, provider.words, &provider.limits);
    let short = shortened.clone().map(|query| Search {
        query,
        ..search.clone()
    });
    let ask = Ask {
        search: short.as_ref().unwrap_or(search),
        sites: hosts,
        cx,
        count: (wanted + SPARE).min(provider.limits.results),
        page: 0,
    };
    let groups = terms::groups(&ask, provider.words, &provider.limits);
    let parts: Vec<Ask<'_>> = groups.iter().map(|sites| Ask { sites, ..ask }).collect();
    for part in &parts {
        too_long(provider, part)?;
    }
    let filter = DomainFilter::new(hosts, &[]);
    let one = |part: &Ask<'_>| part_found(client, provider, account, *part, &filter, wanted);
    let replies = ask_all(provider, &parts, one);
    let mut found = Found {
        shortened,
        ..Found::default()
    };
    let mut lists = Vec::with_capacity(parts.len());
    for (part, reply) in parts.iter().zip(replies) {
        match reply {
            Ok((results, unheeded, broken_off)) => {
                lists.push(results);
                found.broken_off = found.broken_off.or(broken_off);
                for field in unheeded {
                    if !found.unheeded.iter().any(|one| one == field) {
                        found.unheeded.push(field.to_owned());
                    }
                }
            }
            Err(failure) => found.unsearched.push((part.sites.to_vec(), failure)),
        }
    }
    if lists.is_empty() && !found.unsearched.is_empty() {
        return Err(found.unsearched.swap_remove(0).1);
    }
    found.results = results::shared(lists, wanted);
    Ok(found)
}

/// Asks for all parts: at once where the provider bears that, else one after the other until one is
/// refused.
fn ask_all<T: Send>(
    provider: &Provider,
    asks: &[Ask<'_>],
    one: impl Fn(&Ask<'_>) -> Result<T, Failure> + Sync,
) -> Vec<Result<T, Failure>> {
    if let [ask] = asks {
        return vec![one(ask)];
    }
    let mut replies: Vec<Result<T, Failure>> = Vec::with_capacity(asks.len());
    let at_once = if provider.limits.at_once { AT_ONCE } else { 1 };
    for batch in asks.chunks(at_once) {
        let earlier = replies
            .iter()
            .filter_map(|reply| reply.as_ref().err())
            .next_back();
        let pointless = earlier.filter(|failure| {
            matches!(
                failure.kind,
                Kind::RateLimited { .. } | Kind::AuthInvalid | Kind::Network { .. }
            )
        });
        if let Some(failure) = pointless.cloned() {
            replies.extend(batch.iter().map(|_| Err(failure.clone())));
            continue;
        }
        if let [ask] = batch {
            replies.push(one(ask));
            continue;
        }
        thread::scope(|scope| {
            let one = &one;
            let running: Vec<_> = batch
                .iter()
                .map(|ask| thread::Builder::new().spawn_scoped(scope, move || one(ask)))
                .collect();
            for running in running {
                let lost = || {
                    let text = format!("{} search failed: out of threads", provider.title);
                    Failure::new(provider, Kind::Upstream, text)
                };
                let joined = running.ok().and_then(|thread| thread.join().ok());
                replies.push(joined.unwrap_or_else(|| Err(lost())));
            }
        });
    }
    replies
}

/// The results of a part, the fields that were not heeded, and why there was no second page.
type PartFound = (Vec<SearchResult>, Vec<&'static str>, Option<Failure>);

/// What one part of a search finds: a first page, and a second one where too much of that was
/// dropped.
fn part_found(
    client: &Client,
    provider: &Provider,
    account: &Account,
    part: Ask<'_>,
    filter: &DomainFilter,
    wanted: usize,
) -> Result<PartFound, Failure> {
    let request = (provider.request)(&part, account);
    let given = exchange::results(client, provider, account, &request, Patience::SHORT)?;
    let all = given.len();
    let mut kept = results::cleaned(given.clone(), filter);
    let mut broken_off = None;
    let short = kept.len() < wanted && kept.len() < all && all >= part.count.min(wanted);
    if short && provider.limits.pages && client.left() > PAGE_NEEDS {
        let second = Ask {
            page: part.page + 1,
            ..part
        };
        let request = (provider.request)(&second, account);
        // What is there already is worth more than why there is no more of it.
        let more = exchange::results(client, provider, account, &request, Patience::SHORT);
        match more {
            Ok(more) => kept = results::cleaned([given, more].concat(), filter),
            Err(failure) => broken_off = Some(failure),
        }
    }
    Ok((kept, request.unheeded, broken_off))
}

/// Refuses what the provider would refuse.
fn too_long(provider: &Provider, part: &Ask<'_>) -> Result<(), Failure> {
    let text = terms::written(part, provider.words);
    if terms::fits(&text, &provider.limits) {
        return Ok(());
    }
    let limits = &provider.limits;
    let text = format!(
        "{} takes searches of at most {} characters and {} words, and this one has {} and {}.",
        provider.title,
        limits.characters,
        limits.words,
        text.chars().count(),
        text.split_whitespace().count()
    );
    Err(Failure::new(provider, Kind::TooLong, text))
}
