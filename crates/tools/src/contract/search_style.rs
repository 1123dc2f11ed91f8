//! The options of a search that only a person's flags can set, as grep(1) and rg have
//! them: no host and no model can send them.

/// The treatment of files that are binary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BinaryFiles {
    /// Their matches are counted, and the file is named.
    #[default]
    Named,
    /// Their lines are shown as those of any other file.
    Shown,
    /// They are left out.
    LeftOut,
}

/// The beginning of each line that is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineHead {
    /// As it is usual where the answer goes.
    #[default]
    Usual,
    /// The number, below the path as a heading.
    BelowPath,
    /// Path and number.
    Path,
    /// The number alone.
    Number,
    /// Nothing, where one file is searched.
    Bare,
}

/// The options that a person's flags set for a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchStyle {
    /// True if paths, numbers and matches are coloured.
    pub is_coloured: bool,
    /// The treatment of binary files.
    pub binary: BinaryFiles,
    /// The beginning of each line.
    pub head: LineHead,
    /// Maximum number of lines of each file.
    pub max_per_file: Option<u64>,
    /// True if nothing is shown, and the search ends with the first match.
    pub is_quiet: bool,
    /// True if nothing is said of places that cannot be searched.
    pub is_silent_on_places: bool,
    /// Standard input, if that is searched and no file.
    pub stdin: Option<StdinPlace>,
}

/// The reason why standard input is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StdinPlace {
    /// It was asked for.
    Named,
    /// It is a pipe or a file, and nothing else was named.
    Implied,
}
