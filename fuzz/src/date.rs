//! A date in a header is the moment that another parser of HTTP's three forms reads, and a moment
//! is written so that it is read alike.

use std::time::{Duration, SystemTime};

use iki_web::date;

use crate::take::Take;

pub fn check(data: &[u8]) {
    if let Ok(text) = str::from_utf8(data) {
        let ours = date::parse(text);
        if let Ok(theirs) = httpdate::parse_http_date(text)
            && theirs >= SystemTime::UNIX_EPOCH
            && !lacks_blank(text.trim())
        {
            assert_eq!(ours, Some(theirs), "{text:?}");
        }
        if let Some(moment) = ours {
            assert!(moment >= SystemTime::UNIX_EPOCH);
            written(moment);
        }
    }
    let mut take = Take(data);
    let seconds = (0..5).fold(0_u64, |sum, _| sum << 8 | u64::from(take.byte()));
    // To the end of the year 9999, as far as the forms go.
    let moment = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds % 253_402_300_800);
    written(moment);
    let theirs = httpdate::fmt_http_date(moment);
    assert_eq!(date::parse(&theirs), Some(moment), "{theirs}");
}

/// Whether something else than a blank stands before the time, where the other parser does not
/// look.
fn lacks_blank(text: &str) -> bool {
    let before = text.len().checked_sub("_00:00:00 GMT".len());
    text.ends_with(" GMT") && before.is_some_and(|at| text.as_bytes()[at] != b' ')
}

/// The moment written in the form of RFC 3339 is the one that HTTP's form has.
fn written(moment: SystemTime) {
    let text = date::rfc_3339(moment);
    if moment >= SystemTime::UNIX_EPOCH + Duration::from_secs(253_402_300_800) {
        return;
    }
    let theirs = httpdate::fmt_http_date(moment);
    // Sun, 06 Nov 1994 08:49:37 GMT
    let months = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let month = months.find(&theirs[8..11]).unwrap() / 3 + 1;
    let wanted = format!(
        "{}-{month:02}-{}T{}Z",
        &theirs[12..16],
        &theirs[5..7],
        &theirs[17..25]
    );
    assert_eq!(text, wanted);
}
