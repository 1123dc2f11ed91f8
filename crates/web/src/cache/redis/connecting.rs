//! Connections to Redis.

use std::pin::Pin;

use ::redis::aio::MultiplexedConnection;
use ::redis::{AsyncConnectionConfig, Value, cmd};
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio_rustls::TlsConnector;

use super::address::{RedisAddress, RedisPlace};
use super::reasons::{CLOSED, connect_reason, error_reason, tls_reason};
use super::replies::{ExpectedReplies, ReplyStream};

/// Maximum number of replies to a greeting, the library's and our own.
const MAX_GREETING_REPLIES: usize = 8;

/// Maximum number of requests that wait in memory to be sent.
const MAX_WAITING_REQUESTS: usize = 1024;

/// The task that has to run for as long as a connection is used.
pub type ConnectionDriver = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A connection, the replies that are expected on it, and what drives it.
pub type OpenLink = (MultiplexedConnection, ExpectedReplies, ConnectionDriver);

impl RedisAddress {
    /// Connects, and checks that Redis answers. An error is a reason in words.
    pub(super) async fn connect(&self, tls: Option<&TlsConnector>) -> Result<OpenLink, String> {
        match &self.place {
            RedisPlace::Unix(path) => {
                let stream = UnixStream::connect(path)
                    .await
                    .map_err(|e| connect_reason(&e))?;
                self.greet(stream).await
            }
            RedisPlace::Tcp(host, port) => {
                let stream = TcpStream::connect((host.as_str(), *port)).await;
                let stream = stream.map_err(|error| connect_reason(&error))?;
                let _ = stream.set_nodelay(true);
                let Some(tls) = tls else {
                    return self.greet(stream).await;
                };
                let name = ServerName::try_from(host.clone());
                let name =
                    name.map_err(|_| "TLS cannot be spoken with a host of that name".to_owned())?;
                let stream = tls.connect(name, stream).await;
                self.greet(stream.map_err(|error| tls_reason(&error))?)
                    .await
            }
        }
    }

    async fn greet(
        &self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    ) -> Result<OpenLink, String> {
        let expected = ExpectedReplies::new(MAX_GREETING_REPLIES);
        let stream = ReplyStream::new(stream, expected.clone());
        // Each request has a timeout of its own.
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(None)
            .set_response_timeout(None)
            .set_pipeline_buffer_size(MAX_WAITING_REQUESTS);
        let made = MultiplexedConnection::new_with_config(&self.user, stream, config).await;
        let (mut connection, driver) = made.map_err(|error| error_reason(&error))?;
        let mut driver: ConnectionDriver = Box::pin(driver);
        let ping = cmd("PING");
        tokio::select! {
            answered = ping.query_async::<Value>(&mut connection) => {
                answered.map_err(|error| error_reason(&error))?;
            }
            () = &mut driver => return Err(CLOSED.to_owned()),
        }
        Ok((connection, expected, driver))
    }
}
