//! Names without wildcards are looked up one by one: no directory has to be read for them, and one
//! that may be searched but not read still has them.

use super::{DirectoryReader, PendingRead};
use crate::paths::EntryKind;
use crate::walk::GlobError;
use crate::walk::listing::ListingEntry;
use crate::walk::places::{entry_kind, is_directory, starting_point, terminated};
use crate::wildcard::PatternComponent;

impl DirectoryReader<'_> {
    /// Adds `here`, from `base` on, if that entry exists and a pattern ends there, or ends there in
    /// a slash. A name without wildcards needs no directory to be read.
    pub(super) fn look_up(
        &mut self,
        (ends, ends_in_slash): (bool, bool),
        base: usize,
        next: &PendingRead,
    ) -> Result<(), GlobError> {
        if !ends && !ends_in_slash {
            return Ok(());
        }
        let (directory, start) = starting_point(next.anchor.as_deref());
        let path = terminated(&mut self.scratch, &self.here[start..]);
        let name = &self.here[base..];
        if ends_in_slash && is_directory(directory, path) {
            let entry = ListingEntry::Found(EntryKind::Directory);
            self.listing.push([name, b"/"], entry)?;
        }
        if ends && let Some(kind) = entry_kind(directory, path) {
            self.listing.push([name, b""], ListingEntry::Found(kind))?;
        }
        Ok(())
    }

    /// Looks names up one by one: without wildcards they can be found in a directory that may be
    /// searched but not read.
    pub(super) fn look_up_names(&mut self, next: &PendingRead) -> Result<(), GlobError> {
        let steps = &*self.shared.steps;
        let length = self.here.len();
        let mut active = std::mem::take(&mut self.active);
        while let Some(&state) = active.first() {
            let Some(name) = self.shared.name_to_look_up(state) else {
                active.remove(0);
                continue;
            };
            self.here.extend_from_slice(name);
            let first = self.listing.states.len();
            let (mut ends, mut ends_in_slash) = (false, false);
            let mut roundabout = next.is_roundabout || name == b"..";
            active.retain(|same| {
                let step = &steps.all[*same];
                let is = matches!(&step.component, PatternComponent::Name(other) if other == name);
                if is {
                    ends |= step.is_end;
                    ends_in_slash |= step.ends_in_slash;
                    self.listing.states.extend_from_slice(&step.next);
                }
                !is
            });
            roundabout |= self.is_link_after_wildcards(next, &steps.all[state]);
            if let Some(&next_state) = self.listing.states.get(first) {
                let slashes = &*steps.all[next_state].slashes;
                self.push_directory([name, slashes], first, true, roundabout)?;
            }
            self.look_up((ends, ends_in_slash), length, next)?;
            self.here.truncate(length);
        }
        Ok(())
    }
}
