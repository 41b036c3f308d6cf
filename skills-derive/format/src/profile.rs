//! Whose rules are applied, and how bad a breach of each is.

use crate::codes::{self, Code};
use crate::problem::Severity;

/// Whose rules a skill is held to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Profile {
    /// The specification of Agent Skills, as it is written. A field that it does not have is a warning.
    #[default]
    Spec,
    /// The specification's reference validator, `skills-ref`: an unknown field, a list in brackets, a tab outside of quotes
    /// and mappings that are indented differently are errors, `skill.md` is accepted, and what it does not look at (the
    /// files, the types of `metadata`, `allowed-tools` and `license`) is a warning at most.
    ///
    /// Its defects are not copied: a `---` inside a value does not end the front matter, a NUL and an empty
    /// `compatibility` are errors, a byte order mark is none. What YAML is, version 1.2 says: a quoted value goes on with
    /// indentation only, and `<<` merges nothing.
    SkillsRef,
    /// Skills that an MCP server offers: the specification, with names of ASCII alone, at most 512 files and 16 MiB.
    Mcp,
    /// Folders that are read at run time, whose authors are not there to be asked: all that can be used is used, and
    /// what is odd is a warning.
    ///
    /// A name that is missing or no good is replaced by the folder's, and a missing description by the first line of the
    /// body; a value with an unquoted `: ` is taken as it stands; a `skill.yaml` is read; a file that cannot be carried
    /// along is left out. What stays an error: no front matter at all, YAML that cannot be read, anchors, aliases, tags
    /// and duplicate keys, and a skill that is too large.
    Lenient,
}

impl Profile {
    /// Returns how bad a breach of that rule is; `None` if the profile does not have the rule.
    #[must_use]
    pub fn severity(self, code: Code) -> Option<Severity> {
        if OBSERVATIONS.contains(&code) {
            return Some(Severity::Warning);
        }
        match self {
            Self::SkillsRef => by_reference(code),
            Self::Mcp if code == codes::NAME_NOT_ASCII => Some(Severity::Error),
            Self::Spec | Self::Mcp => by_specification(code),
            Self::Lenient => leniently(code),
        }
    }
}

/// What is worth saying under every profile and wrong under none.
const OBSERVATIONS: &[Code] = &[
    codes::BODY_LINES,
    codes::BODY_TOKENS,
    codes::BROKEN_LINK,
    codes::ESCAPING_LINK,
    codes::DEEP_REFERENCE,
    codes::NOT_EXECUTABLE,
    codes::COMMENT_CUTS,
    codes::INVISIBLE_CHARACTERS,
];

/// What the reference validator alone refuses.
const STRICTER_THAN_YAML: &[Code] = &[codes::FLOW, codes::INDENTATION, codes::TAB];

/// What is said of a folder's files and of their names.
const OF_FILES: &[Code] = &[
    codes::LINK_LEAVES,
    codes::LINK_CYCLE,
    codes::LINK_DANGLES,
    codes::PATH_NOT_UTF8,
    codes::FILE_SIZE,
    codes::LFS_POINTER,
    codes::CASE_COLLISION,
    codes::RESERVED_NAME,
];

/// What a folder that is read at run time may do without.
const FORGIVEN: &[Code] = &[
    codes::NESTED_MAPPING,
    codes::NAME_REQUIRED,
    codes::NAME_EMPTY,
    codes::NAME_LENGTH,
    codes::NAME_UPPER_CASE,
    codes::NAME_CHARACTERS,
    codes::NAME_EDGE_HYPHEN,
    codes::NAME_DOUBLE_HYPHEN,
    codes::NAME_IS_FOLDER,
    codes::DESCRIPTION_REQUIRED,
    codes::DESCRIPTION_EMPTY,
    codes::DESCRIPTION_LENGTH,
    codes::COMPATIBILITY_LENGTH,
    codes::COMPATIBILITY_EMPTY,
    codes::COMPATIBILITY_TEXT,
    codes::METADATA_TEXT,
    codes::LICENSE_TEXT,
    codes::SKILL_MD_MISSING,
    codes::SKILL_MD_CASE,
    codes::SKILL_YAML,
];

fn by_specification(code: Code) -> Option<Severity> {
    match code {
        codes::NAME_NOT_ASCII | codes::UNKNOWN_FIELD => Some(Severity::Warning),
        code if STRICTER_THAN_YAML.contains(&code) => None,
        _ => Some(Severity::Error),
    }
}

fn by_reference(code: Code) -> Option<Severity> {
    match code {
        codes::METADATA_TEXT
        | codes::ALLOWED_TOOLS_TEXT
        | codes::LICENSE_TEXT
        | codes::NAME_NOT_ASCII => Some(Severity::Warning),
        codes::SKILL_MD_CASE => None,
        code if OF_FILES.contains(&code) => Some(Severity::Warning),
        _ => Some(Severity::Error),
    }
}

fn leniently(code: Code) -> Option<Severity> {
    match code {
        // Every host has fields of its own, and an empty folder of skills is as good as none.
        codes::UNKNOWN_FIELD
        | codes::ALLOWED_TOOLS_TEXT
        | codes::NAME_NOT_ASCII
        | codes::NO_SKILLS => None,
        code if STRICTER_THAN_YAML.contains(&code) => None,
        code if FORGIVEN.contains(&code) || OF_FILES.contains(&code) => Some(Severity::Warning),
        _ => Some(Severity::Error),
    }
}
