//! Reading a reply's body: undoes its content codings (RFC 9110, section 8.4.1) within bounds.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use brotli_decompressor::Decompressor;
use flate2::bufread::{DeflateDecoder, GzDecoder, ZlibDecoder};

/// Maximum number of bytes read of an encoded body, and of the output of any but the last coding,
/// for a limit of [`MAX_BODY`](super::MAX_BODY); for each byte of a higher limit, one more.
const MAX_ENCODED_BYTES: u64 = 12 * 1024 * 1024;
/// Maximum number of stacked codings.
const MAX_CODINGS: usize = 3;
/// Maximum number of members of a gzip body; writers put at least 64 KiB into each.
const MAX_MEMBERS: usize = 4096;
const BUFFER_BYTES: usize = 32 * 1024;

/// A decoded body.
pub struct DecodedBody {
    /// The first bytes, up to the limit.
    pub bytes: Vec<u8>,
    /// True if there was more.
    pub is_truncated: bool,
}

/// Reason why a body could not be read.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    /// The connection failed, or ended before the body did.
    #[error(transparent)]
    Transport(io::Error),
    /// The body is not in the coding that the server named.
    #[error("the body does not decode as {0}")]
    Coding(String),
    /// The server used a coding that was not requested.
    #[error("the body is encoded as {0}")]
    UnknownCoding(String),
    /// More than 12 MiB, or 4096 gzip members, had to be read for less than 10 MiB of body; with a
    /// higher limit, as many bytes more as that is higher.
    #[error("too much encoded data")]
    TooMuch,
}

/// Error: a body that could not be read to its end, with the part that was read.
pub struct BrokenBody {
    /// Reason why there is no more.
    pub error: BodyError,
    /// The first bytes, decoded.
    pub bytes: Vec<u8>,
}

impl From<BodyError> for BrokenBody {
    fn from(error: BodyError) -> Self {
        let bytes = Vec::new();
        Self { error, bytes }
    }
}

/// Names that some servers use for a body without any coding.
const PLAIN: [&str; 4] = ["identity", "none", "utf-8", "binary"];

/// A test of a body by its first bytes.
type BodyTest = fn(&[u8]) -> bool;

/// Limit for the size of a body, in bytes after decoding.
#[derive(Clone, Copy, Debug)]
pub struct BodyLimit {
    /// Limit for any body.
    pub bytes: usize,
    /// A higher limit, for bodies whose beginning passes the test.
    pub larger: Option<(BodyTest, usize)>,
}

impl BodyLimit {
    /// Creates a limit for all bodies.
    #[must_use]
    pub const fn new(bytes: usize) -> Self {
        Self {
            bytes,
            larger: None,
        }
    }

    /// Returns the most bytes to read of an encoded body.
    fn encoded(self) -> u64 {
        let largest = self.larger.map_or(0, |(_, bytes)| bytes).max(self.bytes);
        let beyond = largest.saturating_sub(super::MAX_BODY);
        MAX_ENCODED_BYTES.saturating_add(u64::try_from(beyond).unwrap_or(u64::MAX))
    }
}

/// Reads a body to its end, or to the limit `limit`.
///
/// `codings` is the value of `Content-Encoding`, `length` the value of `Content-Length`. An empty
/// body is empty whatever its coding.
pub fn read(
    body: impl Read,
    codings: Option<&str>,
    length: Option<u64>,
    limit: BodyLimit,
) -> Result<DecodedBody, BrokenBody> {
    let names: Vec<String> = codings
        .unwrap_or_default()
        .split(',')
        .map(|name| name.trim().to_ascii_lowercase())
        .filter(|name| !name.is_empty() && !PLAIN.contains(&name.as_str()))
        .collect();
    let all = names.join(", ");
    if names.is_empty() {
        let capacity = length.map_or(BUFFER_BYTES, |n| usize::try_from(n).unwrap_or(limit.bytes));
        return read_limited(body, capacity, limit, BodyError::Transport);
    }
    if names.len() > MAX_CODINGS {
        return Err(BodyError::UnknownCoding(all).into());
    }
    let mut reader: Box<dyn BufRead + '_> = Box::new(BufReader::with_capacity(
        BUFFER_BYTES,
        MeteredReader::new(TransportReader(body), limit.encoded()),
    ));
    if reader.fill_buf().map_err(|e| fault(&all, e))?.is_empty() {
        return Ok(DecodedBody {
            bytes: Vec::new(),
            is_truncated: false,
        });
    }
    for (index, name) in names.iter().rev().enumerate() {
        let decoder: Box<dyn Read + '_> = match name.as_str() {
            "gzip" | "x-gzip" => Box::new(GzipMembers {
                decoder: Some(GzDecoder::new(reader)),
                members: 1,
            }),
            "deflate" => inflate(reader).map_err(|e| fault(&all, e))?,
            "br" => brotli(reader).map_err(|e| fault(&all, e))?,
            _ => return Err(BodyError::UnknownCoding(all).into()),
        };
        if index + 1 == names.len() {
            return read_limited(decoder, BUFFER_BYTES, limit, |e| fault(&all, e));
        }
        reader = Box::new(BufReader::with_capacity(
            BUFFER_BYTES,
            MeteredReader::new(decoder, limit.encoded()),
        ));
    }
    Err(BodyError::UnknownCoding(all).into())
}

/// Reads up to the limit `limit`, and one byte more to learn whether the body is truncated.
fn read_limited(
    mut reader: impl Read,
    capacity: usize,
    bounds: BodyLimit,
    fault: impl FnOnce(io::Error) -> BodyError,
) -> Result<DecodedBody, BrokenBody> {
    let mut limit = bounds.bytes;
    let mut bytes = Vec::with_capacity(capacity.min(limit).saturating_add(1));
    let mut read = read_to(&mut reader, limit, &mut bytes);
    if let Some((begins, larger)) = bounds.larger
        && read.is_ok()
        && bytes.len() > limit
        && begins(&bytes)
    {
        limit = larger.max(limit);
        read = read_to(&mut reader, limit, &mut bytes);
    }
    if let Err(error) = read {
        let error = fault(error);
        return Err(BrokenBody { error, bytes });
    }
    let is_truncated = bytes.len() > limit;
    bytes.truncate(limit);
    Ok(DecodedBody {
        bytes,
        is_truncated,
    })
}

/// Reads until there is one byte more than `limit`, or the body ends.
fn read_to(reader: &mut impl Read, limit: usize, bytes: &mut Vec<u8>) -> io::Result<()> {
    let missing = limit.saturating_add(1).saturating_sub(bytes.len());
    let missing = u64::try_from(missing).unwrap_or(u64::MAX);
    reader.take(missing).read_to_end(bytes).map(drop)
}

fn fault(codings: &str, error: io::Error) -> BodyError {
    let inner = error.get_ref();
    if inner.is_some_and(<dyn std::error::Error + Send + Sync>::is::<EncodedOverflow>) {
        return BodyError::TooMuch;
    }
    if inner.is_some_and(<dyn std::error::Error + Send + Sync>::is::<TransportError>) {
        let inner = error
            .into_inner()
            .and_then(|e| e.downcast::<TransportError>().ok());
        return BodyError::Transport(inner.map_or_else(|| io::ErrorKind::Other.into(), |t| t.0));
    }
    BodyError::Coding(codings.to_owned())
}

/// Decodes deflate as servers use it: with the zlib wrapper that the standard requires, or without.
fn inflate<'a>(mut reader: Box<dyn BufRead + 'a>) -> io::Result<Box<dyn Read + 'a>> {
    let mut head = Vec::with_capacity(2);
    reader.by_ref().take(2).read_to_end(&mut head)?;
    // RFC 1950, section 2.2: method 8, and both bytes together a multiple of 31.
    let zlib = matches!(head[..], [cmf, flg]
        if cmf & 0x0f == 8 && (u16::from(cmf) << 8 | u16::from(flg)) % 31 == 0);
    let whole = Cursor::new(head).chain(reader);
    Ok(if zlib {
        Box::new(ZlibDecoder::new(whole))
    } else {
        Box::new(DeflateDecoder::new(whole))
    })
}

/// Decodes Brotli as RFC 7932 defines it. The decoder would also accept streams with windows of a
/// gibibyte, which no server may send and which begin with a byte that the RFC calls invalid
/// (section 9.1).
fn brotli<'a>(mut reader: Box<dyn BufRead + 'a>) -> io::Result<Box<dyn Read + 'a>> {
    if reader
        .fill_buf()?
        .first()
        .is_some_and(|byte| byte & 0x7f == 0x11)
    {
        return Err(io::ErrorKind::InvalidData.into());
    }
    Ok(Box::new(Decompressor::new(reader, BUFFER_BYTES)))
}

/// gzip decoder for all members (RFC 1952, section 2.2); anything after them is ignored.
struct GzipMembers<R> {
    decoder: Option<GzDecoder<R>>,
    members: usize,
}

impl<R: BufRead> Read for GzipMembers<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while let Some(mut decoder) = self.decoder.take() {
            let n = decoder.read(buf)?;
            if n > 0 || buf.is_empty() {
                self.decoder = Some(decoder);
                return Ok(n);
            }
            let mut input = decoder.into_inner();
            if input.fill_buf()?.first() == Some(&0x1f) {
                if self.members == MAX_MEMBERS {
                    return Err(io::Error::other(EncodedOverflow));
                }
                self.members += 1;
                self.decoder = Some(GzDecoder::new(input));
            }
        }
        Ok(0)
    }
}

/// An error of the connection, as opposed to one of a decoder.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
struct TransportError(io::Error);

struct TransportReader<R>(R);

impl<R: Read> Read for TransportReader<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.0.read(buf).map_err(|e| {
            if e.kind() == io::ErrorKind::Interrupted {
                e
            } else {
                io::Error::other(TransportError(e))
            }
        })
    }
}

/// Error: more than the allowed bytes were read.
#[derive(Debug, thiserror::Error)]
#[error("too much encoded data")]
struct EncodedOverflow;

struct MeteredReader<R> {
    inner: R,
    left: u64,
}

impl<R> MeteredReader<R> {
    fn new(inner: R, left: u64) -> Self {
        Self { inner, left }
    }
}

impl<R: Read> Read for MeteredReader<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buf)?;
        self.left = self
            .left
            .checked_sub(n as u64)
            .ok_or_else(|| io::Error::other(EncodedOverflow))?;
        Ok(n)
    }
}
