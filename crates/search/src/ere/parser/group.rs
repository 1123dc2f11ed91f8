//! Groups, and what stands behind their `(?`: names, flags and references by name.

use super::super::ast::{MAX_DEPTH, PatternNode};
use super::super::{PatternError, unsupported};
use super::{Atom, LAST_NAMED, PatternParser};

/// Maximum number of flags of one group.
const MAX_FLAGS: usize = 16;

/// The construct that follows `(?`.
enum GroupExtension<'a> {
    /// `(?:`
    Group,
    /// `(?<n>`
    Named(&'a str),
    /// `(?i)`, which is passed.
    Flags,
    /// `(?P=n)`, which is passed.
    Reference(Atom),
}

impl<'a> PatternParser<'a> {
    pub(super) fn group(&mut self, depth: usize) -> Result<Atom, PatternError> {
        if depth == MAX_DEPTH {
            return Err(PatternError::TooBig);
        }
        let fold = self.fold;
        let extension = if self.eat(b'?') {
            Some(self.extension()?)
        } else {
            None
        };
        let name = match extension {
            Some(GroupExtension::Flags) => return Ok(Atom::Flags),
            Some(GroupExtension::Reference(atom)) => return Ok(atom),
            Some(GroupExtension::Group) => {
                let node = self.rest_of_group(depth)?;
                self.fold = fold;
                return Ok(Atom::Node(node));
            }
            Some(GroupExtension::Named(name)) => Some(name),
            None => None,
        };
        self.groups += 1;
        let group = self.groups;
        if let Some(name) = name {
            if self.named(name).is_some() {
                return Err(PatternError::Unsupported(unsupported::GROUP_NAME.into()));
            }
            if group <= LAST_NAMED {
                self.names.push((name, group));
            }
        }
        let node = self.rest_of_group(depth)?;
        self.fold = fold;
        if group <= LAST_NAMED {
            self.complete |= 1 << group;
        }
        Ok(Atom::Node(PatternNode::Group(Box::new(node))))
    }

    fn rest_of_group(&mut self, depth: usize) -> Result<PatternNode, PatternError> {
        let node = self.alternation(depth + 1)?;
        if !self.eat(b')') {
            return Err(PatternError::Parenthesis);
        }
        Ok(node)
    }

    /// Reads what stands after the `(?` of a group.
    fn extension(&mut self) -> Result<GroupExtension<'a>, PatternError> {
        let unread = &self.text[self.offset..];
        if let Some(refused) = unsupported::group(unread) {
            return Err(refused);
        }
        let name = |name: Option<&'a str>| {
            name.ok_or_else(|| PatternError::Unsupported(unsupported::GROUP_NAME.into()))
        };
        if unread.starts_with("P=") {
            self.offset += 2;
            let named = name(self.name(')'))?;
            return Ok(GroupExtension::Reference(self.reference_to(named)?));
        }
        if unread.starts_with("P<") {
            self.offset += 1;
        }
        if let Some(b'<' | b'\'') = self.peek() {
            let named = self.name_between([('<', '>'), ('\'', '\'')]);
            return name(named).map(GroupExtension::Named);
        }
        self.fold = self.flags()?;
        if self.eat(b')') {
            return Ok(GroupExtension::Flags);
        }
        self.offset += 1;
        Ok(GroupExtension::Group)
    }

    /// Reads the flags after `(?`, if any, up to the `:` or `)` that ends them; true if case is
    /// ignored from here on.
    fn flags(&mut self) -> Result<bool, PatternError> {
        let mut fold = self.fold;
        let mut on = true;
        let first = self.offset;
        loop {
            match self.peek() {
                Some(b'i') => fold = on,
                Some(b's' | b'm' | b'U') => {}
                Some(b'u') if on => {}
                Some(b'x') if !on => {}
                Some(b'-') if on => on = false,
                Some(b':') => return Ok(fold),
                Some(b')') if self.offset > first => return Ok(fold),
                Some(letter) if self.in_flags(first) => {
                    return Err(unsupported::flag(letter.into()));
                }
                _ => return Err(PatternError::Repetition),
            }
            self.offset += 1;
        }
    }

    /// True if only letters, or a hyphen among them, stand between `first` and a `:` or `)`.
    fn in_flags(&self, first: usize) -> bool {
        let flags = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'-';
        let unread = &self.text.as_bytes()[first..];
        let end = unread.iter().take(MAX_FLAGS).position(|byte| !flags(byte));
        end.is_some_and(|end| end > 0 && matches!(unread[end], b':' | b')'))
    }
}
