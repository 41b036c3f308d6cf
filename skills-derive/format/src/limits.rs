//! The limits of reading: a folder that exceeds them is rejected, and not read in part.

/// The greatest size of the front matter, in bytes: 64 KiB. Real front matters have a few hundred bytes.
pub const MAX_FRONT_MATTER: usize = 64 * 1024;

/// The greatest size of a SKILL.md, in bytes: 1 MiB, fifty times the recommended body.
pub const MAX_SKILL_MD: u64 = 1024 * 1024;

/// The greatest size of a skill's file, in bytes: 16 MiB.
pub const MAX_FILE: u64 = 16 * 1024 * 1024;

/// The greatest number of files of a skill: 4,096, four times the largest real one.
pub const MAX_FILES: usize = 4096;

/// The greatest total size of a skill's files, in bytes: 64 MiB, four times the largest real one.
pub const MAX_SKILL: u64 = 64 * 1024 * 1024;

/// The greatest depth of folders in a skill.
pub const MAX_FOLDER_DEPTH: usize = 32;

/// The greatest number of skills in a folder: 8,192.
pub const MAX_SKILLS: usize = 8192;

/// The number of files of a skill that an MCP host must support.
pub const MAX_FILES_MCP: usize = 512;

/// The size of a skill that an MCP host must support, in bytes: 16 MiB.
pub const MAX_SKILL_MCP: u64 = 16 * 1024 * 1024;

/// The greatest number of entries of one folder, of any kind: 65,536.
pub const MAX_ENTRIES: usize = 65_536;

/// The greatest number of files of all skills of a folder: 65,536.
pub const MAX_COLLECTION_FILES: usize = 65_536;

/// The greatest total size of all skills of a folder, in bytes: 1 GiB.
pub const MAX_COLLECTION: u64 = 1024 * 1024 * 1024;
