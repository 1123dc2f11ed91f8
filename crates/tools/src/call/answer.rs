//! One call answered with one JSON object, shared by the host's front end and a person's.
//!
//! The two phases of an answer meet its reader here. A tool that fails while it prepares gives an
//! object that is the failure; a tool that panics, in either phase, gives a complete object all the
//! same.

use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;

use crate::call::confined;
use crate::contract::call_terms::CallTerms;
use crate::contract::failure::{ErrorCode, Failure};
use crate::contract::reply::{AnswerObject, Reply};
use crate::contract::request::Request;
use crate::contract::tool::{EnvelopeFamily, Tool};
use iki_base::console::exit::ProgramExit;
use iki_base::console::sanitize;
use iki_base::console::streams::RawStdout;
use iki_base::mutex::lock;

/// Bytes of an answer that are gathered before they are written: the JSON around the texts, which
/// come in larger pieces already.
const BUFFER_BYTES: usize = 1024;

/// Bytes of memory reserved at the beginning for an answer that is not written anywhere.
const PREPARED_BYTES: usize = 16 * 1024;

/// Answers `input`, the bytes of a request, which are used up, with one JSON object on stdout.
pub fn to_stdout(tool: &Tool, input: Result<&mut [u8], Failure>, terms: CallTerms) -> ProgramExit {
    let mut out = BufWriter::with_capacity(BUFFER_BYTES, RawStdout::default());
    // The standard library's stdout would get a buffer, which nothing uses.
    let terminal = rustix::stdio::stdout().is_terminal();
    let fill = |object: &mut AnswerObject<'_>| run_call(tool, input, object);
    let (written, exit) = respond(
        (tool, terms),
        &mut out,
        RawStdout::is_untouched,
        terminal,
        fill,
    );
    exit_status(tool, written.and_then(|()| out.flush()), exit)
}

/// The object that answers a call of `tool` on these terms, of which `prepare` has made the first
/// phase; `None` if that has failed. It asks no more of this process than a process of the call's
/// own would.
pub fn prepare_object<'a>(
    tool: &Tool,
    terms: CallTerms,
    prepare: impl FnOnce() -> Option<Result<Reply<'a>, Failure>>,
) -> Option<Vec<u8>> {
    let reply = match catch_panic(prepare) {
        Ok(reply) => reply?,
        Err(failure) => Err(failure),
    };
    let mut out = BufWriter::with_capacity(BUFFER_BYTES, Vec::with_capacity(PREPARED_BYTES));
    let fill =
        |object: &mut AnswerObject<'_>| (write_reply(tool, reply, object), ProgramExit::Success);
    let (done, _) = respond((tool, terms), &mut out, Vec::is_empty, false, fill);
    done.and_then(|()| out.flush()).ok()?;
    out.into_inner().ok()
}

/// Writes the answer that `fill` gives into `out`; `is_untouched` tells if any byte has left the
/// buffer, and `terminal` if a terminal reads it. The answer of a tool that panics says so in a
/// complete object: in place of the bytes that are still in the buffer, else after those that its
/// reader has already.
pub fn respond<W: Write + Default>(
    (tool, terms): (&Tool, CallTerms),
    out: &mut BufWriter<W>,
    is_untouched: fn(&W) -> bool,
    terminal: bool,
    fill: impl FnOnce(&mut AnswerObject<'_>) -> (io::Result<()>, ProgramExit),
) -> (io::Result<()>, ProgramExit) {
    let answered = with_sink(out, terminal, |sink| {
        let mut object = match AnswerObject::open_on(sink, terms, tool.how_to_get_less) {
            Ok(object) => object,
            Err(error) => return Ok((Err(error), ProgramExit::Failure)),
        };
        let answered = catch_panic(|| {
            let (written, exit) = fill(&mut object);
            (written.and_then(|()| object.close()), exit)
        });
        answered.map_err(|failure| (failure, object.progress()))
    });
    let (failure, progress) = match answered {
        Ok(done) => return done,
        Err(broken) => broken,
    };
    let is_untouched = is_untouched(out.get_ref());
    if is_untouched {
        let abandoned =
            std::mem::replace(out, BufWriter::with_capacity(BUFFER_BYTES, W::default()));
        let _ = abandoned.into_parts();
    }
    let written = with_sink(out, terminal, |sink| {
        if is_untouched {
            let mut object = AnswerObject::open_on(sink, terms, "")?;
            object.fail(tool.family, &failure)?;
            return object.close();
        }
        let mut object = AnswerObject::resume(sink, progress, terms)?;
        object.break_off(&failure)?;
        object.close()
    });
    (written, ProgramExit::Failure)
}

/// Lets `write` write JSON into `out`, for a terminal without characters that would steer it.
fn with_sink<T>(out: &mut dyn Write, terminal: bool, write: impl FnOnce(&mut dyn Write) -> T) -> T {
    if terminal {
        return write(&mut sanitize::JsonEscaper(out));
    }
    write(out)
}

/// Carries out what `input` asks for and writes the fields of the answer.
pub fn run_call(
    tool: &Tool,
    input: Result<&mut [u8], Failure>,
    object: &mut AnswerObject<'_>,
) -> (io::Result<()>, ProgramExit) {
    let terms = *object.terms();
    let mut request = input
        .and_then(Request::parse_in_place)
        .map(|request| request.for_tool(tool, terms));
    let reply = request
        .as_mut()
        .map_err(|failure| failure.clone())
        .and_then(|request| confined::run(tool, request));
    let Err(failure) = &reply else {
        return (write_reply(tool, reply, object), ProgramExit::Success);
    };
    if failure.is_bad_request {
        // A host that has closed stderr misses nothing that is not on stdout.
        let message = sanitize::for_terminal(&failure.message);
        let _ = writeln!(io::stderr(), "{}: {message}", tool.link);
    }
    if let Some(event) = &failure.event {
        let _ = writeln!(io::stderr(), "{event}");
    }
    let answered = tool.family == EnvelopeFamily::Local && !failure.is_bad_request;
    let exit = if answered {
        ProgramExit::Success
    } else {
        ProgramExit::Failure
    };
    (write_reply(tool, reply, object), exit)
}

/// Writes the result of a tool's first phase.
fn write_reply(
    tool: &Tool,
    reply: Result<Reply<'_>, Failure>,
    object: &mut AnswerObject<'_>,
) -> io::Result<()> {
    match reply {
        Ok(reply) => {
            object.succeed(tool.family)?;
            reply.write(object)
        }
        Err(failure) => object.fail(tool.family, &failure),
    }
}

/// Source position of the last panic.
static PLACE_OF_PANIC: Mutex<Option<String>> = Mutex::new(None);

/// From here on a panic says on stderr, in one line, where it was. Its message may hold what a call
/// was about, so it is withheld unless it is fixed text.
pub fn install_panic_hook() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string);
        let words: &str = info.payload().downcast_ref::<&'static str>().unwrap_or(&"");
        let location = place.as_deref().unwrap_or("an unknown place");
        let _ = writeln!(
            io::stderr(),
            "ikigai-tools: internal error at {location} {words}"
        );
        *lock(&PLACE_OF_PANIC) = place;
    }));
}

/// Runs `work`; a panic becomes a failure like any other.
pub fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, Failure> {
    // State that `work` leaves half done is either given up or looked at with that in mind.
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        let place = lock(&PLACE_OF_PANIC).take();
        let place = place
            .map(|place| format!(" at {place}"))
            .unwrap_or_default();
        Failure::new(
            ErrorCode::ToolFailed,
            format!(
                "Internal error{place}: the fault is in ikigai-tools and not in the request, and \
                 the same call will fail again. Whether it has changed anything is not known."
            ),
        )
    })
}

/// Exit status of a program whose answer was `written`, or failed to be, and which otherwise ends
/// by `exit`.
#[must_use]
pub fn exit_status(tool: &Tool, written: io::Result<()>, exit: ProgramExit) -> ProgramExit {
    match written {
        Ok(()) => exit,
        // A reader that closed the pipe has read all it wanted.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => exit,
        Err(error) => {
            let _ = writeln!(
                io::stderr(),
                "{}: the answer cannot be written: {error}",
                tool.link
            );
            ProgramExit::Failure
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::registry;

    type FakeRun = for<'a> fn(&'a Request<'a>) -> Result<Reply<'a>, Failure>;

    /// Answer of a tool that runs like this, and the exit status that its process would have.
    fn answer_of(like: &str, run: FakeRun) -> (Value, ProgramExit) {
        let mut tool = match like {
            "web_fetch" => crate::tools::web::fetch::TOOL,
            _ => crate::tools::bash::TOOL,
        };
        assert!(registry::find_tool(like).is_some());
        tool.run = run;
        let mut out = BufWriter::with_capacity(BUFFER_BYTES, Vec::new());
        let mut input = b"{}".to_owned();
        let (written, exit) = respond(
            (&tool, CallTerms::default()),
            &mut out,
            Vec::is_empty,
            false,
            |object| run_call(&tool, Ok(&mut input), object),
        );
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
                }) as FakeRun,
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
                assert_eq!(exit, ProgramExit::Failure);
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
            (ProgramExit::Failure, &"TOOL_FAILED".into())
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
            (ProgramExit::Failure, &"TOOL_FAILED".into())
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
        struct HalfSerialized;
        impl serde::Serialize for HalfSerialized {
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
                object.field("results", &HalfSerialized)
            }))
        });
        assert_eq!(answer["error_code"], "TOOL_FAILED");
        assert_eq!(answer.get("results"), None);
    }
}
