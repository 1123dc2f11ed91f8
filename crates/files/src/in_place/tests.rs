//! The pieces of an overwriting that need no file.

use super::*;

#[test]
fn what_differs_is_told_to_the_byte() {
    for (old, new, changes) in [
        ("", "", 0..0),
        ("same", "same", 4..4),
        ("abcdef", "abXYef", 2..4),
        ("abc", "abcdef", 3..6),
        ("aXc", "abcdef", 1..6),
        ("xbcdey", "abcdef", 0..6),
    ] {
        let differences = differing(old.as_bytes(), new.as_bytes());
        assert_eq!(differences, changes, "{old} {new}");
    }
}

#[test]
fn an_outcome_comes_back_as_it_went() {
    for outcome in [
        OverwriteOutcome::Done,
        OverwriteOutcome::Untouched(Errno::NOSPC),
        OverwriteOutcome::Torn(Errno::IO),
        OverwriteOutcome::Unsure(Errno::DQUOT),
        OverwriteOutcome::Killed,
    ] {
        let code = outcome.code();
        assert_eq!(OverwriteOutcome::from_code(code).code(), code);
    }
    assert!(matches!(
        OverwriteOutcome::from_code(OverwriteOutcome::Torn(Errno::IO).code()),
        OverwriteOutcome::Torn(Errno::IO)
    ));
}
