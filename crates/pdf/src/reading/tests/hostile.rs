//! Files that are damaged, or made to do harm: each costs no more than one clear refusal.

use std::io::Write as _;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use lopdf::{Document, EncryptionState, EncryptionVersion, Object, Permissions, StringFormat};

use super::{
    FONTS, File, FileLimits, PdfError, PdfReading, error, lines, page, read_guarded, text,
};
use iki_base::cpu_clock::CpuInstant;

/// Much data that takes little.
fn bomb(unit: &[u8], times: usize) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    let block = unit.repeat(1 << 14);
    for _ in 0..times.div_ceil(1 << 14) {
        encoder.write_all(&block).unwrap();
    }
    encoder.finish().unwrap()
}

/// Reads a file within a second and a half of a slow machine's time; what comes of it.
fn soon(bytes: &[u8]) -> Result<String, PdfError> {
    let start = CpuInstant::now();
    let limits = FileLimits {
        end: Some(Instant::now() + Duration::from_secs(2)),
        ..FileLimits::default()
    };
    let read = read_guarded(bytes, &limits);
    let taken = start.elapsed();
    assert!(taken < Duration::from_secs(30), "{taken:?}");
    read.map(|model| model.beginning(usize::MAX))
}

#[test]
fn what_is_no_pdf_is_said_to_be_none() {
    assert_eq!(error(b""), PdfError::NotPdf);
    assert_eq!(error(b"<!DOCTYPE html><p>%PD"), PdfError::NotPdf);
    assert_eq!(error(b"%PDF-1.4\nand nothing else"), PdfError::Damaged);
}

#[test]
fn a_content_stream_that_swells_is_left_out() {
    let mut file = File::new();
    file.page(&lines(&["Some text"]));
    let data = bomb(b"0 0 m ", 16 << 20);
    assert!(data.len() < 1 << 20);
    let content = file.stream("/Filter /FlateDecode", &data);
    let swollen = file.add(format!(
        "<< /Type /Page /Parent 2 0 R /Contents {content} 0 R >>"
    ));
    file.pages.push(swollen);
    let bytes = file.finish();
    let mut read = PdfReading::new(&bytes, &FileLimits::default()).unwrap();
    assert!(
        read.is_cut && !read.is_late,
        "it is said that something is missing"
    );
    let model = read.build(Vec::new()).unwrap();
    assert_eq!(model.beginning(usize::MAX), "Some text");
}

#[test]
fn an_object_stream_that_swells_is_refused() {
    for (unit, entries) in [
        (&b"1 "[..], "/N 1 /First 4"),
        // Each of its many objects would be the same large one.
        (b"9 9 ", "/N 4000 /First 60000"),
    ] {
        let mut file = File::new();
        file.page(&lines(&["Some text"]));
        let data = bomb(unit, 4 << 20);
        file.stream(
            &format!("/Type /ObjStm /Filter /FlateDecode {entries}"),
            &data,
        );
        let read = soon(&file.finish());
        assert!(
            matches!(read, Err(PdfError::TooCostly)) || read == Ok("Some text".to_owned()),
            "{read:?}"
        );
    }
}

#[test]
fn arrays_that_fill_the_file_are_refused() {
    let mut file = File::new();
    file.page(&lines(&["Some text"]));
    file.add([b"[".as_slice(), &b"1 ".repeat(8 << 20), b"]"].concat());
    assert_eq!(soon(&file.finish()), Err(PdfError::TooCostly));
}

#[test]
fn a_page_tree_that_holds_itself_ends() {
    let mut file = File::new();
    file.page(&lines(&["Some text"]));
    let page = file.pages[0];
    let inner = file.add(format!("<< /Type /Pages /Kids [2 0 R {page} 0 R 1 0 R] >>"));
    file.objects[1] =
        format!("<< /Type /Pages /Kids [2 0 R {inner} 0 R {inner} 0 R] /Count 9 >>").into_bytes();
    assert_eq!(soon(&file.finish()), Ok("Some text".to_owned()));
}

#[test]
fn forms_that_draw_themselves_or_one_another_end() {
    let mut file = File::new();
    let first = file.objects.len() + 1;
    // Each of thirty draws the next one ten times, and the first one.
    for index in 0..30 {
        let (this, next) = (first + index, first + (index + 1) % 30);
        let resources = format!(
            "/Resources << {FONTS} /XObject << /S {this} 0 R /N {next} 0 R /F {first} 0 R >> >>"
        );
        let form = format!("/Subtype /Form /BBox [0 0 600 600] {resources}");
        file.stream(
            &form,
            "/S Do /F Do "
                .repeat(2)
                .as_bytes()
                .iter()
                .chain(b"/N Do ".repeat(10).iter())
                .copied()
                .collect::<Vec<u8>>()
                .as_slice(),
        );
    }
    file.page_with(
        &format!("{} /X Do", lines(&["Some text"])),
        &format!("/Resources << {FONTS} /XObject << /X {first} 0 R >> >>"),
    );
    assert_eq!(soon(&file.finish()), Ok("Some text".to_owned()));
}

#[test]
fn operators_without_end_are_cut_off_in_time() {
    let mut file = File::new();
    let data = bomb(b"q 1 0 0 1 0 0 cm Q ", 1 << 20);
    let content = file.stream("/Filter /FlateDecode", &data);
    let streams = format!("{content} 0 R ").repeat(100);
    let page = file.add(format!(
        "<< /Type /Page /Parent 2 0 R /Contents [{streams}] >>"
    ));
    file.pages.push(page);
    assert_eq!(soon(&file.finish()), Err(PdfError::TooCostly));
}

#[test]
fn cross_references_that_lie_are_rebuilt() {
    let whole = page(&lines(&["Some text"]));
    let source = String::from_utf8_lossy(&whole).into_owned();
    let start = source.rfind("startxref").unwrap();
    for (from, to) in [
        ("00000 n", "00009 n"),
        ("0000000", "0000001"),
        ("/Size ", "/Size 99999999"),
        ("startxref\n", "startxref\n9999"),
        ("startxref\n", "startxref\n-"),
        ("xref\n0 ", "xref\n4000000000 "),
    ] {
        let lies = source.replace(from, to);
        assert_eq!(
            soon(lies.as_bytes()),
            Ok("Some text".to_owned()),
            "{from} {to}"
        );
    }
    assert_eq!(
        soon(&source.as_bytes()[..start]),
        Ok("Some text".to_owned())
    );
}

#[test]
fn pages_without_a_tree_are_found() {
    let mut file = File::new();
    file.page(&lines(&["Some text"]));
    file.page(&lines(&["and more"]));
    file.objects[1] = b"null".to_vec();
    assert_eq!(soon(&file.finish()), Ok("Some text and more".to_owned()));
}

#[test]
fn a_file_may_end_anywhere() {
    let mut file = File::new();
    let map = file.stream("", b"1 beginbfrange <0003> <0006> <0061> endbfrange");
    file.page_with(
        "BT /F 10 Tf 72 700 Td <0003> Tj ET",
        &format!(
            "/Resources << /Font << /F << /Type /Font /Subtype /Type0 /Encoding /Identity-H \
             /ToUnicode {map} 0 R /DescendantFonts [<< /W [1 [2 3] 4 5 6] >>] >> >> >>"
        ),
    );
    let bytes = file.finish();
    for length in 0..bytes.len() {
        let _ = soon(&bytes[..length]);
    }
}

#[test]
fn widths_and_nesting_without_end_are_bounded() {
    let mut file = File::new();
    let widths = file.add(format!("[{}]", "500 ".repeat(200_000)));
    let map = "<< /Type /Font /Subtype /Type0 /Encoding /Identity-H /DescendantFonts [<< /W [0 \
               4294967295 500 0 $W] >>] >>";
    let map = map.replace("$W", &format!("{widths} 0 R"));
    let content = format!(
        "{} BT /G 10 Tf <00410042> Tj /H 10 Tf (AB) Tj ET",
        lines(&["Some text"])
    );
    let fonts = FONTS.replace(
        "/F1",
        &format!(
            "/G {map} /H << /Type /Font /Subtype /Type1 /FirstChar -5 /Widths {widths} 0 R >> /F1"
        ),
    );
    file.page_with(&content, &format!("/Resources << {fonts} >>"));
    file.add("[".repeat(200_000));
    file.add("<</A".repeat(200_000));
    file.add("(".repeat(200_000));
    assert!(soon(&file.finish()).unwrap().contains("Some text"));
    let nested = format!(
        "{} {} {}",
        "[".repeat(300_000),
        "<<".repeat(300_000),
        lines(&["Some text"])
    );
    assert!(soon(&page(&nested)).is_err());
    let nested = format!("{} {}", lines(&["Some text"]), "[<<(".repeat(300_000));
    assert_eq!(soon(&page(&nested)), Ok("Some text".to_owned()));
}

#[test]
fn fields_without_end_and_above_one_another_are_bounded() {
    let mut file = File::new();
    let above = file.objects.len() + 1;
    file.add(format!(
        "<< /Parent {} 0 R /Kids [{above} 0 R] >>",
        above + 1
    ));
    file.add(format!("<< /Parent {above} 0 R /T (x) >>"));
    let values = file.add(format!("[{}]", "(a) ".repeat(100_000)));
    let field = format!(
        "<< /Subtype /Widget /FT /Ch /V {values} 0 R /Opt {values} 0 R /Parent {above} 0 R >>"
    );
    let field = file.add(field);
    let mute = file.add(format!("<< /Subtype /Widget /Parent {above} 0 R >>"));
    let fields = file.add(format!(
        "[{}]",
        format!("{field} 0 R {mute} 0 R ").repeat(50_000)
    ));
    for _ in 0..20 {
        file.page_with(
            &lines(&["Some text"]),
            &format!("/Annots {fields} 0 R /Resources << {FONTS} >>"),
        );
    }
    assert!(soon(&file.finish()).unwrap().starts_with("Some text"));
}

#[test]
fn maps_without_end_are_bounded() {
    let mut file = File::new();
    let map = format!(
        "begincodespacerange <0000> <FFFF> endcodespacerange beginbfrange {} endbfrange",
        "<0000> <FFFF> <0000> ".repeat(10_000)
    );
    let map = file.stream("", map.as_bytes());
    let font = format!(
        "<< /Type /Font /Subtype /Type0 /Encoding /Identity-H /ToUnicode {map} 0 R \
         /DescendantFonts [<< >>] >>"
    );
    let string = "0041".repeat(100_000);
    file.page_with(
        &format!(
            "{} BT /F 0.01 Tf 72 700 Td <{string}> Tj ET",
            lines(&["Some text"])
        ),
        &format!(
            "/Resources << {} >>",
            FONTS.replace("/F1", &format!("/F {font} /F1"))
        ),
    );
    assert!(soon(&file.finish()).unwrap().contains("Some text"));
}

#[test]
fn a_file_without_pages_says_so() {
    let mut file = File::new();
    file.add("(something)");
    assert_eq!(error(&file.finish()), PdfError::NoPages);
}

#[test]
fn a_file_may_have_many_pages() {
    let mut file = File::new();
    let content = file.stream("", lines(&["x"]).as_bytes());
    for _ in 0..100_000 {
        let page = file.add(format!(
            "<< /Type /Page /Parent 2 0 R /Contents {content} 0 R >>"
        ));
        file.pages.push(page);
    }
    file.page(&lines(&["The last page"]));
    let start = CpuInstant::now();
    let model = read_guarded(&file.finish(), &FileLimits::default()).unwrap();
    assert!(start.elapsed() < Duration::from_secs(60));
    assert_eq!(model.beginning(usize::MAX), "The last page");
}

#[test]
fn numbers_beyond_all_bounds_do_no_harm() {
    let content = "99999999999999999999999999999999999999999 0 0 1e9 0 0 cm BT /F1 1e38 Tf 1 0 0 \
                   1 9e99 -9999999999999999999999999999 Tm (far) Tj /F1 -10 Tf 1 0 0 1 72 700 Tm \
                   (turned) Tj 0 Tz (flat) Tj ET";
    let _ = soon(&page(content));
    let content = "BT /F1 0.0000001 Tf 72 700 Td (tiny) Tj /F1 10 Tf (seen) Tj ET";
    assert_eq!(soon(&page(content)), Ok("seen".to_owned()));
}

/// The file, encrypted.
fn encrypted(bytes: &[u8], password: &str) -> Vec<u8> {
    let mut document = Document::load_mem(bytes).unwrap();
    let id = Object::String(b"0123456789abcdef".to_vec(), StringFormat::Literal);
    document
        .trailer
        .set("ID", Object::Array(vec![id.clone(), id]));
    let version = EncryptionVersion::V2 {
        document: &document,
        owner_password: "owner",
        user_password: password,
        key_length: 128,
        permissions: Permissions::PRINTABLE,
    };
    let state = EncryptionState::try_from(version).unwrap();
    document.encrypt(&state).unwrap();
    let mut encrypted = Vec::new();
    document.save_to(&mut encrypted).unwrap();
    encrypted
}

#[test]
fn the_empty_password_opens_a_file_and_another_is_asked_for() {
    let whole = page(&lines(&["Some text"]));
    let open = encrypted(&whole, "");
    assert!(!open.windows(9).any(|window| window == b"Some text"));
    assert_eq!(text(&open), "Some text");
    assert_eq!(error(&encrypted(&whole, "secret")), PdfError::Encrypted);
}

#[test]
fn a_file_whose_attachments_alone_are_encrypted_needs_no_password() {
    let encrypted = |streams: &str| {
        let mut file = File::new();
        file.page(&lines(&["Some text"]));
        let key = "00".repeat(32);
        let encryption = file.add(format!(
            "<< /Filter /Standard /V 4 /R 4 /Length 128 /P -4 /O <{key}> /U <{key}> /CF << /StdCF \
             << /CFM /AESV2 /AuthEvent /EFOpen /Length 16 >> >> /StmF /{streams} /StrF /{streams} \
             /EFF /StdCF >>"
        ));
        file.trailer = format!("/ID [<00> <00>] /Encrypt {encryption} 0 R");
        file.finish()
    };
    assert_eq!(text(&encrypted("Identity")), "Some text");
    assert_eq!(error(&encrypted("StdCF")), PdfError::Encrypted);
}
