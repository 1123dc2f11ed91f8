//! The JSON object that a host still reads when the process has to abort.
//!
//! When memory or the stack runs out, the standard library ends the process with `abort(3)`, which
//! no `catch_unwind` sees; but SIGABRT can be handled (`signal(7)`). The answers are complete
//! before anything happens: all that is left to do is a few system calls that are safe at any
//! moment (`signal-safety(7)`). Once part of an answer is on its way to the host, nothing can make
//! it whole any more; the process then dies by the signal, as it would have without this.
//!
//! Codes and envelopes follow the specification's error objects and the decisions on the host's
//! calls.

use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use rustix::process::getpid;

use iki_base::console::streams;
use iki_tools::contract::tool::EnvelopeFamily;

/// The rest of the answer when memory ran out, after the fields that its family has before the
/// error.
const OUT_OF_MEMORY: &str = "\"error\":\"Memory ran out, and the call was given up. `ulimit -v` \
                             shows the limit on this process, if it has one; ask for less at a \
                             time. Whether the call has changed anything is not \
                             known.\",\"error_code\":\"OUT_OF_MEMORY\"}";

/// The rest of the answer when the process had to abort for another reason.
const INTERNAL_ERROR: &str = "\"error\":\"Internal error: the stack ran \
     out, or a fault could not be recovered from. The \
     fault is in ikigai-tools or in a limit on this process (`ulimit -s`), and the same call will \
     fail again. Whether it has changed anything is not known.\",\"error_code\":\"TOOL_FAILED\"}";

/// The process that answers; 0 until a host's call is answered.
static MYSELF: AtomicI32 = AtomicI32::new(0);

/// True if the answer is one of the web tools'.
static WEB: AtomicBool = AtomicBool::new(false);

/// Makes this process, a call of a tool of `family`, answer with one object should it abort before
/// any byte of its answer was written.
pub fn install(family: EnvelopeFamily) {
    WEB.store(family != EnvelopeFamily::Local, Ordering::Relaxed);
    MYSELF.store(getpid().as_raw_pid(), Ordering::Relaxed);
    // SAFETY: all zeroes are a valid value of the structure of numbers; the pointers are to locals,
    // and the handler makes system calls only.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_abort as *const () as libc::sighandler_t;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESETHAND;
        libc::sigaction(libc::SIGABRT, &raw const action, std::ptr::null_mut());
    }
}

/// Answers, unless the signal came from elsewhere or an answer has begun. When this handler
/// returns, the signal ends the process: `abort(3)` raises it once more, without a handler, and a
/// signal from any other sender is obeyed below.
extern "C" fn on_abort(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    let myself = getpid().as_raw_pid();
    // SAFETY: the kernel passes a valid structure, and a signal that a process sent has a sender.
    let sender = unsafe { (*info).si_pid() };
    if sender == myself && myself == MYSELF.load(Ordering::Relaxed) && !streams::has_begun() {
        let parts = answer(WEB.load(Ordering::Relaxed), is_memory());
        let answer = parts.map(|part| IoSlice::new(part.as_bytes()));
        let written = rustix::io::writev(rustix::stdio::stdout(), &answer);
        if written == Ok(parts[0].len() + parts[1].len()) {
            // SAFETY: ends the process and runs nothing more of it.
            unsafe { libc::_exit(1) }
        }
    }
    // SAFETY: sends this process the signal again, whose handler is the default by now
    // (`SA_RESETHAND`).
    unsafe { libc::kill(myself, libc::SIGABRT) };
}

/// The answer in two parts, which nothing has to be allocated for.
fn answer(web: bool, memory: bool) -> [&'static str; 2] {
    let opening = if web { "{\"success\":false," } else { "{" };
    [
        opening,
        if memory {
            OUT_OF_MEMORY
        } else {
            INTERNAL_ERROR
        },
    ]
}

/// True if memory has run out: the one cause of an abort that neither came from a panic nor happens
/// on the stack that is kept for the handling of a stack overflow.
fn is_memory() -> bool {
    let mut stack = MaybeUninit::<libc::stack_t>::zeroed();
    // SAFETY: asks only; all zeroes are a valid value.
    let on_spare_stack = unsafe {
        libc::sigaltstack(std::ptr::null(), stack.as_mut_ptr());
        stack.assume_init_ref().ss_flags & libc::SS_ONSTACK != 0
    };
    !on_spare_stack && !std::thread::panicking()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use iki_tools::contract::failure::ErrorCode;

    #[test]
    fn the_prepared_answers_are_objects_as_the_tools_write_them() {
        for (memory, code) in [
            (true, ErrorCode::OutOfMemory),
            (false, ErrorCode::ToolFailed),
        ] {
            let [local, web] = [false, true].map(|web| -> Value {
                let text = answer(web, memory).concat();
                let value: Value = serde_json::from_str(&text).unwrap();
                assert_eq!(value["error_code"], code.as_str());
                value
            });
            assert_eq!(local["error"], web["error"]);
            assert_eq!(local.as_object().unwrap().len(), 2);
            assert_eq!(web["success"], false);
            assert_eq!(web.as_object().unwrap().len(), 3);
        }
    }
}
