//! Feeds, whole and broken, as the lists that they become.

use super::*;

fn markdown(page: &str) -> Option<(String, String)> {
    let base = Url::parse("https://example.com/feed/").unwrap();
    convert_feed(page, &base).map(|document| (document.title, document.markdown))
}

fn check(page: &str, title: &str, wanted: &str) {
    let wanted = (title.to_owned(), wanted.to_owned());
    assert_eq!(markdown(page), Some(wanted), "{page}");
}

#[test]
fn rss_is_a_list_of_linked_titles() {
    check(
        "<?xml version='1.0'?><!-- x --><rss version='2.0'><channel><title>News &amp; more</title>\
         <link>https://example.com/</link><description>All of it</description>\
         <item><title>A &lt;b&gt;bold&lt;/b&gt; one</title><link>https://example.com/1?a=b&amp;utm_source=rss</link>\
         <pubDate>Sun, 22 Nov 2026</pubDate><description><![CDATA[<p>Some <i>words</i> &amp; more</p>]]></description></item>\
         <item><title><![CDATA[AT&T]]></title><guid>https://example.com/2</guid></item>\
         <item><title>c</title><guid isPermaLink='false'>x</guid></item></channel></rss>",
        "News & more",
        "All of it\n\n- [A bold one](https://example.com/1?a=b) (Sun, 22 Nov 2026)  \n  Some words & more\n\
         - [AT&T](https://example.com/2)\n- c",
    );
}

#[test]
fn atom_is_a_list_of_linked_titles() {
    check(
        "<feed xmlns='http://www.w3.org/2005/Atom'><title>T</title><link rel='self' \
         href='/feed'/><entry><title type='html'>a</title><link rel='edit' href='/e'/><link \
         href='/1'/><id>urn:x</id><updated>2026-11-22</updated><content \
         type='xhtml'><div><p>b</p><p>c</p></div></content></entry></feed>",
        "T",
        "- [a](https://example.com/1) (2026-11-22)  \n  b c",
    );
}

#[test]
fn a_feed_has_its_own_base_its_enclosures_and_its_escaped_sections() {
    check(
        "<feed xml:base='https://e.org/blog/'><title>T</title>\
         <entry><title>a</title><link href='1'/></entry>\
         <entry xml:base='b/'><title>b</title><link href='2'/>\
         <link rel='enclosure' type='audio/ogg' href='2.ogg'/></entry></feed>",
        "T",
        "- [a](https://e.org/blog/1)\n- [b](https://e.org/blog/b/2) [audio/ogg](https://e.org/blog/b/2.ogg)",
    );
    check(
        "<rss><channel><title>T</title><item><title>a</title><description>&lt;![CDATA[A \
         &lt;b&gt;short&lt;/b&gt; one]]&gt;</description><enclosure url='/1.mp3?a=1&amp;b=2' \
         length='1'/><enclosure url='/2.mp3'/></item></channel></rss>",
        "T",
        "- a [Enclosure](https://example.com/1.mp3?a=1&b=2)  \n  A short one",
    );
}

#[test]
fn rdf_is_a_list_of_linked_titles() {
    check(
        "<rdf:RDF xmlns:rdf='x' xmlns='http://purl.org/rss/1.0/'><channel><title>T</title></channel>\
         <item><title>a</title><link>/1</link><dc:date>2026</dc:date></item></rdf:RDF>",
        "T",
        "- [a](https://example.com/1) (2026)",
    );
}

#[test]
fn a_broken_feed_gives_what_it_has() {
    let item = |title: &str| {
        format!("<item><title>{title}</title><link>https://example.com/1?a=1&b=2</link></item>")
    };
    let next = "<item><title>c</title></item>";
    let page = |body: &str| {
        format!(
            "<?xml version='1.0' \
             encoding='ISO-8859-1'?><rss><channel><title>T</title>{body}</channel></rss>"
        )
    };
    let link = "[A & B](https://example.com/1?a=1&b=2)";
    for (body, wanted) in [
        // References that are none, and names that only HTML knows.
        (item("A & B") + next, format!("- {link}\n- c")),
        (item("A &amp; B&nbsp;") + next, format!("- {link}\n- c")),
        (
            item("A &foo; B") + next,
            "- [A \\&foo; B](https://example.com/1?a=1&b=2)\n- c".to_owned(),
        ),
        // HTML that is not escaped.
        (
            format!(
                "<item><title>a</title><description><p>b<br>c <img \
                 src=x></description></item>{next}"
            ),
            "- a  \n  b c\n- c".to_owned(),
        ),
        (
            format!("<item><title>a</title><description>b</p> c</description></item>{next}"),
            "- a  \n  b c\n- c".to_owned(),
        ),
        // End tags that are wrong, missing, or too many.
        (
            format!("<item><title>a</titel></item>{next}"),
            "- a\n- c".to_owned(),
        ),
        (
            format!("<item><title>a</title></item></item></x>{next}"),
            "- a\n- c".to_owned(),
        ),
        (
            format!("<item><title>a<b></title></item>{next}"),
            "- a\n- c".to_owned(),
        ),
        // A feed that breaks off.
        (
            format!("{next}<item><title>a</title><description><![CDATA[<p>b"),
            "- c\n- a".to_owned(),
        ),
        (
            format!("{next}<item><title>a</title><desc"),
            "- c\n- a".to_owned(),
        ),
        (format!("{next}<!-- x"), "- c".to_owned()),
    ] {
        check(&page(&body), "T", &wanted);
    }
}

#[test]
fn items_that_are_not_listed_are_counted_and_no_item_says_so() {
    let base = Url::parse("https://example.com/").unwrap();
    let remark = "[12 more items are not listed.]";
    let item = format!("<item><title>{remark}</title></item>");
    let page = |items: usize| format!("<rss><channel>{}", item.repeat(items));
    let whole = convert_feed(&page(1), &base).unwrap();
    assert_eq!(whole.markdown, format!("- {remark}"));
    assert_eq!(
        (whole.cuts, whole.own_text()),
        (DocumentCuts::default(), &*whole.markdown)
    );
    let cut = convert_feed(&page(MAX_ITEMS + 3), &base).unwrap();
    assert_eq!(cut.cuts.items, 3);
    let end = "\n\n[3 more items are not listed.]";
    assert_eq!(cut.markdown, format!("{}{end}", cut.own_text()));
}

#[test]
fn what_is_no_feed_is_none() {
    for page in [
        "",
        "<html><rss>",
        "<rsss>",
        "{\"rss\":1}",
        "<rdf:RDF xmlns='x'>",
        "<!-- ",
    ] {
        assert_eq!(markdown(page), None, "{page}");
    }
}

#[test]
fn a_hostile_feed_expands_nothing_and_stays_small() {
    let bomb = "<!DOCTYPE rss [<!ENTITY a 'SECRET'><!ENTITY b '&a;&a;&a;'><!ENTITY c SYSTEM 'file:///etc/passwd'>]>\
         <rss><channel><item><title>&b;&c;</title></item></channel></rss>";
    let (_, read) = markdown(bomb).unwrap();
    assert!(
        !read.contains("SECRET") && !read.contains("root:"),
        "{read}"
    );
    for piece in [
        "<item><title>a</title>",
        "<item><title>a</title></item>",
        "<a>",
        "<![CDATA[",
        "<!--",
        "<item ",
    ] {
        let page = format!("<rss><channel>{}", piece.repeat(200_000));
        let (_, read) = markdown(&page).unwrap();
        assert!(read.len() < 64 * 1024, "{piece}");
    }
}
