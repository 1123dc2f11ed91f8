//! What a survey looks for: names, as the last component of a pattern has them, and their relatives.

use crate::search::braces;
use crate::search::wildcard::Component;

/// Names of one kind: those that the last component of a pattern matches.
#[derive(Debug)]
pub struct Names {
    /// As it is written, braces and all.
    pub text: String,
    components: Vec<Component>,
}

impl Names {
    fn new(text: String) -> Self {
        let parse = |text: &[u8]| Component::parse(text);
        let alternatives = braces::alternatives(text.as_bytes()).unwrap_or_default();
        let mut components: Vec<Component> = alternatives.iter().map(|one| parse(one)).collect();
        if components.is_empty() {
            components.push(parse(text.as_bytes()));
        }
        Self { text, components }
    }

    /// Whether a name is one of them.
    pub fn hold(&self, name: &[u8]) -> bool {
        self.components.iter().any(|one| one.matches(name))
    }
}

/// What is looked for.
#[derive(Debug)]
pub struct Sought {
    /// The names.
    pub names: Names,
    /// The same for names that begin with a dot, where that makes a difference.
    pub hidden: Option<Names>,
    /// The same in lower case.
    pub folded: Names,
    /// Whether only regular files count.
    pub files_only: bool,
}

impl Sought {
    /// Names that `text` matches, a component or several in braces.
    pub fn new(text: &str, files_only: bool) -> Self {
        let mut text = text.to_owned();
        while text.contains("**") {
            text = text.replace("**", "*");
        }
        let hidden = text.starts_with(['*', '?', '[']).then(|| {
            Names::new(match &*text {
                // Neither the directory itself nor the one above.
                "*" => ".[!.]*".to_owned(),
                text => format!(".{text}"),
            })
        });
        Self {
            hidden,
            folded: Names::new(text.to_ascii_lowercase()),
            names: Names::new(text),
            files_only,
        }
    }

    /// Whether every name is meant.
    pub fn is_every_name(&self) -> bool {
        self.names.text == "*"
    }

    /// Whether more than one name is meant.
    pub fn is_wild(&self) -> bool {
        let name = |one: &Component| matches!(one, Component::Name(_));
        !self.names.components.iter().all(name)
    }
}
