//! Dates in headers, against another parser of them.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| ikigai_tools_fuzz::date::check(data));
