//! Formulas of `MathML` and office documents as one line of text: `(a+b)/2`, `x^2`, `√x`.
//!
//! Rules: `MathML` Core, `mfenced` of `MathML` 3, and ISO/IEC 29500-1, 22.1. An element with an
//! unexpected number of arguments reads as its parts in a row.

use self::FormulaLayout::{List, Omitted, Prescripts, Properties, Row, Scripts, Template, Token};
use crate::xml::{XmlEvent, XmlReader, XmlTag, is_true};

/// Maximum number of open elements with a layout of their own, because each copies its contents.
const MAX_DEPTH: usize = 64;

/// Template of a radical whose first argument, the degree, may be empty.
const RADICAL: &str = "b^(1/a)";

/// The mark between the scripts after a base and those before it, which no text has.
const PRESCRIPTS: &str = "\u{fdd0}";

#[derive(Clone, Copy, PartialEq, Eq)]
enum FormulaLayout {
    Token,
    Row,
    /// One line in which `a`, `b` and `c` mean the arguments and `*` the first sign.
    Template(&'static str),
    /// The arguments with the three signs before, between and after them.
    List,
    /// A base and pairs of scripts after it, of which those behind [`Prescripts`] stand before it.
    Scripts,
    Prescripts,
    /// Elements that change the layout of the element around them.
    Properties,
    Omitted,
}

/// Returns the layout of an element and its default signs; `None` for an unknown name.
fn find_layout(name: &str) -> Option<(FormulaLayout, [&'static str; 3])> {
    Some(match name {
        "mi" | "mn" | "mo" | "mtext" | "ms" | "mspace" | "none" | "t" => (Token, [""; 3]),
        "mrow" | "mstyle" | "mpadded" | "semantics" | "menclose" | "mtd" => (Row, [""; 3]),
        "mfrac" | "f" => (Template("a/b"), [""; 3]),
        "msqrt" => (Template("√a"), [""; 3]),
        "mroot" => (Template("a^(1/b)"), [""; 3]),
        "rad" => (Template(RADICAL), [""; 3]),
        "msub" | "munder" | "sSub" | "limLow" => (Template("a_b"), [""; 3]),
        "msup" | "mover" | "sSup" | "limUpp" => (Template("a^b"), [""; 3]),
        "msubsup" | "munderover" | "sSubSup" => (Template("a_b^c"), [""; 3]),
        "mmultiscripts" => (Scripts, [""; 3]),
        "mprescripts" => (Prescripts, [""; 3]),
        "sPre" => (Template("_a^b c"), [""; 3]),
        "nary" => (Template("*_a^b c"), ["∫", "", ""]),
        "acc" => (Template("a*"), ["\u{302}", "", ""]),
        "bar" => (Template("a*"), ["\u{af}", "", ""]),
        "mfenced" => (List, ["(", ", ", ")"]),
        "d" => (List, ["(", "|", ")"]),
        "mtable" | "m" | "eqArr" => (List, ["", "; ", ""]),
        "mtr" | "mr" => (List, ["", ", ", ""]),
        "annotation" | "annotation-xml" | "mphantom" | "maligngroup" | "malignmark" | "del"
        | "moveFrom" => (Omitted, [""; 3]),
        _ if name.ends_with("Pr") => (Properties, [""; 3]),
        _ => return None,
    })
}

/// Reads the contents of a `math` element; `None` if its plain text says the same, or if it holds
/// an unknown element.
pub fn read_mathml(elements: &str, is_hidden: fn(&XmlTag<'_>) -> bool) -> Option<String> {
    let mut xml = XmlReader::new(elements, None);
    let mut reader = FormulaReader::new(&mut xml, is_hidden);
    let text = reader.read(0, &mut FormulaElement::new(Row, [""; 3])).text;
    let tells_more = reader.is_known && reader.has_layout && !text.is_empty();
    (tells_more && !xml.is_broken).then_some(text)
}

/// Reads the rest of the `oMath` element that was opened last.
pub fn read_omml(xml: &mut XmlReader<'_>) -> String {
    let level = xml.depth();
    let mut reader = FormulaReader::new(xml, |_| false);
    let row = &mut FormulaElement::new(Row, [""; 3]);
    reader.read(level, row).text
}

struct FormulaReader<'x, 'a> {
    xml: &'x mut XmlReader<'a>,
    is_hidden: fn(&XmlTag<'_>) -> bool,
    /// Number of open elements with a layout of their own.
    depth: usize,
    /// True if an element was laid out in another way than in a row.
    has_layout: bool,
    /// True if all elements are known and all text is in tokens.
    is_known: bool,
}

impl<'x, 'a> FormulaReader<'x, 'a> {
    fn new(xml: &'x mut XmlReader<'a>, is_hidden: fn(&XmlTag<'_>) -> bool) -> Self {
        Self {
            xml,
            is_hidden,
            depth: 0,
            has_layout: false,
            is_known: true,
        }
    }

    /// Reads the contents of the `level`-th open element.
    fn read(&mut self, level: usize, element: &mut FormulaElement) -> FormulaPart {
        let (mut parts, mut token) = (Vec::new(), String::new());
        while let Some(event) = self.xml.within(level) {
            match event {
                XmlEvent::Text(text) if element.layout == Token => token.push_str(&text),
                XmlEvent::Text(text) => self.is_known &= text.trim().is_empty(),
                XmlEvent::Open(tag) if (self.is_hidden)(&tag) => self.xml.skip(),
                XmlEvent::Open(tag) => parts.extend(self.open(&tag, element)),
                XmlEvent::Close => {}
            }
        }
        let takes = match element.layout {
            Template(template) if template.contains('c') => parts.len() == 3,
            Template(template) if template.contains('b') => parts.len() == 2,
            Template(_) | List | Scripts => true,
            _ => false,
        };
        self.has_layout |= takes;
        match element.layout {
            Scripts => FormulaPart::compound(lay_out_scripts(&parts)),
            Prescripts => FormulaPart::from_token(PRESCRIPTS),
            Token => FormulaPart::from_token(&token),
            _ if takes => element.lay_out(parts),
            _ => FormulaPart::from_row(parts),
        }
    }

    /// Reads the element that `tag` opens; `None` if it is no part of its own of the one around it.
    fn open(&mut self, tag: &XmlTag<'_>, around: &mut FormulaElement) -> Option<FormulaPart> {
        let known_layout = find_layout(tag.name());
        self.is_known &= known_layout.is_some();
        let (layout, signs) = known_layout.unwrap_or((Row, [""; 3]));
        let level = self.xml.depth();
        // A row within a row is a part of it, unless it can be hidden by itself.
        let joins = match around.layout {
            Token => true,
            Row if layout == Row => !matches!(tag.name(), "r" | "phant"),
            _ => layout != Token && self.depth == MAX_DEPTH,
        };
        match layout {
            Omitted => self.xml.skip(),
            Properties => {
                while let Some(property) = self.xml.tag_within(level) {
                    let value = property.attribute("val").unwrap_or_default();
                    around.set_property(property.name(), &value);
                }
            }
            _ if joins => {}
            _ => {
                let mut element = FormulaElement::new(layout, signs);
                for name in ["linethickness", "open", "close"] {
                    if let Some(value) = tag.attribute(name) {
                        element.set_property(name, value.trim());
                    }
                }
                self.depth += 1;
                let part = self.read(level, &mut element);
                self.depth -= 1;
                return (!element.is_hidden).then_some(part);
            }
        }
        None
    }
}

/// Returns a base between the scripts before and after it: `_6^14 C`, `C_6`.
fn lay_out_scripts(parts: &[FormulaPart]) -> String {
    let Some((base, scripts)) = parts.split_first() else {
        return String::new();
    };
    let middle = scripts.iter().position(|part| part.text == PRESCRIPTS);
    let (after, before) = scripts.split_at(middle.unwrap_or(scripts.len()));
    let join = |scripts: &[FormulaPart]| {
        let mut text = String::new();
        for (part, mark) in scripts.iter().zip(["_", "^"].into_iter().cycle()) {
            if !part.text.is_empty() {
                text = text + mark + &part.to_bracketed();
            }
        }
        text
    };
    let before = join(before.get(1..).unwrap_or_default());
    let space = if before.is_empty() { "" } else { " " };
    before + space + &base.to_bracketed() + &join(after)
}

struct FormulaElement {
    layout: FormulaLayout,
    signs: [String; 3],
    is_hidden: bool,
}

impl FormulaElement {
    fn new(layout: FormulaLayout, signs: [&str; 3]) -> Self {
        Self {
            layout,
            signs: signs.map(str::to_owned),
            is_hidden: false,
        }
    }

    fn set_property(&mut self, name: &str, value: &str) {
        match name {
            "chr" | "begChr" | "open" => value.clone_into(&mut self.signs[0]),
            "sepChr" => value.clone_into(&mut self.signs[1]),
            "endChr" | "close" => value.clone_into(&mut self.signs[2]),
            "pos" if value == "bot" => "\u{332}".clone_into(&mut self.signs[0]),
            "type" if value == "noBar" => self.layout = Template("a over b"),
            "linethickness" if value.starts_with('0') => self.layout = Template("a over b"),
            "vanish" => self.is_hidden |= is_true(value),
            "show" => self.is_hidden |= !is_true(value),
            _ => {}
        }
    }

    fn lay_out(&self, mut parts: Vec<FormulaPart>) -> FormulaPart {
        let [before, between, after] = &self.signs;
        let Template(mut template) = self.layout else {
            let parts: Vec<_> = parts.into_iter().map(|part| part.text).collect();
            return FormulaPart::compound([before, &*parts.join(between), after].concat());
        };
        if !template.contains('b') {
            parts = vec![FormulaPart::from_row(parts)];
        } else if template == RADICAL && parts.iter().any(|part| part.text.is_empty()) {
            template = "√b";
        }
        let argument = |letter| parts.get("abc".find(letter)?);
        let mut text = String::new();
        for (offset, c) in template.char_indices() {
            let next = template[offset + c.len_utf8()..].chars().next();
            match (c, argument(c)) {
                (_, Some(part)) => text.push_str(&part.to_bracketed()),
                ('*', _) => text.push_str(before),
                ('^' | '_', _) if next.and_then(argument).is_some_and(FormulaPart::is_accent) => {}
                _ => text.push(c),
            }
        }
        FormulaPart::compound(text.trim_end().to_owned())
    }
}

struct FormulaPart {
    text: String,
    /// True for one number, name or sign.
    is_token: bool,
}

impl FormulaPart {
    fn compound(text: String) -> Self {
        let is_token = false;
        Self { text, is_token }
    }

    fn from_token(text: &str) -> Self {
        // Function application and the invisible operators have no glyph.
        let visible = text.replace(|c| matches!(c, '\u{2061}'..='\u{2064}'), "");
        let text = visible.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_number = text.chars().all(|c| c.is_numeric() || ".,".contains(c));
        let is_name = text.chars().all(char::is_alphabetic);
        let is_token = is_number || is_name || text.chars().nth(1).is_none();
        Self { text, is_token }
    }

    fn from_row(mut parts: Vec<Self>) -> Self {
        parts.retain(|part| !part.text.is_empty());
        if parts.len() == 1 {
            return parts.remove(0);
        }
        let mut text = String::new();
        for (index, part) in parts.iter().enumerate() {
            if index > 0 && parts[index - 1].needs_space_before(part) {
                text.push(' ');
            }
            text.push_str(&part.text);
        }
        Self::compound(text)
    }

    /// Returns the text, in brackets unless it is one token or has them already.
    fn to_bracketed(&self) -> String {
        if self.is_token || self.text.is_empty() || is_in_brackets(&self.text) {
            return self.text.clone();
        }
        format!("({})", self.text)
    }

    /// True if the two would read as one name, number, product or denominator.
    fn needs_space_before(&self, next: &Self) -> bool {
        let ends = (self.text.chars().next_back(), next.text.chars().next());
        let (Some(end), Some(start)) = ends else {
            return false;
        };
        let fraction = [self, next]
            .iter()
            .any(|part| !part.is_token && part.text.contains('/'));
        let long = [self, next]
            .iter()
            .any(|part| part.text.chars().nth(1).is_some());
        let touches = (end.is_alphanumeric() || fraction && ")]}".contains(end))
            && (start.is_alphanumeric() || fraction && "([{√∑∏∫".contains(start));
        let names = long && end.is_alphabetic() && start.is_alphabetic();
        let numbers = end.is_numeric() && start.is_numeric();
        touches && (names || numbers || !self.is_token || !next.is_token)
    }

    /// True if the text consists of bars, arrows and primes, which need no `^` before them.
    fn is_accent(&self) -> bool {
        let is_accent = |c| {
            "'^~¨¯´ˆˇ˘˙˜→‾′″‴".contains(c)
                || matches!(c, '\u{300}'..='\u{36f}' | '\u{20d0}'..='\u{20ff}')
        };
        self.text.chars().all(is_accent)
    }
}

/// True if the last character closes the bracket that the first one opens.
fn is_in_brackets(text: &str) -> bool {
    let mut depth = 0_usize;
    let end = text.find(|c| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    });
    end.is_some_and(|end| end > 0 && end + 1 == text.len())
}
