//! Hidden content: it is left out unless the page offers to show it, and nothing else goes with it.

use proptest::prelude::*;

use super::{check, markdown};

#[test]
fn an_element_that_is_hidden_takes_nothing_with_it_however_long_its_name() {
    check(&[
        (
            "a<i-pull-to-refresh aria-hidden=true>b</i-pull-to-refresh> c",
            "a c",
        ),
        ("a<I-Pull-To-Refresh hidden>b</i-pull-to-REFRESH > c", "a c"),
        (
            "a<very-long-name-one hidden>b</very-long-name-two>c</very-long-name-one> d",
            "a d",
        ),
        ("a<template><template-part></template> b", "a b"),
        ("a<template><script-x></template> b", "a b"),
        (
            "a<template><script>'</template>'</script></template> b",
            "a b",
        ),
    ]);
}

#[test]
fn text_that_comes_late_stands_where_the_page_puts_it() {
    check(&[(
        "<main><h1>a</h1><!--$?--><template \
         id=\"B:0\"></template><p>Loading</p><!--/$--><p>c</main><div hidden id=\"S:0\"><p>b \
         <template id=\"P:1\"></template></p></div><script>$RC(\"B:0\",\"S:0\")</script><div \
         hidden id=\"S:1\"><b>x</b></div><script>$RS(\"S:1\",\"P:1\")</script>",
        "# a\n\nb **x**\n\nc",
    )]);
}

#[test]
fn what_the_page_offers_to_show_is_shown() {
    check(&[
        (
            "<button aria-controls='x y'>a</button><div id=x hidden>b</div><div id=y \
             style='display:none'>c</div>",
            "a\n\nb\n\nc",
        ),
        ("<p>a<div role=tabpanel aria-hidden=true>b</div>", "a\n\nb"),
        ("<p>a<div role=region hidden>b</div>", "a\n\nb"),
        (
            "<a href='#t2'>a</a><div id=t2 style='display: none; color: red'>b</div>",
            "[a](#t2)\n\nb",
        ),
        (
            "<button data-bs-target='#x'>a</button><button data-target='#y'>b</button><p id=x \
             hidden>c<p id=y hidden>d",
            "a b\n\nc\n\nd",
        ),
        (
            "<div class='swiper-slide' aria-hidden=true>a</div><div class='slick-slide' \
             aria-hidden=true>b</div><div class='carousel-item' hidden>c</div><div \
             class='slick-slide slick-cloned' aria-hidden=true>a</div>",
            "a\n\nb\n\nc",
        ),
        // A panel that stands in another one.
        (
            "<button aria-controls=x>a</button><div id=x hidden>b <button \
             aria-controls=y>c</button><p id=y hidden>d</p></div>",
            "a\n\nb c\n\nd",
        ),
        ("<details><summary>a</summary><p>b</details>", "a\n\nb"),
        // A control that only says that it opens something: what stands beside it.
        (
            "<h3><button aria-expanded=false>a</button></h3><div hidden>b</div>",
            "### a\n\nb",
        ),
        (
            "<div><div><a aria-expanded='false'>a</a></div> <!-- --> <div \
             style='display:none'>b</div></div>",
            "a\n\nb",
        ),
        // Panels and slides, by their classes.
        (
            "<p>a<div class='faq__answer' style='display:none'>b</div>",
            "a\n\nb",
        ),
        (
            "<p>a<div class='chakra-collapse x' hidden>b</div>",
            "a\n\nb",
        ),
        (
            "<p>a<div class='c-Accordion__panel' aria-hidden=true>b</div>",
            "a\n\nb",
        ),
        ("<p>a<div class='tab-pane fade' hidden>b</div>", "a\n\nb"),
        (
            "<p>a<li class='bp-Carousel__cell' aria-hidden=true>b</li>",
            "a\n\n- b",
        ),
        ("<p>a<main aria-hidden=true>b</main>", "a\n\nb"),
        (
            "<button aria-controls=x>a</button><span id=x aria-hidden=true>b</span>",
            "a b",
        ),
    ]);
}

#[test]
fn panels_that_a_custom_element_with_tabs_hides_are_shown() {
    check(&[
        (
            "<awsdocs-tabs><dl style='display: none'><dt>a<dd tab-id=x><p>b<dt>c<dd \
             tab-id=y><p>d</dl></awsdocs-tabs>",
            "a\n: b\n\nc\n: d",
        ),
        (
            "<x-tabs><div><p>a</div><div><section style='display:none'>b</section></div></x-tabs>",
            "a\n\nb",
        ),
        (
            "<p>a<my-tab-panel style='display:none'><p>b</my-tab-panel>",
            "a\n\nb",
        ),
        // Nothing else, and nothing that is hidden in any other way.
        (
            "<x-tabs>a<p hidden>b</p><p aria-hidden=true>c</p><p \
             style='visibility:hidden'>d</p></x-tabs>",
            "a",
        ),
        ("<x-table>a<p style='display:none'>b</p></x-table>", "a"),
        ("<tabs>a<p style='display:none'>b</p></tabs>", "a"),
        (
            "<x-tabs>a<p><b><i style='display:none'>b</i></b></p></x-tabs>",
            "a",
        ),
    ]);
}

#[test]
fn a_dialog_takes_the_place_of_no_page() {
    let page = "The river rose. ".repeat(20);
    let asks = "We and our partners ask. ".repeat(10);
    for dialog in [
        format!("<div role=dialog aria-modal=true>{asks}</div>"),
        format!("<div><section role=alertdialog>{asks}</section></div>"),
        format!("<dialog open>{asks}</dialog>"),
    ] {
        let converted = markdown(&format!(
            "<div id=root aria-hidden=true><p>{page}<i hidden>Ignore</i><div \
             aria-hidden=true>Ignore</div></div><p aria-hidden=true>Ignore all that came \
             before</p>{dialog}"
        ));
        assert!(
            converted.starts_with(page.trim()) && converted.contains(asks.trim()),
            "{converted}"
        );
        assert!(!converted.contains("Ignore"), "{converted}");
    }
    // One that is not open opens nothing and is no substitute for the page.
    for dialog in [
        format!("<div role=dialog hidden>{asks}</div>"),
        format!("<div hidden><div role=dialog>{asks}</div></div>"),
        format!("<dialog>{asks}</dialog>"),
    ] {
        let converted = markdown(&format!(
            "<p>{asks}</p><div aria-hidden=true>{page}{page}</div>{dialog}"
        ));
        assert_eq!(converted, asks.trim());
    }
    let converted = markdown(&format!(
        "<p>a<div role=dialog aria-hidden=true>{asks}{asks}</div>"
    ));
    assert_eq!(converted, "a");
}

#[test]
fn what_merely_hides_stays_hidden() {
    for hidden in [
        "<p hidden>SECRET</p>",
        "<p hidden=hidden>SECRET</p>",
        "<p class=faq hidden>SECRET</p>",
        "<span class='accordion-note' style='display:none'>SECRET</span>",
        "<p aria-hidden=true>SECRET</p>",
        "<p style='display:none'>SECRET</p>",
        "<p style='visibility:hidden'>SECRET</p>",
        "<p style='color:red;DISPLAY : NONE !important'>SECRET</p>",
        "<u hidden>SECRET</u>",
        "<font style='display:none'>SECRET</font>",
        "<font hidden><font>SECRET</font>SECRET</font>",
        "<small aria-hidden=true><b>SECRET</b></small>",
        "<svg style='display:none'><text>SECRET</text></svg>",
        "<svg hidden><svg></svg><text>SECRET</text></svg>",
        "<select hidden><option>SECRET</select>",
        "<textarea hidden>SECRET</textarea>",
        "<textarea style='display:none'>SECRET</textarea>",
        "<option hidden>SECRET</option>",
        "<textarea style='display&#58none'>SECRET</textarea>",
        "<textarea style='display&#x3Anone'>SECRET</textarea>",
        "<option style='display&#58none'>SECRET</option>",
        "<textarea aria-hidden='&#116rue'>SECRET</textarea>",
        "<iframe style='display&#58none' src=/x title=SECRET></iframe>",
        "<svg style='display&#58none'><text>SECRET</text></svg>",
        "<svg display=none><text>SECRET</text></svg>",
        "<svg><text display=none>SECRET</text></svg>",
        "<svg><text visibility='HIDDEN '>SECRET</text></svg>",
        "<svg><text visibility=collapse>SECRET</text></svg>",
        "<svg>SECRET<g>SECRET</g><text>.</text><tspan>SECRET</tspan><svg></svg>SECRET</svg>",
        "<svg><g hidden><g><text>SECRET</text></g><text>SECRET</text></g></svg>",
        "<svg><g style='display:none'><script>SECRET</g></script><text>SECRET</text></g></svg>",
        "<svg><a aria-hidden=true><text>SECRET</text></a></svg>",
        "<svg hidden><foreignObject><div>SECRET</div></foreignObject></svg>",
        "<svg><foreignObject hidden><p>SECRET<p>SECRET</foreignObject></svg>",
        "<svg><g hidden><svg></svg><!-- </g> --><text>SECRET</text></svg>",
        "<svg><symbol><text>SECRET</text></symbol></svg>",
        "<svg><defs><defs></defs><text>SECRET</text></defs></svg>",
        "<svg><pattern><text>SECRET</text></pattern><mask><text>SECRET</text></mask></svg>",
        "<svg><clipPath><text>SECRET</text></clipPath></svg>",
        "<math><mi style='display:none'>SECRET</mi></math>",
        "<math><mrow hidden><mrow><mi>SECRET</mi></mrow><mi>SECRET</mi></mrow></math>",
        "<math><mtext hidden>SECRET<b>SECRET</b></mtext></math>",
        "<math><mphantom><mi>SECRET</mi></mphantom></math>",
        "<math hidden><mtext>SECRET<p>SECRET</mtext></math>",
        "<noscript>SECRET</noscript>",
        "<template>SECRET</template>",
        // An offer that nobody sees is none.
        "<div hidden id=x><a href='#x'>a</a>SECRET</div>",
        "<div hidden><button aria-controls=x>a</button></div><div hidden id=x>SECRET</div>",
        "<div hidden id=x><a href='#y'>a</a></div><div hidden id=y><a href='#x'>a</a>SECRET</div>",
        "<div hidden><div role=tabpanel>SECRET</div></div>",
        "<a href='#'>a</a><div hidden id=''>SECRET</div>",
        "<a href='#y'>a</a><div hidden id=x>SECRET</div>",
        "<div hidden id='S:0'>SECRET</div>",
        "<div class='slick-slide slick-cloned' aria-hidden=true>SECRET</div>",
        "<object hidden>SECRET</object>",
        "<video hidden>SECRET</video>",
        "<img hidden alt=SECRET src=x>",
        "<a hidden href=/x>SECRET</a>",
        "<table><tr hidden><td>SECRET</table>",
        "<ul><li hidden>SECRET</ul>",
        "<x-y hidden><x-y>SECRET</x-y>SECRET</x-y>",
        // A control that opens something else, or nothing.
        "<button aria-expanded=true>a</button><div hidden>SECRET</div>",
        "<button aria-expanded=false>a</button><p>b</p><div hidden>SECRET</div>",
        "<button aria-expanded=false>a</button> b <div hidden>SECRET</div>",
        "<div hidden><button aria-expanded=false>a</button><div hidden>SECRET</div></div>",
        "<div><div><div><b aria-expanded=false>a</b></div></div></div><div hidden>SECRET</div>",
        "<button aria-label=x>a</button><div hidden>SECRET</div>",
        "<button aria-expanded=false aria-controls=y>a</button><div hidden id=x>SECRET</div>",
        "<a aria-expanded=false href='#y'>a</a><div hidden id=x>SECRET</div>",
        "<button aria-controls=y>a</button><div hidden id=x>SECRET</div>",
        "<button>a</button><div hidden class=content>SECRET</div>",
        "<main hidden>SECRET</main>",
        "<main aria-hidden=true style='display:none'>SECRET</main>",
        "<div class=slider hidden>SECRET</div>",
        "<div class=table-content hidden>SECRET</div>",
        "<div class=list-item hidden>SECRET</div>",
        "<template id='B:0'></template><div id='S:1' class=x><p hidden>SECRET</div>",
        "<p title=SECRET aria-label=SECRET data-x=SECRET>a</p>",
        "<input value=SECRET placeholder=SECRET>",
        "<script type=text/plain>SECRET</script>",
        "<style>SECRET</style>",
        "<!-- SECRET -->",
    ] {
        let page = format!("<p>A recipe for bread.</p>{hidden}<p>Mix flour and water.</p>");
        let markdown = markdown(&page);
        assert!(!markdown.contains("SECRET"), "{page} {markdown}");
        assert!(
            markdown.starts_with("A recipe for bread."),
            "{page} {markdown}"
        );
        assert!(
            markdown.ends_with("Mix flour and water."),
            "{page} {markdown}"
        );
    }
}

#[test]
fn what_nobody_sees_by_its_own_style_stays_hidden() {
    let long =
        "<p>A recipe for bread, for all who have an oven, an hour and nothing else to do.</p>";
    for hidden in [
        "<p style='opacity:0'>SECRET</p>",
        "<span style='opacity:.01'>SECRET</span>",
        "<div style='filter:opacity(0)'><p>SECRET</p></div>",
        "<div style='height:0;overflow:hidden'>SECRET</div>",
        "<div style='max-height:0;overflow:hidden'><b style='font-size:16px'>SECRET</b></div>",
        "<div style='transform:scale(0)'>SECRET</div>",
        "<div style='content-visibility:hidden'>SECRET</div>",
        "<span style='position:absolute;left:-9999px'>SECRET</span>",
        "<span style='position:absolute;width:1px;height:1px;overflow:hidden'>SECRET</span>",
        "<span style='position:absolute;clip:rect(0 0 0 0)'>SECRET</span>",
        "<p style='clip-path:inset(50%)'>SECRET</p>",
        "<p style='text-indent:-9999px'>SECRET</p>",
        "<div style='text-indent:-9999px'><p>SECRET</p></div>",
        "<p style='font-size:0'>SECRET</p>",
        "<p style='font-size&#58;0'>SECRET</p>",
        "<p style='font:0/0 a'>SECRET</p>",
        "<div style='font-size:0'><p>SECRET<b style='font-size:1em'>SECRET</b></p></div>",
        "<div style='font-size:.3em'><p style='font-size:.3em'>SECRET</p></div>",
        "<div style='color:transparent'><p>SECRET <i style='color:#0000'>SECRET</i></p></div>",
        "<div style='color:transparent'><p style='color:inherit'>SECRET</p></div>",
        "<p style='color:#fff;background:white'>SECRET</p>",
        "<ul><li style='font-size:0'>SECRET</ul>",
        "<a href=/x style='font-size:0'>SECRET</a>",
        "<h2 style='color:transparent'>SECRET</h2>",
        "<table><tr><td style='opacity:0'>SECRET</table>",
        "<table style='font-size:0'><tr><td>SECRET</table>",
        "<textarea style='font-size:0'>SECRET</textarea>",
        "<option style='color:transparent'>SECRET</option>",
        "<font style='opacity:0'>SECRET</font>",
        "<p popover>SECRET</p>",
        "<div POPOVER=manual style='color:red'>SECRET</div>",
        "<dialog>SECRET</dialog>",
        "<dialog style='color:red'><p>SECRET</dialog>",
        "<iframe style='opacity:0' src=/x title=SECRET></iframe>",
        "<svg style='opacity:0'><text>SECRET</text></svg>",
        // The first of two counts.
        "<p style='opacity:0' style='opacity:1'>SECRET</p>",
        // An offer that nobody sees is none.
        "<div style='opacity:0'><button aria-controls=x>a</button></div><div hidden \
         id=x>SECRET</div>",
        "<a href='#y'>a</a><div style='max-height:0;overflow:hidden' id=x>SECRET</div>",
        "<p class=tab-pane style='opacity:0'>SECRET</p>",
    ] {
        let page = format!("{long}{hidden}<p>Mix flour and water.</p>");
        let markdown = markdown(&page);
        assert!(!markdown.contains("SECRET"), "{page} {markdown}");
        assert!(
            markdown.starts_with("A recipe for bread"),
            "{page} {markdown}"
        );
        assert!(
            markdown.ends_with("Mix flour and water."),
            "{page} {markdown}"
        );
    }
    let padded = format!("<p style='{};opacity:0'>SECRET</p>", "x:y;".repeat(8192));
    assert_eq!(
        markdown(&format!("<p>a</p>{padded}<p>SOME MORE WORDS")),
        "a\n\nSOME MORE WORDS"
    );
}

#[test]
fn what_a_style_shows_again_is_shown_and_only_that() {
    check(&[
        (
            "<p>a <span style='font-size:0'>b <b style='font-size:16px'>c</b> d</span> e",
            "a **c** e",
        ),
        (
            "<div style='font-size:0'>b<p style='font-size:1rem'>c</p><p>d</p><p \
             style='font-size:2em'>e</p></div>f",
            "c\n\nf",
        ),
        (
            "<div style='color:transparent'>b<p style='color:black'>c<i>d</i></p></div>",
            "c*d*",
        ),
        // Links, marks and buttons have colours of their own.
        (
            "<div style='color:transparent'>b<a href=x>c</a> <mark>d</mark> \
             <button>e</button></div>",
            "[c](https://example.com/a/x) d e",
        ),
        (
            "<div style='color:#fff;background:#fff'>b<p style='background:#000'>c</p></div>",
            "c",
        ),
        (
            "<div style='text-indent:-999em'>b<p style='text-indent:0'>c</p></div>",
            "c",
        ),
        // Images have no type.
        (
            "<div style='font-size:0'>b<img src=x alt=c></div>",
            "![c](https://example.com/a/x)",
        ),
        ("<p style='font-size:0;'>b<p style='font-size:12px'>c", "c"),
        // Sizes are those of boxes.
        ("<span style='height:0;overflow:hidden'>c</span>", "c"),
        ("<div style='height:0'>c</div>", "c"),
        ("<div style='max-height:0'>c</div>", "c"),
        (
            "<table><tr style='height:0;overflow:hidden'><td>c<td>d</table>",
            "| | |\n| --- | --- |\n| c | d |",
        ),
        ("<div inert>c</div>", "c"),
        ("<dialog open>c</dialog>", "c"),
        ("<dialog style='display:block'>c</dialog>", "c"),
        ("<div popover style='display:flex'>c</div>", "c"),
        // Pictures appear when they have come.
        (
            "<p>c <img style='opacity:0' src=x alt=d>",
            "c ![d](https://example.com/a/x)",
        ),
        // A whole page is faded in: no reader sees it like this for long.
        ("<body style='opacity:0'><p>c", "c"),
    ]);
}

#[test]
fn what_a_page_offers_to_show_is_shown_however_it_is_hidden() {
    check(&[
        (
            "<button aria-controls=x>a</button><div id=x \
             style='max-height:0;overflow:hidden'>b</div>",
            "a\n\nb",
        ),
        (
            "<button aria-controls=x>a</button><div id=x style='font-size:0'>b</div>",
            "a\n\nb",
        ),
        (
            "<button popovertarget=x>a</button><div id=x popover>b</div>",
            "a\n\nb",
        ),
        (
            "<button commandfor=x command=show-modal>a</button><dialog id=x>b</dialog>",
            "a\n\nb",
        ),
        (
            "<p>a<div class='accordion-body' style='height:0px;overflow:hidden'>b</div>",
            "a\n\nb",
        ),
        ("<p>a<div role=tabpanel style='opacity:0'>b</div>", "a\n\nb"),
        (
            "<p>a<div class='swiper-slide' style='opacity:0;transform:scale(0)'>b</div>",
            "a\n\nb",
        ),
    ]);
}

#[test]
fn what_is_hidden_in_a_drawing_or_a_formula_takes_nothing_else_with_it() {
    for (page, expected) in [
        ("<svg><g hidden/><text>b</text></svg>", "b"),
        (
            "<svg><g hidden>a</g><text>b<tspan>c</tspan></text></svg>",
            "b c",
        ),
        ("<svg><foreignObject>b</foreignObject>a</svg>", "b"),
        (
            "<svg><g display=inline visibility=visible><text>b</text></g></svg>",
            "b",
        ),
        (
            "<math visibility=hidden><mi display=none>b</mi></math>",
            "b",
        ),
        ("<svg>a<math>b</math></svg>", "b"),
        ("<svg><g hidden>a</svg>b", "b"),
        ("<svg><g hidden>a<p>b</p>", "b"),
        ("<svg hidden><g>a<p>b</p>", "b"),
        ("<svg hidden><svg>a</svg>a</svg>b", "b"),
        ("<svg hidden/>b", "b"),
        ("<math display=block><mi>b</mi></math>", "b"),
        ("<math><mi hidden>a</mi><mi>b</mi></math>", "b"),
        ("<math><mphantom>a</mphantom><mi>b</mi></math>", "b"),
        // A formula is not told of what is seen and what is not.
        (
            "<math><mi style='display:none'>a</mi><msup><mi>b</mi><mn>2</mn></msup></math>",
            "`b^2`",
        ),
        (
            "<math><msup><mi>b</mi><mn>2</mn></msup><mrow hidden=''><mi>a</mi></mrow></math>",
            "`b^2`",
        ),
        (
            "<math><msup><mi>b</mi><mrow aria-hidden='true'><mi>a</mi></mrow></msup></math>",
            "b",
        ),
    ] {
        assert_eq!(markdown(page), expected, "{page}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_follows_a_hidden_element_of_any_name_is_kept(
        name in "x[a-z0-9-]{0,59}",
        other in "x[a-z0-9-]{0,59}",
        hides in prop::sample::select(vec!["hidden", "aria-hidden=true", "style='display:none'"]),
    ) {
        prop_assume!(!name.starts_with("xmp") && !other.starts_with("xmp"));
        let page = format!(
            "one <{other}>two<{name} {hides}>three <{other}>four</{other}></{name}> five</{other}> six"
        );
        prop_assert_eq!(markdown(&page), "one two five six", "{}", page);
    }
}
