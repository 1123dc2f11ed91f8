//! Reading requests: accepted forms, and messages about others.

use crate::contract::request::*;
use crate::contract::schema::{FieldKind, Schema};
use crate::contract::tool::Tool;
use serde_json::json;

fn reason<T>(result: Result<T, Failure>) -> String {
    match result {
        Ok(_) => String::from("no failure"),
        Err(failure) => {
            assert!(failure.is_bad_request);
            failure.message
        }
    }
}

#[test]
fn what_is_no_object_is_a_bad_request_that_says_why() {
    assert_eq!(reason(Request::parse(b" \n")), "empty input");
    assert_eq!(
        reason(Request::parse(b"[1]")),
        "invalid JSON: expected an object, found an array"
    );
    assert_eq!(
        reason(Request::parse(b"{\"a\":1} x")),
        "invalid JSON: trailing characters at line 1 column 9"
    );
    assert!(reason(Request::parse(b"{\"a\":\"\xff\"}")).starts_with("invalid JSON: "));
    assert!(reason(Request::parse(&b"[".repeat(1_000_000))).starts_with("invalid JSON: "));
    assert_eq!(
        reason(Request::parse(br#"{"a":1e999,"b":}"#)),
        "invalid JSON: expected value at line 1 column 16"
    );
}

/// Values that are JSON and that serde cannot hold, or not so deep.
fn beyond() -> [String; 8] {
    let deep = |open: &str, close: &str| open.repeat(100_000) + "1" + &close.repeat(100_000);
    [
        String::from("1e999"),
        String::from("-1e999"),
        format!("1{}", "0".repeat(400)),
        deep("[", "]"),
        deep("{\"x\":", "}"),
        String::from(r#"[{"x":1e999}]"#),
        String::from(r#""\ud800""#),
        String::from(r#"{"\ud800":"\udc00"}"#),
    ]
}

#[test]
fn an_unknown_field_may_hold_anything_that_is_json() {
    for value in beyond() {
        for text in [
            format!(r#"{{"x":{value},"a":"b","n":2}}"#),
            format!(r#"{{"a":"b","n":2,"x":{value}}}"#),
            format!(r#"{{"a":"b","n":1e999,"x":{value},"n":2}}"#),
            format!(r#"{{"\ud800":1,"a":"b","n":2,"x":{value}}}"#),
        ] {
            let request = Request::parse(text.as_bytes()).unwrap();
            assert_eq!(request.required_text("a").unwrap(), "b");
            assert_eq!(request.integer("n", 1..=9).unwrap(), Some(2));
            // A request that is cut off is still invalid JSON.
            let cut = &text.as_bytes()[..text.len() - 1];
            assert!(reason(Request::parse(cut)).starts_with("invalid JSON: EOF"));
            let behind = format!("{text} x");
            let reason = reason(Request::parse(behind.as_bytes()));
            assert!(reason.starts_with("invalid JSON: "), "{reason}");
        }
    }
}

#[test]
fn a_known_field_that_cannot_be_held_is_named_or_brought_within_its_bounds() {
    for value in beyond() {
        let text = format!(r#"{{"a":{value}}}"#);
        let request = Request::parse(text.as_bytes()).unwrap();
        let is_number = !value.contains(['[', '{', '"']);
        assert!(reason(request.required_text("a")).starts_with("a must be a string"));
        assert!(reason(request.text("a")).starts_with("a must be a string"));
        assert!(reason(request.flag("a")).starts_with("a must be a boolean"));
        assert!(reason(request.texts("a")).starts_with("a must be an array of strings"));
        match request.integer("a", 1..=20) {
            Ok(number) if value.starts_with('-') => assert_eq!(number, Some(1)),
            Ok(number) => assert_eq!((number, is_number), (Some(20), true)),
            Err(failure) => {
                assert!(failure.message.starts_with("a must be an integer"));
                assert!(!is_number, "{value:.20}");
            }
        }
    }
    for text in [
        r#"{"a":["\ud800"]}"#,
        r#"{"a":[1e999]}"#,
        r#"{"a":[["b"]]}"#,
    ] {
        let request = Request::parse(text.as_bytes()).unwrap();
        assert!(reason(request.texts("a")).starts_with("a must be an array of strings"));
    }
    let request = Request::parse(br#"{"a":"\ud800"}"#).unwrap();
    let reason = reason(request.required_text("a"));
    assert!(
        reason.contains("surrogate") || reason.contains("hex escape"),
        "{reason}"
    );
}

#[test]
fn schemas_write_each_field_so_that_a_plain_request_is_read_without_them() {
    for tool in crate::registry::TOOLS {
        for field in Schema::read(tool.model_schema).fields {
            let written = format!("\"{}\": {{", field.name);
            assert!(
                tool.model_schema.contains(&written),
                "{}: {written}",
                tool.name
            );
        }
    }
}

#[test]
fn numbers_in_words_are_none() {
    for word in ["inf", "infinity", "-Infinity", "NaN", "nan", "e", ""] {
        assert_eq!(parse_integer(word), None, "{word}");
    }
    assert_eq!(parse_integer(" 1e999 "), Some(i128::MAX));
    assert_eq!(parse_integer("-1e999"), Some(i128::MIN));
    assert_eq!(parse_integer("1.5"), None);
}

#[test]
fn a_word_for_nothing_is_none_in_every_field_of_a_tool_in_which_it_is_no_value() {
    let named = ["language", "country", "site", "lens", "provider", "type"];
    for tool in crate::registry::TOOLS {
        let schema = Schema::read(tool.model_schema);
        for field in &schema.fields {
            for word in ["any", "none", "all", "auto", "default", "null", " Any "] {
                let text = json!({ &field.name: word }).to_string();
                let request = Request::parse(text.as_bytes()).unwrap();
                let request = request.for_tool(tool, CallTerms::default());
                let kind = field.kind;
                let is_listed = field.values.iter().any(|one| *one == word);
                let is_enumeration = !field.values.is_empty() && !is_listed;
                let means_none =
                    kind == FieldKind::Integer || is_enumeration || named.contains(&&*field.name);
                let expected = means_none && !field.is_required;
                assert_eq!(!request.has(&field.name), expected, "{}: {text}", tool.name);
            }
        }
    }
}

#[test]
fn choices_and_kinds_are_not_given_where_a_word_says_so() {
    let tool = Tool {
        model_schema: r#"{"parameters": {"properties": {
            "must": {"type": "string", "enum": ["a"]},
            "kind": {"type": "string", "enum": ["first", "none"]},
            "n": {"type": "integer"}, "country": {"type": "string"}, "text": {"type": "string"},
            "list": {"type": "array", "items": {"type": "object"}}
        }, "required": ["must"]}}"#,
        aliases: &[("-n", "n"), ("txt", "text"), ("other", "text")],
        ..crate::tools::bash::TOOL
    };
    let read = |text: &'static str| {
        Request::parse(text.as_bytes())
            .unwrap()
            .for_tool(&tool, CallTerms::default())
    };
    let kinds = [("first", 1), ("none", 2), ("one", 1)];
    let request = read(r#"{"must":"any","kind":"Any","n":"all","country":"AUTO","text":"null"}"#);
    assert_eq!(request.choice("kind", &kinds).unwrap(), None);
    assert_eq!(request.number("n").unwrap(), None);
    assert_eq!(request.text("country").unwrap(), None);
    assert_eq!(request.text("text").unwrap(), Some("null"));
    assert_eq!(
        reason(request.choice("must", &kinds)),
        "must must be first or none"
    );
    let request = read(r#"{"kind":" NONE ","-n":"-7","txt":"","other":"o","gone":1}"#);
    assert_eq!(request.choice("kind", &kinds).unwrap(), Some(2));
    assert_eq!(request.number("n").unwrap(), Some(-7));
    assert_eq!(request.text("text").unwrap(), Some("o"));
    assert!(
        request
            .ignored
            .as_ref()
            .unwrap()
            .starts_with("\"gone\" is not a field")
    );
    let request = read(r#"{"kind":"one","list":[{"txt":"t","deep":{"a":[1]}}]}"#);
    assert_eq!(request.choice("kind", &kinds).unwrap(), Some(1));
    let list = request.objects("list").unwrap().unwrap();
    assert_eq!(list[0].required_text("text").unwrap(), "t");
    assert_eq!(reason(list[0].text("deep")), "deep must be a string");
    let ignored = request.ignored.as_ref().unwrap();
    assert!(ignored.starts_with("\"deep\" is not a field"), "{ignored}");
    for (one, text) in [
        (r#"{"list":{"txt":"t"}}"#, "t"),
        (r#"{"list":"[{\"text\":\"\\u0041\"}]"}"#, "A"),
        (r#"{"list":" {\"txt\":\"t\"}"}"#, "t"),
    ] {
        let request = read(one);
        let list = request.objects("list").unwrap().unwrap();
        assert_eq!(list[0].required_text("text").unwrap(), text, "{one}");
    }
    for wrong in [
        r#"{"list":7}"#,
        r#"{"list":["a"]}"#,
        r#"{"list":"[7]"}"#,
        r#"{"list":"[] x"}"#,
    ] {
        assert_eq!(
            reason(read(wrong).objects("list")),
            "list must be an array of objects"
        );
    }
    for missing in [r#"{"list":null}"#, r#"{"list":""}"#] {
        assert!(read(missing).objects("list").unwrap().is_none());
    }
}

#[test]
fn a_byte_order_mark_before_the_object_is_passed_over() {
    let request = Request::parse("\u{FEFF}{\"a\":\"x\"}".as_bytes()).unwrap();
    assert_eq!(request.required_text("a").unwrap(), "x");
}

#[test]
fn a_string_without_escapes_is_borrowed_from_the_request() {
    let bytes = br#"{"a":"plain","b":"esc\naped"}"#;
    let request = Request::parse(bytes).unwrap();
    assert!(
        bytes
            .as_ptr_range()
            .contains(&request.required_text("a").unwrap().as_ptr())
    );
    assert_eq!(request.required_text("b").unwrap(), "esc\naped");
}

#[test]
fn required_text_must_be_there_and_must_be_text() {
    let request = Request::parse(br#"{"n":3,"null":null,"empty":""}"#).unwrap();
    assert_eq!(reason(request.required_text("gone")), "missing gone field");
    assert_eq!(reason(request.required_text("n")), "n must be a string");
    assert_eq!(
        reason(request.required_text("null")),
        "null must be a string"
    );
    assert_eq!(request.required_text("empty").unwrap(), "");
}

#[test]
fn empty_optional_fields_are_not_given() {
    let request = Request::parse(br#"{"a":null,"b":"","c":[],"d":0,"e":"0","f":0.0}"#).unwrap();
    for name in ["a", "b", "c", "gone"] {
        assert_eq!(request.text(name).unwrap(), None);
        assert!(!request.flag(name).unwrap());
        assert!(request.texts(name).unwrap().is_empty());
    }
    for name in ["a", "b", "c", "d", "e", "f", "gone"] {
        assert_eq!(request.integer(name, 1..=9).unwrap(), None);
    }
}

#[test]
fn what_is_evidently_meant_is_taken() {
    let request =
        Request::parse(br#"{"a":"3","b":3.0,"c":" 3.0 ","t":"true","f":"False"}"#).unwrap();
    for name in ["a", "b", "c"] {
        assert_eq!(request.integer(name, 1..=9).unwrap(), Some(3));
    }
    assert!(request.flag("t").unwrap());
    assert!(!request.flag("f").unwrap());
}

#[test]
fn numbers_out_of_range_are_brought_within_their_bounds() {
    let request =
        Request::parse(br#"{"a":-5,"b":99,"c":1e300,"d":18446744073709551615,"e":"-1e300"}"#)
            .unwrap();
    let bounded = |name| request.integer(name, 1..=20).unwrap();
    assert_eq!(bounded("a"), Some(1));
    assert_eq!(bounded("b"), Some(20));
    assert_eq!(bounded("c"), Some(20));
    assert_eq!(bounded("d"), Some(20));
    assert_eq!(bounded("e"), Some(1));
    assert_eq!(request.integer("d", 1..=u64::MAX).unwrap(), Some(u64::MAX));
}

#[test]
fn any_other_type_names_the_field_and_what_it_must_be() {
    let request = Request::parse(br#"{"a":true,"b":1.5,"c":"x","d":[1],"e":{}}"#).unwrap();
    assert_eq!(reason(request.integer("a", 1..=9)), "a must be an integer");
    assert_eq!(reason(request.integer("b", 1..=9)), "b must be an integer");
    assert_eq!(reason(request.integer("c", 1..=9)), "c must be an integer");
    assert_eq!(reason(request.texts("d")), "d must be an array of strings");
    assert_eq!(reason(request.text("e")), "e must be a string");
    assert_eq!(reason(request.flag("c")), "c must be a boolean");
}

#[test]
fn of_a_field_given_twice_the_last_counts() {
    let request = Request::parse(br#"{"a":"first","a":"last"}"#).unwrap();
    assert_eq!(request.required_text("a").unwrap(), "last");
}
