//! Blocks of JSON-LD: validated, reduced to one line, and read for facts.
//!
//! Rules: JSON-LD 1.1 as far as search engines implement it (no contexts are fetched, no terms
//! expanded): `@graph`, `@id`, `@type`, `@value`, and the vocabulary of schema.org.

use iki_base::wording::on_one_line;
use iki_document::entities;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// Deepest nesting of a block that is kept; readers of the answer have a limit as well.
const MAX_DEPTH: usize = 100;

/// Maximum number of nodes that are examined.
const MAX_NODES: usize = 512;

/// Marks of comments and CDATA sections, some of which hide others.
const WRAPPER_MARKS: [&str; 7] = ["/*", "*/", "//", "<![CDATA[", "]]>", "<!--", "-->"];

/// Removes the wrapper of a block: comments and CDATA sections, in any order.
fn unwrapped(text: &str) -> &str {
    let mut text = text.trim_matches(is_blank);
    loop {
        let inner = WRAPPER_MARKS.iter().fold(text, |text, mark| {
            let text = text.strip_prefix(mark).unwrap_or(text);
            let text = text.strip_suffix(mark).unwrap_or(text);
            text.trim_matches(is_blank)
        });
        if inner.len() == text.len() {
            return text.strip_suffix(';').unwrap_or(text);
        }
        text = inner;
    }
}

fn is_blank(c: char) -> bool {
    c.is_ascii_whitespace() || c == '\u{feff}'
}

/// Returns a block as one line of JSON, unchanged but for insignificant whitespace, and its value.
/// `None` if it is not JSON, nested too deep, or holds an unpaired surrogate or a number out of
/// range, which JSON parsers reject.
pub fn block(text: &str) -> Option<(Box<RawValue>, Value)> {
    let text = unwrapped(text);
    let _: &RawValue = serde_json::from_str(text).ok()?;
    let compact = compact(text)?;
    let value = serde_json::from_str(&compact).ok()?;
    Some((RawValue::from_string(compact).ok()?, value))
}

/// Removes insignificant whitespace from valid JSON; `None` if it is nested too deep.
fn compact(json: &str) -> Option<String> {
    let mut out = String::with_capacity(json.len());
    let (mut in_string, mut is_escaped) = (false, false);
    let mut depth = 0;
    for c in json.chars() {
        match c {
            _ if is_escaped => is_escaped = false,
            '"' => in_string = !in_string,
            '\\' => is_escaped = true,
            _ if in_string => {}
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            c if is_blank(c) => continue,
            _ => {}
        }
        if depth > MAX_DEPTH {
            return None;
        }
        out.push(c);
    }
    Some(out)
}

/// Returns the nodes of a page's blocks: those at the top, in a list or in `@graph`, and their main
/// entities. At most [`MAX_NODES`].
pub fn nodes(blocks: &[Value]) -> Vec<&Map<String, Value>> {
    let mut nodes = Vec::new();
    for block in blocks {
        collect(block, 0, &mut nodes);
    }
    nodes
}

fn collect<'a>(value: &'a Value, depth: usize, nodes: &mut Vec<&'a Map<String, Value>>) {
    if depth > 4 || nodes.len() >= MAX_NODES {
        return;
    }
    match value {
        Value::Array(list) => {
            for one in list {
                collect(one, depth + 1, nodes);
            }
        }
        Value::Object(node) => {
            nodes.push(node);
            if let Some(graph) = node.get("@graph") {
                collect(graph, depth + 1, nodes);
            }
            // The questions of an FAQ do not describe the page itself.
            if !is_one_of(node, "FAQPage")
                && let Some(main) = node.get("mainEntity")
            {
                collect(main, depth + 1, nodes);
            }
        }
        _ => {}
    }
}

/// Returns the types of a node, without the URL of the vocabulary.
pub fn types(node: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let declared = node.get("@type").or_else(|| node.get("type"));
    let list = match declared {
        Some(Value::Array(list)) => list.as_slice(),
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    list.iter()
        .take(16)
        .filter_map(Value::as_str)
        .map(local_name)
}

/// Removes the URL of the vocabulary from a name: `https://schema.org/LikeAction`.
pub fn local_name(name: &str) -> &str {
    let name = name.trim();
    name.rsplit(['/', '#', ':']).next().unwrap_or(name)
}

/// True if a node is of one of these types, which have blanks between them.
pub fn is_one_of(node: &Map<String, Value>, wanted: &str) -> bool {
    types(node).any(|one| wanted.split(' ').any(|name| name == one))
}

/// Returns the text of a value: a string, a number, `@value`, or the first of a list of them.
pub fn text(value: Option<&Value>) -> Option<String> {
    let text = match value? {
        // Many sites put text of HTML there.
        Value::String(text) => on_one_line(&entities::decoded(text)),
        Value::Number(number) => number.to_string(),
        Value::Array(list) => return list.iter().take(4).find_map(|one| text(Some(one))),
        Value::Object(object) => on_one_line(object.get("@value")?.as_str()?),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

/// Returns the name of a value: a string that is not a URL, or the name of a node, which may be
/// another one of the page that `@id` refers to.
pub fn name(value: Option<&Value>, nodes: &[&Map<String, Value>]) -> Option<String> {
    match value? {
        Value::Array(list) => list.iter().take(4).find_map(|one| name(Some(one), nodes)),
        Value::Object(object) => text(resolved(object, nodes).get("name")),
        other => text(Some(other)).filter(|text| !is_address(text)),
    }
}

/// Returns the node itself, or the full node that it refers to.
pub fn resolved<'a>(
    node: &'a Map<String, Value>,
    nodes: &[&'a Map<String, Value>],
) -> &'a Map<String, Value> {
    if node.contains_key("name") {
        return node;
    }
    let id = node.get("@id").and_then(Value::as_str);
    let other = id.and_then(|id| {
        nodes.iter().find(|other| {
            other.get("@id").and_then(Value::as_str) == Some(id) && other.contains_key("name")
        })
    });
    other.copied().unwrap_or(node)
}

/// True if a text is a URL and not a name.
pub fn is_address(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with('/') || text.starts_with("www.") || text.contains("://")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw_block(text: &str) -> Option<String> {
        block(text).map(|(raw, _)| raw.get().to_owned())
    }

    #[test]
    fn a_block_stays_as_it_is_but_for_the_blanks_between_its_parts() {
        for (text, expected) in [
            ("{}", "{}"),
            (
                " {\n\t\"b\" : 1.50,\r\n \"a\": [ 1e3 , -0 ],\"b\":\"x \\n y\\u0041\\\" \" } \n",
                "{\"b\":1.50,\"a\":[1e3,-0],\"b\":\"x \\n y\\u0041\\\" \"}",
            ),
            (
                "[1e99, 12345678901234567890123]",
                "[1e99,12345678901234567890123]",
            ),
            ("\u{feff}{\"a\":\"\u{e9}\"};", "{\"a\":\"\u{e9}\"}"),
            ("{\"a\":\"\\ud83d\\ude00\"}", "{\"a\":\"\\ud83d\\ude00\"}"),
            ("<![CDATA[ {\"a\":1} ]]>", "{\"a\":1}"),
            ("<!-- {\"a\":1} -->", "{\"a\":1}"),
            ("//<![CDATA[\n{\"a\":1}\n//]]>", "{\"a\":1}"),
            ("// <![CDATA[\n{\"a\":1}\n// ]]>", "{\"a\":1}"),
            ("/*<![CDATA[*/ {\"a\":1} /*]]>*/", "{\"a\":1}"),
            ("<!--//--><![CDATA[//><!--\n{}", ""),
        ] {
            assert_eq!(raw_block(text).unwrap_or_default(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_json_is_skipped() {
        for text in [
            "",
            "{",
            "{\"a\":1,}",
            "{'a':1}",
            "{\"a\":\"b\nc\"}",
            "{} {}",
            "{&quot;a&quot;:1}",
            "\0",
            "{\"a\":\"\0\"}",
            "{\"a\":\"\\ud800\"}",
            "{\"a\":\"\\udc00\"}",
            "{\"a\":\"\\ud800\\u0041\"}",
            "{\"a\":\"\\ud800x\"}",
            "NaN",
            "[1e999]",
        ] {
            assert_eq!(raw_block(text), None, "{text}");
        }
        for depth in [101, 16_000, 200_000] {
            assert_eq!(raw_block(&("[".repeat(depth) + &"]".repeat(depth))), None);
            assert_eq!(raw_block(&"[".repeat(depth)), None);
        }
        assert!(raw_block(&("[".repeat(100) + &"]".repeat(100))).is_some());
    }

    #[test]
    fn nodes_are_those_at_the_top_in_lists_in_graphs_and_main_entities() {
        let blocks: Vec<Value> = [
            r#"[{"@type":"A"},[{"@type":["http://schema.org/B","schema:C"]}]]"#,
            r#"{"@graph":[{"@type":"D","author":{"@type":"no"}}]}"#,
            r#"{"@type":"QAPage","mainEntity":{"@type":"Question"}}"#,
            r#"{"@type":"FAQPage","mainEntity":[{"@type":"Question"}]}"#,
            "1",
        ]
        .iter()
        .map(|text| serde_json::from_str(text).unwrap())
        .collect();
        let nodes = nodes(&blocks);
        let all: Vec<&str> = nodes.iter().flat_map(|node| types(node)).collect();
        assert_eq!(all, ["A", "B", "C", "D", "QAPage", "Question", "FAQPage"]);
    }

    #[test]
    fn a_name_is_a_text_or_that_of_the_node_that_is_meant() {
        let blocks: Vec<Value> = vec![
            serde_json::from_str(
                r##"{"@graph":[{"@id":"#j","name":" Jane\u202e  Doe "},{"@id":"#x"}]}"##,
            )
            .unwrap(),
        ];
        let nodes = nodes(&blocks);
        for (json, expected) in [
            (r#""Jane""#, Some("Jane")),
            (r#""https://example.org/jane""#, None),
            (r#""""#, None),
            (r##"{"@id":"#j"}"##, Some("Jane Doe")),
            (r##"{"@id":"#x"}"##, None),
            (r##"{"@id":"#j","name":"Other"}"##, Some("Other")),
            (r#"[{"name":""},{"name":{"@value":"A"}}]"#, Some("A")),
            ("null", None),
            ("{}", None),
        ] {
            let value: Value = serde_json::from_str(json).unwrap();
            assert_eq!(name(Some(&value), &nodes).as_deref(), expected, "{json}");
        }
    }
}
