//! State of a Redis that decides whether its entries outlive a full memory and a restart; for the
//! diagnosis of an installation.

use std::sync::Arc;

use ::redis::cmd;
use rustls::ClientConfig;
use tokio::runtime::Builder;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::reasons::{CLOSED, error_reason};
use super::{RETRY_DELAY, RedisAddress};

/// The policy by which a Redis keeps its entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RedisMemory {
    /// Name of the rule by which it makes room.
    pub policy: String,
    /// True if it makes room at all: it has a limit, and that rule.
    pub makes_room: bool,
    /// True if each entry is written to disk.
    pub is_written: bool,
}

impl RedisMemory {
    /// Asks the Redis at `address`; `tls` is for one that wants it.
    ///
    /// # Errors
    /// The reason why it does not answer.
    pub fn ask(address: &RedisAddress, tls: Option<Arc<ClientConfig>>) -> Result<Self, String> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let tls = tls.map(TlsConnector::from);
        runtime.block_on(async {
            let reply = timeout(RETRY_DELAY, async {
                let (mut connection, expected, driver) = address.connect(tls.as_ref()).await?;
                expected.add(1);
                let info = cmd("INFO");
                tokio::select! {
                    told = info.query_async::<String>(&mut connection) => {
                        told.map_err(|error| error_reason(&error))
                    }
                    () = driver => Err(CLOSED.to_owned()),
                }
            });
            let told = reply.await;
            let told = told.map_err(|_| "it did not answer within a second".to_owned())?;
            Ok(Self::of_info(&told?))
        })
    }

    fn of_info(info: &str) -> Self {
        let value = |name: &str| {
            let mut lines = info.lines().filter_map(|line| line.split_once(':'));
            let pair = lines.find(|(one, _)| *one == name);
            pair.map_or("", |(_, value)| value.trim())
        };
        let policy = value("maxmemory_policy").to_owned();
        Self {
            makes_room: value("maxmemory") != "0" && policy != "noeviction",
            is_written: value("aof_enabled") == "1",
            policy,
        }
    }
}
