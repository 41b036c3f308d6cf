//! The embedded contents: each distinct content once, compressed if requested and worthwhile.

use std::collections::BTreeMap;

use helve_skill_format::{FileInfo, Skill};

/// The distinct contents of all files except SKILL.md, whose text is stored with its skill.
#[derive(Debug, Default)]
pub(crate) struct Blobs {
    pub(crate) distinct: Vec<Blob>,
    /// The paths of further files with the same contents.
    pub(crate) duplicates: Vec<String>,
    index: BTreeMap<[u8; 32], usize>,
}

/// One distinct content.
#[derive(Debug)]
pub(crate) struct Blob {
    /// The path for the compiler, relative to the package's folder.
    pub(crate) path: String,
    /// The size in bytes.
    pub(crate) size: usize,
    /// The zstd frame, if compression is worthwhile.
    pub(crate) compressed: Option<Vec<u8>>,
}

impl Blobs {
    /// Collects the contents of all files. Files are read here for compression only; the compiler reads the others.
    pub(crate) fn collect(folder: &str, skills: &[Skill], compress: bool) -> Result<Self, String> {
        let mut blobs = Self::default();
        for skill in skills {
            for file in skill
                .files
                .iter()
                .filter(|file| file.path != skill.manifest)
            {
                let path = file_path(folder, skill, &file.path);
                let sha256 = digest(file);
                if blobs.index.contains_key(&sha256) {
                    blobs.duplicates.push(path);
                    continue;
                }
                blobs.index.insert(sha256, blobs.distinct.len());
                let packed = if compress {
                    compress_file(file, &path)?
                } else {
                    None
                };
                let size =
                    usize::try_from(file.size).map_err(|_| format!("{path} is too large"))?;
                blobs.distinct.push(Blob {
                    path,
                    size,
                    compressed: packed,
                });
            }
        }
        Ok(blobs)
    }

    /// Returns the content of a skill's file; the SKILL.md has none.
    pub(crate) fn find(&self, skill: &Skill, file: &FileInfo) -> Option<(usize, &Blob)> {
        if file.path == skill.manifest {
            return None;
        }
        let index = *self.index.get(&digest(file))?;
        Some((index, &self.distinct[index]))
    }
}

/// Returns the digest of a file. Every file was read, so that every file has a digest.
pub(crate) fn digest(file: &FileInfo) -> [u8; 32] {
    file.sha256.unwrap_or_default()
}

/// Returns the path of a file, relative to the package's folder. The path may contain symbolic links, which the
/// compiler follows.
pub(crate) fn file_path(folder: &str, skill: &Skill, file: &str) -> String {
    format!("/{folder}/{}/{file}", skill.folder)
}

#[cfg(not(feature = "zstd"))]
fn compress_file(_: &FileInfo, _: &str) -> Result<Option<Vec<u8>>, String> {
    Ok(None)
}

/// Compresses a file; returns `None` if it would not shrink by a tenth.
#[cfg(feature = "zstd")]
fn compress_file(file: &FileInfo, path: &str) -> Result<Option<Vec<u8>>, String> {
    use sha2::{Digest, Sha256};

    /// For 10 MB of text, the result has 2.13 MB after 1.6 s in an unoptimised build; level 19 gives 2.06 MB after 31
    /// s.
    const LEVEL: i32 = 9;

    let failed = |what: &str| format!("include_skills!: `{path}` {what}: build again");
    let bytes = std::fs::read(&file.location)
        .map_err(|error| failed(&format!("cannot be read ({error})")))?;
    if Sha256::digest(&bytes).as_slice() != digest(file) {
        return Err(failed("has changed while it was read"));
    }
    let packed = zstd::bulk::compress(&bytes, LEVEL)
        .map_err(|error| failed(&format!("cannot be compressed ({error})")))?;
    let shrinks = packed.len() <= bytes.len() - bytes.len() / 10;
    Ok((shrinks && !bytes.is_empty()).then_some(packed))
}
