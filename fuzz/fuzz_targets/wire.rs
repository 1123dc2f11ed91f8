//! Messages about the cache: read and written alike.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| ikigai_tools_fuzz::wire::check(data));
