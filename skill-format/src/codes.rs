//! Every code that a problem can have, in one place, so that none is ever used twice.

use crate::report::Code;

/// SKILL.md does not begin with a `---` line, or nothing closes it.
pub const FRONT_MATTER_MISSING: Code = "SK0101";
/// A plain value holds `: `, which YAML reads as the start of a mapping.
pub const NESTED_MAPPING: Code = "SK0102";
/// The front matter is not YAML.
pub const INVALID_YAML: Code = "SK0103";
/// The front matter is YAML, but not `field: value` lines.
pub const NOT_FIELDS: Code = "SK0104";
/// A mapping has one key twice.
pub const DUPLICATE_KEY: Code = "SK0105";
/// An anchor (`&x`) or an alias (`*x`).
pub const ANCHOR: Code = "SK0106";
/// A tag (`!!str`).
pub const TAG: Code = "SK0107";
/// The front matter is larger than the cap.
pub const FRONT_MATTER_SIZE: Code = "SK0108";
/// A NUL character.
pub const NUL: Code = "SK0109";
/// SKILL.md is not UTF-8.
pub const NOT_UTF8: Code = "SK0110";

/// The `name` is missing, empty or no text.
pub const NAME_REQUIRED: Code = "SK0111";
/// The `name` is too long.
pub const NAME_LENGTH: Code = "SK0112";
/// The `name` has a character that names may not have.
pub const NAME_CHARACTERS: Code = "SK0113";
/// The `name` begins or ends with a hyphen, or has two in a row.
pub const NAME_HYPHENS: Code = "SK0114";
/// The `name` is not the name of the skill's folder.
pub const NAME_IS_FOLDER: Code = "SK0115";
/// The `description` is missing, empty or no text.
pub const DESCRIPTION_REQUIRED: Code = "SK0116";
/// The `description` is too long.
pub const DESCRIPTION_LENGTH: Code = "SK0117";

/// The folder is missing or is not a folder.
pub const FOLDER_MISSING: Code = "SK0121";
/// The folder holds no skill.
pub const NO_SKILLS: Code = "SK0122";
/// A subfolder has no SKILL.md.
pub const SKILL_MD_MISSING: Code = "SK0123";
/// A symbolic link.
pub const SYMLINK: Code = "SK0124";
/// A file name is not UTF-8.
pub const PATH_NOT_UTF8: Code = "SK0125";
/// A file is larger than the cap.
pub const FILE_SIZE: Code = "SK0126";
/// A file or folder cannot be read.
pub const UNREADABLE: Code = "SK0127";

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    #[test]
    fn no_code_is_used_twice() {
        let mut seen = BTreeSet::new();
        for code in include_str!("codes.rs")
            .split("Code = \"")
            .skip(1)
            .filter_map(|rest| rest.get(..6))
        {
            assert!(seen.insert(code), "{code} is here twice");
        }
        assert!(seen.contains(super::UNREADABLE), "the codes were read");
    }
}
