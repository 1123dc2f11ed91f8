//! Pages as Markdown: of the page alone, bounded, and read alike by two parsers.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| ikigai_tools_fuzz::page::check(data));
