//! `ikigai-tools doctor`, in places of the test's own.

mod advice;
mod machine;
mod seen;
