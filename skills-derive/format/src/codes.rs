//! The codes of all problems, in one place, so that no code is used twice.
//!
//! A code identifies a rule; the [`Profile`](crate::Profile) determines the severity of a violation:
//! [`Profile::severity`](crate::Profile::severity). A code is never reused with another meaning.

use std::fmt;

/// A stable code, printed as `SK0113`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(&'static str);

impl Code {
    /// Returns the text of the code.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal;)+) => {
        $($(#[doc = $doc])+ pub const $name: Code = Code($code);)+

        /// All codes with their meanings, in the order of this file.
        pub const ALL: &[(Code, &str)] = &[$(($name, concat!($($doc),+))),+];
    };
}

// The syntax of the front matter.
codes! {
    /// SKILL.md does not begin with a `---` line.
    FRONT_MATTER_MISSING = "SK0101";
    /// A plain value holds `: `, which YAML reads as the start of a mapping.
    NESTED_MAPPING = "SK0102";
    /// The front matter is not YAML, or not YAML that fields can be read from: two documents, a list as a key, nesting without end.
    INVALID_YAML = "SK0103";
    /// The front matter is YAML, but not `field: value` lines.
    NOT_FIELDS = "SK0104";
    /// A mapping has one key twice.
    DUPLICATE_KEY = "SK0105";
    /// An anchor (`&x`) or an alias (`*x`).
    ANCHOR = "SK0106";
    /// A tag (`!!str`).
    TAG = "SK0107";
    /// The front matter is larger than the cap.
    FRONT_MATTER_SIZE = "SK0108";
    /// A NUL character.
    NUL = "SK0109";
    /// SKILL.md is not UTF-8.
    NOT_UTF8 = "SK0110";
    /// The `name` is missing.
    NAME_REQUIRED = "SK0111";
    /// The `name` is too long.
    NAME_LENGTH = "SK0112";
    /// The `name` has a character that is neither a letter nor a digit nor `-`.
    NAME_CHARACTERS = "SK0113";
    /// The `name` begins or ends with a hyphen.
    NAME_EDGE_HYPHEN = "SK0114";
    /// The `name` is not the name of the skill's folder.
    NAME_IS_FOLDER = "SK0115";
    /// The `description` is missing.
    DESCRIPTION_REQUIRED = "SK0116";
    /// The `description` is too long.
    DESCRIPTION_LENGTH = "SK0117";
    /// Nothing closes the front matter.
    FRONT_MATTER_OPEN = "SK0118";
    /// A list or a mapping in brackets: YAML, and refused by the reference validator alone.
    FLOW = "SK0119";
    /// Two mappings of one level are indented differently: YAML, and refused by the reference validator alone.
    INDENTATION = "SK0120";
    /// The folder is missing.
    FOLDER_MISSING = "SK0121";
    /// The folder holds no skill.
    NO_SKILLS = "SK0122";
    /// A subfolder has no SKILL.md.
    SKILL_MD_MISSING = "SK0123";
    /// A symbolic link that leads out of the skill.
    LINK_LEAVES = "SK0124";
    /// A file name is not UTF-8.
    PATH_NOT_UTF8 = "SK0125";
    /// A file is larger than the cap.
    FILE_SIZE = "SK0126";
    /// A file or folder cannot be read.
    UNREADABLE = "SK0127";
    /// The folder is a file, or something else that is no folder.
    NOT_A_FOLDER = "SK0128";
    /// A symbolic link that leads back to a folder around it.
    LINK_CYCLE = "SK0129";
    /// A symbolic link that leads nowhere.
    LINK_DANGLES = "SK0130";
    /// The `name` is empty or no text.
    NAME_EMPTY = "SK0131";
    /// The `description` is empty or no text.
    DESCRIPTION_EMPTY = "SK0132";
    /// The `name` has an upper-case letter.
    NAME_UPPER_CASE = "SK0133";
    /// The `name` has two hyphens in a row.
    NAME_DOUBLE_HYPHEN = "SK0134";
    /// The `name` is not ASCII: allowed by the specification, refused by MCP, and a trap on the way to some hosts.
    NAME_NOT_ASCII = "SK0135";
    /// The `compatibility` is too long.
    COMPATIBILITY_LENGTH = "SK0136";
    /// The `compatibility` is empty.
    COMPATIBILITY_EMPTY = "SK0137";
    /// The `compatibility` is no text.
    COMPATIBILITY_TEXT = "SK0138";
    /// The `metadata` is not a mapping of text to text.
    METADATA_TEXT = "SK0139";
    /// The `allowed-tools` is no text.
    ALLOWED_TOOLS_TEXT = "SK0140";
    /// The `license` is no text.
    LICENSE_TEXT = "SK0141";
    /// A top-level field that the specification does not have. Fields that hosts have brought into wide use are not
    /// reported, except by the reference validator's profile: see [`HOST_FIELDS`](crate::HOST_FIELDS).
    UNKNOWN_FIELD = "SK0142";
    /// The front matter stands in a `skill.yaml` beside the SKILL.md.
    SKILL_YAML = "SK0143";
    /// Two skills of one folder have the same name.
    NAME_TWICE = "SK0144";
    /// The file is called `skill.md`, which case-sensitive systems do not find.
    SKILL_MD_CASE = "SK0145";
    /// A tab outside of quotes: YAML, and refused by the reference validator alone.
    TAB = "SK0146";
    /// A pointer of Git LFS instead of the file.
    LFS_POINTER = "SK0151";
    /// Two paths that are one on systems that ignore case.
    CASE_COLLISION = "SK0152";
    /// A name that Windows cannot have.
    RESERVED_NAME = "SK0153";
    /// The skill has more files than the cap.
    FILE_COUNT = "SK0154";
    /// The skill's files are larger than the cap, taken together.
    SKILL_SIZE = "SK0155";
    /// The folder has more subfolders than the cap, or its skills more files or bytes taken together.
    SKILL_COUNT = "SK0156";
    /// The skill's folders nest deeper than the cap.
    FOLDER_DEPTH = "SK0157";
    /// A pattern of `exclude` is no glob.
    EXCLUDE_PATTERN = "SK0158";
    /// The body has more lines than the specification recommends.
    BODY_LINES = "SK0201";
    /// The body has more tokens than the specification recommends.
    BODY_TOKENS = "SK0202";
    /// A link of a Markdown file to a file that is not there.
    BROKEN_LINK = "SK0203";
    /// A link of a Markdown file to a place outside the skill.
    ESCAPING_LINK = "SK0204";
    /// A file that only another reference links to: the specification keeps references one level deep.
    DEEP_REFERENCE = "SK0205";
    /// A script with a `#!` line and without the executable bit.
    NOT_EXECUTABLE = "SK0206";
    /// A `#` behind a space, which makes the rest of a plain value a comment.
    COMMENT_CUTS = "SK0207";
    /// Characters that cannot be seen: zero-width ones, controls of direction, tags.
    INVISIBLE_CHARACTERS = "SK0208";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::ALL;

    #[test]
    fn no_code_is_used_twice() {
        let mut seen = BTreeSet::new();
        for (code, _) in ALL {
            assert!(seen.insert(code), "{code} is here twice");
            assert!(code.as_str().starts_with("SK0") && code.as_str().len() == 6);
        }
    }
}
