//! The signals that a server listens to.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// A signal that has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerSignal {
    /// It asks the process to end.
    Terminate,
    /// The terminal is gone; a server over HTTP is to read its keys again.
    HangUp,
}

/// The signals, from when they are first listened to.
pub struct ServerSignals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
}

impl ServerSignals {
    /// Listens from now on.
    ///
    /// # Errors
    /// A sentence.
    pub fn listen() -> Result<Self, String> {
        let listen = |kind| signal(kind).map_err(|error| format!("cannot take signals: {error}"));
        Ok(Self {
            terminate: listen(SignalKind::terminate())?,
            interrupt: listen(SignalKind::interrupt())?,
            hang_up: listen(SignalKind::hangup())?,
        })
    }

    /// Waits for the next one.
    pub async fn next(&mut self) -> ServerSignal {
        tokio::select! {
            _ = self.terminate.recv() => ServerSignal::Terminate,
            _ = self.interrupt.recv() => ServerSignal::Terminate,
            _ = self.hang_up.recv() => ServerSignal::HangUp,
        }
    }
}
