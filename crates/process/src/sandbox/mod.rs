//! Workshop: the directories that a process may touch, and the order in which processes end.
//!
//! # Directories
//!
//! `roots` decides by names, before a call, which paths a request may name; `confinement` has the
//! kernel enforce it while the call runs, and confines commands.
//!
//! # Lifetimes
//!
//! Rules: the decisions on the host's calls (10), on bash and on writing: a call that no process
//! waits for ends, nothing that it started is left running, and no file is left half written.
//!
//! | process | what it is | module |
//! |---|---|---|
//! | host | the program that starts a tool with a request on stdin | `caller` |
//! | tool | one call; of a server in a process group of its own | |
//! | watchdog | between bash's tool and its command, in a process group of its own | `watchdog` |
//! | command | the shell and what it started, in a process group of its own | `launch` |
//! | background | of the command: what the shell did not wait for | `descendants` |
//! | step | the last steps of a write, in a process group of its own | `detached` |
//! | guard | removes a draft's name, or a server's directory, in a session of its own | `guard` |
//! | server | MCP: starts a tool a call, and is their host | `reaper` |
//! | client | the program that talks to the server | |
//!
//! SIGKILL to one process, SIGKILL to its group, and the kernel's choice where memory runs out
//! (OOM) have the same effect here: tool, watchdog, command, step and guard are in different
//! groups, and no two of them share memory, except a command with its watchdog in the moment before
//! the command becomes the shell. No test makes the kernel choose; the tests with SIGKILL stand for
//! it. A confined command is in a session of its own, and so can join no group of another's: the
//! kernel would send SIGHUP to a group in which it left a stopped orphan.
//!
//! The processes of a command get SIGTERM first, and SIGKILL after the time in the third column if
//! they are still there then (`tree_termination`); where that says "never", they get neither.
//!
//! | who dies | by what | SIGKILL after | processes left | files left | note |
//! |---|---|---|---|---|---|
//! | host | anything, or it closes the answer's pipe | 0.3 s | none | a write begun is done | 1 |
//! | host | anything, the answer goes into a file | never | all go on | as if it lived | 2 |
//! | host | anything, the call was made of flags | never | all go on | as if it lived | 2 |
//! | tool of bash | its normal end | never | background | | 3 |
//! | tool of bash | SIGTERM, the call was not made of flags | 2 s | none | | 23 |
//! | tool of bash | SIGKILL or another signal, its group, OOM | 0.3 s | none | | 4 |
//! | any tool | its own memory or stack runs out | 0.3 s | as by SIGKILL | as by SIGKILL | 5 |
//! | tool that writes, before the step | SIGKILL, its group, OOM | | none | the old content | 6 |
//! | tool that writes, in the step | the same | | step, till done | the new content | 7 |
//! | step | SIGKILL, OOM, once | | none | the new content | 8 |
//! | step | SIGKILL, OOM, each time | | none | a torn file, the draft | 9 |
//! | command whose tool writes, in the step | any end of its tree | as the command | none | as 7, or as 10 | 26 |
//! | step and tool | SIGKILL, OOM | | none | a torn file, the draft | 10 |
//! | guard | SIGKILL, OOM | | none | as if it lived | 11 |
//! | guard and tool | SIGKILL, OOM | | none | the draft | 12 |
//! | shell | its normal end, a signal, OOM | never | background | | 3 |
//! | shell | its group | never | what left the group | | 3 |
//! | background | anything | never | the others | | 13 |
//! | background of a confined command | the end of all of it | | none | none | 22 |
//! | command that goes on behind its answer | stopped, or SIGTERM to its tool | 2 s | none | | 24 |
//! | the same | SIGKILL of its tool, OOM | 0.3 s | none | | 24 |
//! | command | the end of its time | 1.7 s, or less | none | | 20 |
//! | watchdog | SIGKILL, OOM | 0.3 s | none | | 14 |
//! | watchdog and tool | SIGKILL, OOM | never | command, background | | 15 |
//! | the same, confined | SIGKILL, OOM | never | command, background | its directory | 22 |
//! | tool with a browser or reader | its end | 0 s | none | none | 21 |
//! | tool with a browser or reader | a signal, its group, OOM | 0.3 s | none | none | 21 |
//! | MCP call | cancelled, too late | 2 s | as its tool | as its tool | 16 |
//! | MCP call | SIGKILL of its tool, OOM | 0.3 s | as its tool | as its tool | 16 |
//! | MCP server | SIGTERM, SIGINT, SIGHUP | 2 s | step, till done | as its tools | 17 |
//! | MCP server | SIGKILL, its group, OOM | 0.3 s | background of past calls | as its tools | 18 |
//! | MCP server and guard | SIGKILL, OOM | 0.3 s | the same | its directory | 25 |
//! | MCP client | anything, or it closes a pipe | 2 s | step, till done | as its tools | 19 |
//!
//! The mechanism of each row, and the tests that show it (`file::test` under `tests/`, or the
//! module's own):
//!
//! 1. A timer or a thread asks four times a second whether the parent is still the same and stdout
//!    is still read; the tool then ends itself, and the watchdog what it started. A writer asks
//!    only while it waits for another writer. `caller_gone::`
//!    `a_host_that_closes_its_end_ends_a_silent_command`,
//!    `a_host_that_is_killed_ends_the_command_though_its_pipe_stays_open`,
//!    `a_page_that_does_not_come_is_not_waited_for`,
//!    `a_file_that_is_locked_is_not_waited_for_and_a_write_under_way_is_finished`. A parent outside
//!    this PID namespace has no number: there the stream alone tells. Not tested.
//! 2. Such a call does not ask. `caller_gone::` `into_a_file_a_call_goes_on_without_its_host`,
//!    `a_call_made_of_flags_goes_on_without_its_host_and_its_reader`.
//! 3. The call ends with the shell, and the tool releases the watchdog, which ends and leaves the
//!    rest to the next subreaper or to init. `bash::calls::`
//!    `a_child_that_keeps_the_pipe_is_not_waited_for`,
//!    `a_shell_ended_by_a_signal_gives_128_and_its_number`,
//!    `a_signal_to_its_own_group_hits_the_command_alone`. A program that another command of this
//!    executable runs (doctor, link) has no background: its watchdog is never released.
//! 4. The end of the pipe from tool to watchdog tells the watchdog, which ends all its
//!    descendants. `bash::calls::` `a_killed_tool_leaves_no_process`,
//!    `a_host_that_kills_the_whole_group_leaves_no_process_either`,
//!    `a_host_that_stops_reading_ends_the_command`. Without a subreaper, a mark in the
//!    environment tells who descends: `refused_services::`
//!    `a_killed_tool_leaves_no_process_where_it_can_be_no_subreaper`. Without `/proc`,
//!    only the command's process group is known, and what has left it lives on:
//!    `bash::calls::without_proc_a_killed_tool_leaves_no_process_either` (the group). A process
//!    that belongs to another user, or cannot be interrupted, is given up after five seconds. Not
//!    tested. `bash::ending::a_host_that_vanishes_leaves_three_tenths_of_a_second`.
//! 5. `abort(3)` raises SIGABRT, and what hears it writes one prepared object, if nothing was
//!    written yet (`front::abort`). `protocol::`
//!    `a_local_tool_whose_memory_runs_out_answers_with_one_object`,
//!    `a_web_tool_whose_memory_runs_out_answers_with_one_object`,
//!    `a_tool_whose_stack_runs_out_answers_with_one_object`.
//! 6. A draft has no name while it is written, and goes with its last descriptor; one that needs a
//!    name has a guard. `file::write::killed_at_any_moment_the_file_is_old_or_new_and_alone`,
//!    `file::odd_places::` `without_proc_a_killed_group_leaves_no_draft`,
//!    `a_draft_with_a_name_does_not_outlive_the_command_that_was_writing_it`.
//! 7. The step is a process of its own, deaf to signals. A server that ends leaves it out, because
//!    it has entered itself where no command can (`step_register`).
//!    `file::in_place::` `a_tool_that_is_killed_midway_leaves_the_writer_at_its_work`,
//!    `a_host_that_kills_the_tool_s_whole_group_midway_leaves_the_writer_at_its_work`.
//! 8. The tool starts another one, from the draft. `file::in_place::`
//!    `a_writer_that_is_killed_midway_is_run_again`. The step that renames is too short to be
//!    caught by a test.
//! 9. The answer is `WRITE_FAILED` and says where the draft with the new content is.
//!    `file::in_place::` `a_writer_that_is_killed_every_time_leaves_the_draft_and_says_where`.
//! 10. The draft, `.ikigai-…`, has the whole new content. `file::in_place::`
//!     `where_both_are_killed_midway_the_draft_stays`. Between the two system calls of a renaming
//!     the file is whole and the draft's name stays; not tested, for the same reason as 8.
//! 11. The tool removes or renames the draft itself.
//!     `files::draft::a_draft_needs_no_guard_where_the_tool_lives`.
//! 12. No process is left that knows of it. Only if files need a name. Not tested.
//! 13. The watchdog reaps them while it lives, then the server, then init.
//!     `bash::calls::the_command_s_zombies_do_not_pile_up`,
//!     `mcp::life::a_background_process_that_ends_is_reaped`.
//! 14. The tool is a subreaper too: it ends all that descends from it and answers 137.
//!     `bash::calls::` `a_command_that_kills_its_watchdog_is_ended_and_answered`,
//!     `refused_services::` `a_command_that_kills_its_watchdog_is_ended_where_nobody_is_a_subreaper`.
//! 15. No process is left that knows of them, unless there is a server, with which they end.
//!     `mcp::life::what_outlives_its_tool_and_its_watchdog_ends_with_the_server`. Without a server
//!     not tested.
//! 16. The server sends the tool SIGTERM, and SIGKILL half a second later than all should have
//!     ended; or it sees it die. `mcp::ending::`
//!     `a_cancelled_call_clears_up_and_one_that_does_not_is_killed`, `mcp::life::`
//!     `a_cancelled_call_ends_all_that_it_started_and_is_not_answered`,
//!     `a_call_that_takes_too_long_is_ended_and_says_so`,
//!     `a_tool_that_is_killed_takes_one_call_with_it`.
//! 17. The server is a subreaper, sends SIGTERM to its tools and to all that no watchdog sees to,
//!     and kills what descends from it two seconds later, but for the steps of its calls.
//!     `mcp::ending::`
//!     `a_server_that_ends_asks_all_commands_at_once`,
//!     `mcp::life::` `a_signal_to_the_server_ends_what_runs`,
//!     `what_a_command_left_in_the_background_lives_until_the_session_ends`.
//! 18. Its calls notice as in 1. `mcp::ending::`
//!     `each_call_has_a_group_of_its_own_and_ends_though_the_server_s_group_is_killed`,
//!     `mcp::life::` `a_signal_to_the_server_ends_what_runs`,
//!     `what_finished_calls_left_in_the_background_outlives_a_server_that_is_killed`. What is left
//!     has none of its sockets open, and another server can take its address at once.
//!     `http::restart::`
//!     `a_server_that_is_killed_in_any_call_leaves_its_address_to_the_next_one`.
//! 19. The end of stdin, or a failed write, ends the server as in 17. `mcp::life::`
//!     `the_end_of_the_input_ends_the_server_and_what_runs`,
//!     `a_client_that_goes_away_altogether_is_not_waited_for`,
//!     `a_client_that_never_reads_is_not_read_for_ever_and_its_end_is_seen`,
//!     `a_write_that_has_begun_is_finished_though_client_and_server_go`.
//! 20. Two seconds before the time is over, or at half of less than four, the tool has the watchdog
//!     end all of it, and shortly before the end whatever is left is killed (`Deadline`), so that
//!     the answer is there in time. `bash::ending::`
//!     `a_command_is_asked_to_end_two_seconds_before_its_limit`,
//!     `who_does_not_heed_it_is_killed_within_the_limit_and_named`,
//!     `whoever_left_the_group_or_is_stopped_is_asked_too`,
//!     `bash::limits::a_command_whose_time_is_over_is_ended_and_its_output_answered`,
//!     `refused_services::`
//!     `at_the_end_of_its_time_a_command_is_ended_where_nobody_is_a_subreaper`.
//! 21. A browser has a watchdog like a command, which is never released, and which also removes the
//!     directory that all of the browser's files are in (`scratch`). Where the watchdog is killed,
//!     the tool does it; where both are, the directory stays. `web::browser::`
//!     `a_caller_that_is_killed_leaves_no_process_and_no_profile`, `web::browser_process::`
//!     `at_the_end_of_its_time_all_of_it_is_ended`. Programs that read documents have a watchdog
//!     each, and none or a directory that is removed likewise
//!     (`file::legacy_office::a_call_that_is_killed_leaves_no_program_and_no_directory`). Of those
//!     at once, each holds the pipe to those before it, and so they end one after the other:
//!     `file::scans::a_call_that_is_killed_leaves_no_program`.
//! 22. A confined command of a host's or a person's has a directory for temporary files
//!     (`scratch`), which its watchdog makes and removes. Where something goes on behind it, it
//!     stays until nothing does; ending a tree ends the rest and leaves that to it, for a fifth of
//!     a second at most. Where it is killed while the tool lives, the tool removes the directory;
//!     where both are, or where it is killed later, the directory stays. `confinement::deaths::`
//!     `a_directory_for_temporary_files_goes_with_the_last_process_that_may_use_it`,
//!     `killed_at_any_moment_nothing_is_left`,
//!     `a_watchdog_that_is_killed_from_outside_ends_the_command`,
//!     `where_tool_and_watchdog_are_killed_command_and_directory_stay`. What is in the directory
//!     does not matter, however deep or closed: `whatever_a_command_puts_there_it_goes`. Without a
//!     subreaper, the mark tells if anything goes on:
//!     `where_nobody_is_a_subreaper_the_directory_stays_as_long_as_it_is_used`.
//! 23. The tool passes that on to the watchdog, and dies of it when all has ended.
//!     `bash::ending::a_tool_that_is_asked_to_end_dies_of_that_when_all_has_ended`.
//! 24. The tool does not end with its answer: it writes what comes into a file, and is watched and
//!     watches as before. `stop` sends it SIGTERM, as the server does at its own end, and a server
//!     that has vanished is noticed as in 1. The shell may have ended and what it left have the
//!     output open: that is the same. `mcp::background::`
//!     `whoever_dies_nothing_in_the_background_is_left`,
//!     `what_a_command_leaves_with_its_output_open_goes_on_into_a_file`.
//! 25. A server of confined commands has a directory for their temporary files. It removes it at
//!     its own end, when all has ended; its guard does a second after the server has vanished. What
//!     past calls have left goes on without it. `confinement::deaths::`
//!     `the_directory_for_temporary_files_lasts_as_long_as_the_server`,
//!     `the_end_of_a_server_ends_what_stays_and_leaves_no_directory`.
//! 26. Nothing tells a step that a command started from another process of it that runs this
//!     executable and bears a step's name (`own_process`): both have the time that the command has
//!     to clear up, and a fifth of a second more. `file::in_place::`
//!     `a_writer_that_a_command_started_has_the_command_s_time`, `confinement::posing::`
//!     `who_poses_as_a_step_or_a_watchdog_ends_with_the_command`, `bash::ending::`
//!     `no_name_that_a_link_gives_outlives_the_end_of_the_time`,
//!     `a_name_that_a_program_gives_itself_spares_nobody_else`.

pub mod caller;
pub mod confinement;
pub(crate) mod descendants;
pub mod detached;

pub mod guard;
pub mod launch;
pub mod lifeline;
mod open_descriptors;
mod own_process;
pub mod reaper;
pub mod roots;
pub mod scratch;
pub mod signals;
pub mod step_register;
pub mod tree_termination;
pub mod watchdog;
mod watchdog_process;
