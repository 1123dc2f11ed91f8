//! Workshop: which directories a process may touch, and who outlives whom.
//!
//! # Which directories
//!
//! `roots` decides by names, before a call, what a request may name; `confinement` has the kernel
//! enforce it while the call runs, and confines commands.
//!
//! # Who outlives whom
//!
//! Rules: the decisions on the host's calls (10), on bash and on writing: a call that nobody waits
//! for ends, nothing that it started is left running, and no file is left half written.
//!
//! | process | what it is | module |
//! |---|---|---|
//! | host | whoever starts a tool with a request on stdin | `caller` |
//! | tool | one call | |
//! | watchdog | between bash's tool and its command, in a process group of its own | `watchdog` |
//! | command | the shell and what it started, in a process group of its own | `launch` |
//! | background | of the command: what the shell did not wait for | `descendants` |
//! | step | the last steps of a write, in a process group of its own | `detached` |
//! | guard | removes a draft's name, in a session of its own | `guard` |
//! | server | MCP: starts a tool a call, and is their host | `reaper` |
//! | client | whoever talks to the server | |
//!
//! SIGKILL to one process, SIGKILL to its group, and the kernel's choice where memory runs out
//! (OOM) have the same effect here: tool, watchdog, command, step and guard are in different
//! groups, and no two of them share memory, except a command with its watchdog in the moment before
//! the command becomes the shell. No test makes the kernel choose; the tests with SIGKILL stand for
//! it.
//!
//! | who dies | by what | processes left | files left | note |
//! |---|---|---|---|---|
//! | host | anything, or it closes the answer's pipe | none | a write that began is done | 1 |
//! | host | anything, the answer goes into a file | all go on | as if it lived | 2 |
//! | host | anything, the call was made of flags | all go on | as if it lived | 2 |
//! | tool of bash | its normal end | background | | 3 |
//! | tool of bash | SIGKILL or another signal, its group, OOM | none | | 4 |
//! | any tool | its own memory or stack runs out | as by SIGKILL | as by SIGKILL | 5 |
//! | tool that writes, before the step | SIGKILL, its group, OOM | none | the old content | 6 |
//! | tool that writes, in the step | the same | step, till done | the new content | 7 |
//! | step | SIGKILL, OOM, once | none | the new content | 8 |
//! | step | SIGKILL, OOM, each time | none | a torn file, the draft | 9 |
//! | step and tool | SIGKILL, OOM | none | a torn file, the draft | 10 |
//! | guard | SIGKILL, OOM | none | as if it lived | 11 |
//! | guard and tool | SIGKILL, OOM | none | the draft | 12 |
//! | shell | its normal end, a signal, OOM | background | | 3 |
//! | shell | its group | what left the group | | 3 |
//! | background | anything | the others | | 13 |
//! | background of a confined command | the end of all of it | none | none | 22 |
//! | command | the end of its time | none | | 20 |
//! | watchdog | SIGKILL, OOM | none | | 14 |
//! | watchdog and tool | SIGKILL, OOM | command, background | | 15 |
//! | watchdog and tool of a confined command | SIGKILL, OOM | command, background | its directory | 22 |
//! | tool with a browser | its end, SIGKILL, its group, OOM | none | none | 21 |
//! | MCP call | cancelled, too late, SIGKILL, OOM | as its tool | as its tool | 16 |
//! | MCP server | SIGTERM, SIGINT, SIGHUP | step, till done | as its tools | 17 |
//! | MCP server | SIGKILL, OOM | background of calls that are over | as its tools | 18 |
//! | MCP client | anything, or it closes a pipe | step, till done | as its tools | 19 |
//!
//! How that is done, and the tests that show it (`file::test` under `tests/`, or the module's own):
//!
//! 1. A timer or a thread asks four times a second whether the parent is still the same and stdout
//!    is still read; the tool then ends itself, and the watchdog what it started. Who writes asks
//!    only while it waits for another writer. `caller_gone::`
//!    `a_host_that_closes_its_end_ends_a_silent_command`,
//!    `a_host_that_is_killed_ends_the_command_though_its_pipe_stays_open`,
//!    `a_page_that_does_not_come_is_not_waited_for`,
//!    `a_file_that_is_locked_is_not_waited_for_and_a_write_under_way_is_finished`. A parent outside
//!    this PID namespace has no number: there the stream alone tells. Not tested.
//! 2. Nobody asks there. `caller_gone::` `into_a_file_a_call_goes_on_without_its_host`,
//!    `a_call_made_of_flags_goes_on_without_its_host_and_its_reader`.
//! 3. The call ends with the shell, and the tool releases the watchdog, which ends and leaves the
//!    rest to the next subreaper or to init. `bash::`
//!    `a_child_that_keeps_the_pipe_is_not_waited_for`,
//!    `a_shell_ended_by_a_signal_gives_128_and_its_number`,
//!    `a_signal_to_its_own_group_hits_the_command_alone`. A program that another command of this
//!    executable runs (doctor, link) has no background: its watchdog is never released.
//! 4. The end of the pipe from tool to watchdog tells the watchdog, which kills all its
//!    descendants. `bash::` `a_killed_tool_leaves_no_process`,
//!    `a_host_that_kills_the_whole_group_leaves_no_process_either`,
//!    `a_host_that_stops_reading_ends_the_command`. Where nobody can be a subreaper, a mark in the
//!    environment tells who descends: `refused_services::`
//!    `a_killed_tool_leaves_no_process_where_it_can_be_no_subreaper`. Where there is no `/proc`,
//!    only the command's process group is known, and what has left it lives on:
//!    `bash::without_proc_a_killed_tool_leaves_no_process_either` (the group). A process that
//!    belongs to another user, or cannot be interrupted, is given up after five seconds. Not
//!    tested.
//! 5. `abort(3)` raises SIGABRT, and what hears it writes one prepared object, if nothing was
//!    written yet (`front::abort`). `protocol::`
//!    `a_tool_whose_memory_runs_out_answers_with_one_object`,
//!    `a_tool_whose_stack_runs_out_answers_with_one_object`.
//! 6. A draft has no name while it is written, and goes with its last descriptor; one that needs a
//!    name has a guard. `file_write::killed_at_any_moment_the_file_is_old_or_new_and_alone`,
//!    `file_odd_places::` `without_proc_a_killed_group_leaves_no_draft`,
//!    `a_draft_with_a_name_does_not_outlive_the_command_that_was_writing_it`.
//! 7. The step is a process of its own, deaf to signals, and whoever ends a tree leaves it out.
//!    `file_in_place::` `a_tool_that_is_killed_midway_leaves_the_writer_at_its_work`,
//!    `a_host_that_kills_the_tool_s_whole_group_midway_leaves_the_writer_at_its_work`,
//!    `a_command_that_is_ended_leaves_the_writer_that_it_started_at_its_work`.
//! 8. The tool starts another one, from the draft. `file_in_place::`
//!    `a_writer_that_is_killed_midway_is_run_again`. The step that renames is too short to be
//!    caught by a test.
//! 9. The answer is `WRITE_FAILED` and says where the draft with the new content is.
//!    `file_in_place::` `a_writer_that_is_killed_every_time_leaves_the_draft_and_says_where`.
//! 10. The draft, `.ikigai-…`, has the whole new content. `file_in_place::`
//!     `where_both_are_killed_midway_the_draft_stays`. Between the two system calls of a renaming
//!     the file is whole and the draft's name stays; not tested, for the same reason as 8.
//! 11. The tool removes or renames the draft itself.
//!     `files::draft::a_draft_needs_no_guard_where_the_tool_lives`.
//! 12. Nobody is left who knows of it. Only where files need a name. Not tested.
//! 13. The watchdog reaps them while it lives, then the server, then init.
//!     `bash::the_command_s_zombies_do_not_pile_up`,
//!     `mcp::life::a_background_process_that_ends_is_reaped`.
//! 14. The tool is a subreaper too: it ends all that descends from it and answers 137. `bash::`
//!     `a_command_that_kills_its_watchdog_is_ended_and_answered`, `refused_services::`
//!     `a_command_that_kills_its_watchdog_is_ended_where_nobody_is_a_subreaper`.
//! 15. Nobody is left who knows of them, unless there is a server, with which they end.
//!     `mcp::life::what_outlives_its_tool_and_its_watchdog_ends_with_the_server`. Without a server
//!     not tested.
//! 16. The server kills the tool, or sees it die. `mcp::life::`
//!     `a_cancelled_call_ends_all_that_it_started_and_is_not_answered`,
//!     `a_call_that_takes_too_long_is_ended_and_says_so`,
//!     `a_tool_that_is_killed_takes_one_call_with_it`.
//! 17. The server is a subreaper, drops its calls, and kills what descends from it but the steps.
//!     `mcp::life::` `a_signal_to_the_server_ends_what_runs`,
//!     `what_a_command_left_in_the_background_lives_until_the_session_ends`.
//! 18. Its calls notice as in 1. `mcp::life::` `a_signal_to_the_server_ends_what_runs`,
//!     `what_finished_calls_left_in_the_background_outlives_a_server_that_is_killed`.
//! 19. The end of stdin, or a failed write, ends the server as in 17. `mcp::life::`
//!     `the_end_of_the_input_ends_the_server_and_what_runs`,
//!     `a_client_that_goes_away_altogether_is_not_waited_for`,
//!     `a_client_that_never_reads_is_not_read_for_ever_and_its_end_is_seen`,
//!     `a_write_that_has_begun_is_finished_though_client_and_server_go`.
//! 20. The tool has the watchdog end all of it, and waits for that a fifth of a second at most.
//!     `bash_limits::at_the_end_of_its_time_a_command_is_ended_and_what_there_was_is_answered`,
//!     `refused_services::`
//!     `at_the_end_of_its_time_a_command_is_ended_where_nobody_is_a_subreaper`.
//! 21. A browser has a watchdog like a command, which is never released, and which also removes the
//!     directory that all of the browser's files are in (`scratch`). Where the watchdog is killed,
//!     the tool does it; where both are, the directory stays. `browser::`
//!     `a_caller_that_is_killed_leaves_no_process_and_no_profile`, `browser_process::`
//!     `at_the_end_of_its_time_all_of_it_is_ended`.
//! 22. A confined command has a directory for temporary files (`scratch`), which its watchdog makes
//!     and removes; such a watchdog is called `ikigai-staying`. Where something goes on in the
//!     background, it stays until nothing does; whoever ends a tree ends the rest and leaves that
//!     to it. Where it is killed while the tool lives, the tool removes the directory; where both
//!     are, or where it is killed later, the directory stays. `confinement::deaths::`
//!     `a_directory_for_temporary_files_goes_with_the_last_process_that_may_use_it`,
//!     `killed_at_any_moment_nothing_is_left`,
//!     `a_watchdog_that_is_killed_from_outside_ends_the_command`,
//!     `where_tool_and_watchdog_are_killed_command_and_directory_stay`,
//!     `the_end_of_a_server_ends_what_stays_and_leaves_no_directory`. What is in the directory does
//!     not matter, however deep or closed: `whatever_a_command_puts_there_it_goes`. Where nobody
//!     can be a subreaper, the mark tells whether anything goes on:
//!     `where_nobody_is_a_subreaper_the_directory_stays_as_long_as_it_is_used`.

pub mod caller;
pub mod confinement;
pub mod descendants;
pub mod detached;
pub mod guard;
pub mod launch;
pub mod reaper;
pub mod roots;
pub mod scratch;
pub mod signals;
pub mod watchdog;
