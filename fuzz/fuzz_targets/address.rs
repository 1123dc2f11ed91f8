//! Addresses and the guard, against an independent list of what is never to be reached.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| ikigai_tools_fuzz::address::check(data));
