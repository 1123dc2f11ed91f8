//! Progress of a call while it runs: from the call's process to its server, and from there to the
//! client (`notifications/progress`, under "Progress" in the protocol's specification).
//!
//! The call writes each progress message as a JSON string on a line of its own, before its answer;
//! the answer holds no newline.

use std::sync::Mutex;
use std::time::Duration;

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};
use tokio::time::{Instant, interval_at};

use iki_base::mutex::lock;
use iki_base::unseen;

/// Time between two notifications to a client.
const NOTIFICATION_INTERVAL: Duration = Duration::from_secs(5);

/// Maximum length of a line that is sent to a client, in bytes.
const MAX_LINE_BYTES: usize = 200;

/// Sends the server a progress message of this process, one of its calls: the line that was written
/// last.
pub fn send_progress(line: &[u8]) {
    let line = &line[..line.len().min(MAX_LINE_BYTES)];
    let line = String::from_utf8_lossy(line);
    let mut message = serde_json::to_vec(&unseen::visible(&line)).unwrap_or_default();
    message.push(b'\n');
    // In one write, which a pipe takes as a whole or not at all; a message without a reader is no
    // loss.
    let _ = rustix::io::write(rustix::stdio::stdout(), &message);
}

/// The last progress message of a call.
#[derive(Debug, Default)]
pub struct LatestProgress(Mutex<String>);

impl LatestProgress {
    /// Stores a line that the call's process has written.
    pub fn update(&self, line: &[u8]) {
        if let Ok(line) = serde_json::from_slice::<String>(line) {
            *lock(&self.0) = line;
        }
    }
}

/// Notifies the client every five seconds, for as long as this is polled.
pub async fn report(peer: &Peer<RoleServer>, token: ProgressToken, heard: &LatestProgress) {
    let start = Instant::now();
    let mut ticks = interval_at(start + NOTIFICATION_INTERVAL, NOTIFICATION_INTERVAL);
    loop {
        ticks.tick().await;
        let seconds = start.elapsed().as_secs();
        let last = lock(&heard.0).clone();
        let message = if last.is_empty() {
            format!("{seconds} s")
        } else {
            format!("{seconds} s: {last}")
        };
        let told = ProgressNotificationParam::new(token.clone(), start.elapsed().as_secs_f64());
        // Other code notices a client that is gone.
        let _ = peer.notify_progress(told.with_message(message)).await;
    }
}
