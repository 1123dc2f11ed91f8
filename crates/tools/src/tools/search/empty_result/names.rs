//! The names that a survey looks for: those that the last component of a pattern matches, and
//! those that it would match if they were not hidden or in another case.

use iki_search::braces;
use iki_search::wildcard::PatternComponent;

/// A component of a pattern, with braces or without.
#[derive(Debug)]
pub struct NamePattern {
    /// The pattern as it is written, braces and all.
    pub text: String,
    components: Vec<PatternComponent>,
}

impl NamePattern {
    fn new(text: String) -> Self {
        let mut alternatives = braces::alternatives(text.as_bytes()).unwrap_or_default();
        if alternatives.is_empty() {
            alternatives.push(text.clone().into_bytes());
        }
        let components = alternatives.iter().map(|one| PatternComponent::parse(one));
        Self {
            components: components.collect(),
            text,
        }
    }

    /// True if `name` matches.
    pub fn matches(&self, name: &[u8]) -> bool {
        self.components.iter().any(|one| one.matches(name))
    }
}

/// The names that are looked for.
#[derive(Debug)]
pub struct NameMatcher {
    /// The names.
    pub names: NamePattern,
    /// The pattern for hidden names, if it differs.
    pub hidden: Option<NamePattern>,
    /// The pattern for names in lower case.
    pub folded: NamePattern,
    /// True if only regular files count.
    pub counts_files_only: bool,
}

impl NameMatcher {
    /// Looks for names that `text` matches, a component or several in braces.
    pub fn new(text: &str, counts_files_only: bool) -> Self {
        let mut text = text.to_owned();
        while text.contains("**") {
            text = text.replace("**", "*");
        }
        let hidden = text.starts_with(['*', '?', '[']).then(|| {
            NamePattern::new(match &*text {
                // Neither the directory itself nor the one above.
                "*" => ".[!.]*".to_owned(),
                text => format!(".{text}"),
            })
        });
        Self {
            hidden,
            folded: NamePattern::new(text.to_ascii_lowercase()),
            names: NamePattern::new(text),
            counts_files_only,
        }
    }

    /// True if every name is meant.
    pub fn is_every_name(&self) -> bool {
        self.names.text == "*"
    }

    /// True if more than one name is meant.
    pub fn is_wild(&self) -> bool {
        let name = |one: &PatternComponent| matches!(one, PatternComponent::Name(_));
        !self.names.components.iter().all(name)
    }
}
