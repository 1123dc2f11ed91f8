//! Notes in a person's words. Tools speak of the fields of a request, as models send them; a person
//! types flags.

use serde_json::Value;

use iki_base::wording::quoted;
use iki_tools::contract::schema::{Schema, SchemaField};
use iki_tools::contract::tool::Tool;
use iki_tools::registry::TOOLS;

/// Text of a file begins here, which is shown as it is.
const QUOTED_TEXT: &str = "\n```";

/// `words` of `tool` with flags in the place of fields, and tools as they are typed.
pub fn of_person(tool: &Tool, words: &str) -> String {
    let end = words.find(QUOTED_TEXT).unwrap_or(words.len());
    let (words, text) = words.split_at(end);
    let mut rewritten = words.to_owned();
    let fields = Schema::for_flags(tool).fields;
    for other in TOOLS {
        for field in Schema::for_flags(other).fields {
            rewritten = with_value_as_typed(rewritten, &field);
        }
        if other.name.contains('_') {
            rewritten = with_word(&rewritten, other.name, other.command());
        }
    }
    for field in &fields {
        let name = &field.name;
        let flag = format!("--{}", field.flag());
        rewritten = rewritten.replace(&format!("`{name}`"), &flag);
        rewritten = rewritten.replace(&format!("leave {name} out"), &format!("leave {flag} out"));
        rewritten = rewritten.replace(
            &format!("send a larger {name}"),
            &format!("give a larger {flag}"),
        );
        let begins = rewritten.strip_prefix(&**name);
        if let Some(remainder) = begins.filter(|remainder| remainder.starts_with(" must ")) {
            rewritten = format!("{flag}{remainder}");
        }
        if field.flag() != *name {
            rewritten = with_word(&rewritten, name, &flag);
        }
    }
    let rewritten = rewritten.replace(", in JSON --", ", as --");
    // A flag without a value is what a call without the field is.
    let rewritten = rewritten.replace(" without --session-id lists", " --session-id= lists");
    let rewritten = rewritten.replace("send (?i)", "give -i, or (?i)");
    rewritten
        .replace("send `", "type `")
        .replace("Send `", "Type `")
        .replace("send --", "give --")
        .replace("Send --", "Give --")
        + text
}

/// `words` with `--glob '*.rs'` in the place of `"glob":"*.rs"`.
fn with_value_as_typed(mut words: String, field: &SchemaField) -> String {
    let name = format!("\"{}\":", field.name);
    let mut from = 0;
    while let Some(offset) = words[from..].find(&name).map(|offset| from + offset) {
        let value = &words[offset + name.len()..];
        from = offset + name.len();
        let mut values = serde_json::Deserializer::from_str(value).into_iter::<Value>();
        let number = value.len() - value.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (typed, length) = match values.next() {
            _ if number > 0 => (value[..number].to_owned(), number),
            Some(Ok(Value::String(text))) => (quoted(&text), values.byte_offset()),
            _ if value.starts_with("true") => (String::new(), "true".len()),
            _ => continue,
        };
        // A comma stood between two fields.
        let is_next = words[..offset].ends_with(',');
        let start = offset - usize::from(is_next);
        let blank = if is_next { " " } else { "" };
        let typed = format!("{blank}--{} {typed}", field.flag());
        words.replace_range(start..from + length, typed.trim_end());
        from = start;
    }
    words
}

/// `words` with `new` in the place of the word `old`, where it is not part of a name or a path.
fn with_word(words: &str, old: &str, new: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || "_-/\"'`".contains(c);
    let (mut rewritten, mut remainder) = (String::new(), words);
    while let Some((before, behind)) = remainder.split_once(old) {
        let dotted = behind.strip_prefix('.').unwrap_or(behind);
        let is_word = !before.ends_with(|c| is_part(c) || c == '.') && !dotted.starts_with(is_part);
        rewritten += before;
        rewritten += if is_word { new } else { old };
        remainder = behind;
    }
    rewritten + remainder
}

#[cfg(test)]
mod tests {
    use super::*;
    use iki_tools::registry::find_tool;

    #[test]
    fn fields_become_flags_and_what_is_quoted_stays() {
        for (tool, words, sentence) in [
            (
                "grep",
                r#"`path` is one path: send "path":"it's","glob":"*.rs"."#,
                r"--path is one path: give --path 'it'\''s' --glob '*.rs'.",
            ),
            (
                "file-edit",
                "send \"replace_all\":true, or Read it (file_read with \"offset\":3,\"limit\":40).",
                "give --replace-all, or Read it (file-read with --offset 3 --limit 40).",
            ),
            (
                "file-edit",
                "Send it as old_string: src/file_path.rs, \"new_string\":\n```\nold_string \
                 \"limit\":1\n```",
                "Send it as --old-string: src/file_path.rs, \"new_string\":\n```\nold_string \
                 \"limit\":1\n```",
            ),
            (
                "bash",
                "timeout must be an integer",
                "--timeout must be an integer",
            ),
            (
                "web-search",
                "Send either lens or site.",
                "Send either lens or site.",
            ),
        ] {
            assert_eq!(of_person(find_tool(tool).unwrap(), words), sentence);
        }
    }
}
