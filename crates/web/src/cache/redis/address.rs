//! The address of Redis, with user and password, read from one variable.

use std::fmt;
use std::path::PathBuf;

use ::redis::{
    ConnectionAddr, IntoConnectionInfo, ProtocolVersion, RedisConnectionInfo, parse_redis_url,
};

/// The address of Redis, with user and password.
pub struct RedisAddress {
    pub(super) place: RedisPlace,
    pub(super) user: RedisConnectionInfo,
    pub(super) tls: bool,
}

/// A way to it.
pub(super) enum RedisPlace {
    Tcp(String, u16),
    Unix(PathBuf),
}

impl RedisAddress {
    /// Reads an address: `redis://`, `rediss://` with TLS, `unix://` with a socket's path. `None`
    /// if it is malformed, or asks for TLS that checks nothing.
    #[must_use]
    pub fn read(address: &str) -> Option<Self> {
        let mut url = parse_redis_url(address.trim())?;
        let tls = matches!(url.scheme(), "rediss" | "valkeys");
        if tls {
            if url.fragment().is_some() {
                return None;
            }
            // The library speaks no TLS here, and refuses what asks for it.
            let plain = url.as_str().split_once(':')?.1;
            url = format!("redis:{plain}").parse().ok()?;
        }
        let info = url.into_connection_info().ok()?;
        let place = match info.addr() {
            ConnectionAddr::Tcp(host, port) => RedisPlace::Tcp(host.clone(), *port),
            ConnectionAddr::Unix(path) => RedisPlace::Unix(path.clone()),
            _ => return None,
        };
        Some(Self {
            place,
            // Only replies of this version are checked (`replies`).
            user: info
                .redis_settings()
                .clone()
                .set_protocol(ProtocolVersion::RESP2),
            tls,
        })
    }

    /// True if TLS is spoken there.
    #[must_use]
    pub fn speaks_tls(&self) -> bool {
        self.tls
    }
}

impl fmt::Debug for RedisAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisAddress").finish_non_exhaustive()
    }
}
