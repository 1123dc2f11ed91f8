//! The body of an answer, and the guards that are held until it has been sent.

use std::convert::Infallible;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;

/// The body of an answer as it is made, by the SDK or here.
pub type ResponseBody = BoxBody<Bytes, Infallible>;

/// An answer whose bytes are all there.
pub fn whole_body(bytes: Bytes) -> ResponseBody {
    Full::new(bytes).boxed()
}

/// `body` on its way, for which `guards` are held: they are dropped when it has been sent, or its
/// client has gone.
pub fn guarded_body(body: ResponseBody, guards: impl Send + Sync + 'static) -> ResponseBody {
    body.map_err(move |never| {
        let _ = &guards;
        never
    })
    .boxed()
}
