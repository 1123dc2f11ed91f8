//! Answers of providers of search, over a connection: plain results, and no key.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| ikigai_tools_fuzz::providers::check(data));
