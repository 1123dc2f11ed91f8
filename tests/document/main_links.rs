//! What a main content keeps for its place: lists and cells of links, declarations, fields that
//! are filled in, and spaces between boxes.

use iki_document::{OmittedBlocks, convert_main_until};
use url::Url;

const PARAGRAPH: &str = "<p>The stores of the northern district closed the year with more sales than in any year \
     before, although the ferries did not run for three weeks in spring and the harbour market was \
     moved to the old rope walk. What each of them sold was counted by the keepers themselves.</p>";

/// The main content of a page with `part` amid its text, and what may be missing from it.
fn with_amid(part: &str) -> (String, OmittedBlocks) {
    main_of(&format!("{PARAGRAPH}{PARAGRAPH}{part}{PARAGRAPH}"))
}

fn main_of(content: &str) -> (String, OmittedBlocks) {
    let page = format!(
        "<!doctype html><title>Sales</title><nav><a href=/a>Shop</a></nav><main><h1>Sales</h1>\
         {content}</main><footer>All rights reserved</footer>"
    );
    let base = Url::parse("https://example.com/a/b").unwrap();
    let (document, _) = convert_main_until(&page, &base, false, None);
    (document.markdown, document.omitted)
}

fn stays(part: &str, texts: &[&str]) {
    let (markdown, omitted) = with_amid(part);
    for text in texts {
        assert!(markdown.contains(text), "{text} of {part}\n{markdown}");
    }
    assert_eq!(omitted, OmittedBlocks::default(), "{part}");
}

#[test]
fn lists_of_links_that_belong_to_the_text_stay() {
    let list = "<li><a href=/p>CSP in practice</a><li><a href=/q>Headers of the quay</a></ul>";
    let names = ["CSP in practice", "Headers of the quay"];
    stays(
        &format!("<section><h2>See also</h2><ul class=simple>{list}</section>"),
        &names,
    );
    stays(&format!("<p>More on it:</p><ul>{list}"), &names);
    stays(
        &format!("<dl><dt>Sources<dd><ul class=see-list>{list}</dl>"),
        &names,
    );
}

#[test]
fn cells_of_links_stay_in_tables_that_are_no_data() {
    let members = "<h2>Data Fields</h2><table class=memberdecls>\
         <tr class=memitem><td class=memItemLeft>uint8_t&#160;</td>\
         <td class=memItemRight><a class=el href=#a>bLength</a></td></tr>\
         <tr><td class=mdescLeft>&#160;</td><td class=mdescRight>Size in bytes.<br></td></tr>\
         <tr><td class=separator colspan=2>&#160;</td></tr>\
         <tr class=memitem><td class=memItemLeft>uint16_t&#160;</td>\
         <td class=memItemRight><a class=el href=#b>wTotalLength</a></td></tr></table>";
    stays(members, &["bLength", "Size in bytes.", "wTotalLength"]);
}

#[test]
fn signatures_of_classes_stay_and_those_of_posts_do_not() {
    let class = "<section class=class-description><div class=type-signature>public class \
         <span class=type-name>Bench</span> extends Object</div></section>";
    stays(class, &["public class Bench extends Object"]);
    let after_text = |part: &str| main_of(&format!("{PARAGRAPH}{PARAGRAPH}{part}")).0;
    let post = after_text("<div class=post><div class=signature>Ida Quay</div></div>");
    assert!(!post.contains("Ida Quay"), "{post}");
    let class = after_text("<div class=type-signature>Ida Quay</div>");
    assert!(class.contains("Ida Quay"), "{class}");
}

#[test]
fn readers_comments_stay_out_beside_a_signature() {
    let remark = "<div class=comment><p>My count of the quay is another one.</p></div>";
    let signature = "<div class=signature>count(quay)</div>";
    let (beside, _) = main_of(&format!(
        "{PARAGRAPH}{PARAGRAPH}{signature}<div class=comments>{remark}</div>"
    ));
    assert!(!beside.contains("another one"), "{beside}");
    let (documented, _) = main_of(&format!("{PARAGRAPH}{PARAGRAPH}{signature}{remark}"));
    assert!(documented.contains("another one"), "{documented}");
}

#[test]
fn what_is_deprecated_says_so() {
    for name in ["deprecated", "tsd-tag-deprecated", "deprecationComment"] {
        let part =
            format!("<div class={name}><p>Deprecated since 2.0, use <b>tally</b>.</p></div>");
        stays(&part, &["Deprecated since 2.0"]);
    }
}

#[test]
fn a_field_shows_what_it_is_filled_with() {
    let form = "<form action=/try><textarea rows=3>quay --count 42</textarea>\
         <button>Run it</button></form>";
    let (markdown, _) = with_amid(form);
    assert!(markdown.contains("quay --count 42"), "{markdown}");
    assert!(!markdown.contains("Run it"), "{markdown}");
}

#[test]
fn badges_stand_apart() {
    for badges in [
        "<span class=badge>New</span><span class=badge>Release</span>",
        "<b>New</b><span>Release</span>",
        "<span>New</span><span>Release</span>",
    ] {
        let (markdown, _) = with_amid(&format!("<p>{badges} is out at the quay.</p>"));
        let plain = markdown.replace('*', "");
        assert!(plain.contains("New Release is out"), "{badges}\n{markdown}");
    }
}
