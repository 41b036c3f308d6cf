//! Profiles: sets of rules, with the severity of each violation.

use crate::codes::{self, Code};
use crate::problem::Severity;

/// The set of rules that skills must follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Profile {
    /// The specification of Agent Skills. An unknown field is a warning.
    #[default]
    Spec,
    /// The specification's reference validator, `skills-ref`: an unknown field, a list in brackets, a tab outside of
    /// quotes, and inconsistent indentation of mappings are errors; `skill.md` is accepted; and problems that the
    /// validator does not check (the files, the types of `metadata`, `allowed-tools` and `license`) are at most
    /// warnings.
    ///
    /// The defects of the validator are not reproduced: a `---` in a value does not end the front matter, a NUL and
    /// an empty `compatibility` are errors, and a byte order mark is accepted. YAML is version 1.2: a continuation
    /// line of a quoted value must be indented, and `<<` does not merge.
    SkillsRef,
    /// Skills of an MCP server: the specification, with ASCII names, at most 512 files and 16 MiB.
    Mcp,
    /// Folders that are read at run time, where the authors are not available: every usable skill is used, and
    /// deviations are warnings.
    ///
    /// A missing or invalid name is replaced by the folder's name, and a missing description by the first line of the
    /// body, or by its first paragraph where there is no front matter; a value with an unquoted `: ` is accepted; a
    /// `skill.yaml` is read; an unsupported file is left out. The following remain errors: invalid YAML, anchors, aliases, tags, duplicate keys, and a
    /// skill that is too large.
    Lenient,
}

impl Profile {
    /// Returns the severity of a violation; `None` if the profile does not include the rule.
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

/// The codes that are warnings in every profile.
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

/// The codes of errors of the reference validator only.
const STRICTER_THAN_YAML: &[Code] = &[codes::FLOW, codes::INDENTATION, codes::TAB];

/// The codes about files and their names.
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

/// The codes that are not errors for a folder that is read at run time.
const FORGIVEN: &[Code] = &[
    codes::FRONT_MATTER_MISSING,
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
        // Every host has fields of its own, and an empty folder is no problem at run time.
        codes::UNKNOWN_FIELD
        | codes::ALLOWED_TOOLS_TEXT
        | codes::NAME_NOT_ASCII
        | codes::NO_SKILLS => None,
        code if STRICTER_THAN_YAML.contains(&code) => None,
        code if FORGIVEN.contains(&code) || OF_FILES.contains(&code) => Some(Severity::Warning),
        _ => Some(Severity::Error),
    }
}
