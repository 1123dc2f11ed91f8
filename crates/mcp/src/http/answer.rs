//! The body of an answer, and the guards that are held until it has been sent.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Bytes, Frame, SizeHint};

use crate::http::connections::RequestGuard;
use crate::http::gate::MessagePermit;

/// The body of an answer as it is made, by the SDK or here.
pub type ResponseBody = BoxBody<Bytes, Infallible>;

/// An answer whose bytes are all there.
pub fn whole(bytes: Bytes) -> ResponseBody {
    Full::new(bytes).boxed()
}

/// The body of an answer on its way. The request is over when it has been sent, or its client has
/// gone.
pub struct TrackedBody {
    body: ResponseBody,
    _room: Option<MessagePermit>,
    _work: RequestGuard,
}

impl TrackedBody {
    /// `body`, together with the guards that are held for it.
    pub fn new(body: ResponseBody, room: Option<MessagePermit>, work: RequestGuard) -> Self {
        Self {
            body,
            _room: room,
            _work: work,
        }
    }
}

impl Body for TrackedBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
