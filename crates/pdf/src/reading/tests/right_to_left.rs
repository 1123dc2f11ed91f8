//! Scripts that are written from right to left. All letters here are five points wide.

use std::fmt::Write as _;

use super::{File, model, text};

/// A page whose font says of all letters what they are.
fn page(content: &str) -> Vec<u8> {
    let mut file = File::new();
    let map = b"4 beginbfrange <0020> <00FF> <0020> <0590> <05FF> <0590> <0600> <06FF> <0600> \
        <FE70> <FEFF> <FE70> endbfrange";
    let map = file.stream("", map);
    let font = format!(
        "/Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /ToUnicode {map} 0 R \
         /DescendantFonts [<< /Subtype /CIDFontType2 /DW 500 >>]"
    );
    file.page_with(
        content,
        &format!("/Resources << /Font << /F << {font} >> >> >>"),
    );
    file.finish()
}

/// Letters in their order from left to right.
fn letters_at(x: i32, y: i32, letters: &str) -> String {
    let codes = letters
        .encode_utf16()
        .fold(String::new(), |mut codes, unit| {
            write!(codes, "{unit:04X}").unwrap();
            codes
        });
    format!("BT /F 10 Tf {x} {y} Td <{codes}> Tj ET ")
}

/// The text of lines, of which each is shown from left to right.
fn text_of_lines(lines: &[&str]) -> String {
    let lines = lines.iter().zip(0..);
    text(&page(
        &lines
            .map(|(line, by)| letters_at(72, 700 - 12 * by, line))
            .collect::<String>(),
    ))
}

#[test]
fn words_are_read_from_the_right_and_numbers_and_latin_as_they_stand() {
    for (line, read) in [
        ("הרבחה לש יתנש חוד", "דוח שנתי של החברה"),
        (".Python 3 תפשב תינכות", "תוכנית בשפת Python 3."),
        ("12.5% 2023-2024 הנש", "שנה 2023-2024 12.5%"),
        ("ל\"הצ )5 'סמ( ו-Linux", "Linux-ו (מס' 5) צה\"ל"),
        ("%15 2024 ماع", "عام 2024 15%"),
    ] {
        assert_eq!(text_of_lines(&[line]), read);
    }
}

#[test]
fn a_line_of_another_script_stays_one_around_such_a_word() {
    assert_eq!(
        text_of_lines(&["The word םולש means peace", "and nothing else"]),
        "The word שלום means peace and nothing else"
    );
}

#[test]
fn brackets_mean_what_they_enclose_however_a_font_names_them() {
    assert_eq!(text_of_lines(&["םילש (ב)(א) ףיעס"]), "סעיף (א)(ב) שלים");
    assert_eq!(text_of_lines(&["םילש )ב()א( ףיעס"]), "סעיף (א)(ב) שלים");
}

#[test]
fn forms_within_words_are_their_letters() {
    assert_eq!(
        text_of_lines(&["\u{fefc}\u{fe91}\u{fed8}\u{fe98}\u{feb4}\u{fee3}"]),
        "مستقبلا"
    );
}

#[test]
fn letters_that_are_drawn_from_the_right_are_in_order() {
    let mut content = String::new();
    for (letter, by) in "שלום עולם".chars().zip(0..) {
        content += &letters_at(300 - 5 * by, 700, &letter.to_string());
    }
    assert_eq!(text(&page(&content)), "שלום עולם");
}

#[test]
fn letters_that_are_in_order_from_the_left_stay_so() {
    let line = "שלום עולם גדול: 3 ימים";
    assert_eq!(
        text_of_lines(&[line]),
        line,
        "as by a program that knows no other order"
    );
    let content = letters_at(300, 700, "שלום")
        + &letters_at(270, 700, "עולם")
        + &letters_at(240, 700, "ימים");
    assert_eq!(
        text(&page(&content)),
        "שלום עולם ימים",
        "words at their places"
    );
}

#[test]
fn marks_stay_with_their_letters() {
    // Over the second letter, and drawn before it.
    let content =
        letters_at(72, 700, "םולש") + &letters_at(98, 702, "\u{5b8}") + &letters_at(97, 700, "א");
    assert_eq!(text(&page(&content)), "א\u{5b8} שלום");
}

#[test]
fn what_letters_are_said_to_stand_for_is_in_order() {
    let span = "/Span << /ActualText <FEFF05E905DC05D505DD> >> BDC ";
    let content = format!(
        "{span}{}EMC {}",
        letters_at(100, 700, "????"),
        letters_at(72, 700, "הברה")
    );
    assert_eq!(text(&page(&content)), "שלום הרבה");
}

#[test]
fn columns_and_cells_are_read_from_the_right() {
    let mut columns = String::new();
    let mut cells = String::new();
    for by in 0..6 {
        columns += &letters_at(330, 700 - 12 * by, "תילשארה תא תחא יארק םינש");
        columns += &letters_at(72, 700 - 12 * by, "ילאמש דצב םידמועש הלאה");
        let weight = (100 + by).to_string();
        cells += &(letters_at(300, 500 - 14 * by, "ירפ") + &letters_at(72, 500 - 14 * by, &weight));
    }
    let columns = text(&page(&columns));
    let [right, left] = ["שנים קראי", "האלה שעומדים"].map(|first| columns.find(first));
    assert!(right < left && right.is_some(), "{columns}");
    assert!(columns.rfind("שנים קראי") < left, "{columns}");
    let cells = model(&page(&cells));
    assert!(
        cells.contains("Row[Cell[\"פרי\"] Cell[\"105\"]]"),
        "{cells}"
    );
}
