//! What the filter takes out of a page, and what it leaves as it is.

use super::*;

#[test]
fn a_page_that_needs_nothing_passes_unchanged() {
    for page in [
        "",
        "plain text, 1 < 2 & 3",
        "<p>a <b>b</b><p>c",
        "<!DOCTYPE html><html><head><title>t</title></head><body><h1>a</h1></body></html>",
        "<ul><li>a<li>b</ul><table><tr><td colspan=2>x<td>y</table>",
        "<a href='x' title=\"y\">a</a><img src=x alt=y><br><hr/>",
    ] {
        assert!(
            matches!(filter(page), Cow::Borrowed(_)),
            "{page} {}",
            filter(page)
        );
    }
}

#[test]
fn what_no_reader_sees_is_left_out() {
    for (page, wanted) in [
        ("a<script>if (a < b) '<p>'</script>b", "ab"),
        ("a<SCRIPT>x</script >b", "ab"),
        ("a<style>x</styles></style>b", "ab"),
        ("a<!-- > -- -->b", "ab"),
        ("a<!-->b", "ab"),
        ("a<!--->b", "ab"),
        ("a<!-- --!>b", "ab"),
        ("a<![CDATA[x]]>b", "ab"),
        ("a<?php x ?>b", "ab"),
        ("a</ x>b", "ab"),
        ("a<template><template></template>x</template>b", "ab"),
        ("a<noscript><p>x</noscript>b", "ab"),
        (
            "a<svg viewBox=x><title>t</title><path d=x /><text>w</text></svg>b",
            "a w b",
        ),
        ("a<script>b", "a"),
        ("a<b x='", "a"),
    ] {
        assert_eq!(filter(page), wanted, "{page}");
    }
}

#[test]
fn only_attributes_that_are_used_stay() {
    for (page, wanted) in [
        ("<p id=a class='b c' hidden>", "<p hidden>"),
        ("<a class=x href=\"a>b\" onclick='>'>", "<a href=\"a>b\">"),
        ("<img src='data:x' alt=\"a\">", "<img alt=\"a\">"),
        ("<p style='color:red'>", "<p>"),
        ("<p style='display:none'>", "<p style='display:none'>"),
        (
            "<pre class=rust><code class=x>",
            "<pre class=rust><code class=x>",
        ),
        ("<code class=x>", "<code>"),
        ("<body style='display:none'>", "<body>"),
        ("</p id=x>", "</p>"),
        ("<p =x y = z>", "<p>"),
    ] {
        assert_eq!(filter(page), wanted, "{page}");
    }
}

#[test]
fn text_that_is_no_markup_stays_text() {
    for (page, wanted) in [
        ("<title>a <b> c</title>", "<title>a &lt;b> c</title>"),
        (
            "<textarea>a <b> &amp;</textarea>",
            "<span> a &lt;b> &amp; </span>",
        ),
        ("<xmp>a <b> &amp;</xmp>", "<pre>a &lt;b> &amp;amp;</pre>"),
        (
            "<plaintext>a <b></plaintext>",
            "<pre>a &lt;b>&lt;/plaintext></pre>",
        ),
        ("<select><option>a<option>b</select>", "  a b "),
    ] {
        assert_eq!(filter(page), wanted, "{page}");
    }
}

#[test]
fn elements_deeper_than_the_limit_stand_beside_each_other() {
    let page = "<div>a".repeat(1000);
    let filtered = filter(&page);
    assert_eq!(filtered.matches("</div>").count(), 1000 - tree::MAX_DEPTH);
    assert_eq!(filtered.matches('a').count(), 1000);
}

#[test]
fn formatting_that_is_never_closed_is_not_opened_for_ever() {
    let page = "<p><b id=i>x".repeat(10_000);
    let filtered = filter(&page);
    assert!(filtered.matches("<b>").count() < 2000);
    assert_eq!(filtered.matches('x').count(), 10_000);
}

#[test]
fn content_between_rows_ends_up_in_a_cell_once_there_is_too_much_of_it() {
    let page = format!("<table>{}", "<tr>a".repeat(1000));
    assert!(filter(&page).matches("<td>").count() > 700);
}
