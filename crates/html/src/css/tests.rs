//! Styles that hide, and styles that do not, as Chrome draws them: it shows all that are listed
//! as visible, and nothing readable of the others.

use super::*;

#[test]
fn what_hides_an_element_is_read_as_browsers_read_it() {
    for style in [
        "display:none",
        "color: red; DISPLAY : NONE !important",
        "/* */display/**/:/* ; */none",
        "visibility: hidden",
        "visibility:collapse",
        "display:block;display:none",
        "display:none;display:bogus",
        "display:none;display:none none",
        "display:none;display:block inline",
        "display:none;display:flow flex",
        "display:none;display:list-item list-item",
        "display:none;display:flex list-item",
        "display:none;display:\"block\"",
        "display:none!important;display:block",
        "display:none ! IMPORTANT ;display:block",
        "d\\69splay:none",
        "\\44 isplay:\\6e\\6f\\00006e\\65",
        "d\\isplay:none;display:none",
        "background:url(a'b;c);display:none",
        "background:url(data:*/*;base64,AA);display:none",
        "content:'\\';';display:none",
        "x:(;);display:none",
        "@x{a;b}display:none",
        "@x;display:none",
        "x:'a\\\r\n;display:block;';display:none",
        "x:\"\rdisplay:block;display:none",
        "display\x0c:\rnone",
        "display:none;display:myvar(--x)",
        "display:none;display:var(x)",
        "display:none;display:x(var(-->y))",
        "display:none;display:env(\"x\")",
        "display:none;display:var(\"--x\")",
        "x:'\\1234567\n;display:none",
        "display:none;}display:block",
        "display:none;; } display:block",
        "display:none;} ;display:none;}",
        "color:red};display:none",
    ] {
        assert!(hides(style), "{style}");
    }
    for style in [
        "",
        "display:none;display:block",
        "display:none;display:inline flow-root",
        "display:none;display:flex block",
        "display:none;display:list-item inline",
        "display:none;display:revert",
        "display:none;display:var(--x)",
        "display:none;display:env(x)",
        "display:none!important;display:block!important",
        "display:none x",
        "display:none!x",
        "dis/* */play:none",
        "content:'display none'",
        "content:\";display:none;\"",
        "content:\"\\\";display:none;\"",
        "x:(;display:none;)",
        "background:url(;display:none;)",
        "--display:none",
        "*display:none",
        "x:myurl(a'b;c);display:none",
        "x:#url(';);display:none",
        "display\u{a0}:none",
        "display:none\u{b}",
        "display:none;display:x(var( --y))",
        "display\\:none",
        "/*display:none",
        "}display:none",
        "color:red;/* */}display:none",
        "};display:none;}display:none;display:block",
        // The line feed belongs to the escape.
        "x:'\\41\n;display:none",
        "x:'\\dD2\x0c;display:none",
    ] {
        assert!(!hides(style), "{style}");
    }
}

/// Styles that make a `div` invisible.
const UNSEEN: &[&str] = &[
    "opacity:0",
    "opacity:0%",
    "opacity:.04",
    "opacity:-1",
    "opacity:0;opacity:bogus",
    "opacity:1!important;opacity:0!important",
    "OPACITY:0.0",
    "filter:opacity(0)",
    "filter:blur(1px) opacity(0%)",
    "clip-path:inset(50%)",
    "clip-path:inset(0 100% 0 0)",
    "clip-path:inset(100% 0 0 0 round 2px)",
    "clip-path:circle(0)",
    "clip-path:circle(0 at 50% 50%)",
    "clip-path:ellipse(0 50%)",
    "clip-path:polygon(0 0, 0 0, 0 0)",
    "clip-path:polygon(0 0, 100% 0, 50% 0)",
    "-webkit-clip-path:inset(50%)",
    "position:absolute;clip:rect(0,0,0,0)",
    "position:absolute;clip:rect(0 0 0 0)",
    "position:absolute;clip:rect(1px,1px,1px,1px)",
    "position:fixed;clip:rect(auto,0,auto,0)",
    "position:absolute;width:1px;height:1px;overflow:hidden",
    "width:0;overflow:hidden",
    "height:0;overflow:hidden",
    "height:1px;overflow:clip",
    "height:0;overflow-y:hidden",
    "height:0;overflow:auto",
    "max-height:0;overflow:hidden",
    "max-height:0px!important;overflow:hidden;height:100px",
    "height:calc(0px);overflow:hidden",
    "max-width:.1em;overflow:hidden",
    "display:inline-block;width:0;overflow:hidden",
    "transform:scale(0)",
    "transform:rotate(3deg) scaleX(0)",
    "transform:scale(1,0)",
    "transform:scale3d(0,0,0)",
    "transform:matrix(0,0,0,0,0,0)",
    "transform:scale(.05)",
    "scale:0",
    "content-visibility:hidden",
    "position:absolute;left:-9999px",
    "position:fixed;top:-999em",
    "position:relative;left:-10000px",
    "position:absolute;left:-100vw",
    "position:absolute;inset:0 auto auto -9999px",
    "position:absolute;left:-200%",
    "position:absolute;left:99999px",
    "position:fixed;right:-9999px",
    "margin-left:-9999px",
    "margin:-9999px 0 0",
    "margin:0 0 0 -9999px;width:500px",
    "transform:translateX(-9999px)",
    "translate:0 -9999px",
    "text-indent:-9999px",
    "text-indent:100%;white-space:nowrap;overflow:hidden",
    "font-size:0",
    "font-size:0px!important;font-size:20px",
    "font-size:1px",
    "font-size:1pt",
    "font-size:.1em",
    "font-size:5%",
    "font:0/0 a",
    "font:1px serif",
    "font-size:0;font:inherit;font-size:0",
    "color:transparent",
    "color:#0000",
    "color:#12345600",
    "color:rgba(0,0,0,0)",
    "color:rgb(0 0 0 / 0%)",
    "color:hsla(120,50%,50%,.01)",
    "color:oklch(50% .1 20 / 0)",
    "-webkit-text-fill-color:transparent",
    "color:white;background:#fff",
    "color:#fff;background-color:WHITE",
    "color:rgb(255,255,255);background:hsl(0,0%,100%) none",
    "color:hsl(120deg 50% 50%);background:#40bf40",
    "color:color(srgb 1 0 0 / 0)",
    "color:#fefefe;background:#fff",
    "background:#112233;color:#123",
];

/// Styles that leave a `div` and its text visible.
const SEEN: &[&str] = &[
    "opacity:.1",
    "opacity:0;opacity:1",
    "opacity:0;opacity:var(--x)",
    "opacity:0!important;opacity:1!important",
    "opacity:1!important;opacity:0",
    "display:contents;opacity:0",
    "filter:opacity(.5)",
    "filter:none",
    "clip:rect(0,0,0,0)",
    "position:absolute;clip:auto",
    "position:absolute;clip:rect(0,0,0,0);position:static",
    "clip-path:inset(10%)",
    "clip-path:inset(0)",
    "clip-path:circle(50%)",
    "clip-path:none",
    "clip-path:polygon(0 0, 100% 0, 100% 100%, 0 100%)",
    "height:0",
    "max-height:0",
    "width:0",
    "height:0;overflow:visible",
    "height:0;padding-bottom:50px;overflow:hidden",
    "max-height:0;min-height:40px;overflow:hidden",
    "height:40px;overflow:hidden",
    "display:inline;height:0;overflow:hidden",
    "transform:scale(.5)",
    "transform:translateX(10px)",
    "transform:none",
    "display:inline;transform:scale(0)",
    "display:inline;content-visibility:hidden",
    "content-visibility:auto",
    "left:-9999px",
    "position:static;left:-9999px",
    "position:absolute;left:-9999px;left:0",
    "position:relative;left:-9999px;width:20000px;padding-left:9999px",
    "margin:0 -9999px;padding:0 9999px",
    "margin-bottom:-9999px",
    "text-indent:-20px;padding-left:20px",
    "text-indent:2em",
    "display:inline;text-indent:-9999px",
    "font-size:8px",
    "font-size:0;font-size:16px",
    "font-size:0;font-size:initial",
    "font-size:0;font:12px serif",
    "font-size:0;font-size:medium",
    "color:red",
    "color:transparent;color:#000",
    "color:transparent;color:initial",
    "color:rgba(0,0,0,calc(.5))",
    "color:rgb(from red r g b)",
    "color:hsl(.5turn 50% 50%);background:#40bf40",
    "color:transparent;color:nonsense;color:black",
    "color:#fff;background:#000",
    "color:#fff;background-color:rgba(255,255,255,0);background:#111",
    "color:transparent;background:linear-gradient(red,red);background-clip:text",
    "color:transparent;-webkit-text-fill-color:black",
    "background:url(x) #000;color:#fff",
    "inset:0",
];

/// True if a `div` with this style, or its text, is invisible.
fn leaves_nothing(style: &str) -> bool {
    let style = InlineStyle::parse(style);
    style.hiding(true).is_some() || TextLooks::default().within(&style, true).is_unseen()
}

#[test]
fn what_nobody_sees_is_known_by_its_style() {
    for style in UNSEEN {
        assert!(leaves_nothing(style), "{style}");
    }
    for style in SEEN {
        assert!(!leaves_nothing(style), "{style}");
    }
}

#[test]
fn what_is_only_faded_is_told_from_the_rest() {
    let hiding = |style: &str| InlineStyle::parse(style).hiding(true);
    assert_eq!(hiding("opacity:0"), Some(HidingMethod::Faded));
    assert_eq!(
        hiding("opacity:0;height:0;overflow:hidden"),
        Some(HidingMethod::Unseen)
    );
    assert_eq!(
        hiding("opacity:0;display:none"),
        Some(HidingMethod::Removed)
    );
}

#[test]
fn the_last_declaration_of_a_property_counts() {
    let align = |style: &str| InlineStyle::parse(style).align();
    assert_eq!(
        align("text-align: left; Text-Align : RIGHT "),
        Some("right")
    );
    assert_eq!(align("color:red"), None);
}
