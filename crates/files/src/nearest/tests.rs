//! Searches for the nearest text. The words for what is found are tested with file-edit.

use std::time::Duration;

use super::*;
use iki_base::cpu_clock::CpuInstant;

fn searched(content: &str, sought: &str, new: &str) -> NearestText {
    find_nearest(content.as_bytes(), sought.as_bytes(), new.as_bytes(), None)
}

#[test]
fn the_nearest_of_several_alike_places_is_found() {
    let near = searched("a  =  1\nA = 1\n a\t=\t1\na = 1 \n", "a = 1\n", "b");
    let NearestFinding::Place(place) = near.finding else {
        panic!("{near:?}");
    };
    assert_eq!((place.first, place.last), (4, 4));
    assert_eq!(place.text, b"a = 1 \n");
}

#[test]
fn a_text_that_was_put_in_before_is_seen() {
    let content = "one\nlet port = 8080;\nthree\n";
    let near = searched(content, "let port = 80;", "let port = 8080;");
    assert_eq!(near.lines_with_new_text, [2]);
    assert!(matches!(near.finding, NearestFinding::Nothing), "{near:?}");
    assert_eq!(searched(content, "xyz", "po").lines_with_new_text, [0; 0]);
}

#[test]
fn a_search_ends_when_its_time_is_over() {
    let content = "some line of text that is not like it\n".repeat(500_000);
    let started = CpuInstant::now();
    let end = Some(Instant::now() + Duration::from_millis(1));
    let near = find_nearest(content.as_bytes(), b"quite another text: 12345", b"x", end);
    assert!(matches!(near.finding, NearestFinding::Unknown), "{near:?}");
    // Without a clock it takes many times as long, even where nothing else runs.
    assert!(started.elapsed() < Duration::from_secs(2));
}

#[test]
fn a_hundred_thousand_lines_are_searched_to_the_end() {
    let line = |n| format!("    let value_{n} = compute({n}, {});\n", n * 7);
    let mut content = (0..100_000).map(line).collect::<Vec<_>>().concat();
    content += "fn last() {\n\tdone(\u{201C}now\u{201D});\n}\n";
    for sought in [
        "    done(\"now\");",
        "fn last() {\n    done(\"then\");\n}\n",
    ] {
        let started = CpuInstant::now();
        let near = searched(&content, sought, "x");
        eprintln!("{sought:?}: {:?}", started.elapsed());
        let NearestFinding::Place(place) = near.finding else {
            panic!("{near:?}");
        };
        assert!(
            (100_001..=100_003).contains(&place.first),
            "{}",
            place.first
        );
    }
}

#[test]
fn any_texts_are_borne() {
    use proptest::prelude::*;
    proptest!(|(
        content in "[ab \t\r\n.…“e\u{301}\u{a0}/0-9:]{0,120}",
        sought in "[ab \t\r\n.…\"é/0-9:]{1,30}",
        cut in 0..4usize,
    )| {
        let bytes = &content.as_bytes()[..content.len().saturating_sub(cut)];
        let _ = find_nearest(bytes, sought.as_bytes(), b"aa bb", None);
    });
}
