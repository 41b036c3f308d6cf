//! The kinds of result of a search.

/// What a search returns.
#[helve::data]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum GrepOutput {
    /// The matching lines with their numbers, under the path of their file.
    #[default]
    Content,
    /// Only the paths of the files with a match.
    Files,
    /// The paths with the number of matching lines, as `path:number`.
    Count,
}
