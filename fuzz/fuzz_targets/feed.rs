//! Feeds: bounded, plain, and the same every time.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| ikigai_tools_fuzz::feed::check(data));
