//! What is read as a message is written as one that is read alike; and whatever its length says,
//! none longer than the limit is waited for.

use ikigai_tools::cache::wire::{HEAD, LONGEST, Reply, Request, length};

pub fn check(data: &[u8]) {
    if let Some(request) = Request::read(data) {
        let message = request.message().unwrap();
        let again = Request::read(content(&message)).unwrap();
        assert_eq!(again, request);
        assert_eq!(again.message(), Some(message));
    }
    if let Some(reply) = Reply::read(data) {
        let message = reply.message().unwrap();
        assert_eq!(Reply::read(content(&message)), Some(reply));
        assert_eq!(content(&message), data);
    }
    if let Some(head) = data.first_chunk::<HEAD>() {
        assert!(length(*head).is_none_or(|length| length <= LONGEST));
    }
}

fn content(message: &[u8]) -> &[u8] {
    let (head, rest) = message.split_first_chunk().unwrap();
    assert_eq!(length(*head), Some(rest.len()));
    rest
}
