//! The character classes of C.UTF-8, in the syntax of the `regex` crate and
//! without the line feed. Rules: glibc's `localedata/locales/i18n_ctype`, that
//! is Unicode's properties with alphabetic taking in every digit beyond ASCII,
//! blanks leaving out those that forbid a break, and `punct` being all that is
//! graphic and not alphanumeric. Characters newer than glibc's tables are
//! classed as Unicode classes them.

use super::ast::Class;

/// What stands for the class inside brackets, and what it costs, in the units of
/// `translate`.
pub(super) fn members(class: Class, fold: bool) -> (&'static str, usize) {
    match class {
        Class::Digit => ("0-9", 1),
        Class::Xdigit => ("0-9A-Fa-f", 3),
        Class::Blank => (
            r"\t \x{1680}\x{2000}-\x{2006}\x{2008}-\x{200A}\x{205F}\x{3000}",
            8,
        ),
        Class::Space => (
            r"\t\x0B-\r \x{1680}\x{2000}-\x{2006}\x{2008}-\x{200A}\x{2028}\x{2029}\x{205F}\x{3000}",
            10,
        ),
        Class::Cntrl => (r"\x00-\x09\x0B-\x1F\x7F-\x{9F}\x{2028}\x{2029}", 5),
        Class::Alnum => (r"\p{Alphabetic}\p{Nd}", BIG),
        Class::Word => (r"\p{Alphabetic}\p{Nd}_", BIG),
        // Without case there is no difference between large and small.
        Class::Upper | Class::Lower if fold => (ALPHA, BIG),
        Class::Alpha => (ALPHA, BIG),
        Class::Upper => (r"\p{Uppercase}\p{Lt}", BIG),
        Class::Lower => (r"\p{Lowercase}\x{01C5}\x{01C8}\x{01CB}\x{01F2}", BIG),
        Class::Graph => (r"[^\p{Cc}\p{Cn}\p{Z}]\x{A0}\x{2007}\x{202F}", BIG),
        Class::Print => (r"[^\p{Cc}\p{Cn}\p{Zl}\p{Zp}]", BIG),
        Class::Punct => (
            r"[^\p{Cc}\p{Cn}\p{Z}\p{Alphabetic}\p{Nd}]\x{A0}\x{2007}\x{202F}",
            BIG,
        ),
    }
}

const ALPHA: &str = r"[\p{Alphabetic}\p{Nd}--0-9]";
const BIG: usize = 500;
