//! What a `style` attribute hides, against another reader of CSS.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|style: &str| ikigai_tools_fuzz::css::check(style));
