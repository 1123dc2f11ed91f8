use super::text::MAX_PIECE_BYTES;
use super::*;

fn written(pieces: &[&[u8]]) -> String {
    let mut out = Vec::new();
    let mut object = AnswerObject::open(&mut out).unwrap();
    let mut text = object.text("t").unwrap();
    for piece in pieces {
        text.write_all(piece).unwrap();
    }
    text.close().unwrap();
    object.close().unwrap();
    String::from_utf8(out).unwrap()
}

fn read_back(json: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(json).unwrap();
    value["t"].as_str().unwrap().to_owned()
}

#[test]
fn every_ascii_character_is_escaped_as_serde_json_would() {
    let all: String = (0..=127u8).map(char::from).collect();
    let expected = format!("{{\"t\":{}}}", serde_json::to_string(&all).unwrap());
    assert_eq!(written(&[all.as_bytes()]), expected);
}

#[test]
fn broken_bytes_become_replacement_characters_and_the_rest_is_kept() {
    let bytes = b"a\xffb\xe2\x82c\xf0\x9f\x98\x80\xed\xa0\x80z\xe2\x82";
    assert_eq!(
        read_back(&written(&[bytes])),
        String::from_utf8_lossy(bytes)
    );
}

#[test]
fn where_the_writes_are_cut_makes_no_difference() {
    let mut bytes = Vec::new();
    for n in 0..40_000u32 {
        bytes.extend_from_slice("é€😀\"\\\n".as_bytes());
        bytes.push(n.to_le_bytes()[0]);
    }
    let whole = String::from_utf8_lossy(&bytes);
    for step in [
        1,
        7,
        4096,
        MAX_PIECE_BYTES - 1,
        MAX_PIECE_BYTES,
        MAX_PIECE_BYTES + 1,
        3 * MAX_PIECE_BYTES + 2,
    ] {
        let pieces: Vec<&[u8]> = bytes.chunks(step).collect();
        assert_eq!(
            read_back(&written(&pieces)),
            whole,
            "in pieces of {step} bytes"
        );
    }
}

/// Writes down what it is shown.
#[derive(Default)]
struct Notes(String);

impl Viewer for Notes {
    fn text(&mut self, name: &str, piece: &str) -> io::Result<()> {
        self.0.extend([name, "=", piece, ";"]);
        Ok(())
    }

    fn value(&mut self, name: &str, value: Value) -> io::Result<()> {
        self.0.extend([name, ":", &value.to_string(), ";"]);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0 += "|";
        Ok(())
    }
}

#[test]
fn a_viewer_is_shown_each_piece_when_it_is_flushed_and_no_half_character() {
    let mut notes = Notes::default();
    let mut object = AnswerObject::for_viewer(&mut notes);
    let mut text = object.text("output").unwrap();
    text.write_all(b"a\xe2\x82").unwrap();
    text.flush().unwrap();
    text.write_all(b"\xac\n").unwrap();
    text.flush().unwrap();
    text.write_all(b"\xff\xe2").unwrap();
    text.close().unwrap();
    object.field("count", &2).unwrap();
    object.field("note", "n").unwrap();
    object.close().unwrap();
    assert_eq!(
        notes.0,
        "output=a;|output=\u{20ac}\n;|output=\u{FFFD};output=\u{FFFD};count:2;note=n;|"
    );
}

/// The answer to a host that has set this limit.
fn bounded(limit: usize, fill: impl FnOnce(&mut AnswerObject<'_>)) -> Value {
    let mut out = Vec::new();
    let terms = CallTerms::within(Audience::Host, Some(limit), None);
    let mut object = AnswerObject::open_on(&mut out, terms, "Ask for less.").unwrap();
    fill(&mut object);
    object.close().unwrap();
    assert!(out.len() <= limit, "{} of {limit}", out.len());
    serde_json::from_slice(&out).unwrap()
}

#[test]
fn within_a_limit_there_is_room_for_all_fields_and_the_note() {
    for limit in [256, 300, 1000, 5000, 100_000] {
        let answer = bounded(limit, |object| {
            let mut text = object.text("output").unwrap();
            for _ in 0..50_000 {
                text.write_all(b"a \"line\" \x01\n").unwrap();
            }
            assert!(text.is_full());
            let cut = text.close().unwrap().unwrap();
            object.field("count", &50_000).unwrap();
            object.note(format!("{} lines", cut.lines));
        });
        let output_text = answer["output"].as_str().unwrap();
        assert_eq!(answer["count"], 50_000);
        assert_eq!(
            answer["note"],
            format!("{} lines", output_text.lines().count())
        );
        assert!(output_text.ends_with('\n'), "{limit}: {output_text}");

        let answer = bounded(limit, |object| {
            object.field("title", &"\u{1}é".repeat(90_000)).unwrap();
            object.whole_text("content", b"all\n").unwrap();
            object.note("n".repeat(90_000));
        });
        assert!(answer["note"].as_str().unwrap().starts_with('`'));

        let rows = vec!["row"; 90_000];
        let answer = bounded(limit, |object| {
            let count = object.rows("results", &rows).unwrap();
            object.field("count", &count).unwrap();
        });
        assert_eq!(answer["results"].as_array().unwrap().len(), answer["count"]);
    }
}

#[test]
fn without_a_limit_a_long_answer_says_how_long_it_is() {
    let answer = |length: usize| {
        let mut out = Vec::new();
        let mut object =
            AnswerObject::open_on(&mut out, CallTerms::default(), "Ask for less.").unwrap();
        object.whole_text("output", &vec![b'x'; length]).unwrap();
        object.close().unwrap();
        serde_json::from_slice::<Value>(&out).unwrap()
    };
    assert_eq!(answer(90_000).get("note"), None);
    assert_eq!(
        answer(200_000)["note"],
        "This answer has 200012 bytes. Ask for less."
    );
}

#[test]
fn fields_stand_in_order_between_commas() {
    let mut out = Vec::new();
    let mut object = AnswerObject::open(&mut out).unwrap();
    object.whole_text("output", b"x\0").unwrap();
    object.field("count", &3).unwrap();
    object.field("ok", &true).unwrap();
    object.close().unwrap();
    assert_eq!(out, br#"{"output":"x\u0000","count":3,"ok":true}"#);
}
