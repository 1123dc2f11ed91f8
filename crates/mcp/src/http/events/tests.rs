//! Events kept of streams, tested by themselves.

use std::future::poll_fn;

use rmcp::model::{CustomResult, JsonRpcMessage, RequestId, ServerResult};
use serde_json::json;
use tokio::time::timeout;

use super::*;

/// Time passes as soon as nothing else is to be done.
fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(test);
}

fn answer(text: &str) -> Arc<ServerJsonRpcMessage> {
    let result = ServerResult::CustomResult(CustomResult::new(json!({"text": text})));
    Arc::new(JsonRpcMessage::response(result, RequestId::Number(7)))
}

/// The next event: how it is called, and its message.
async fn next(feed: &mut EventFeed) -> Option<(String, String)> {
    let event = poll_fn(|context| Pin::new(&mut *feed).poll_next(context)).await?;
    let message = event
        .message
        .map(|one| serde_json::to_string(&one).unwrap());
    Some((event.event_id.unwrap(), message.unwrap_or_default()))
}

async fn texts(mut feed: EventFeed) -> Vec<String> {
    let mut texts = Vec::new();
    while let Some((_, text)) = next(&mut feed).await {
        texts.push(text);
    }
    texts
}

fn session(name: &str) -> SessionId {
    name.into()
}

/// Number of the messages kept, and their bytes.
fn count_events(events: &EventStreams) -> (usize, usize) {
    let store = lock(&events.store);
    let logs = store.streams.values();
    logs.fold((0, 0), |(messages, bytes), log| {
        (messages + log.messages.len(), bytes + log.bytes())
    })
}

#[test]
fn a_stream_is_resumed_behind_the_last_event_and_goes_on() {
    run(async {
        let events = EventStreams::new(KEPT);
        let (writer, mut feed) = events.open(&session("a"), true);
        let (first, empty) = next(&mut feed).await.unwrap();
        assert_eq!(empty, "");
        writer.write(&answer("one"));
        let (second, text) = next(&mut feed).await.unwrap();
        assert!(text.contains("one") && first != second);
        drop(feed);
        writer.write(&answer("two"));
        let mut again = events.resume(&session("a"), &second).unwrap();
        writer.write(&answer("three"));
        drop(writer);
        assert!(next(&mut again).await.unwrap().1.contains("two"));
        assert!(next(&mut again).await.unwrap().1.contains("three"));
        assert_eq!(next(&mut again).await, None);
        // And after its end any number of times.
        for _ in 0..2 {
            let all = texts(events.resume(&session("a"), &first).unwrap()).await;
            assert_eq!(all.len(), 3);
        }
    });
}

#[test]
fn an_event_of_another_session_or_of_none_leads_nowhere() {
    run(async {
        let events = EventStreams::new(KEPT);
        let (writer, mut feed) = events.open(&session("a"), true);
        writer.write(&answer("one"));
        let (name, _) = next(&mut feed).await.unwrap();
        assert!(events.resume(&session("b"), &name).is_none());
        for wrong in [
            "",
            "0",
            "0-9",
            "1-0",
            "x-y",
            "0-0-0",
            "-1-0",
            "ffffffffffffffffff-0",
        ] {
            assert!(events.resume(&session("a"), wrong).is_none(), "{wrong}");
        }
        assert!(events.resume(&session("a"), &name).is_some());
        events.forget(&session("a"));
        assert!(events.resume(&session("a"), &name).is_none());
        assert!(lock(&events.store).streams.is_empty());
        drop(writer);
    });
}

#[test]
fn what_is_too_old_or_too_much_goes_the_oldest_first() {
    run(async {
        let bounds = EventLimits {
            lifetime: Duration::from_millis(1500),
            bytes: 1000,
            messages: 3,
            largest: 600,
        };
        let events = EventStreams::new(bounds);
        let (writer, feed) = events.open(&session("a"), true);
        for text in ["one", "two", "three", "four"] {
            writer.write(&answer(text));
        }
        let event_texts = texts({
            let feed = events.resume(&session("a"), "0-0").unwrap();
            drop(writer);
            feed
        });
        let event_texts = event_texts.await;
        assert_eq!(event_texts.len(), 3, "{event_texts:?}");
        assert!(event_texts[0].contains("two") && event_texts[2].contains("four"));
        drop(feed);
        let (writer, _feed) = events.open(&session("a"), true);
        for _ in 0..3 {
            writer.write(&answer(&"x".repeat(400)));
        }
        let (messages, bytes) = count_events(&events);
        assert!(messages == 2 && bytes <= 1000, "{messages}, {bytes}");
        tokio::time::sleep(bounds.lifetime).await;
        drop(writer);
        assert!(events.resume(&session("a"), "1-0").is_none());
        assert!(lock(&events.store).streams.is_empty());
        assert_eq!(count_events(&events), (0, 0));
    });
}

#[test]
fn what_a_connection_has_taken_goes_before_what_nobody_has() {
    run(async {
        let bounds = EventLimits {
            messages: 3,
            ..KEPT
        };
        let events = EventStreams::new(bounds);
        let (writer, feed) = events.open(&session("a"), true);
        writer.write(&answer("for whoever comes back"));
        drop((feed, writer));
        for _ in 0..100 {
            let (writer, feed) = events.open(&session("a"), true);
            writer.write(&answer("taken"));
            drop(writer);
            assert_eq!(texts(feed).await.len(), 2);
        }
        let event_texts = texts(events.resume(&session("a"), "0-0").unwrap()).await;
        assert!(event_texts[0].contains("for whoever comes back"));
        assert_eq!(count_events(&events).0, 3);
        assert_eq!(lock(&events.store).streams.len(), 3);
    });
}

#[test]
fn a_large_answer_reaches_its_connection_and_an_error_whoever_resumes() {
    run(async {
        let events = EventStreams::new(KEPT);
        let (writer, mut feed) = events.open(&session("a"), false);
        writer.write(&answer(&"x".repeat(KEPT.largest)));
        drop(writer);
        let (_, whole) = next(&mut feed).await.unwrap();
        assert!(whole.len() > KEPT.largest);
        let (writer, feed) = events.open(&session("a"), true);
        writer.write(&answer(&"x".repeat(KEPT.largest)));
        drop((writer, feed));
        let again = texts(events.resume(&session("a"), "1-0").unwrap()).await;
        assert_eq!(again.len(), 1);
        assert!(again[0].contains(r#""id":7"#) && again[0].contains("too large to be kept"));
    });
}

#[test]
fn a_call_whose_client_cannot_resume_is_left_alone_at_once() {
    run(async {
        let events = EventStreams::new(KEPT);
        let (mut writer, feed) = events.open(&session("a"), false);
        let soon = Duration::from_millis(200);
        assert!(timeout(soon, writer.wait_until_abandoned()).await.is_err());
        drop(feed);
        timeout(soon, writer.wait_until_abandoned()).await.unwrap();

        let (mut writer, feed) = events.open(&session("a"), true);
        drop(feed);
        assert!(timeout(soon, writer.wait_until_abandoned()).await.is_err());
        let again = events.resume(&session("a"), "1-0").unwrap();
        assert!(
            timeout(RESUME_GRACE + soon, writer.wait_until_abandoned())
                .await
                .is_err()
        );
        drop(again);
        timeout(RESUME_GRACE + soon, writer.wait_until_abandoned())
            .await
            .unwrap();
    });
}
