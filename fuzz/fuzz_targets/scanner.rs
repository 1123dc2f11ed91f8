//! Lines of files, against a search of each line by itself.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| ikigai_tools_fuzz::scanner::check(data));
