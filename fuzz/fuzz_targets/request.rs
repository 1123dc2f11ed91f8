//! Requests, against a JSON reader that keeps everything.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| ikigai_tools_fuzz::request::check(data));
