//! From glyphs to blocks.

use std::fmt::Write as _;

use super::{FONTS, File, lines, model, page, text, text_at};

/// Sentences that fill lines.
const LONG: [&str; 6] = [
    "The quick brown fox jumps over the lazy dog and runs",
    "into the wood where nobody has ever seen it again at",
    "all because foxes are shy and woods are deep and dark",
    "so that whoever looks for them has to be patient and",
    "to wait until the evening comes with its long shadows",
    "that hide everything.",
];

#[test]
fn gaps_are_blanks_and_kerning_is_none() {
    let content =
        "BT /F1 10 Tf 72 700 Td [(Hel) -50 (lo) -300 (wor) 40 (ld)] TJ 80 0 Td (again) Tj ET";
    assert_eq!(text(&page(content)), "Hello world again");
}

#[test]
fn letters_that_are_set_apart_are_one_word() {
    let content = "BT /F1 10 Tf 72 700 Td 3 Tc (CHAPTER) Tj 0 Tc ( one) Tj ET";
    assert_eq!(text(&page(content)), "CHAPTER one");
}

#[test]
fn what_is_drawn_twice_is_there_once() {
    let content = "BT /F1 10 Tf 72 700 Td (Shadow) Tj 0.3 0.2 Td (Shadow) Tj ET";
    assert_eq!(text(&page(content)), "Shadow");
}

#[test]
fn texts_drawn_over_one_another_are_lines_of_their_own() {
    let content = "BT /F1 10 Tf 72 700 Td (Text for the first time) Tj ET BT /F1 10 Tf 72 700 Td \
                   (Some other text of the second time) Tj ET";
    assert_eq!(
        text(&page(content)),
        "Text for the first time Some other text of the second time"
    );
    let content =
        "BT /F1 10 Tf 72 700 Td (Name: _______) Tj ET BT /F1 10 Tf 102 700 Td (Ann) Tj ET";
    assert_eq!(text(&page(content)), "Name: Ann_______");
}

#[test]
fn a_mark_as_high_as_two_lines_mixes_no_words_of_theirs() {
    let content = "BT /F1 16 Tf 51 699 Td (**) Tj ET BT /F1 7 Tf 67 700 Td (You must have an \
                   initial balance of accounts) Tj ET BT /F1 7 Tf 67 693 Td (home lending and \
                   line of credit as of today) Tj ET";
    assert_eq!(
        text(&page(content)),
        "** You must have an initial balance of accounts home lending and line of credit as of \
         today"
    );
}

#[test]
fn the_lines_of_a_form_keep_their_numbers_and_end_where_they_end() {
    let mut content = String::new();
    for (index, line) in ["Educator expenses", "Moving expenses"].iter().enumerate() {
        let (number, y) = (24 + index, 700 - 12 * index);
        // The number on the right is drawn a little higher.
        writeln!(content, "BT /F1 9 Tf 65 {y} Td ({number} {line}) Tj ET").unwrap();
        writeln!(content, "BT /F1 9 Tf 460 {} Td ({number}) Tj ET", y + 2).unwrap();
    }
    assert_eq!(
        model(&page(&content)),
        "Paragraph[\"24 Educator expenses 24\" Break \"25 Moving expenses 25\"]"
    );
}

#[test]
fn letters_whose_direction_differs_by_rounding_are_of_one_line() {
    for sines in [[0.0523, 0.0524], [0.3827, 0.3826]] {
        let mut content = String::new();
        for (index, letter) in "mac hines".chars().enumerate() {
            let sin: f32 = sines[index % 2];
            let cos = (1.0 - sin * sin).sqrt();
            let (x, y) = (
                72.0 + 5.0 * cos * index as f32,
                600.0 + 5.0 * sin * index as f32,
            );
            let matrix = format!("{cos} {sin} -{sin} {cos} {x} {y}");
            writeln!(content, "BT /F3 8.4 Tf {matrix} Tm ({letter}) Tj ET").unwrap();
        }
        assert_eq!(text(&page(&content)), "mac hines");
    }
}

#[test]
fn lines_make_a_paragraph_and_a_wider_gap_another() {
    let mut content = lines(&LONG);
    content += &text_at(72.0, 610.0, 12.0, &LONG);
    let text = LONG.join(" ");
    assert_eq!(
        model(&page(&content)),
        format!("Paragraph[{text:?}] Paragraph[{text:?}]")
    );
}

#[test]
fn an_indent_begins_a_paragraph() {
    let mut content = lines(&LONG[..5]);
    content += &text_at(
        90.0,
        640.0,
        12.0,
        &["Here begins another one that is as long as these"],
    );
    content += &text_at(72.0, 628.0, 12.0, &LONG[1..]);
    let model_text = model(&page(&content));
    assert_eq!(model_text.matches("Paragraph").count(), 2, "{model_text}");
    assert!(
        model_text.contains("Paragraph[\"Here begins"),
        "{model_text}"
    );
}

#[test]
fn hyphens_at_ends_of_lines_are_joined() {
    let content = lines(&[
        "A long-term view of some words that are di-",
        "vided where lines end, as seen in a long-",
        "term study of the years from 1990-",
        "1999 and of Austria-",
        "Hungary, where lines ended as they always do",
    ]);
    assert_eq!(
        text(&page(&content)),
        "A long-term view of some words that are divided where lines end, as seen in a long-term \
         study of the years from 1990-1999 and of Austria-Hungary, where lines ended as they \
         always do"
    );
}

#[test]
fn larger_type_is_a_heading_by_its_rank() {
    let mut content = String::from(
        "BT /F1 20 Tf 72 760 Td (The title) Tj ET BT /F1 14 Tf 72 730 Td (A part) Tj ET ",
    );
    content += &lines(&LONG);
    content += "BT /F2 10 Tf 72 600 Td (A bold line) Tj ET ";
    content += &text_at(72.0, 580.0, 12.0, &LONG);
    let text = LONG.join(" ");
    assert_eq!(
        model(&page(&content)),
        format!(
            "Heading(1)[\"The title\"] Heading(2)[\"A part\"] Paragraph[{text:?}] Heading(3)[\"A \
             bold line\"] Paragraph[{text:?}]"
        )
    );
}

#[test]
fn bullets_and_numbers_are_lists() {
    let content = "BT /F1 10 Tf 72 700 Td (Things:) Tj ET BT /F1 10 Tf 82 688 Td (\\225) Tj 12 0 \
                   Td (first thing) Tj ET BT /F1 10 Tf 102 676 Td (-) Tj 12 0 Td (within it) Tj \
                   ET BT /F1 10 Tf 82 664 Td (\\225) Tj 12 0 Td (second thing) Tj ET BT /F1 10 Tf \
                   72 640 Td (1.) Tj 16 0 Td (one) Tj ET BT /F1 10 Tf 72 628 Td (2.) Tj 16 0 Td \
                   (two) Tj ET BT /F1 10 Tf 72 600 Td (1990. was a year, and no item) Tj ET";
    assert_eq!(
        model(&page(content)),
        "Paragraph[\"Things:\"] List(tight)[Item[Paragraph[\"first thing\"] \
         List(tight)[Item[Paragraph[\"within it\"]]]] Item[Paragraph[\"second thing\"]]] List(1 \
         tight)[Item(1)[Paragraph[\"one\"]] Item(2)[Paragraph[\"two\"]]] Paragraph[\"1990. was a \
         year, and no item\"]"
    );
}

#[test]
fn columns_are_read_one_after_the_other() {
    let mut content = String::from(
        "BT /F1 16 Tf 72 740 Td (A title that goes over both of the columns below it) Tj ET ",
    );
    // Drawn line by line across both, and not on the same baselines.
    for (index, line) in LONG.iter().enumerate() {
        let y = 700 - index * 12;
        writeln!(content, "BT /F1 10 Tf 50 {y} Td ({line}) Tj ET").unwrap();
        writeln!(
            content,
            "BT /F1 10 Tf 320 {} Td ({}) Tj ET",
            y - 4,
            line.replace('e', "i")
        )
        .unwrap();
    }
    let text = LONG.join(" ");
    let model = model(&page(&content));
    let columns = format!(
        "Paragraph[{text:?}] Paragraph[{:?}]",
        text.replace('e', "i")
    );
    assert!(model.ends_with(&columns), "{model}");
}

#[test]
fn a_paragraph_goes_on_in_the_next_column_and_on_the_next_page() {
    let mut file = File::new();
    for number in 0..2 {
        let mut content = String::new();
        for (index, line) in LONG[..5].iter().enumerate() {
            let y = 700 - index * 12;
            let line = if number > 0 || index > 0 {
                line.to_lowercase()
            } else {
                (*line).to_owned()
            };
            writeln!(content, "BT /F1 10 Tf 50 {y} Td ({line}) Tj ET").unwrap();
            writeln!(
                content,
                "BT /F1 10 Tf 320 {y} Td ({}) Tj ET",
                line.to_lowercase()
            )
            .unwrap();
        }
        file.page(&content);
    }
    let model_text = model(&file.finish());
    assert_eq!(model_text.matches("Paragraph").count(), 1, "{model_text}");
}

#[test]
fn aligned_cells_are_a_table() {
    let mut content = lines(&LONG);
    for (index, row) in [
        ["Name", "Colour", "Weight"],
        ["Apple", "red", "150"],
        ["Plum", "blue", "40"],
        ["Pear", "green", "170"],
    ]
    .iter()
    .enumerate()
    {
        for (cell, x) in row.iter().zip([90, 200, 300]) {
            writeln!(
                content,
                "BT /F1 10 Tf {x} {} Td ({cell}) Tj ET",
                600 - index * 14
            )
            .unwrap();
        }
    }
    let model_text = model(&page(&content));
    assert!(
        model_text.ends_with(
            "Table(3 header [None, None, None])[Row[Cell[\"Name\"] Cell[\"Colour\"] \
             Cell[\"Weight\"]] Row[Cell[\"Apple\"] Cell[\"red\"] Cell[\"150\"]] \
             Row[Cell[\"Plum\"] Cell[\"blue\"] Cell[\"40\"]] Row[Cell[\"Pear\"] Cell[\"green\"] \
             Cell[\"170\"]]]"
        ),
        "{model_text}"
    );
}

#[test]
fn what_pages_repeat_is_said_once_and_their_numbers_never() {
    let mut file = File::new();
    for number in 1..=4 {
        let mut content = format!(
            "BT /F1 8 Tf 72 770 Td (A running title) Tj ET BT /F1 8 Tf 300 30 Td ({number}) Tj ET "
        );
        content += &lines(&LONG);
        writeln!(
            content,
            "BT /F1 10 Tf 72 400 Td (Page {number} says this.) Tj ET"
        )
        .unwrap();
        file.page(&content);
    }
    let page_text = text(&file.finish());
    assert!(
        page_text.starts_with("A running title The quick"),
        "{page_text}"
    );
    assert_eq!(page_text.matches("running").count(), 1, "{page_text}");
    assert_eq!(
        page_text.matches("The quick brown fox").count(),
        4,
        "what repeats within pages stays"
    );
    assert_eq!(page_text.matches("says this").count(), 4);
    assert!(
        !page_text.contains("this.2") && !page_text.ends_with('4'),
        "{page_text}"
    );
}

#[test]
fn what_pages_say_at_one_place_with_numbers_of_their_own_stays() {
    let mut file = File::new();
    for (number, balance) in [(1, 75), (2, 12), (3, 310), (4, 44)] {
        let mut content = format!(
            "BT /F1 8 Tf 72 770 Td (Form 27 of 2003) Tj 0 -16 Td (Balance: {balance}) Tj ET BT \
             /F1 8 Tf 300 30 Td (Page {number} of 4 in all) Tj ET "
        );
        content += &lines(&LONG);
        file.page(&content);
    }
    let page_text = text(&file.finish());
    assert_eq!(
        page_text.matches("Form 27 of 2003").count(),
        1,
        "{page_text}"
    );
    for balance in [75, 12, 310, 44] {
        assert!(
            page_text.contains(&format!("Balance: {balance}")),
            "{page_text}"
        );
    }
    assert!(!page_text.contains("in all"), "{page_text}");
}

#[test]
fn pages_of_nothing_but_what_repeats_have_text() {
    let mut file = File::new();
    for number in 1..=4 {
        file.page(&format!("BT /F1 10 Tf 72 770 Td (Page{number}) Tj ET"));
    }
    assert_eq!(text(&file.finish()), "Page1 Page2 Page3 Page4");
}

#[test]
fn notes_at_the_foot_stand_behind_the_paragraph_that_goes_on() {
    let mut file = File::new();
    let mut content = lines(&LONG[..5]);
    content += "BT /F1 6 Tf 72 100 Td (1) Tj /F1 8 Tf 6 -2 Td (A note about foxes.) Tj ET";
    file.page(&content);
    file.page(&lines(&LONG[5..]));
    let model_text = model(&file.finish());
    let body = LONG.join(" ");
    assert_eq!(
        model_text,
        format!("Paragraph[{body:?}] Paragraph[\"1 A note about foxes.\"]")
    );
}

#[test]
fn notes_at_the_foot_of_a_column_stand_at_the_end_of_their_page() {
    let mut content = String::new();
    for (index, line) in LONG.iter().enumerate() {
        let y = 700 - index * 12;
        writeln!(
            content,
            "BT /F1 10 Tf 50 {y} Td ({line}) Tj 270 0 Td ({line}) Tj ET"
        )
        .unwrap();
    }
    content +=
        "BT /F1 6 Tf 50 600 Td (1) Tj /F1 8 Tf 6 -2 Td (A note about foxes, which goes on) Tj ET ";
    let page_text = text(&page(&content));
    let [note, last] = ["A note", "hide everything"].map(|words| page_text.rfind(words));
    assert!(note > last, "{page_text}");
}

#[test]
fn monospaced_lines_are_code() {
    let mut content = lines(&LONG);
    content += "BT /F3 9 Tf 72 600 Td (fn main\\(\\) {) Tj ET BT /F3 9 Tf 93.6 589 Td (let a  = \
                1;) Tj ET BT /F3 9 Tf 72 578 Td (}) Tj ET";
    let model_text = model(&page(&content));
    assert!(
        model_text.ends_with("CodeBlock(\"\" \"fn main() {\\n    let a  = 1;\\n}\")"),
        "{model_text}"
    );
}

#[test]
fn dots_that_lead_to_a_page_are_few() {
    let mut content = lines(&LONG);
    content += &text_at(
        72.0,
        600.0,
        12.0,
        &[
            "Introduction . . . . . . . . . . . . . . . . . . . . . . . 1",
            "Foxes ..................................................... 2",
        ],
    );
    let model_text = model(&page(&content));
    assert!(
        model_text.ends_with("Paragraph[\"Introduction \u{2026} 1\" Break \"Foxes \u{2026} 2\"]"),
        "{model_text}"
    );
}

#[test]
fn raised_numbers_stay_with_their_line() {
    let content = "BT /F1 10 Tf 72 700 Td (As E = mc) Tj 5 Ts /F1 6 Tf (2) Tj 0 Ts /F1 10 Tf ( \
                   says, H) Tj -2 Ts /F1 6 Tf (2) Tj 0 Ts /F1 10 Tf (O is water) Tj ET";
    assert_eq!(text(&page(content)), "As E = mc2 says, H2O is water");
}

#[test]
fn text_of_another_direction_comes_last() {
    let content = "BT /F1 10 Tf 0 1 -1 0 40 300 Tm (Up the side) Tj ET BT /F1 10 Tf 72 700 Td \
                   (Level) Tj 0 -12 Td (text here) Tj ET";
    let mut file = File::new();
    file.page_with(content, &format!("/Resources << {FONTS} >>"));
    let page_text = text(&file.finish());
    assert!(
        page_text.starts_with("Level") && page_text.ends_with("Up the side"),
        "{page_text}"
    );
}
