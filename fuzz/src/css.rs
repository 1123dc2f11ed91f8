//! A `style` attribute hides what it hides however it is spelled: with comments between its tokens,
//! in capitals, with every letter of a word escaped, behind a declaration of something else.
//!
//! Rules: CSS Syntax 3; a word means the same in every spelling.

use std::fmt::Write as _;

use cssparser::{ParseError, Parser, ParserInput, ToCss, Token};
use iki_html::hides;

pub fn check(style: &str) {
    let hidden = hides(style);
    let words = [
        "none", "hidden", "collapse", "opacity", "clip", "margin", "transform", "translate",
        "position", "display", "float",
    ];
    let lower = style.to_ascii_lowercase();
    assert!(
        !hidden || lower.contains('\\') || words.iter().any(|word| lower.contains(word)),
        "{style:?} hides with no word for it"
    );
    let behind = format!("color:red;{style}");
    assert_eq!(hides(&behind), hidden, "{style:?} behind another one");
    for spell in [capitals, escapes] {
        let mut input = ParserInput::new(style);
        let mut spelling = Spelling {
            out: String::new(),
            spell,
            sound: true,
        };
        spelling.tokens(&mut Parser::new(&mut input), 0);
        // What is no token has no other spelling.
        if spelling.sound {
            let other = spelling.out;
            assert_eq!(hides(&other), hidden, "{style:?} and {other:?}");
        }
    }
}

fn capitals(word: &str) -> String {
    word.to_ascii_uppercase()
}

fn escapes(word: &str) -> String {
    let escaped = |c: char| format!("\\{:06x}", u32::from(c));
    word.chars().map(escaped).collect()
}

struct Spelling {
    out: String,
    spell: fn(&str) -> String,
    /// Whether every token could be written again.
    sound: bool,
}

impl Spelling {
    fn tokens(&mut self, parser: &mut Parser<'_, '_>, depth: usize) {
        while let Ok(token) = parser.next_including_whitespace_and_comments() {
            let token = token.clone();
            let end = match &token {
                Token::Function(_) | Token::ParenthesisBlock => ")",
                Token::SquareBracketBlock => "]",
                Token::CurlyBracketBlock => "}",
                _ => "",
            };
            self.token(&token);
            if end.is_empty() {
                continue;
            }
            // Deeper than any page, where nothing is looked for either.
            self.sound &= depth < 30;
            let _ = parser.parse_nested_block(|parser| -> Result<(), ParseError<'_, ()>> {
                self.tokens(parser, depth + 1);
                Ok(())
            });
            self.out.push_str(end);
        }
    }

    fn token(&mut self, token: &Token<'_>) {
        let known = |word: &str| word.chars().all(|c| c.is_ascii_alphabetic());
        let _ = match token {
            Token::Ident(word) if known(word) => write!(self.out, "{}/**/", (self.spell)(word)),
            // In front of a string it is a function, and of anything else it is not.
            Token::Function(word) if word.eq_ignore_ascii_case("url") => {
                self.sound = false;
                Ok(())
            }
            Token::Function(word) if known(word) => write!(self.out, "{}(", (self.spell)(word)),
            Token::Ident(_)
            | Token::WhiteSpace(_)
            | Token::Comment(_)
            | Token::Colon
            | Token::Semicolon
            | Token::Comma
            | Token::QuotedString(_)
            | Token::Delim('!') => write!(self.out, "{}/**/", token.to_css_string()),
            Token::Function(_)
            | Token::ParenthesisBlock
            | Token::SquareBracketBlock
            | Token::CurlyBracketBlock => write!(self.out, "{}", token.to_css_string()),
            _ => {
                self.sound = false;
                Ok(())
            }
        };
    }
}
