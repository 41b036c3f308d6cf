//! The contents that are embedded: each distinct one once, compressed where that was asked for and helps.

use std::collections::BTreeMap;

use helve_skill_format::{FileInfo, Skill};

/// Every distinct content of the files besides the SKILL.md, whose text its skill holds.
#[derive(Debug, Default)]
pub(crate) struct Blobs {
    pub(crate) distinct: Vec<Blob>,
    /// Paths of further files with a content that is there already.
    pub(crate) duplicates: Vec<String>,
    index: BTreeMap<[u8; 32], usize>,
}

/// One content.
#[derive(Debug)]
pub(crate) struct Blob {
    /// Where the compiler finds it, below the package's folder.
    pub(crate) path: String,
    /// How many bytes it has.
    pub(crate) size: usize,
    /// What zstd made of it, where it was worth it.
    pub(crate) compressed: Option<Vec<u8>>,
}

impl Blobs {
    /// Collects the contents of all files; compressed ones are read here, the compiler reads the others.
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

    /// Finds the content of a file of a skill. Its SKILL.md has none here.
    pub(crate) fn find(&self, skill: &Skill, file: &FileInfo) -> Option<(usize, &Blob)> {
        if file.path == skill.manifest {
            return None;
        }
        let index = *self.index.get(&digest(file))?;
        Some((index, &self.distinct[index]))
    }
}

/// Returns the digest of a file. Every file is read here, so that every one has a digest.
pub(crate) fn digest(file: &FileInfo) -> [u8; 32] {
    file.sha256.unwrap_or_default()
}

/// Returns the path of a file below the package's folder. It goes through symbolic links, as the compiler does.
pub(crate) fn file_path(folder: &str, skill: &Skill, file: &str) -> String {
    format!("/{folder}/{}/{file}", skill.folder)
}

#[cfg(not(feature = "zstd"))]
fn compress_file(_: &FileInfo, _: &str) -> Result<Option<Vec<u8>>, String> {
    Ok(None)
}

/// Compresses a file; `None` if it would not shrink by a tenth.
#[cfg(feature = "zstd")]
fn compress_file(file: &FileInfo, path: &str) -> Result<Option<Vec<u8>>, String> {
    use sha2::{Digest, Sha256};

    /// Of 10 MB of text it makes 2.13 MB in 1.6 s of an unoptimised build; level 19 makes 2.06 MB in 31 s.
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
