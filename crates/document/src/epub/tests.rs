//! Checks the Markdown of EPUB files.

use crate::office::tests::sample_files::{replaced, zip};
use crate::{DocumentError, FileKind, FileLimits, convert_file};

const CONTAINER: &str =
    "<container><rootfiles><rootfile full-path='OEBPS/book.opf'/></rootfiles></container>";
const BOOK: &str = "<package><metadata><dc:title>A \
                    book</dc:title><dc:creator>Ann</dc:creator><dc:creator>Bob</dc:creator><dc:\
                    date>2024</dc:date></metadata><manifest><item id='a' href='text/one.xhtml' \
                    media-type='application/xhtml+xml'/><item id='b' href='text/t%C3%BCo.xhtml' \
                    media-type='application/xhtml+xml'/><item id='c' href='../../etc/passwd' \
                    media-type='text/html'/><item id='d' href='a.png' \
                    media-type='image/png'/></manifest><spine><itemref idref='b'/><itemref \
                    idref='a'/><itemref idref='c'/><itemref idref='d'/><itemref \
                    idref='x'/></spine></package>";
const ONE: &str = "<html><head><title>One</title></head><body><h1>One</h1><p>See <a href='two.xhtml#n'>there</a>, \
    <a href='https://example.com/'>out</a>.</p><div/><p hidden='hidden'>no</p></body></html>";
const TWO: &str =
    "<html><body><h1 id='n'>Two</h1><p><img src='../a.png' alt='A cat'/> &nbsp;x</p></body></html>";

fn book(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut all = vec![
        ("mimetype", "application/epub+zip"),
        ("META-INF/container.xml", CONTAINER),
        ("OEBPS/book.opf", BOOK),
        ("OEBPS/text/one.xhtml", ONE),
        ("OEBPS/text/t\u{fc}o.xhtml", TWO),
    ];
    all.extend(parts);
    zip(&all)
}

#[test]
fn chapters_come_in_reading_order() {
    let file = book(&[]);
    assert_eq!(FileKind::detect(&file), Some(FileKind::Epub));
    let document = convert_file(&file, FileKind::Epub, &FileLimits::default()).unwrap();
    assert_eq!(document.title, "A book");
    assert_eq!(document.author.as_deref(), Some("Ann, Bob"));
    assert_eq!(document.date.as_deref(), Some("2024"));
    assert_eq!(
        document.markdown,
        "# Two\n\n![A cat](a.png) \u{a0}x\n\n# One\n\nSee [there](#n), [out](https://example.com/)."
    );
}

#[test]
fn notes_stand_behind_the_text_wherever_the_book_has_them() {
    let one = "<html xmlns:epub='x'><body><aside epub:type='footnote' \
               id='z'><p>Stays.</p></aside><p>Here<a epub:type='noteref' href='#a'>1</a> and <a \
               epub:type='noteref' href='one.xhtml#b'>*</a>, <a epub:type='noteref' \
               href='#a'>1</a> again; <a epub:type='noteref' href='#z'>z</a>.</p><aside \
               epub:type='footnote' id='a'><p>The <i>first</i>.</p><p>Goes \
               on.</p></aside><p>End.</p></body></html>";
    let two = "<html xmlns:epub='x'><body><h2>Notes</h2><ol><li id='b'><a href='#z'>*</a> The \
               second.</li><li id='c'>Not referred to.</li></ol></body></html>";
    let file = replaced(&book(&[]), "OEBPS/text/t\u{fc}o.xhtml", one);
    let file = replaced(&file, "OEBPS/text/one.xhtml", two);
    let document = convert_file(&file, FileKind::Epub, &FileLimits::default()).unwrap();
    assert_eq!(
        document.markdown,
        "Stays.\n\nHere[^1] and [^2], [^1] again; [z](#z).\n\nEnd.\n\n## Notes\n\n1. Not referred \
         to.\n\n[^1]: The *first*.\n\n    Goes on.\n\n[^2]: [*](#z) The second."
    );
}

#[test]
fn an_encrypted_book_says_so() {
    let encryption = "<encryption><EncryptedData><CipherData><CipherReference \
                      URI='OEBPS/text/one.xhtml'/></CipherData></\
                      EncryptedData><EncryptedData><CipherData><CipherReference \
                      URI='OEBPS/text/t%C3%BCo.xhtml'/></CipherData></EncryptedData></encryption>";
    let file = book(&[("META-INF/encryption.xml", encryption)]);
    let refused = convert_file(&file, FileKind::Epub, &FileLimits::default());
    assert_eq!(refused, Err(DocumentError::Encrypted));
}

#[test]
fn encrypted_fonts_keep_nobody_from_reading() {
    let encryption = "<encryption><CipherReference URI='OEBPS/font.otf'/></encryption>";
    let file = book(&[("META-INF/encryption.xml", encryption)]);
    assert!(convert_file(&file, FileKind::Epub, &FileLimits::default()).is_ok());
}

/// A book whose chapters are what `spine` and `manifest` say.
fn book_of(manifest: &str, spine: &str, parts: &[(&str, &str)]) -> String {
    let items = spine
        .split(' ')
        .map(|id| format!("<itemref idref='{id}'/>"));
    let items: String = items.collect();
    let package =
        format!("<package><manifest>{manifest}</manifest><spine>{items}</spine></package>");
    let mut all = vec![
        ("mimetype", "application/epub+zip"),
        ("META-INF/container.xml", CONTAINER),
        ("OEBPS/book.opf", &package),
    ];
    all.extend(parts);
    let document = convert_file(&zip(&all), FileKind::Epub, &FileLimits::default());
    document.map_or_else(|error| error.to_string(), |document| document.markdown)
}

#[test]
fn chapters_that_are_drawings_show_their_text() {
    let drawing = "<?xml version='1.0'?><svg \
         xmlns='http://www.w3.org/2000/svg'><title>Page</title><text>The wind \
         rises.</text><text>Nobody <tspan>hears</tspan> it.</text></svg>";
    let markdown = book_of(
        "<item id='a' href='a.svg' media-type='image/svg+xml'/>",
        "a",
        &[("OEBPS/a.svg", drawing)],
    );
    assert!(
        markdown.contains("The wind rises. Nobody hears it."),
        "{markdown}"
    );
}

#[test]
fn a_chapter_of_an_unknown_kind_is_read_in_the_form_that_stands_in_for_it() {
    let manifest = "<item id='a' href='a.bin' media-type='application/x' fallback='b'/><item \
                    id='b' href='b.bin' media-type='image/png' fallback='c'/><item id='c' \
                    href='c.xhtml' media-type='application/xhtml+xml'/><item id='d' href='d.bin' \
                    media-type='application/x' fallback='e'/><item id='e' href='e.bin' \
                    media-type='application/x' fallback='d'/>";
    let parts = [("OEBPS/c.xhtml", "<html><body><p>Words.</p></body></html>")];
    assert_eq!(book_of(manifest, "d a", &parts), "Words.");
    // A circle ends.
    assert!(book_of(manifest, "d e", &parts).contains("no text"));
}

#[test]
fn what_stands_in_for_an_object_is_the_book_s_text() {
    let manifest = "<item id='a' href='a.xhtml' media-type='application/xhtml+xml'/>";
    let page = "<html><body><h1>Moon</h1><object data='moon.xml' \
                type='application/x-demo'><div><p>Half of it is lit.</p></div></object><object \
                data='b.xml'/><p>End.</p></body></html>";
    let markdown = book_of(manifest, "a", &[("OEBPS/a.xhtml", page)]);
    assert_eq!(markdown, "# Moon\n\nHalf of it is lit.\n\nEnd.");
}
