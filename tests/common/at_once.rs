//! For programs whose tests wait for much of their time: for servers that are slow on purpose, for
//! processes that must end by themselves, for the disk. Of these more run at once than the machine
//! has cores.

/// Has the harness run at least `$number` tests at once, whatever the machine's cores are, where
/// the environment does not say how many.
macro_rules! at_once {
    ($number:literal) => {
        ctor::declarative::ctor! {
            #[ctor(unsafe)]
            fn run_more_at_once() {
                // What the harness reads as it starts.
                let variable = "RUST_TEST_THREADS";
                if std::env::var_os(variable).is_none() {
                    let cores = std::thread::available_parallelism().map_or(1, usize::from);
                    // SAFETY: nothing else runs yet that could read the environment.
                    unsafe { std::env::set_var(variable, cores.max($number).to_string()) };
                }
                // The texts of one test are gone with it. Kept for the next, they would be hundreds
                // of megabytes, which every process that is forked takes milliseconds to copy.
                #[cfg(target_env = "gnu")]
                // SAFETY: sets a number, before any other thread runs.
                unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, 256 << 10) };
            }
        }
    };
}
