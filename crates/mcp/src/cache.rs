//! The cache that a server holds for its calls: over HTTP always, on stdio only if it is shared.

use std::ffi::OsString;
use std::fs;
use std::sync::Arc;

use rustix::process::geteuid;

use crate::log;
use iki_process::sandbox::confinement::Confinement;
use iki_tools::secrets;
use iki_web::cache::{
    CacheFiles, KEY_VARIABLE, LayeredCache, PersistentFiles, REDIS_VARIABLE, RedisAddress,
    RedisCache, is_key,
};
use iki_web::client::tls_config;

/// The cache of a server whose calls are confined so, from the variables that were `taken` out of
/// the environment; `None` if each call opens its own cache. An error is a sentence: the cache
/// cannot be shared as the variables ask. A Redis that does not answer is not an error.
pub async fn open(
    over_http: bool,
    confinement: Option<&Confinement>,
    taken: &[(OsString, OsString)],
) -> Result<Option<Arc<LayeredCache>>, String> {
    let redis = secrets::of_taken(taken, REDIS_VARIABLE);
    if !over_http && redis.is_none() {
        return Ok(None);
    }
    let secret = secrets::of_taken(taken, KEY_VARIABLE);
    let shared = match redis {
        Some(address) => Some(share(&address, secret.as_deref()).await?),
        None => None,
    };
    let files = CacheFiles::of_user(secret.as_deref(), confinement);
    let persistent = PersistentFiles::of_user(secret.as_deref(), confinement);
    // On stdio the owner is the user, of whom others that share it have not heard.
    let nameless = (!over_http).then(|| {
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        format!("{}@{}", geteuid().as_raw(), host.trim_end())
    });
    let cache = LayeredCache::new(files, shared).with_persistent(persistent, nameless);
    Ok(Some(Arc::new(cache)))
}

async fn share(address: &str, secret: Option<&str>) -> Result<Arc<RedisCache>, String> {
    let no_key = || {
        format!(
            "{REDIS_VARIABLE} is set, and what is shared has to be sealed: set {KEY_VARIABLE} to \
             64 hexadecimal digits, the same for all servers; `openssl rand -hex 32` makes them"
        )
    };
    let secret = secret.filter(|secret| is_key(secret)).ok_or_else(no_key)?;
    let address = RedisAddress::read(address).ok_or_else(|| {
        format!(
            "{REDIS_VARIABLE} is not the address of a Redis: it is redis://HOST:PORT, \
             redis://USER:PASSWORD@HOST:PORT/DATABASE, rediss:// in place of redis:// for TLS, \
             which checks certificates always, or unix:///PATH"
        )
    })?;
    let tls = address.speaks_tls().then(tls_config).transpose()?;
    let told = Box::new(|line: &str| log(line));
    let redis = RedisCache::open(address, secret, tls, told).await;
    redis.ok_or_else(no_key)
}
