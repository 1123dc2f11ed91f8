//! Holds the widths of the fonts that every viewer has, which files need not give.
//!
//! Rules: ISO 32000-2, 9.6.2.2; the widths are those of Adobe's font metrics, for the codes 32 to
//! 126, in thousandths of an em.

/// The widths of the fonts, one a line: a name, then the numbers.
const WIDTHS: &str = include_str!("widths.txt");

/// Returns the widths of the standard font of this name, or of one that resembles it.
pub(super) fn widths(name: &str) -> Option<Vec<u16>> {
    let name = name.to_ascii_lowercase();
    let has = |part: &str| name.contains(part);
    let is_bold = has("bold") || has("black");
    let font = if has("courier") || has("mono") {
        "Courier"
    } else if has("helvetica") || has("arial") {
        if is_bold {
            "Helvetica-Bold"
        } else {
            "Helvetica"
        }
    } else if has("times") || has("roman") {
        if is_bold { "Times-Bold" } else { "Times" }
    } else {
        return None;
    };
    let mut lines = WIDTHS.lines().filter_map(|line| line.split_once(' '));
    let (_, widths) = lines.find(|(known, _)| *known == font)?;
    Some(
        widths
            .split(' ')
            .filter_map(|width| width.parse().ok())
            .collect(),
    )
}
