//! Formulas put together in one line, as they would be typed: `(a+b)/2`, `x^2`, `√x`.
//!
//! Rules: `^` and `_` before what stands above and below, and brackets around what could be taken
//! apart. Readers of elements that draw formulas tell this what each holds.

/// A part of a formula.
pub(super) struct Part {
    pub(super) text: String,
    shape: Shape,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// A number, a name or a sign.
    Token,
    Fraction,
    /// What has brackets around it.
    Brackets,
    Other,
}

/// How the parts of an element belong together.
pub(super) enum Layout {
    /// In a line.
    Row,
    /// One above the other; what is written between the two.
    Fraction(&'static str),
    SquareRoot,
    /// What a root is drawn of, and which one.
    Root,
    /// Something, and others above or below it, each with its mark.
    Scripts(&'static [char]),
    /// With something before, between and behind them.
    Fenced([String; 3]),
}

impl Layout {
    /// In a line, with this between them.
    pub(super) fn parted_by(separator: &str) -> Self {
        Self::Fenced(["", separator, ""].map(str::to_owned))
    }

    /// Whether it can lay out so many parts.
    pub(super) fn takes(&self, parts: usize) -> bool {
        match self {
            Self::Row | Self::SquareRoot | Self::Fenced(_) => true,
            Self::Fraction(_) | Self::Root => parts == 2,
            Self::Scripts(marks) => parts == 1 + marks.len(),
        }
    }

    pub(super) fn is_row(&self) -> bool {
        matches!(self, Self::Row)
    }
}

impl Part {
    /// A number, a name or a sign, without the characters that nobody sees.
    pub(super) fn token(text: &str) -> Self {
        let mut seen = String::with_capacity(text.len());
        for c in text.chars() {
            match c {
                '\u{2061}'..='\u{2064}' => {}
                c if !c.is_whitespace() => seen.push(c),
                _ if seen.is_empty() || seen.ends_with(' ') => {}
                _ => seen.push(' '),
            }
        }
        let text = seen.trim_end().to_owned();
        let one = text.chars().nth(1).is_none();
        let number = text
            .chars()
            .all(|c| c.is_numeric() || matches!(c, '.' | ','));
        let whole = one || number || text.chars().all(char::is_alphabetic);
        let shape = if whole { Shape::Token } else { Shape::Other };
        Self { text, shape }
    }

    /// These parts as one; in a row, if the layout wants more or fewer of them.
    pub(super) fn of(layout: &Layout, parts: Vec<Self>) -> Self {
        let takes = layout.takes(parts.len());
        let mut parts = parts.into_iter();
        let mut bracketed = || parts.next().map_or_else(String::new, Self::bracketed);
        let (text, shape) = match layout {
            Layout::Fraction(line) if takes => (bracketed() + line + &bracketed(), Shape::Fraction),
            Layout::Root if takes => (bracketed() + "^(1/" + &bracketed() + ")", Shape::Other),
            Layout::Scripts(marks) if takes => {
                let mut text = bracketed();
                for (mark, script) in marks.iter().zip(parts) {
                    if !script.text.chars().all(is_accent) {
                        text.push(*mark);
                    }
                    text.push_str(&script.bracketed());
                }
                (text, Shape::Other)
            }
            Layout::SquareRoot => ("√".to_owned() + &Self::row(parts).bracketed(), Shape::Other),
            Layout::Fenced([before, between, behind]) => {
                let parts: Vec<_> = parts.map(|part| part.text).collect();
                let text = [before, &*parts.join(between), behind].concat();
                let shape = shape(&text);
                (text, shape)
            }
            Layout::Row | Layout::Fraction(_) | Layout::Root | Layout::Scripts(_) => {
                return Self::row(parts);
            }
        };
        Self { text, shape }
    }

    /// Parts that run in a line.
    pub(super) fn row(mut parts: impl ExactSizeIterator<Item = Self>) -> Self {
        if parts.len() == 1
            && let Some(only) = parts.next()
        {
            return only;
        }
        let mut text = String::new();
        let mut last: Option<Self> = None;
        for part in parts.filter(|part| !part.text.is_empty()) {
            if last.is_some_and(|last| last.is_apart_from(&part)) {
                text.push(' ');
            }
            text.push_str(&part.text);
            last = Some(part);
        }
        let shape = shape(&text);
        Self { text, shape }
    }

    /// Its text, in brackets if it could be taken apart.
    fn bracketed(self) -> String {
        match self.shape {
            Shape::Token | Shape::Brackets => self.text,
            Shape::Fraction | Shape::Other => ["(", &self.text, ")"].concat(),
        }
    }

    /// Whether this and the `next` one would run into one.
    fn is_apart_from(&self, next: &Self) -> bool {
        let ends = (self.text.chars().next_back(), next.text.chars().next());
        let (Some(end), Some(start)) = ends else {
            return false;
        };
        let fraction = self.shape == Shape::Fraction || next.shape == Shape::Fraction;
        let runs_on = end.is_alphanumeric() || (fraction && ")]}".contains(end));
        let goes_on = start.is_alphanumeric() || (fraction && "([{√∑∏∫".contains(start));
        let tokens = self.shape == Shape::Token && next.shape == Shape::Token;
        // A product of letters is no name, and a name no product.
        let long = |part: &Self| part.text.chars().nth(1).is_some();
        let names = end.is_alphabetic() && start.is_alphabetic() && (long(self) || long(next));
        let numbers = end.is_numeric() && start.is_numeric();
        runs_on && goes_on && (!tokens || names || numbers)
    }
}

/// Whether a sign above or behind another is a part of it: a bar, an arrow, a prime.
fn is_accent(sign: char) -> bool {
    matches!(sign, '\'' | '^' | '~' | '¨' | '¯' | '´' | 'ˆ' | 'ˇ' | '˘' | '˙' | '˜' | '→' | '‾'
        | '\u{300}'..='\u{36f}' | '\u{2032}'..='\u{2034}' | '\u{20d0}'..='\u{20ff}')
}

fn shape(text: &str) -> Shape {
    if text.is_empty() {
        Shape::Token
    } else if is_in_brackets(text) {
        Shape::Brackets
    } else {
        Shape::Other
    }
}

/// Whether the first character is a bracket that the last one closes.
fn is_in_brackets(text: &str) -> bool {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at > 0 && at + c.len_utf8() == text.len();
        }
    }
    false
}
