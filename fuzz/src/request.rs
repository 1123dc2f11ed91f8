//! A request is understood as a JSON reader that keeps everything understands it, by the rules of
//! the decisions on the host's calls (4); and a large one, read in its own bytes, as a small one.

use iki_tools::contract::failure::Failure;
use iki_tools::contract::request::Request;
use serde::de::IgnoredAny;
use serde_json::Value;

/// From this size on a request is read in its own bytes.
const LARGE: usize = 64 * 1024;

pub fn check(data: &[u8]) {
    let json = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
    let read: Result<Value, _> = serde_json::from_slice(json);
    let request = Request::parse(data);
    match (&read, &request) {
        (Ok(Value::Object(_)), Err(error)) => panic!("an object is refused: {error:?}"),
        (Ok(Value::Object(_)), Ok(_)) => {}
        (Ok(_), Ok(_)) => panic!("taken, and no object"),
        (Err(_), Ok(_)) => {
            // Half of a pair, a number beyond all numbers: JSON all the same.
            assert!(
                serde_json::from_slice::<IgnoredAny>(json).is_ok(),
                "taken, and no JSON"
            );
            assert!(
                json.trim_ascii_start().starts_with(b"{"),
                "taken, and no object"
            );
        }
        (_, Err(error)) => assert!(!said(error).is_empty()),
    }
    if let (Ok(Value::Object(fields)), Ok(request)) = (&read, &request) {
        for (name, value) in fields {
            check_field(request, name, value);
        }
        assert!(
            request.required_text("no such field").is_err() || fields.contains_key("no such field")
        );
    }
    // White space behind it changes nothing.
    let mut large = data.to_vec();
    large.resize(data.len().max(1) + LARGE, b' ');
    let kept = large.clone();
    let small = Request::parse(&kept);
    let in_place = Request::parse_in_place(&mut large);
    match (&small, &in_place) {
        (Ok(one), Ok(other)) => {
            let Ok(Value::Object(fields)) = read else {
                return;
            };
            for name in fields.keys() {
                assert_eq!(answers(one, name), answers(other, name), "{name}");
            }
        }
        (Err(one), Err(other)) => assert_eq!(said(one), said(other)),
        _ => panic!("taken in one way alone: {small:?}, {in_place:?}"),
    }
}

fn said(failure: &Failure) -> String {
    format!("{failure:?}")
}

/// All that can be asked of a field.
fn answers(request: &Request<'_>, name: &str) -> [Result<String, String>; 7] {
    fn shown<T: std::fmt::Debug>(answer: Result<T, Failure>) -> Result<String, String> {
        answer
            .map(|value| format!("{value:?}"))
            .map_err(|failure| said(&failure))
    }
    [
        shown(request.required_text(name)),
        shown(request.text(name)),
        shown(request.number(name)),
        shown(request.integer(name, 1..=10)),
        shown(request.integer(name, 0..=u64::MAX)),
        shown(request.flag(name)),
        shown(request.texts(name)),
    ]
}

fn check_field(request: &Request<'_>, name: &str, value: &Value) {
    let empty = match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(all) => all.is_empty(),
        _ => false,
    };
    match value {
        Value::String(text) => {
            assert_eq!(request.required_text(name).ok(), Some(text.as_str()));
            assert_eq!(
                request.text(name).ok(),
                Some(Some(text.as_str()).filter(|text| !text.is_empty()))
            );
        }
        _ => {
            assert!(request.required_text(name).is_err());
            assert_eq!(request.text(name).is_ok(), empty, "{name}: {value}");
        }
    }
    if empty {
        assert_eq!(request.number(name).ok(), Some(None));
        assert_eq!(request.integer(name, 1..=10).ok(), Some(None));
        assert_eq!(request.flag(name).ok(), Some(false));
        assert_eq!(request.texts(name).ok(), Some(Vec::new()));
        return;
    }
    let flag = match value {
        Value::Bool(flag) => Some(*flag),
        Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        },
        _ => None,
    };
    assert_eq!(request.flag(name).ok(), flag, "{name}: {value}");
    let number = match value {
        Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
            (Some(number), ..) => Some(i128::from(number)),
            (_, Some(number), _) => Some(i128::from(number)),
            (_, _, Some(number)) if number.fract() == 0.0 => Some(number as i128),
            _ => None,
        },
        // What a text spells is judged by its spellings below.
        Value::String(_) => request.number(name).ok().map(Option::unwrap_or_default),
        _ => None,
    };
    assert_eq!(
        request.number(name).ok(),
        number.map(|number| Some(number).filter(|n| *n != 0)),
        "{name}: {value}"
    );
    let within = number.map(|number| (number != 0).then(|| number.clamp(3, 70) as u64));
    assert_eq!(
        request.integer(name, 3..=70).ok(),
        within,
        "{name}: {value}"
    );
    if let Value::String(text) = value
        && let Ok(Value::Number(spelled)) = serde_json::from_str(text.trim())
        && let Some(spelled) = spelled.as_i64()
    {
        assert_eq!(
            request.number(name).ok(),
            Some(Some(i128::from(spelled)).filter(|n| *n != 0))
        );
    }
    let texts = match value {
        Value::String(text) => Some(vec![text.as_str()]),
        Value::Array(all) => {
            let blank = |value: &&Value| match value {
                Value::Null => false,
                Value::String(text) => !text.is_empty(),
                Value::Array(all) => !all.is_empty(),
                _ => true,
            };
            all.iter().filter(blank).map(Value::as_str).collect()
        }
        _ => None,
    };
    assert_eq!(request.texts(name).ok(), texts, "{name}: {value}");
}
