//! Messages of the Model Context Protocol: one answer to each request, and none to the rest.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| ikigai_tools_fuzz::mcp::check(data));
