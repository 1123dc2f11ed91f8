//! Requests to the client, and the parts of a single hop's request.

use ureq::RequestBuilder;
use ureq::http::{HeaderValue, header};
use url::Url;

/// The origin of requested addresses, which decides whether private ones are fetched.
#[derive(Clone, Debug, Default)]
pub enum AddressOrigin {
    /// The caller names them, private ones too.
    #[default]
    Caller,
    /// A page leads to them, such as a list of results: a private one only if this page is on the
    /// same host.
    Page(Url),
    /// A provider that was asked at this address has found them: a private one only at the
    /// provider's own host and port.
    Provider(Url),
    /// Others name them, who must not lead to a private one.
    Unknown,
    /// They are configured for a service that the program itself asks.
    Service,
}

/// A GET request.
#[derive(Clone, Copy, Debug)]
pub struct FetchRequest<'a> {
    /// URL, as [`parse_url`](super::parse_url) returned it. User and password in it become basic
    /// authentication.
    pub url: &'a Url,
    /// Value of `Accept`.
    pub accept: &'a str,
    /// Further headers, sent to the origin of `url` only.
    pub headers: &'a [(&'a str, &'a str)],
}

/// A POST request.
#[derive(Clone, Copy, Debug)]
pub struct PostRequest<'a> {
    /// Destination, as for [`FetchRequest`].
    pub to: FetchRequest<'a>,
    /// Value of `Content-Type`.
    pub content_type: &'a str,
    /// The body.
    pub body: &'a [u8],
}

/// Parts of a hop's request other than its URL.
pub(super) struct RequestExtras<'a> {
    pub(super) accept: &'a str,
    pub(super) headers: &'a [(&'a str, &'a str)],
    pub(super) authorization: Option<&'a str>,
    pub(super) cookie: Option<HeaderValue>,
    /// `Content-Type` and bytes of the body.
    pub(super) body: Option<(&'a str, &'a [u8])>,
}

impl RequestExtras<'_> {
    /// Adds the headers to a request.
    pub(super) fn add_to<B>(
        &self,
        mut request: RequestBuilder<B>,
        proxy_login: Option<&str>,
    ) -> RequestBuilder<B> {
        for (name, value) in self.headers {
            request = request.header(*name, *value);
        }
        if let Some(value) = self.authorization {
            request = request.header(header::AUTHORIZATION, value);
        }
        if let Some(value) = &self.cookie {
            request = request.header(header::COOKIE, value);
        }
        if let Some(value) = proxy_login {
            request = request.header(header::PROXY_AUTHORIZATION, value);
        }
        request
    }
}
