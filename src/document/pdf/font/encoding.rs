//! Maps the codes of simple fonts to text, by the encodings that fonts name or have built in, and
//! by the names of glyphs.
//!
//! Rules: ISO 32000-2, annex D (character sets), 9.6.5 (encodings); the Adobe Glyph List and its
//! specification. `glyphs.txt` is that list without the characters that composite fonts encode by
//! other means (syllables, ideographs, presentation forms), with the names of TeX's fonts.

use std::collections::HashMap;

/// Adobe standard encoding from 0xA0 on; below it is ASCII but for the quotes.
const STANDARD: &str = concat!(
    "\0¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ\0–†‡·\0¶•‚„”»…‰\0¿\0`´ˆ˜¯˘˙¨\0˚¸\0˝˛ˇ—\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    "Æ\0ª\0\0\0\0ŁØŒº\0\0\0\0\0æ\0\0\0ı\0\0łøœß\0\0\0\0",
);

/// Mac OS Roman from 0x80 on; below it is ASCII.
const MAC_ROMAN: &str = concat!(
    "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»… ÀÃÕŒœ–—“”‘’÷◊",
    "ÿŸ⁄¤‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ",
);

/// Windows code page 1252 from 0x80 on, its gaps bullets; below it is ASCII.
const WIN_ANSI: &str = concat!(
    "€•‚ƒ„…†‡ˆ‰Š‹Œ•Ž••‘’“”•–—˜™š›œ•žŸ ¡¢£¤¥¦§¨©ª«¬-®¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×",
    "ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ",
);

/// The font Symbol from 0x20 on.
const SYMBOL: &str = concat!(
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧ∆ΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_αβχδεφγηιϕκλµνοπθρστυϖω",
    "ξψζ{|}∼\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0ϒ′≤⁄∞ƒ♣♢♡♠↔←↑",
    "→↓°±″≥×∝∂•÷≠≡≈…↕↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈∑|||\0〉∫⌠⌡|‖\0",
);

/// The font `ZapfDingbats` from 0x20 on.
const ZAPF_DINGBATS: &str = concat!(
    " ✁✂✃✄☎✆✇✈✉☛☞✌✍✎✏✐✑✒✓✔✕✖✗✘✙✚✛✜✝✞✟✠✡✢✣✤✥✦✧★✩✪✫✬✭✮✯✰✱✲✳✴✵✶✷✸✹✺✻✼✽✾✿❀❁❂❃❄❅❆❇❈❉❊❋●❍■❏❐❑❒▲▼◆❖◗",
    "❘❙❚❛❜❝❞\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0❡❢❣❤❥❦❧♣♦♥♠①②",
    "③④⑤⑥⑦⑧⑨⑩❶❷❸❹❺❻❼❽❾❿➀➁➂➃➄➅➆➇➈➉➊➋➌➍➎➏➐➑➒➓➔→↔↕➘➙➚➛➜➝➞➟➠➡➢➣➤➥➦➧➨➩➪➫➬➭➮➯\0➱➲➳➴➵➶➷➸➹➺➻➼➽➾\0",
);

/// Glyphs from 98 on of the fonts that come with Windows; from 3 on they are ASCII.
const WINDOWS_GLYPHS: &str = concat!(
    "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄",
    "€‹›‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔÒÚÛÙıˆ˜ˉ˘˙˚¸˝˛ˇŁłŠšŽž¦ÐðÝýÞþ−×¹²³½¼¾₣ĞğİŞşĆćČčđ¯\0ĂăĄąĎďĐĘęĚěĹĺĽľĿŀŃń",
    "ŇňŐőŔŕŘřŚśŢţŤťŮůŰűŹźŻżΓΘΦαδεστφ‗‼ⁿ₧←↑→↓↔↕↨∟∩≡⌂⌐⌠⌡─│┌┐└┘├┤┬┴┼═║╒╓╔╕╖╗╘╙╚╛╜╝╞╟╠╡╢╣╤╥╦╧╨╩╪╫╬▀",
    "▄█▌▐░▒▓■▬▲►▼◄○◘◙☺☻☼♀♂♠♣♥♦♪♫Ĳĳŉ′″℅ℓ□▪▫●◦ĀāĈĉĊċĒēĔĕĖėĜĝĠġĢģĤĥĦħĨĩĪīĬĭĮįĴĵĶķĸĻļŅņŊŋŌōŎŏŖŗŜŝŦŧ",
    "ŨũŪūŬŭŲųŴŵŶŷſǺǻǼǽǾǿ·ẀẁẂẃẄẅỲỳ‛‾₤℮⅛⅜⅝⅞΄΅ΆΈΉΊΌΎΏΐΑΒΔΕΖΗΙΚΛΜΝΞΟΠΡΣΤΥΧΨΩΪΫάέήίΰβγζηθικλμνξορς",
    "υχψωϊϋόύώЁЂЃЄЅІЇЈЉЊЋЌЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюяёђѓ",
    "єѕіїјљњћќўџҐґ―№",
);

/// Glyphs of Calibri: the first of each few beside one another, and the characters of these.
const CALIBRI_GLYPHS: (&[u32], &str) = (
    &[
        3, 17, 24, 28, 38, 44, 47, 58, 60, 62, 68, 75, 87, 89, 94, 100, 104, 115, 121, 127, 258,
        271, 282, 286, 296, 336, 346, 349, 361, 364, 367, 373, 381, 393, 395, 400, 410, 437, 448,
        454, 460, 842, 853, 859, 862, 876, 882, 884, 890, 894, 919, 923, 936, 951, 1004, 1081,
    ],
    concat!(
        " A\0BC\0D\0E\0FG\0H\0I\0J\0K\0L\0MN\0O\0P\0QR\0S\0T\0U\0VW\0XY\0Z\0a\0bc\0d\0e\0",
        "f\0g\0h\0i\0j\0k\0l\0mn\0o\0p\0qr\0s\0t\0u\0vw\0xy\0z\0!\0,;:.\0’\0“”\0/\0-\0–\0",
        "_•\0()\0\"&\0@\0$\0#\00123456789\0%"
    ),
);

/// Glyphs of Cambria.
const CAMBRIA_GLYPHS: (&[u32], &str) = (
    &[
        3, 131, 428, 481, 486, 491, 495, 498, 512, 514, 523, 820, 882, 938, 945,
    ],
    concat!(
        " ABCDEFGHIJKLMNOPQRSTUVWXYZ\0abcdefghijklmnopqrstuvwxyz\0&\0,;:.\0-\0?\0’\0“”\0/\0",
        "–\0()\0_'\00123456789\0+\0="
    ),
);

/// Names and their texts, one a line, sorted by bytes.
const GLYPHS: &str = include_str!("glyphs.txt");

/// A single-byte encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BaseEncoding {
    Standard,
    MacRoman,
    WinAnsi,
    Symbol,
    ZapfDingbats,
}

impl BaseEncoding {
    /// Returns the encoding of this name.
    pub(super) fn named(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"StandardEncoding" => Self::Standard,
            b"MacRomanEncoding" => Self::MacRoman,
            b"WinAnsiEncoding" => Self::WinAnsi,
            _ => return None,
        })
    }

    /// Returns the characters of all codes; `\0` for those without one.
    pub(super) fn table(self) -> [char; 256] {
        let mut table = ['\0'; 256];
        for (code, character) in table.iter_mut().enumerate().take(127).skip(32) {
            *character = char::from(code as u8);
        }
        let (first, characters) = match self {
            Self::Standard => {
                table[0x27] = '\u{2019}';
                table[0x60] = '\u{2018}';
                (0xa0, STANDARD)
            }
            Self::MacRoman => (0x80, MAC_ROMAN),
            Self::WinAnsi => (0x80, WIN_ANSI),
            Self::Symbol => (0x20, SYMBOL),
            Self::ZapfDingbats => (0x20, ZAPF_DINGBATS),
        };
        for (place, character) in table[first..].iter_mut().zip(characters.chars()) {
            *place = character;
        }
        table
    }
}

/// Returns glyphs and their characters of a font that comes with Windows, which files without the
/// font rely on. Most of these begin alike, and three are alike throughout.
pub(super) fn windows_glyphs(name: &str) -> HashMap<u32, char> {
    let name = name.replace(' ', "");
    let family = name.split([',', '-']).next().unwrap_or_default();
    let family = family.trim_end_matches("MT").trim_end_matches("PS");
    let count = match family {
        "Arial" | "TimesNewRoman" | "CourierNew" => usize::MAX,
        "ArialBlack" | "ArialNarrow" | "Verdana" | "Tahoma" | "Georgia" | "CenturyGothic" => 95,
        _ => 0,
    };
    let own = match family {
        "Calibri" => CALIBRI_GLYPHS,
        "Cambria" => CAMBRIA_GLYPHS,
        _ => (&[][..], ""),
    };
    let own = own.0.iter().zip(own.1.split('\0'));
    let own = own.flat_map(|(first, few)| (*first..).zip(few.chars()));
    let glyphs = (' '..='~').chain(WINDOWS_GLYPHS.chars()).take(count);
    (3..)
        .zip(glyphs)
        .filter(|(_, character)| *character != '\0')
        .chain(own)
        .collect()
}

/// Returns the characters of the glyphs of a subset whose names are their numbers in the whole
/// font; none if they are not, since then there would be the blank, which is the third.
pub(super) fn numbered_glyphs<'a>(
    font: &str,
    mut names: impl Iterator<Item = &'a Vec<u8>>,
) -> HashMap<u32, char> {
    if !names.any(|name| name == b"g3") {
        return HashMap::new();
    }
    let glyphs = windows_glyphs(font);
    if glyphs.is_empty() {
        return (3..).zip(' '..='~').collect();
    }
    glyphs
}

/// Appends the text of a glyph's name; returns false if it has none.
pub(super) fn push_name_text(name: &[u8], text: &mut String) -> bool {
    let Ok(name) = str::from_utf8(name) else {
        return false;
    };
    if let Some(found) = text_of_name(name) {
        text.push_str(found);
        return true;
    }
    // A suffix after a full stop selects a variant.
    let plain = name.split('.').next().unwrap_or_default();
    if plain.is_empty() {
        return false;
    }
    let before = text.len();
    for part in plain.split('_') {
        if let Some(found) = text_of_name(part) {
            text.push_str(found);
        } else {
            text.extend(char_of_number(part));
        }
    }
    text.len() > before
}

fn text_of_name(name: &str) -> Option<&'static str> {
    let bytes = GLYPHS.as_bytes();
    let (mut low, mut high) = (0, bytes.len());
    while low < high {
        let middle = usize::midpoint(low, high);
        let start = memchr::memrchr(b'\n', &bytes[..middle]).map_or(0, |at| at + 1);
        let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |at| start + at);
        let (found, text) = GLYPHS[start..end].split_once(' ')?;
        match name.cmp(found) {
            std::cmp::Ordering::Equal => return Some(text),
            std::cmp::Ordering::Less => high = start,
            std::cmp::Ordering::Greater => low = end + 1,
        }
    }
    None
}

/// Decodes names that are numbers: `uni20AC`, `u1F600`; or a letter and a code, as bitmap fonts
/// have.
fn char_of_number(name: &str) -> Option<char> {
    let hexadecimal = |digits: &str| u32::from_str_radix(digits, 16).ok();
    let is_hex = |digits: &str| {
        digits
            .bytes()
            .all(|b| b.is_ascii_hexdigit() && !b.is_ascii_lowercase())
    };
    if let Some(digits) = name.strip_prefix("uni")
        && digits.len() >= 4
        && digits.is_ascii()
        && is_hex(&digits[..4])
    {
        return hexadecimal(&digits[..4]).and_then(char::from_u32);
    }
    if let Some(digits) = name.strip_prefix('u')
        && (4..=6).contains(&digits.len())
        && is_hex(digits)
    {
        return hexadecimal(digits).and_then(char::from_u32);
    }
    let digits = name.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    if digits.is_empty() || name.len() - digits.len() > 2 {
        return None;
    }
    let code = digits.parse::<u8>().ok()?;
    match code {
        32..127 | 161.. => Some(char::from(code)),
        // The ligatures of TeX's encodings, in bitmaps made by dvips.
        11..=15 if name.starts_with('a') => char::from_u32(0xfb00 + u32::from(code - 11)),
        27..=31 if name.starts_with('a') => char::from_u32(0xfb00 + u32::from(code - 27)),
        _ => None,
    }
}

/// Replaces characters for private use, at which Windows has those of Symbol.
pub(super) fn replace_private(text: &mut String) {
    if text.contains(|character| matches!(character, '\u{f020}'..='\u{f0ff}')) {
        let table = BaseEncoding::Symbol.table();
        let replaced = text.chars().map(|character| match character {
            '\u{f020}'..='\u{f0ff}' => table[character as usize & 0xff],
            character => character,
        });
        *text = replaced.collect();
    }
}

/// True if a glyph's name is a letter and a code with a hexadecimal letter, as converters from AFP
/// name them: then the names of all its font are.
pub(super) fn is_hexadecimal(name: &[u8]) -> bool {
    matches!(name, [b'B' | b'C' | b'G', _, _])
        && name[1..].iter().all(u8::is_ascii_hexdigit)
        && name[1..].iter().any(|digit| !digit.is_ascii_digit())
}

/// Decodes a code of two hexadecimal digits.
pub(super) fn char_of_hexadecimal(digits: &[u8]) -> Option<char> {
    let digits = str::from_utf8(digits)
        .ok()
        .filter(|digits| digits.len() == 2)?;
    let code = u8::from_str_radix(digits, 16).ok()?;
    Some(BaseEncoding::WinAnsi.table()[usize::from(code)]).filter(|character| *character != '\0')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(name: &str) -> Option<String> {
        let mut text = String::new();
        push_name_text(name.as_bytes(), &mut text).then_some(text)
    }

    #[test]
    fn a_glyphs_name_says_what_it_stands_for() {
        for (name, text) in [
            ("A", "A"),
            ("Euro", "\u{20ac}"),
            ("eacute", "\u{e9}"),
            ("zcaron", "\u{17e}"),
            ("ffi", "ffi"),
            ("f_k", "fk"),
            ("a.alt", "a"),
            ("uni20AC", "\u{20ac}"),
            ("u1F600", "\u{1f600}"),
            ("G65", "A"),
            ("a233", "\u{e9}"),
            ("summationtext", "\u{2211}"),
            ("a14", "\u{fb03}"),
            ("a28", "\u{fb01}"),
        ] {
            assert_eq!(text_of(name).as_deref(), Some(text), "{name}");
        }
        assert_eq!(text_of(".notdef"), None);
        assert_eq!(text_of("glyphless"), None);
    }

    #[test]
    fn each_name_of_the_list_is_found() {
        for line in GLYPHS.lines() {
            let (name, text) = line.split_once(' ').unwrap();
            assert_eq!(text_of_name(name), Some(text), "{name}");
        }
    }

    #[test]
    fn encodings_have_their_characters_where_they_belong() {
        assert_eq!(BaseEncoding::WinAnsi.table()[0x80], '\u{20ac}');
        assert_eq!(BaseEncoding::WinAnsi.table()[0xff], '\u{ff}');
        assert_eq!(BaseEncoding::MacRoman.table()[0xca], ' ');
        assert_eq!(BaseEncoding::MacRoman.table()[0x8e], '\u{e9}');
        assert_eq!(BaseEncoding::Standard.table()[0xae], '\u{fb01}');
        assert_eq!(BaseEncoding::Standard.table()[0xfb], '\u{df}');
        assert_eq!(BaseEncoding::Symbol.table()[0x61], '\u{3b1}');
        assert_eq!(BaseEncoding::Symbol.table()[0xb7], '\u{2022}');
        assert_eq!(BaseEncoding::ZapfDingbats.table()[0x33], '\u{2713}');
        assert_eq!(BaseEncoding::ZapfDingbats.table()[0xfe], '\u{27be}');
    }

    #[test]
    fn glyphs_of_windows_fonts_have_their_characters() {
        for (font, glyph, character) in [
            ("Times New Roman,Bold", 3, Some(' ')),
            ("Times New Roman,Bold", 97, Some('~')),
            ("Times New Roman,Bold", 98, Some('\u{c4}')),
            ("Times New Roman,Bold", 258, Some('\u{102}')),
            ("Times New Roman,Bold", 570, Some('\u{410}')),
            ("Times New Roman,Bold", 651, Some('\u{2116}')),
            ("Verdana-Bold", 97, Some('~')),
            ("Verdana-Bold", 98, None),
            ("Calibri-Light", 410, Some('t')),
            ("Cambria", 156, Some('z')),
            ("Impact", 36, None),
        ] {
            let found = windows_glyphs(font).get(&glyph).copied();
            assert_eq!(found, character, "{font} {glyph}");
        }
    }
}
