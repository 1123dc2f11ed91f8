//! One call of a tool: for a host a JSON object in and one out, for a person at a terminal the answer as text.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Read, Write};
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Mutex, PoisonError};

use crate::console::streams::{Stdin, Stdout};
use crate::console::{color, sanitize};
use crate::contract::failure::{Code, Failure};
use crate::contract::reply::{Object, Place};
use crate::contract::request::Request;
use crate::contract::tool::{Family, Reach, Tool};
use crate::files;
use crate::front::abort;
use crate::front::person::screen::Screen;
use crate::program::Exit;
use crate::sandbox::caller::{self, Watch};

/// How much of an answer is gathered before it is written, in bytes: what stands around texts, which come in larger
/// pieces already.
const BUFFER: usize = 1024;

/// Answers the request on stdin as a host wants it.
pub fn answer(tool: &Tool) -> Exit {
    abort::settle(tool.family);
    caller::watch(watch_of(tool));
    let input = read(Stdin, "stdin");
    as_json(tool, input.as_deref().map_err(Clone::clone))
}

/// When a call of `tool` may be ended because its caller is gone.
fn watch_of(tool: &Tool) -> Watch {
    match (tool.family, tool.reach) {
        (Family::Web, _) => Watch::ByThread,
        // A write that has begun is finished. Only waiting for another writer is given up.
        (Family::Local, Reach::File(_)) if !tool.hints.read_only => {
            Watch::WhenAsked(files::while_waiting)
        }
        (Family::Local, _) => Watch::BySignal,
    }
}

/// Answers the request in `file` (`-` is stdin) as a host wants it.
pub fn answer_file(tool: &Tool, file: &OsStr) -> Exit {
    if file == "-" {
        return answer(tool);
    }
    let name = file.to_string_lossy();
    let input = match File::open(file) {
        Ok(file) => read(file, &name),
        Err(error) => Err(unreadable(&name, &error)),
    };
    as_json(tool, input.as_deref().map_err(Clone::clone))
}

fn read(mut from: impl Read, name: &str) -> Result<Vec<u8>, Failure> {
    let mut input = Vec::new();
    match from.read_to_end(&mut input) {
        Ok(_) => Ok(input),
        Err(error) => Err(unreadable(name, &error)),
    }
}

fn unreadable(name: &str, error: &io::Error) -> Failure {
    Failure::bad_request(format!("{name} cannot be read: {error}"))
}

/// Answers `input` with one JSON object.
pub fn as_json(tool: &Tool, input: Result<&[u8], Failure>) -> Exit {
    let mut out = BufWriter::with_capacity(BUFFER, Stdout::default());
    let terminal = io::stdout().is_terminal();
    let (written, exit) = respond(tool, input, &mut out, Stdout::is_untouched, terminal);
    ended(tool, written.and_then(|()| out.flush()), exit)
}

/// Writes the answer to `input` into `out`, where `is_untouched` tells whether anything has left the buffer. A tool
/// that panics has answered that it did, in an object that is whole: in place of what is still in the buffer, else
/// behind what its reader has already.
fn respond<W: Write + Default>(
    tool: &Tool,
    input: Result<&[u8], Failure>,
    out: &mut BufWriter<W>,
    is_untouched: fn(&W) -> bool,
    terminal: bool,
) -> (io::Result<()>, Exit) {
    let mut at = None;
    let answered = catch(|| {
        with_object(out, terminal, None, &mut at, |object| {
            carry_out(tool, input, object)
        })
    });
    let (failure, at) = match (answered, at) {
        (Ok(done), _) => return done,
        (Err(failure), at) => (failure, at),
    };
    let at = if is_untouched(out.get_ref()) {
        let abandoned = std::mem::replace(out, BufWriter::with_capacity(BUFFER, W::default()));
        let _ = abandoned.into_parts();
        None
    } else {
        at
    };
    let (written, _) = with_object(out, terminal, at, &mut None, |object| {
        (
            say_failure(tool, &failure, object, at.is_some()),
            Exit::Failure,
        )
    });
    (written, Exit::Failure)
}

/// Has `fill` write the fields of one object, or the rest of one of which `begun` is there already. Leaves in `at` how
/// far it came, even if `fill` panics.
fn with_object<W: Write>(
    out: &mut BufWriter<W>,
    terminal: bool,
    begun: Option<Place>,
    at: &mut Option<Place>,
    fill: impl FnOnce(&mut Object<'_>) -> (io::Result<()>, Exit),
) -> (io::Result<()>, Exit) {
    /// Keeps the place of an object that is given up.
    struct Kept<'a, 'w>(Object<'w>, &'a mut Option<Place>);
    impl Drop for Kept<'_, '_> {
        fn drop(&mut self) {
            *self.1 = Some(self.0.place());
        }
    }
    let mut harmless;
    let sink: &mut dyn Write = if terminal {
        harmless = sanitize::Json(out);
        &mut harmless
    } else {
        out
    };
    let object = match begun {
        None => Object::open(sink),
        Some(place) => Object::go_on(sink, place),
    };
    let mut kept = match object {
        Ok(object) => Kept(object, at),
        Err(error) => return (Err(error), Exit::Failure),
    };
    let (written, exit) = fill(&mut kept.0);
    (written.and_then(|()| kept.0.close()), exit)
}

/// Carries out what `input` asks for and writes the fields of the answer.
fn carry_out(
    tool: &Tool,
    input: Result<&[u8], Failure>,
    object: &mut Object<'_>,
) -> (io::Result<()>, Exit) {
    let request = input.and_then(Request::parse);
    let reply = request
        .as_ref()
        .map_err(Clone::clone)
        .and_then(|request| (tool.run)(request));
    let failure = match reply {
        Ok(reply) => {
            let opened = match tool.family {
                Family::Web => object.field("success", &true),
                Family::Local => Ok(()),
            };
            return (opened.and_then(|()| reply.write(object)), Exit::Success);
        }
        Err(failure) => failure,
    };
    if failure.bad_request {
        // A host that has closed stderr misses nothing that is not on stdout.
        let message = sanitize::shown(&failure.message);
        let _ = writeln!(io::stderr(), "{}: {message}", tool.link);
    }
    if let Some(event) = &failure.event {
        let _ = writeln!(io::stderr(), "{event}");
    }
    let answered = tool.family == Family::Local && !failure.bad_request;
    let exit = if answered {
        Exit::Success
    } else {
        Exit::Failure
    };
    (say_failure(tool, &failure, object, false), exit)
}

/// Writes the fields of an answer that is a failure; `late` is one that something has been written before.
fn say_failure(
    tool: &Tool,
    failure: &Failure,
    object: &mut Object<'_>,
    late: bool,
) -> io::Result<()> {
    if late && object.says_that_it_failed() {
        return Ok(());
    }
    if tool.family == Family::Web && !late {
        object.field("success", &false)?;
    }
    object.field("error", &failure.message)?;
    object.field("error_code", failure.code.as_str())
}

/// Where in the program the last panic was.
static PLACE_OF_PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Has a panic say on stderr, in one line, where it was. What it says of itself may hold what a call was about, and
/// stays untold unless it is fixed text.
pub fn settle_panics() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string);
        let words: &str = info.payload().downcast_ref::<&'static str>().unwrap_or(&"");
        let shown = place.as_deref().unwrap_or("an unknown place");
        let _ = writeln!(
            io::stderr(),
            "ikigai-tools: internal error at {shown} {words}"
        );
        *PLACE_OF_PANIC
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = place;
    }));
}

/// Does what may panic, and tells it as a failure if it does.
fn catch<T>(work: impl FnOnce() -> T) -> Result<T, Failure> {
    // What `work` leaves half done is either given up or looked at with that in mind.
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        let place = PLACE_OF_PANIC.lock().unwrap_or_else(PoisonError::into_inner).take();
        let place = place.map(|place| format!(" at {place}")).unwrap_or_default();
        Failure::new(
            Code::ToolFailed,
            format!(
                "Internal error{place}: the fault is in ikigai-tools and not in the request, and the same call will \
                 fail again. Whether it has changed anything is not known."
            ),
        )
    })
}

/// Answers `input` to whoever sits at the terminal on stdout. Any failure exits 1, a command's own exit code is passed
/// on.
pub fn as_text(tool: &Tool, input: &[u8]) -> Exit {
    let shown = catch(|| {
        let request = Request::parse(input);
        let reply = request
            .as_ref()
            .map_err(Clone::clone)
            .and_then(|request| (tool.run)(request))?;
        let mut screen = Screen::new(tool);
        let written = reply.write(&mut Object::shown(&mut screen));
        Ok(written.and_then(|()| screen.finish()))
    });
    match shown.and_then(|shown| shown) {
        Ok(Ok(exit)) => exit,
        Ok(Err(error)) => ended(tool, Err(error), Exit::Failure),
        Err(failure) => {
            color::complain(tool.command(), &failure.message);
            Exit::Failure
        }
    }
}

fn ended(tool: &Tool, written: io::Result<()>, exit: Exit) -> Exit {
    match written {
        Ok(()) => exit,
        // Whoever closed the pipe has read what they wanted.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => exit,
        Err(error) => {
            let _ = writeln!(
                io::stderr(),
                "{}: the answer cannot be written: {error}",
                tool.link
            );
            Exit::Failure
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::contract::reply::Reply;
    use crate::registry;

    type Run = for<'a> fn(&'a Request<'a>) -> Result<Reply<'a>, Failure>;

    /// What a tool that runs like this answers, and how its process would exit.
    fn answer_of(like: &str, run: Run) -> (Value, Exit) {
        let mut tool = match like {
            "web_fetch" => crate::tools::web_fetch::TOOL,
            _ => crate::tools::bash::TOOL,
        };
        assert!(registry::find(like).is_some());
        tool.run = run;
        let mut out = BufWriter::with_capacity(BUFFER, Vec::new());
        let (written, exit) = respond(&tool, Ok(b"{}"), &mut out, Vec::is_empty, false);
        written.unwrap();
        let text = String::from_utf8(out.into_inner().unwrap()).unwrap();
        let keys = text.matches("\"error_code\":").count();
        assert_eq!(keys, 1, "{text}");
        (serde_json::from_str(&text).unwrap(), exit)
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "it stands where a tool writes its answer"
    )]
    fn breaks_off() -> io::Result<()> {
        let nothing: Vec<u8> = Vec::new();
        assert!(nothing.get(1).is_some(), "the test's own panic");
        Ok(())
    }

    #[test]
    fn a_tool_that_panics_before_it_writes_answers_with_an_error_alone() {
        for like in ["bash", "web_fetch"] {
            for run in [
                (|_| {
                    let _ = breaks_off();
                    Err(Failure::bad_request("never"))
                }) as Run,
                |_| Ok(Reply::new(|_| breaks_off())),
                |_| {
                    Ok(Reply::new(|object| {
                        object.whole_text("output", b"little")?;
                        let mut text = object.text("more")?;
                        text.write_all(b"\xe2\x82 \" half")?;
                        text.flush()?;
                        breaks_off()
                    }))
                },
            ] {
                let (answer, exit) = answer_of(like, run);
                assert_eq!(exit, Exit::Failure);
                assert_eq!(answer["error_code"], "TOOL_FAILED");
                assert!(
                    answer["error"]
                        .as_str()
                        .unwrap()
                        .starts_with("Internal error")
                );
                let web = like == "web_fetch";
                assert_eq!(answer.as_object().unwrap().len(), 2 + usize::from(web));
                assert_eq!(answer.get("success"), web.then_some(&Value::Bool(false)));
            }
        }
    }

    #[test]
    fn a_tool_that_panics_in_the_midst_of_its_answer_leaves_one_whole_object() {
        let (answer, exit) = answer_of("bash", |_| {
            Ok(Reply::new(|object| {
                let mut text = object.text("output")?;
                // More than any buffer on the way holds; a character is cut in two where it ends.
                text.write_all("x\"\\é".repeat(100_000).as_bytes())?;
                text.write_all(b"\xc3")?;
                breaks_off()
            }))
        });
        assert_eq!(
            (exit, &answer["error_code"]),
            (Exit::Failure, &"TOOL_FAILED".into())
        );
        assert!(answer["output"].as_str().unwrap().starts_with("x\"\\éx"));

        let (answer, exit) = answer_of("bash", |_| {
            Ok(Reply::new(|object| {
                object.whole_text("output", &vec![b'y'; 200_000])?;
                object.field("count", &3)?;
                breaks_off()
            }))
        });
        assert_eq!(
            (exit, &answer["error_code"]),
            (Exit::Failure, &"TOOL_FAILED".into())
        );
        assert_eq!(answer["output"].as_str().unwrap().len(), 200_000);
        assert_eq!(answer["count"], 3);

        let (answer, _) = answer_of("bash", |_| {
            Ok(Reply::new(|object| {
                object.whole_text("output", &vec![b'y'; 200_000])?;
                object.field("error", "a disk's own")?;
                object.field("error_code", "READ_FAILED")?;
                breaks_off()
            }))
        });
        assert_eq!(answer["error_code"], "READ_FAILED");
    }

    #[test]
    fn a_panic_in_the_midst_of_a_value_leaves_that_value_out() {
        struct Half;
        impl serde::Serialize for Half {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeSeq;
                let mut list = to.serialize_seq(None)?;
                list.serialize_element(&vec!["z"; 10_000])?;
                let _ = breaks_off();
                list.end()
            }
        }
        let (answer, _) = answer_of("bash", |_| {
            Ok(Reply::new(|object| {
                object.whole_text("output", &vec![b'y'; 200_000])?;
                object.field("results", &Half)
            }))
        });
        assert_eq!(answer["error_code"], "TOOL_FAILED");
        assert_eq!(answer.get("results"), None);
    }
}
