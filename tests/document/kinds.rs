//! The list of kinds of files, and the table that people read of it.

use iki_document::FileKind;

#[test]
fn the_reference_lists_each_kind_of_file_with_its_media_types() {
    let reference = include_str!("../../REFERENCE.md");
    let rows = reference
        .lines()
        .skip_while(|line| *line != "| kind | media types |")
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .collect::<Vec<_>>();
    let expected = FileKind::ALL.map(|kind| {
        let types = kind.media_types().iter();
        let types: Vec<_> = types.map(|name| format!("`{name}`")).collect();
        format!("| {} | {} |", kind.label(), types.join(", "))
    });
    assert_eq!(rows, expected);
}
