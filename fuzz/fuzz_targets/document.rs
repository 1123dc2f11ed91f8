//! PDF, office and EPUB files: bounded, and the same every time.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| ikigai_tools_fuzz::document::check(data));
