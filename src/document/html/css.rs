//! The declarations of a `style` attribute, and which of them counts.
//!
//! Rules: CSS Cascading 4 (`!important`, the last one counts), CSS Display 3, CSS 2, 11.2, CSS
//! Variables 1 and CSS Environment Variables 1. The grammar (CSS Syntax 3) is `cssparser`'s.

use cssparser::{
    AtRuleParser, CowRcStr, DeclarationParser, Delimiter, ParseError, Parser, ParserInput,
    ParserState, QualifiedRuleParser, RuleBodyItemParser, RuleBodyParser, Token, parse_important,
};

/// What a `style` attribute makes of `property`, in lower case: the words of the last declaration
/// that is `valid`, or of the last important one. Of one that counts, but whose value is not known
/// here, nothing.
pub(super) fn value(style: &str, property: &str, valid: impl Fn(&str) -> bool) -> Option<String> {
    let mut found = Declaration::default();
    let mut input = ParserInput::new(style);
    let mut parser = Parser::new(&mut input);
    while let Some(declaration) = next(&mut parser, property) {
        let counts = match &declaration.value {
            Value::Words(words) => valid(words),
            Value::Variable => true,
            Value::Other => false,
        };
        if counts && (declaration.important || !found.important) {
            found = declaration;
        }
    }
    match found.value {
        Value::Words(words) => Some(words),
        Value::Variable | Value::Other => None,
    }
}

/// The next thing in a style: what a declaration of `property` declares, and of all else, nothing.
///
/// A `}` that closes nothing begins a declaration that is none, to the next semicolon: so does the
/// browser that most people have, whereas `cssparser` looks for a declaration directly behind it.
fn next(parser: &mut Parser<'_, '_>, property: &str) -> Option<Declaration> {
    let start = parser.state();
    match parser.next().ok()? {
        Token::Semicolon => return Some(Declaration::default()),
        Token::CloseCurlyBracket => {
            let none = |_: &mut Parser<'_, '_>| -> Result<(), ParseError<'_, ()>> { Ok(()) };
            // What is not read to its end is an error, and passed over all the same.
            let _ = parser.parse_until_after(Delimiter::Semicolon, none);
            return Some(Declaration::default());
        }
        _ => parser.reset(&start),
    }
    let declaration = RuleBodyParser::new(parser, &mut Of(property)).next()?;
    Some(declaration.unwrap_or_default())
}

/// Whether this attribute leaves the element without a box.
pub(super) fn removes(style: &str) -> bool {
    value(style, "display", is_display).is_some_and(|value| value == "none")
}

/// Whether this attribute leaves the element without a box, or its box unseen.
pub fn hides(style: &str) -> bool {
    removes(style)
        || value(style, "visibility", is_visibility)
            .is_some_and(|value| matches!(&*value, "hidden" | "collapse"))
}

fn is_display(value: &str) -> bool {
    is_wide(value)
        || matches!(
            value,
            "none"
                | "contents"
                | "inline-block"
                | "inline-table"
                | "inline-flex"
                | "inline-grid"
                | "table-row-group"
                | "table-header-group"
                | "table-footer-group"
                | "table-row"
                | "table-cell"
                | "table-column-group"
                | "table-column"
                | "table-caption"
                | "ruby-base"
                | "ruby-text"
                | "-webkit-box"
                | "-webkit-inline-box"
                | "-webkit-flex"
                | "-webkit-inline-flex"
        )
        || is_box(value)
}

/// Whether this is `[outside || inside] | [outside? && [flow | flow-root]? && list-item]`.
fn is_box(value: &str) -> bool {
    let (mut outside, mut inside, mut item) = (0, None, 0);
    for word in value.split_ascii_whitespace() {
        match word {
            "block" | "inline" => outside += 1,
            "list-item" => item += 1,
            "flow" | "flow-root" | "table" | "flex" | "grid" | "ruby" | "math"
                if inside.is_none() =>
            {
                inside = Some(word);
            }
            _ => return false,
        }
    }
    let flows = matches!(inside, None | Some("flow" | "flow-root"));
    (outside == 1 || inside.is_some() || item == 1)
        && outside <= 1
        && item <= 1
        && (item == 0 || flows)
}

fn is_visibility(value: &str) -> bool {
    is_wide(value) || matches!(value, "visible" | "hidden" | "collapse")
}

fn is_wide(value: &str) -> bool {
    matches!(
        value,
        "inherit" | "initial" | "unset" | "revert" | "revert-layer"
    )
}

/// What is declared of a property.
#[derive(Default)]
struct Declaration {
    value: Value,
    important: bool,
}

#[derive(Default)]
enum Value {
    /// In lower case, with a space between two.
    Words(String),
    /// One that a variable takes part in, as in `var(--x)` and `env(x)`.
    Variable,
    #[default]
    Other,
}

/// Reads what is declared of this property.
struct Of<'a>(&'a str);

impl<'i> DeclarationParser<'i> for Of<'_> {
    type Declaration = Declaration;
    type Error = ();

    fn parse_value<'t>(
        &mut self,
        name: CowRcStr<'i>,
        input: &mut Parser<'i, 't>,
        _start: &ParserState,
    ) -> Result<Declaration, ParseError<'i, ()>> {
        if !name.eq_ignore_ascii_case(self.0) {
            return Err(input.new_custom_error(()));
        }
        let mut words = String::new();
        let (mut other, mut variable, mut important) = (false, false, false);
        loop {
            // It ends the value; what follows it makes that invalid.
            if input.try_parse(parse_important).is_ok() {
                important = true;
                other |= !input.is_exhausted();
            }
            match input.next() {
                Ok(Token::Ident(word)) => {
                    if !words.is_empty() {
                        words.push(' ');
                    }
                    words.push_str(&word.to_ascii_lowercase());
                }
                Ok(token) => {
                    other = true;
                    let token = token.clone();
                    variable |= names_variable(&token, input, 0);
                }
                Err(_) => break,
            }
        }
        let value = if variable {
            Value::Variable
        } else if other || words.is_empty() {
            Value::Other
        } else {
            Value::Words(words)
        };
        Ok(Declaration { value, important })
    }
}

impl AtRuleParser<'_> for Of<'_> {
    type Prelude = ();
    type AtRule = Declaration;
    type Error = ();
}

impl QualifiedRuleParser<'_> for Of<'_> {
    type Prelude = ();
    type QualifiedRule = Declaration;
    type Error = ();
}

impl RuleBodyItemParser<'_, Declaration, ()> for Of<'_> {
    fn parse_declarations(&self) -> bool {
        true
    }

    fn parse_qualified(&self) -> bool {
        false
    }
}

/// How deep in brackets a variable is looked for: each level is one of the stack.
const MAX_DEPTH: u8 = 32;

/// Whether the token that was read last begins a call of `var()` or `env()`, or something that
/// holds one.
fn names_variable(token: &Token<'_>, input: &mut Parser<'_, '_>, depth: u8) -> bool {
    let prefix = match token {
        Token::Function(name) if name.eq_ignore_ascii_case("var") => Some("--"),
        Token::Function(name) if name.eq_ignore_ascii_case("env") => Some(""),
        Token::Function(_) | Token::ParenthesisBlock | Token::SquareBracketBlock => None,
        _ => return false,
    };
    if depth == MAX_DEPTH {
        return false;
    }
    let found = input.parse_nested_block(|input| -> Result<bool, ParseError<'_, ()>> {
        let mut prefix = prefix;
        let mut found = false;
        while let Ok(token) = input.next() {
            let token = token.clone();
            found |= prefix.take().is_some_and(
                |prefix| matches!(&token, Token::Ident(name) if name.starts_with(prefix)),
            );
            found |= names_variable(&token, input, depth + 1);
        }
        Ok(found)
    });
    found.unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_an_element_is_read_as_browsers_read_it() {
        for style in [
            "display:none",
            "color: red; DISPLAY : NONE !important",
            "/* */display/**/:/* ; */none",
            "visibility: hidden",
            "visibility:collapse",
            "display:block;display:none",
            "display:none;display:bogus",
            "display:none;display:none none",
            "display:none;display:block inline",
            "display:none;display:flow flex",
            "display:none;display:list-item list-item",
            "display:none;display:flex list-item",
            "display:none;display:\"block\"",
            "display:none!important;display:block",
            "display:none ! IMPORTANT ;display:block",
            "d\\69splay:none",
            "\\44 isplay:\\6e\\6f\\00006e\\65",
            "d\\isplay:none;display:none",
            "background:url(a'b;c);display:none",
            "background:url(data:*/*;base64,AA);display:none",
            "content:'\\';';display:none",
            "x:(;);display:none",
            "@x{a;b}display:none",
            "@x;display:none",
            "x:'a\\\r\n;display:block;';display:none",
            "x:\"\rdisplay:block;display:none",
            "display\x0c:\rnone",
            "display:none;display:myvar(--x)",
            "display:none;display:var(x)",
            "display:none;display:x(var(-->y))",
            "display:none;display:env(\"x\")",
            "display:none;display:var(\"--x\")",
            "x:'\\1234567\n;display:none",
            "display:none;}display:block",
            "display:none;; } display:block",
            "display:none;} ;display:none;}",
            "color:red};display:none",
        ] {
            assert!(hides(style), "{style}");
        }
        for style in [
            "",
            "display:none;display:block",
            "display:none;display:inline flow-root",
            "display:none;display:flex block",
            "display:none;display:list-item inline flow",
            "display:none;display:revert",
            "display:none;display:var(--x)",
            "display:none;display:env(x)",
            "display:none!important;display:block!important",
            "display:none x",
            "display:none!x",
            "dis/* */play:none",
            "content:'display none'",
            "content:\";display:none;\"",
            "content:\"\\\";display:none;\"",
            "x:(;display:none;)",
            "background:url(;display:none;)",
            "--display:none",
            "*display:none",
            "x:myurl(a'b;c);display:none",
            "x:#url(';);display:none",
            "display\u{a0}:none",
            "display:none\u{b}",
            "display:none;display:x(var( --y))",
            "display\\:none",
            "/*display:none",
            "}display:none",
            "color:red;/* */}display:none",
            "};display:none;}display:none;display:block",
            // The line feed belongs to the escape.
            "x:'\\41\n;display:none",
            "x:'\\dD2\x0c;display:none",
        ] {
            assert!(!hides(style), "{style}");
        }
    }

    #[test]
    fn the_last_declaration_of_a_property_counts() {
        let style = "text-align: left; Text-Align : RIGHT ";
        let any = |_: &str| true;
        assert_eq!(value(style, "text-align", any).as_deref(), Some("right"));
        assert_eq!(value(style, "color", any), None);
    }
}
