//! Sessions, tested by itself.

use super::*;
use tokio::sync::watch;

fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    runtime.block_on(test);
}

async fn begin_session(
    sessions: &ClientSessions,
    holder: &str,
) -> (SessionId, watch::Receiver<bool>) {
    let holder = (!holder.is_empty()).then(|| TokenOwner::new(holder));
    let requester = SessionRequester::new(holder);
    let going = requester.gone.subscribe();
    let (id, _) = requester.answered(sessions.create_session()).await.unwrap();
    // Each is used later than the one before.
    tokio::time::sleep(Duration::from_millis(2)).await;
    (id, going)
}

fn limits(of_holder: usize, in_all: usize) -> ClientSessions {
    ClientSessions::new(SessionLimits {
        of_holder,
        in_all,
        ..LIMITS
    })
}

/// Waits until this is so, which a loaded machine may take its time for.
async fn until(is_so: impl Fn() -> bool) {
    for _ in 0..500 {
        if is_so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("it has not come about within ten seconds");
}

#[test]
fn the_longest_idle_session_makes_room_and_first_one_of_the_same_token() {
    run(async {
        let sessions = limits(2, 3);
        let (other, _) = begin_session(&sessions, "other").await;
        let (first, first_going) = begin_session(&sessions, "one").await;
        let (second, _) = begin_session(&sessions, "one").await;
        let there = |id: &SessionId| lock(&sessions.0.open).contains_key(id);
        // The token's own limit is reached.
        let (third, _) = begin_session(&sessions, "one").await;
        assert!(!there(&first) && *first_going.borrow());
        assert!(there(&other) && there(&second) && there(&third));
        // Three there are in all.
        let (fourth, _) = begin_session(&sessions, "two").await;
        assert!(!there(&other));
        assert!(there(&second) && there(&third) && there(&fourth));
    });
}

#[test]
fn a_session_with_something_under_way_goes_after_idle_ones_and_never_with_a_call() {
    run(async {
        let sessions = limits(2, 2);
        let (first, _) = begin_session(&sessions, "one").await;
        let (second, _) = begin_session(&sessions, "one").await;
        let session = |id| Arc::clone(&lock(&sessions.0.open)[id]);
        let call = session(&first).begin_activity(SessionActivity::Call);
        let stream = session(&second).begin_activity(SessionActivity::Stream);
        let (third, _) = begin_session(&sessions, "one").await;
        assert!(lock(&sessions.0.open).contains_key(&first));
        assert!(!lock(&sessions.0.open).contains_key(&second));
        let another = session(&third).begin_activity(SessionActivity::Call);
        let requester = SessionRequester::new(Some(TokenOwner::new("one")));
        let refused = requester.answered(sessions.create_session()).await;
        assert!(matches!(refused, Err(SessionRefusal::Full)));
        drop((call, stream, another));
        begin_session(&sessions, "one").await;
        assert!(!lock(&sessions.0.open).contains_key(&first));
    });
}

#[test]
fn without_tokens_there_is_only_the_limit_of_all() {
    run(async {
        assert_eq!((LIMITS.of_holder, LIMITS.in_all), (256, 500));
        assert_eq!(SessionLimits::for_server(true).of_holder, 256);
        assert_eq!(SessionLimits::for_server(false).of_holder, 500);
        let sessions = limits(3, 3);
        for _ in 0..5 {
            begin_session(&sessions, "").await;
        }
        assert_eq!(lock(&sessions.0.open).len(), 3);
    });
}

#[test]
fn a_session_is_its_token_s_and_for_anybody_else_not_there() {
    run(async {
        let sessions = limits(9, 9);
        let (id, _) = begin_session(&sessions, "one").await;
        for (holder, is_own) in [(Some("one"), true), (Some("two"), false), (None, false)] {
            let holder = holder.map(TokenOwner::new);
            assert_eq!(sessions.has(holder.as_ref(), &id), is_own);
            let has = SessionRequester::new(holder).answered(sessions.has_session(&id));
            assert_eq!(has.await.unwrap(), is_own);
        }
        // A requester known not to have asked has nothing.
        assert!(!sessions.has_session(&id).await.unwrap());
        let other = || SessionRequester::new(Some(TokenOwner::new("two")));
        other().answered(sessions.close_session(&id)).await.unwrap();
        assert!(lock(&sessions.0.open).contains_key(&id));
        let stream = other()
            .answered(sessions.create_standalone_stream(&id))
            .await;
        assert!(matches!(stream.map(drop), Err(SessionRefusal::Unknown)));
        let owner = SessionRequester::new(Some(TokenOwner::new("one")));
        owner.answered(sessions.close_session(&id)).await.unwrap();
        assert!(!lock(&sessions.0.open).contains_key(&id));
    });
}

#[test]
fn idle_sessions_end_and_those_with_something_under_way_do_not() {
    run(async {
        assert_eq!(LIMITS.idle, Duration::from_secs(60));
        let idle = Duration::from_millis(300);
        let sessions = ClientSessions::new(SessionLimits { idle, ..LIMITS });
        let (first, going) = begin_session(&sessions, "one").await;
        let (second, _) = begin_session(&sessions, "one").await;
        let stream =
            Arc::clone(&lock(&sessions.0.open)[&second]).begin_activity(SessionActivity::Stream);
        until(|| !lock(&sessions.0.open).contains_key(&first) && *going.borrow()).await;
        tokio::time::sleep(idle * 3).await;
        assert!(lock(&sessions.0.open).contains_key(&second));
        drop(stream);
        until(|| lock(&sessions.0.open).is_empty()).await;
        until(|| !sessions.0.looking.load(Ordering::Relaxed)).await;
    });
}
