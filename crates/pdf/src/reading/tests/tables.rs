//! Tables with ruled lines, and lines that make none.

use std::fmt::Write as _;
use std::time::Instant;

use super::{File, lines, model, page, text, text_at};

/// A level line, and an upright one.
fn level(y: i32, from: i32, to: i32) -> String {
    format!("{from} {y} m {to} {y} l S ")
}

fn upright(x: i32, from: i32, to: i32) -> String {
    format!("{x} {from} m {x} {to} l S ")
}

/// Words, each in its place.
fn words(words: &[(i32, i32, &str)]) -> String {
    let word = |(x, y, word): &(i32, i32, &str)| format!("BT /F1 10 Tf {x} {y} Td ({word}) Tj ET ");
    words.iter().map(word).collect()
}

/// The rows of a page that is a table, their cells parted by bars.
fn table(content: &str) -> Vec<String> {
    let model = model(&page(content));
    let cell = |cell: &str| cell.trim_matches(['[', ']', '"', ' ']).to_owned();
    let row = |row: &str| {
        row.split("Cell")
            .skip(1)
            .map(cell)
            .collect::<Vec<_>>()
            .join("|")
    };
    assert!(model.starts_with("Table("), "{model}");
    model.split("Row[").skip(1).map(row).collect()
}

/// Words in two columns and three rows, each 20 points high, from 700 down.
const GRID: [(i32, i32, &str); 6] = [
    (75, 688, "Name"),
    (175, 688, "Weight"),
    (75, 668, "Plum"),
    (175, 668, "40"),
    (75, 648, "Pear"),
    (175, 648, "170"),
];

const ROWS: [&str; 3] = ["Name|Weight", "Plum|40", "Pear|170"];

#[test]
fn crossing_lines_are_a_table() {
    let mut content = words(&GRID);
    for y in [700, 680, 660, 640] {
        content += &level(y, 70, 270);
    }
    for x in [70, 170, 270] {
        content += &upright(x, 640, 700);
    }
    assert_eq!(table(&content), ROWS);
}

#[test]
fn thin_areas_around_each_cell_are_lines() {
    let mut content =
        words(&GRID) + &words(&[(75, 634, "Apple, or"), (75, 624, "quince"), (175, 634, "9")]);
    for (y, height) in [(680, 20), (660, 20), (640, 20), (620, 20)] {
        for x in [70, 170] {
            let (top, right) = (y + height, x + 100);
            write!(content, "{x} {y} 100 0.5 re f {x} {top} 100 0.5 re f ").unwrap();
            write!(
                content,
                "{x} {y} 0.5 {height} re f {right} {y} 0.5 {height} re f "
            )
            .unwrap();
        }
    }
    assert_eq!(table(&content)[3], "Apple, or quince|9");
}

#[test]
fn shaded_cells_are_a_table() {
    let mut content = String::from("0.9 g ");
    for y in [680, 660, 640] {
        write!(content, "70 {y} 99 19 re f 170 {y} 99 19 re f ").unwrap();
    }
    content += "0 g ";
    assert_eq!(table(&(content + &words(&GRID))), ROWS);
}

#[test]
fn cells_without_lines_between_them_are_one() {
    let mut content = words(&[(75, 708, "Fruit of all kinds")]) + &words(&GRID);
    for y in [720, 700, 680, 640] {
        content += &level(y, 70, 270);
    }
    content += &level(660, 170, 270);
    content += &(upright(70, 640, 720) + &upright(170, 640, 700) + &upright(270, 640, 720));
    assert_eq!(
        table(&content),
        [
            "(2 by 1)[\"Fruit of all kinds",
            "Name|Weight",
            "(1 by 2)[\"Plum Pear|40",
            "170"
        ]
    );
}

#[test]
fn level_lines_alone_have_columns_between_them() {
    let content = words(&GRID) + &level(700, 70, 270) + &level(680, 70, 270) + &level(640, 70, 270);
    assert_eq!(table(&content), ROWS, "rows that no line parts");
}

#[test]
fn cells_of_several_lines_beside_each_other_are_rows_without_lines() {
    let content = words(&[
        (75, 690, "A long"),
        (75, 678, "name"),
        (200, 684, "12"),
        (300, 684, "red"),
        (75, 658, "Plum"),
        (200, 658, "40"),
        (300, 664, "blue or"),
        (300, 652, "violet"),
        (75, 632, "Pear"),
        (200, 632, "170"),
        (300, 632, "green"),
    ]);
    assert_eq!(
        table(&content),
        [
            "A long name|12|red",
            "Plum|40|blue or violet",
            "Pear|170|green"
        ]
    );
}

#[test]
fn boxes_underlines_and_axes_are_no_tables() {
    let sentence = [
        "A paragraph that stands within a box and fills it from",
        "one side to the other, over two lines.",
    ];
    let framed = lines(&sentence) + "60 670 400 60 re S 60 620 400 40 re S ";
    let underlined = lines(&sentence) + &level(698, 72, 200) + &level(686, 72, 150);
    let mut axes = words(&[
        (40, 500, "10"),
        (40, 600, "20"),
        (100, 470, "May"),
        (200, 470, "June"),
    ]);
    for y in [500, 550, 600] {
        axes += &level(y, 70, 300);
    }
    axes += &(upright(70, 490, 600) + &upright(200, 490, 600) + &upright(300, 490, 600));
    let columns = text_at(
        50.0,
        700.0,
        12.0,
        &["This column of text is as wide as half"; 6],
    ) + &text_at(
        320.0,
        700.0,
        12.0,
        &["a page and ends where the line is below"; 6],
    ) + &level(720, 50, 520)
        + &level(672, 50, 520)
        + &level(620, 50, 520);
    for content in [framed, underlined, axes, columns] {
        let model = model(&page(&content));
        assert!(!model.contains("Table"), "{model}");
    }
}

#[test]
fn a_table_goes_on_on_the_next_page() {
    let grid = |words: String| {
        let lines = [700, 680, 660, 640].map(|y| level(y, 70, 270)).concat();
        words + &lines + &[70, 170, 270].map(|x| upright(x, 640, 700)).concat()
    };
    for head in [["Name", "Weight"], ["Apple", "190"]] {
        let mut file = File::new();
        file.page(&grid(words(&GRID)));
        let next = [(75, head[0]), (175, head[1])].map(|(x, word)| (x, 688, word));
        let other_rows = [
            (75, 668, "Fig"),
            (175, 668, "30"),
            (75, 648, "Nut"),
            (175, 648, "5"),
        ];
        file.page(&grid(words(&next) + &words(&other_rows)));
        let file = file.finish();
        assert_eq!(model(&file).matches("Table(").count(), 1);
        let words_read: Vec<String> = text(&file).split_whitespace().map(str::to_owned).collect();
        let next = if head[0] == "Name" { "" } else { "Apple 190 " };
        assert_eq!(
            words_read.join(" "),
            format!("Name Weight Plum 40 Pear 170 {next}Fig 30 Nut 5")
        );
    }
    // Other columns are another table.
    let mut file = File::new();
    file.page(&grid(words(&GRID)));
    let far = GRID.map(|(x, y, word)| (x + 200, y, word));
    let lines = [700, 680, 660, 640].map(|y| level(y, 270, 470)).concat();
    let lines = lines + &[270, 370, 470].map(|x| upright(x, 640, 700)).concat();
    file.page(&(words(&far) + &lines));
    assert_eq!(model(&file.finish()).matches("Table(").count(), 2);
}

#[test]
fn a_form_around_a_table_is_none() {
    let mut content = words(&GRID);
    for y in [700, 680, 660, 640] {
        content += &level(y, 70, 270);
    }
    for x in [70, 170, 270] {
        content += &upright(x, 640, 700);
    }
    // Level lines over the whole page, with the table between two of them.
    for y in [740, 720, 620, 600] {
        content += &level(y, 40, 500);
    }
    content += &words(&[
        (45, 725, "For the year"),
        (175, 725, "beginning"),
        (45, 708, "Print"),
        (175, 708, "or type"),
        (45, 630, "Town"),
        (175, 630, "or post office"),
        (45, 605, "Check here"),
        (175, 605, "if you want to"),
    ]);
    let model_text = model(&page(&content));
    assert_eq!(model_text.matches("Table(").count(), 1, "{model_text}");
    let table = model_text.find("Table(").unwrap();
    assert!(model_text.find("or type").unwrap() < table, "{model_text}");
    assert!(table < model_text.find("Town").unwrap(), "{model_text}");
}

#[test]
fn text_beside_a_table_stays_together() {
    let mut content = text_at(
        320.0,
        700.0,
        12.0,
        &["Words of a column beside the table, which"; 6],
    );
    content += &text_at(
        50.0,
        620.0,
        12.0,
        &["Words below the table that fill a column"; 6],
    );
    content += &text_at(
        320.0,
        620.0,
        12.0,
        &["and that go on after those on the left"; 6],
    );
    content += &words(&GRID);
    for y in [700, 680, 660, 640] {
        content += &level(y, 70, 270);
    }
    for x in [70, 170, 270] {
        content += &upright(x, 640, 700);
    }
    let text = text(&page(&content));
    let places = ["Name", "170", "below", "beside", "go on"].map(|word| text.find(word));
    assert!(places.is_sorted() && places[0].is_some(), "{text}");
}

#[test]
fn lines_without_end_and_beyond_all_bounds_are_no_table() {
    let mut many = words(&GRID);
    let mut nested = words(&GRID);
    for index in 0..100_000 {
        write!(
            many,
            "{} {} m {} {} l S ",
            index % 600,
            index % 700,
            index % 600 + 9,
            index % 700
        )
        .unwrap();
    }
    for index in 0..3_000 {
        let by = f64::from(index) / 40.0;
        write!(nested, "{by} {by} {} {} re S ", 600.0 - by, 700.0 - by).unwrap();
    }
    let huge = words(&GRID)
        + "1e38 1e38 1e38 1e38 re f 1e39 0 m -1e39 5 l S 1e30 0 0 1e30 0 0 cm 1e30 1 2 3 re S";
    for content in [many, nested, huge] {
        let start = Instant::now();
        let text = text(&page(&content));
        assert!(text.contains("Weight") && text.contains("170"), "{text}");
        assert!(start.elapsed().as_secs() < 20);
    }
}
