//! A `style` attribute hides what it hides as `cssparser` reads it: the declarations by the grammar
//! of CSS Syntax 3, and which of them counts by the cascade.

use cssparser::{
    AtRuleParser, CowRcStr, DeclarationParser, ParseError, Parser, ParserInput, ParserState,
    QualifiedRuleParser, RuleBodyItemParser, RuleBodyParser, Token, parse_important,
};
use ikigai_tools::document::fuzzing::hides;

pub fn check(style: &str) {
    // Of rules within an attribute browsers think differently, and a NUL comes from no page: its
    // parser has U+FFFD for it.
    if style.contains(['{', '}', '\0']) {
        return;
    }
    let mut input = ParserInput::new(style);
    let mut parser = Parser::new(&mut input);
    let mut reader = Reader;
    let (mut display, mut visibility) = (Counted::default(), Counted::default());
    for declaration in RuleBodyParser::new(&mut parser, &mut reader).flatten() {
        match &*declaration.name {
            "display" => display.take(declaration, valid_display),
            "visibility" => visibility.take(declaration, valid_visibility),
            _ => {}
        }
    }
    let hidden = matches!(display.value.as_deref(), Some("none"))
        || matches!(visibility.value.as_deref(), Some("hidden" | "collapse"));
    assert_eq!(
        hides(style),
        hidden,
        "{style:?}: {:?}, {:?}",
        display.value,
        visibility.value
    );
}

struct Declaration {
    name: String,
    /// Its tokens with a space between; none where one of them is in no value of these properties.
    value: Option<String>,
    important: bool,
}

#[derive(Default)]
struct Counted {
    value: Option<String>,
    important: bool,
}

impl Counted {
    fn take(&mut self, declaration: Declaration, valid: fn(&str) -> bool) {
        let Some(value) = declaration.value else {
            return;
        };
        if (self.important && !declaration.important) || !(value.contains("var(") || valid(&value))
        {
            return;
        }
        *self = Self {
            value: Some(value),
            important: declaration.important,
        };
    }
}

const WIDE: &[&str] = &["inherit", "initial", "unset", "revert", "revert-layer"];

fn valid_visibility(value: &str) -> bool {
    WIDE.contains(&value) || matches!(value, "visible" | "hidden" | "collapse")
}

/// CSS Display 3, section 2, where browsers have it, and their older names.
fn valid_display(value: &str) -> bool {
    const ALONE: &[&str] = &[
        "none",
        "contents",
        "inline-block",
        "inline-table",
        "inline-flex",
        "inline-grid",
        "table-row-group",
        "table-header-group",
        "table-footer-group",
        "table-row",
        "table-cell",
        "table-column-group",
        "table-column",
        "table-caption",
        "ruby-base",
        "ruby-text",
        "-webkit-box",
        "-webkit-inline-box",
        "-webkit-flex",
        "-webkit-inline-flex",
    ];
    const PARTS: &[&str] = &[
        "block",
        "inline",
        "flow",
        "flow-root",
        "table",
        "flex",
        "grid",
        "ruby",
        "math",
        "list-item",
    ];
    let parts: Vec<&str> = value.split(' ').collect();
    WIDE.contains(&value)
        || ALONE.contains(&value)
        || (parts.len() <= 3 && parts.iter().all(|part| PARTS.contains(part)))
}

fn is_var(token: &Token<'_>) -> bool {
    matches!(token, Token::Function(name) if name.eq_ignore_ascii_case("var"))
}

/// Whether the block that was entered, of `var()` or another one, names a variable.
fn names_variable(input: &mut Parser<'_, '_>, is_var: bool) -> bool {
    let inside = input.parse_nested_block(|input| -> Result<bool, ParseError<'_, ()>> {
        let (mut found, mut first) = (false, is_var);
        while let Ok(token) = input.next() {
            found |= first && matches!(token, Token::Ident(name) if name.starts_with("--"));
            first = false;
            let is_var = self::is_var(token);
            if matches!(
                token,
                Token::Function(_) | Token::ParenthesisBlock | Token::SquareBracketBlock
            ) {
                found |= names_variable(input, is_var);
            }
        }
        Ok(found)
    });
    inside.unwrap_or(false)
}

struct Reader;

impl<'i> DeclarationParser<'i> for Reader {
    type Declaration = Declaration;
    type Error = ();

    fn parse_value<'t>(
        &mut self,
        name: CowRcStr<'i>,
        input: &mut Parser<'i, 't>,
        _start: &ParserState,
    ) -> Result<Declaration, ParseError<'i, ()>> {
        let mut words: Vec<String> = Vec::new();
        let (mut good, mut important, mut variable) = (true, false, false);
        loop {
            let before = input.state();
            if input.try_parse(parse_important).is_ok() {
                important = true;
                if !input.is_exhausted() {
                    good = false;
                }
                while input.next().is_ok() {}
                break;
            }
            input.reset(&before);
            match input.next() {
                Ok(Token::Ident(word)) => words.push(word.to_ascii_lowercase()),
                Ok(token) => {
                    good = false;
                    let is_var = is_var(token);
                    if matches!(
                        token,
                        Token::Function(_) | Token::ParenthesisBlock | Token::SquareBracketBlock
                    ) {
                        variable |= names_variable(input, is_var);
                    }
                }
                Err(_) => break,
            }
        }
        let value = words.join(" ");
        let value = if variable {
            Some("var(".to_owned())
        } else {
            (good && !words.is_empty()).then_some(value)
        };
        Ok(Declaration {
            name: name.to_ascii_lowercase(),
            value,
            important,
        })
    }
}

impl AtRuleParser<'_> for Reader {
    type Prelude = ();
    type AtRule = Declaration;
    type Error = ();
}

impl QualifiedRuleParser<'_> for Reader {
    type Prelude = ();
    type QualifiedRule = Declaration;
    type Error = ();
}

impl RuleBodyItemParser<'_, Declaration, ()> for Reader {
    fn parse_declarations(&self) -> bool {
        true
    }

    fn parse_qualified(&self) -> bool {
        false
    }
}
