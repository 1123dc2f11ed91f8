//! The server of a team under load: cached calls a second, their times, memory.
//!
//! `cargo bench --bench team -- [--binary FILE] [--redis URL] [--seconds N] [STEP]...`
//!
//! Client and server share the machine. The client is one thread that writes requests made
//! beforehand and reads answers by their length, so that most of the machine is the server's.

mod load;
mod server;

use std::path::PathBuf;
use std::time::Duration;

use load::{Load, Pace};
use server::Server;

/// The steps, each by the name it is asked for.
const STEPS: [&str; 6] = ["closed", "open", "memory", "sessions", "flood", "fetched"];

struct Asked {
    binary: PathBuf,
    redis: Option<String>,
    seconds: u64,
    steps: Vec<String>,
}

fn asked() -> Asked {
    let mut asked = Asked {
        binary: env!("CARGO_BIN_EXE_ikigai-tools").into(),
        redis: None,
        seconds: 5,
        steps: Vec::new(),
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().expect("a value behind the flag");
        match &*word {
            "--bench" => {}
            "--binary" => asked.binary = value().into(),
            "--redis" => asked.redis = Some(value()),
            "--seconds" => asked.seconds = value().parse().expect("seconds"),
            step if STEPS.contains(&step) => asked.steps.push(word),
            other => panic!("{other}: the steps are {}", STEPS.join(", ")),
        }
    }
    if asked.steps.is_empty() {
        asked.steps = STEPS.map(str::to_owned).to_vec();
    }
    asked
}

fn main() {
    let asked = asked();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        for step in &asked.steps {
            let sessions: &[&str] = if step == "sessions" {
                &["--sessions"]
            } else {
                &[]
            };
            let server = Server::start(&asked.binary, asked.redis.as_deref(), sessions).await;
            run(step, &server, Duration::from_secs(asked.seconds)).await;
        }
    });
}

async fn run(step: &str, server: &Server, time: Duration) {
    let call = if step == "sessions" {
        server.call_in_session().await
    } else {
        server.call()
    };
    let warm = Load::run(server.address, &call, 1, Pace::Count(10)).await;
    let bytes = warm.bytes / warm.answers;
    match step {
        "closed" => {
            println!(
                "cached scrape_page, {bytes} bytes an answer, so many connections, each always waiting"
            );
            for connections in [1, 16, 64] {
                let load = Load::run(server.address, &call, connections, Pace::For(time)).await;
                println!("{connections:>6}: {load}, {} KiB", server.resident());
            }
        }
        "open" => {
            let load = Load::run(server.address, &call, 64, Pace::Each(1000, time)).await;
            println!(
                "1,000 a second over 64 connections: {load}, {} KiB",
                server.resident()
            );
        }
        "memory" => {
            Load::run(server.address, &call, 64, Pace::Count(1000)).await;
            let early = server.resident();
            Load::run(server.address, &call, 64, Pace::Count(99_000)).await;
            println!(
                "memory after 1,000 calls {early} KiB, after 100,000 {} KiB, most {} KiB",
                server.resident(),
                server.peak()
            );
        }
        "sessions" => {
            let opened = 1 + load::sessions(server.address, 499).await;
            println!("{opened} sessions: {} KiB", server.resident());
            // One after the other: the requests of a session have ids of their own.
            let load = Load::run(server.address, &call, 1, Pace::For(time)).await;
            println!(
                "calls in a session, one after the other: {load}, most {} KiB",
                server.peak()
            );
        }
        "flood" => {
            let quiet = Load::run(server.address, &call, 4, Pace::Each(200, time)).await;
            println!("4 neighbours, 200 a second, alone: {quiet}");
            let flood = load::flood(server.address, 10_000, time);
            let beside = Load::run(server.address, &call, 4, Pace::Each(200, time));
            let (tried, beside) = tokio::join!(flood, beside);
            println!(
                "  beside {tried} connections tried: {beside}, most {} KiB",
                server.peak()
            );
        }
        "fetched" => {
            let load =
                Load::fresh(server.address, |number| server.fresh_call(number), 8, time).await;
            println!("fetched scrape_page, each another page, 8 connections: {load}");
        }
        _ => unreachable!("only known steps are asked for"),
    }
}
