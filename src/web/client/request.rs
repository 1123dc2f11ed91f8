//! What is asked of the client, and what one hop of it is asked.

use ureq::RequestBuilder;
use ureq::http::{HeaderValue, header};
use url::Url;

/// What to fetch.
#[derive(Clone, Copy, Debug)]
pub struct FetchRequest<'a> {
    /// The URL, as [`parse_url`](super::parse_url) gave it. User and password in it become basic
    /// authentication.
    pub url: &'a Url,
    /// The value of `Accept`.
    pub accept: &'a str,
    /// Further headers, for the origin of `url` alone.
    pub headers: &'a [(&'a str, &'a str)],
}

/// What to send.
#[derive(Clone, Copy, Debug)]
pub struct PostRequest<'a> {
    /// Where to, as for [`FetchRequest`].
    pub to: FetchRequest<'a>,
    /// The value of `Content-Type`.
    pub content_type: &'a str,
    /// The body.
    pub body: &'a [u8],
}

/// What one request of a hop has beside its address.
pub(super) struct Extra<'a> {
    pub(super) accept: &'a str,
    pub(super) headers: &'a [(&'a str, &'a str)],
    pub(super) authorization: Option<&'a str>,
    pub(super) cookie: Option<HeaderValue>,
    /// With its `Content-Type`.
    pub(super) body: Option<(&'a str, &'a [u8])>,
}

impl Extra<'_> {
    /// Puts the headers into a request.
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
