//! What a page hides: nothing else goes with it, and what merely hides stays hidden.

use proptest::prelude::*;
use url::Url;

fn markdown(page: &str) -> String {
    super::convert(page, &Url::parse("https://example.com/a/b").unwrap()).markdown
}

fn check(cases: &[(&str, &str)]) {
    for (page, wanted) in cases {
        assert_eq!(markdown(page), *wanted, "{page}");
    }
}

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
