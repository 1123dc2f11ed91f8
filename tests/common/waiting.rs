//! For programs whose tests wait for most of their time: for servers that are slow on purpose, for
//! silences that must last a minute. More of them run at once than the machine has cores.

use std::env;
use std::num::NonZero;
use std::thread::available_parallelism;

/// What the test harness reads as it starts.
const VARIABLE: &str = "RUST_TEST_THREADS";

/// How many tests run at once, where the machine has fewer cores.
const AT_LEAST: usize = 8;

ctor::declarative::ctor! {
    #[ctor(unsafe)]
    fn start_more_at_once() {
        if env::var_os(VARIABLE).is_none() {
            let cores = available_parallelism().map_or(1, NonZero::get);
            // SAFETY: nothing else runs yet that could read the environment.
            unsafe { env::set_var(VARIABLE, cores.max(AT_LEAST).to_string()) };
        }
    }
}
