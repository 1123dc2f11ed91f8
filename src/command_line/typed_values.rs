//! Values as other programs' flags change them: patterns for whole words, plain text, names in any
//! case, ripgrep's kinds of files.

use ignore::types::TypesBuilder;

/// `pattern` for whole words alone, as grep -w has it. It finds the lines, and the words with what
/// stands beside them where the pattern's ends may be something else.
pub fn words_alone(pattern: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    if pattern.starts_with(is_word) && pattern.ends_with(is_word) {
        return format!(r"\b(?:{pattern})\b");
    }
    format!(r"(?:^|\W)(?:{pattern})(?:\W|$)")
}

/// `pattern` for whole lines alone, as grep -x has it.
pub fn lines_alone(pattern: &str) -> String {
    format!("^(?:{pattern})$")
}

/// The pattern that matches `text` as it stands.
pub fn plain(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for c in text.chars() {
        if r"\.[]{}()*+?^$|".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

/// True if `pattern` has an upper-case letter that stands for itself.
pub fn has_upper_case(pattern: &str) -> bool {
    let mut escaped = false;
    pattern.chars().any(|c| {
        let is_literal = !escaped;
        escaped = is_literal && c == '\\';
        is_literal && c.is_uppercase()
    })
}

/// The wildcard pattern that matches names in upper and lower case alike.
pub fn in_any_case(pattern: &str) -> String {
    let (mut folded, mut is_set) = (String::new(), false);
    for c in pattern.chars() {
        is_set = (is_set || c == '[') && c != ']';
        if !is_set && c.is_alphabetic() {
            let (lower, upper) = (c.to_lowercase(), c.to_uppercase());
            folded.push('[');
            folded.extend(lower.chain(upper));
            folded.push(']');
        } else {
            folded.push(c);
        }
    }
    folded
}

/// The flags of file-read for a range of lines: `2-3`, `2:3`, and `2,3p`, as sed(1) has it.
pub fn flags_of_lines(range: &str) -> Option<String> {
    let range = range.strip_suffix('p').unwrap_or(range);
    let (first, last) = range.split_once([',', '-', ':']).unwrap_or((range, range));
    let first: u64 = first.parse().ok()?;
    let lines = match (last, last.strip_prefix('+')) {
        ("" | "$", _) => return Some(format!("--offset {first}")),
        (_, Some(more)) => more.parse::<u64>().ok()?,
        (last, None) => last.parse::<u64>().ok()?.checked_sub(first)?,
    };
    Some(format!(
        "--offset {first} --limit {}",
        lines.checked_add(1)?
    ))
}

/// The wildcard pattern of the files of a kind, by ripgrep's name.
pub fn files_of_kind(kind: &str) -> Option<String> {
    let definitions = TypesBuilder::new().add_defaults().definitions();
    let definition = definitions.iter().find(|one| one.name() == kind)?;
    Some(match definition.globs() {
        [only] => only.clone(),
        globs => format!("{{{}}}", globs.join(",")),
    })
}

/// Ripgrep's names of kinds of files.
pub fn kinds_of_files() -> Vec<String> {
    let definitions = TypesBuilder::new().add_defaults().definitions();
    definitions
        .iter()
        .map(|one| one.name().to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_changed_as_other_programs_change_them() {
        assert_eq!(words_alone("two"), r"\b(?:two)\b");
        assert_eq!(words_alone("-x"), r"(?:^|\W)(?:-x)(?:\W|$)");
        assert_eq!(plain("a.b(c"), r"a\.b\(c");
        let lines = Some("--offset 2 --limit 2".to_owned());
        for range in ["2-3", "2:3", "2,3p", "2,3", "2,+1p"] {
            assert_eq!(flags_of_lines(range), lines, "{range}");
        }
        assert_eq!(flags_of_lines("2,$p").as_deref(), Some("--offset 2"));
        for range in ["3-2", "-2", "a-b", "2,3p;5p", "", "p"] {
            assert_eq!(flags_of_lines(range), None, "{range}");
        }
        assert_eq!(in_any_case("*.[ab]Rs"), "*.[ab][rR][sS]");
        assert!(has_upper_case("aB") && !has_upper_case(r"a\Sb"));
        assert_eq!(files_of_kind("rust").as_deref(), Some("*.rs"));
        assert_eq!(files_of_kind("no-such-kind"), None);
        assert!(files_of_kind("py").unwrap().starts_with("{*.py,"));
    }
}
