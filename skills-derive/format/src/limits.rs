//! How much is read: beyond these, a folder is refused rather than read in part.

/// The largest front matter, in bytes: 64 KiB. Real ones have a few hundred.
pub const MAX_FRONT_MATTER: usize = 64 * 1024;

/// The largest SKILL.md, in bytes: 1 MiB, fifty times the recommended body.
pub const MAX_SKILL_MD: u64 = 1024 * 1024;

/// The largest file of a skill, in bytes: 16 MiB.
pub const MAX_FILE: u64 = 16 * 1024 * 1024;

/// The most files of a skill: 4,096, four times the largest real one.
pub const MAX_FILES: usize = 4096;

/// The most bytes of a skill, all files taken together: 64 MiB, four times the largest real one.
pub const MAX_SKILL: u64 = 64 * 1024 * 1024;

/// The deepest folder inside a skill.
pub const MAX_FOLDER_DEPTH: usize = 32;

/// The most skills in a folder: 8,192.
pub const MAX_SKILLS: usize = 8192;

/// The most files of a skill that a host of MCP has to take.
pub const MAX_FILES_MCP: usize = 512;

/// The most bytes of a skill that a host of MCP has to take: 16 MiB.
pub const MAX_SKILL_MCP: u64 = 16 * 1024 * 1024;

/// The most entries of one folder, of whatever kind: 65,536.
pub const MAX_ENTRIES: usize = 65_536;

/// The most files of all skills of a folder, taken together: 65,536.
pub const MAX_COLLECTION_FILES: usize = 65_536;

/// The most bytes of all skills of a folder, taken together: 1 GiB.
pub const MAX_COLLECTION: u64 = 1024 * 1024 * 1024;
