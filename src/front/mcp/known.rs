//! Calls that are answered from what is kept, in the server's own process: no other one is started
//! for them.
//!
//! A tool looks into the cache and waits for nobody (`Tool::answer_from`), and the cache may be on
//! another machine. So the tool is asked with what is in memory; what it wanted and was not there
//! is looked up, and it is asked again, until it wants nothing more.

use std::cell::RefCell;
use std::time::Duration;

use serde_json::Value;

use crate::cache::{Entry, Layers, Question, Store};
use crate::contract::failure::Failure;
use crate::contract::request::Request;
use crate::contract::terms::Terms;
use crate::contract::tool::Tool;
use crate::front::answer;
use crate::front::mcp::call::CallAnswer;

/// How often a tool is asked. A search looks for an answer and a breaker of each of its providers.
const ROUNDS: usize = 20;

/// The answer to `request` for `tool` on these terms, if what is kept in `layers` suffices.
pub async fn answer(
    tool: &Tool,
    request: &str,
    terms: Terms,
    layers: &Layers,
) -> Option<CallAnswer> {
    let request = Request::parse(request.as_bytes()).map(|request| request.on(terms));
    let mut looked = Looked::default();
    for _ in 0..ROUNDS {
        let (object, after) = ask(tool, &request, terms, layers, looked);
        looked = after;
        let wanted = looked.wanted.take();
        if wanted.is_empty() {
            let text = String::from_utf8(object?).ok()?;
            // What the answer links to is there before anybody reads of it.
            for (question, bytes, good_for) in looked.put.take() {
                layers.put(&question, &bytes, good_for).await;
            }
            let object @ Value::Object(_) = serde_json::from_str(&text).ok()? else {
                return None;
            };
            return Some(CallAnswer::new(text, object));
        }
        for (question, longest) in wanted {
            let entry = layers.get(&question, longest).await;
            looked.known.get_mut().push((question, entry));
        }
    }
    None
}

/// Asks `tool` once. Nothing of it crosses a wait.
fn ask(
    tool: &Tool,
    request: &Result<Request<'_>, Failure>,
    terms: Terms,
    layers: &Layers,
    looked: Looked,
) -> (Option<Vec<u8>>, Looked) {
    let ahead = Ahead { layers, looked };
    let object = answer::prepared(tool, terms, || match request {
        Ok(request) => tool.answer_from(request, &ahead),
        Err(failure) => Some(Err(failure.clone())),
    });
    (object, ahead.looked)
}

/// What was looked up, and what is still to be.
#[derive(Default)]
struct Looked {
    known: RefCell<Vec<(Question, Option<Entry>)>>,
    wanted: RefCell<Vec<(Question, Duration)>>,
    put: RefCell<Vec<(Question, Vec<u8>, Duration)>>,
}

/// The cache as a tool sees it that may not wait.
struct Ahead<'a> {
    layers: &'a Layers,
    looked: Looked,
}

impl Store for Ahead<'_> {
    fn get(&self, question: &Question, longest: Duration) -> Option<Entry> {
        let put = self.looked.put.borrow();
        if let Some((_, bytes, _)) = put.iter().rev().find(|(one, ..)| one == question) {
            return Some(Entry {
                bytes: bytes.clone(),
                age: Duration::ZERO,
            });
        }
        let known = self.looked.known.borrow();
        if let Some((_, entry)) = known.iter().find(|(one, _)| one == question) {
            return entry.clone().filter(|entry| entry.age < longest);
        }
        let entry = self.layers.in_memory(question, longest);
        if entry.is_none() {
            let mut wanted = self.looked.wanted.borrow_mut();
            wanted.push((question.clone(), longest));
        }
        entry
    }

    fn put(&self, question: &Question, bytes: &[u8], good_for: Duration) {
        let mut put = self.looked.put.borrow_mut();
        put.push((question.clone(), bytes.to_vec(), good_for));
    }

    fn forget(&self, _question: &Question) {}
}
