//! The limits of what is installed: content that exceeds them is refused, and not read in part.

/// The greatest number of files of a skill.
pub const MAX_FILES: usize = 512;

/// The greatest total size of the files of a skill, in bytes: 16 MiB.
pub const MAX_SKILL_BYTES: u64 = 16 << 20;

/// The greatest size of a text file of a skill, in bytes: 1 MiB.
pub const MAX_TEXT_BYTES: u64 = 1 << 20;

/// The greatest size of a downloaded archive, in bytes: 64 MiB.
pub const MAX_ARCHIVE_BYTES: usize = 64 << 20;

/// The greatest factor by which an archive may be larger when it is unpacked.
pub const MAX_RATIO: u64 = 100;

/// The greatest size of an index or a description of a host, in bytes: 1 MiB.
pub const MAX_INDEX_BYTES: usize = 1 << 20;

/// The greatest number of entries of an index.
pub const MAX_INDEX_ENTRIES: usize = 1_000;

/// The greatest number of skills that are installed from one source.
pub(crate) const MAX_SKILLS: usize = 200;

/// The greatest total size of the skills of one source, in bytes: 64 MiB.
pub(crate) const MAX_SOURCE_BYTES: u64 = 64 << 20;

/// The greatest number of entries of the archive of a skill.
pub(crate) const MAX_SKILL_ENTRIES: u64 = 2 * MAX_FILES as u64;

/// The greatest number of entries of the archive of a repository, most of which are not those of skills.
pub(crate) const MAX_REPOSITORY_ENTRIES: u64 = 100_000;

/// The greatest size of the archive of a skill when it is unpacked, in bytes.
pub(crate) const MAX_UNPACKED_SKILL: u64 = 2 * MAX_SKILL_BYTES;

/// The greatest size of the archive of a repository when it is unpacked, in bytes: 1 GiB, read as a stream.
pub(crate) const MAX_UNPACKED_REPOSITORY: u64 = 1 << 30;

/// The greatest depth of folders in a skill.
pub(crate) const MAX_DEPTH: usize = 16;

/// The greatest length of a path in a skill, in bytes.
pub(crate) const MAX_PATH_BYTES: usize = 1_024;

/// The greatest length of one name of a path, in bytes.
pub(crate) const MAX_NAME_BYTES: usize = 255;
