//! One call of a tool, confined if flags, the environment or its server asked for that. Shared by
//! the front ends that answer in their own process.
//!
//! A request that names a path outside the directories is refused first, in words: with the name,
//! the access that was wanted, and what would allow it. Then the process confines itself, and the
//! kernel keeps everything that the tool does within the directories. The tool of commands stays as
//! it is, and confines the programs that it runs.

use std::env;
use std::path::{Path, PathBuf};

use crate::call::path_admission::{self, PathRefusal};
use crate::call::reported_file;
use crate::contract::failure::{ErrorCode, Failure};
use crate::contract::reply::Reply;
use crate::contract::request::Request;
use crate::contract::tool::{AccessScope, EnvelopeFamily, Tool};
use iki_base::unseen;
use iki_process::sandbox::confinement::{self, AccessRight, Confinement, ConfinementBounds};
use iki_process::sandbox::roots::RootSet;
use iki_process::sandbox::scratch;
use iki_process::shell;

/// Carries out a call of `tool` within the confinement that the terms of the request ask for, else
/// within the one of the environment, which hosts set. Hosts' calls may read the outputs of
/// commands, because commands' answers name them.
///
/// # Errors
/// Those of the tool; `PERMISSION_DENIED` if the request leads out, or this kernel cannot confine;
/// `NETWORK_ERROR` if a tool wants the network that was taken away.
pub fn run<'a>(tool: &Tool, request: &'a mut Request<'_>) -> Result<Reply<'a>, Failure> {
    let context = request.terms().context;
    let bounds = context.and_then(|context| Some((context.bounds.clone()?, context.reads_outputs)));
    let bounds = bounds.or_else(|| Some((ConfinementBounds::of_environment()?, true)));
    let confined = bounds.map(|(bounds, outputs)| confine(tool, request, &bounds, outputs));
    if confined.is_none() {
        read_spelled_names(tool, request);
    }
    match confined.unwrap_or(Ok(())) {
        Ok(()) => match (tool.scope, request.terms().is_served) {
            (AccessScope::File(field), true) => {
                let path = request.text(field).ok().flatten().unwrap_or_default();
                reported_file::run_and_report_file(path, || tool.run(request))
            }
            _ => tool.run(request),
        },
        Err(failure) => request.name_ignored(Err(failure)),
    }
}

/// Replaces a name in which unseen characters are spelled out, as answers have it, with the name of
/// the file that is meant, before anything is decided on it.
fn read_spelled_names(tool: &Tool, request: &mut Request<'_>) {
    let (path, pattern) = match tool.scope {
        AccessScope::File(path) => (path, None),
        AccessScope::Paths { directory, pattern } => (directory, Some(pattern)),
        AccessScope::Machine => (path_admission::WORKDIR, None),
        AccessScope::Network => return,
    };
    let given = |field| request.text(field).ok().flatten();
    let path = given(path)
        .and_then(unseen::unspelled_path)
        .map(|text| (path, text));
    let pattern = pattern.and_then(|field| {
        let text = given(field).and_then(unseen::unspelled_pattern)?;
        Some((field, text))
    });
    for (field, text) in path.into_iter().chain(pattern) {
        request.set_text(field, text);
    }
}

fn confine(
    tool: &Tool,
    request: &mut Request<'_>,
    bounds: &ConfinementBounds,
    reads_outputs: bool,
) -> Result<(), Failure> {
    let refused = |reason: String| {
        Failure::new(
            ErrorCode::PermissionDenied,
            format!("The call was not run, because it could not be confined: {reason}"),
        )
    };
    if tool.scope == AccessScope::Network && bounds.no_network {
        return Err(no_network(tool, bounds));
    }
    let mut confinement = Confinement::resolve(bounds).map_err(refused)?;
    // A tool of the network touches no file that a request names. The programs that it starts ask
    // what confined calls can change.
    if tool.scope == AccessScope::Network || !confinement.confines_files() {
        read_spelled_names(tool, request);
        confinement::set_current(confinement);
        return Ok(());
    }
    if !confinement::is_supported() {
        return Err(refused(confinement::UNSUPPORTED.to_owned()));
    }
    if let (AccessScope::Machine, Some(fault)) = (tool.scope, confinement.fault()) {
        return Err(refused(fault));
    }
    let context = request.terms().context;
    let mut beside: Vec<PathBuf> = context
        .and_then(|context| context.temporary.clone())
        .into_iter()
        .collect();
    if tool.scope != AccessScope::Machine {
        for temporary in beside.drain(..) {
            confinement = confinement.with_temporary(&temporary);
        }
    }
    confinement.enter().map_err(refused)?;
    // Relative names start in that directory.
    read_spelled_names(tool, request);
    let outputs = shell::directory_of_outputs().filter(|_| reads_outputs && tool.hints.read_only);
    let outputs = outputs.and_then(|directory| confinement.resolve_trusted(&directory));
    beside.extend(outputs.clone());
    let beside = RootSet::new(beside);
    let here = env::current_dir().map_err(|error| refused(error.to_string()))?;
    let admitted =
        path_admission::check_request_paths(&confinement, &beside, tool, &here, |name| {
            // Any other value is refused by the tool or taken as not given.
            request.text(name).ok().flatten()
        });
    admitted.map_err(|refused| refusal(&confinement, &refused))?;
    // Of several calls of a process the first has confined it.
    if tool.scope != AccessScope::Machine && confinement::current().is_none() {
        confinement
            .confine_tool(!tool.hints.read_only, outputs.as_deref())
            .map_err(refused)?;
    }
    confinement::set_current(confinement);
    Ok(())
}

/// The refusal of a tool that asks the network.
fn no_network(tool: &Tool, bounds: &ConfinementBounds) -> Failure {
    let name = bounds.source.name_for_network();
    let message = format!(
        "{} needs the network, which {name} takes from this call",
        tool.name
    );
    let failure = Failure::new(ErrorCode::NetworkError, message);
    match tool.family {
        EnvelopeFamily::Research => failure,
        _ => failure.with_note("Work with the files that are there, or ask for the network."),
    }
}

/// The refusal of a path that leads out of the directories.
pub(super) fn refusal(confinement: &Confinement, refused: &PathRefusal<'_>) -> Failure {
    let PathRefusal { path, right, .. } = refused;
    let within = confinement.roots_for(*right);
    if confinement.masks(&refused.real, *right) {
        let message = format!(
            "Not allowed: {path} belongs to ikigai-tools itself and is closed to confined calls"
        );
        return Failure::new(ErrorCode::PermissionDenied, message);
    }
    let temporary = confinement.temporary();
    let others = within.directories().iter();
    let others = others.filter(|one| temporary != Some(one.as_path()));
    let names: Vec<String> = others
        .map(|one| one.to_string_lossy().into_owned())
        .chain(temporary.map(|directory| format!("$TMPDIR ({})", directory.display())))
        .collect();
    let message = if names.is_empty() {
        format!("Not allowed: {path}; this call is confined to reading")
    } else {
        format!(
            "Not allowed: {path} is not within {}, to which this call is confined",
            names.join(" or ")
        )
    };
    let (wanted, verb) = match right {
        AccessRight::Write => ("Writing", "write"),
        AccessRight::Read | AccessRight::Execute => ("Reading", "read"),
    };
    let instead = match temporary {
        Some(_) => format!("you can {verb} in {}", names.join(" and in ")),
        None => "work without it".to_owned(),
    };
    let place = directory_of(refused);
    let advice = if within
        .directories()
        .iter()
        .any(|one| place.starts_with(one))
    {
        "Some of what it names lies outside: name only what lies within.".to_owned()
    } else if scratch::lies_in_one(place) {
        // Its name is a new one each time.
        format!("That is for the temporary files of other calls: {instead}.")
    } else {
        let place_name = place.display().to_string();
        match confinement.words_to_allow(*right, place, &place_name) {
            Some(how) => format!("Whoever set it can allow it by adding {how}, if that exists."),
            None => format!("That is private, or too broad to allow: {instead}."),
        }
    };
    Failure::new(ErrorCode::PermissionDenied, message).with_note(format!(
        "{wanted} there was refused by the confinement, whatever the file's own permissions are. \
         {advice}"
    ))
}

/// The path to allow: the one that is named or, to make or change a file, its directory. This does
/// not check that it exists, and so does not reveal it.
fn directory_of<'a>(refused: &'a PathRefusal<'_>) -> &'a Path {
    let real: &Path = &refused.real;
    match refused.right {
        AccessRight::Write => real.parent().unwrap_or(real),
        AccessRight::Read | AccessRight::Execute => real,
    }
}
