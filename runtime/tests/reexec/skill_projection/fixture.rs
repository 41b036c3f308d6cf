//! Skills to lay out, and what must be true of a cache whatever happened to it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use helve_runtime::skill::{DigestInput, ProjectedFile, SkillDigest, SkillProjection};
use libtest_mimic::Trial;
use sha2::{Digest as _, Sha256};

/// What a process that was started by a test is to do.
pub(crate) const ROLE_VARIABLE: &str = "HELVE_TEST_PROJECTS";

pub(crate) fn test(name: &str, run: impl FnOnce() + Send + 'static) -> Trial {
    Trial::test(format!("skill_projection::{name}"), move || {
        run();
        Ok(())
    })
}

/// A skill as a test describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TestSkill {
    pub(crate) name: String,
    /// Contents, and whether it can be run, by the path.
    pub(crate) files: BTreeMap<String, (Vec<u8>, bool)>,
}

impl TestSkill {
    pub(crate) fn new(name: &str, files: &[(&str, &str, bool)]) -> Self {
        let file = |&(path, text, executable): &(&str, &str, bool)| {
            (path.to_owned(), (text.as_bytes().to_vec(), executable))
        };
        Self {
            name: name.to_owned(),
            files: files.iter().map(file).collect(),
        }
    }

    pub(crate) fn small() -> Self {
        Self::new(
            "pdf",
            &[
                ("SKILL.md", "---\nname: pdf\n---\n", false),
                ("scripts/fill.py", "#!/usr/bin/env python3\n", true),
            ],
        )
    }

    /// A skill that takes a while to write.
    pub(crate) fn large() -> Self {
        let mut large = Self::small();
        for index in 0..24_u32 {
            let contents = index.to_be_bytes().repeat(2_000);
            let path = format!("folder-{}/file-{index}", index % 6);
            large.files.insert(path, (contents, index % 3 == 0));
        }
        large
    }

    pub(crate) fn projected(&self) -> Vec<ProjectedFile<'_>> {
        let file = |(path, (bytes, executable)): (&'_ String, &'_ (Vec<u8>, bool))| ProjectedFile {
            path: path.clone().into(),
            bytes: bytes.clone().into(),
            sha256: Sha256::digest(bytes).into(),
            executable: *executable,
        };
        self.files.iter().map(file).collect()
    }

    pub(crate) fn digest(&self) -> SkillDigest {
        let files = self.projected();
        let digested = files.iter().map(|file| DigestInput {
            path: &file.path,
            executable: file.executable,
            sha256: &file.sha256,
        });
        SkillDigest::compute(&self.name, digested)
    }

    /// Where it lies in a cache.
    pub(crate) fn folder_in(&self, cache: &Path) -> PathBuf {
        cache.join(self.digest().to_string()).join(&self.name)
    }

    pub(crate) fn project(&self, cache: &Path) -> PathBuf {
        let files = self.projected();
        let path = SkillProjection::new(cache).project(&self.name, &files);
        let path = path.unwrap();
        assert_eq!(path, self.folder_in(cache));
        path
    }

    /// Fails with what is wrong, if the skill is not there whole, by the test's own reading.
    pub(crate) fn assert_whole(&self, cache: &Path) {
        let mut found = BTreeMap::new();
        read(&self.folder_in(cache), "", &mut found);
        let differ = |(path, contents): &(&String, &(Vec<u8>, bool))| {
            self.files.get(*path) != Some(*contents)
        };
        let wrong: Vec<_> = found.iter().filter(differ).map(|(path, _)| path).collect();
        assert!(wrong.is_empty(), "not what they should be: {wrong:?}");
        assert_eq!(found.len(), self.files.len(), "some are missing");
    }
}

fn read(folder: &Path, prefix: &str, found: &mut BTreeMap<String, (Vec<u8>, bool)>) {
    assert_eq!(mode(folder), 0o555, "{}", folder.display());
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            read(&entry.path(), &format!("{name}/"), found);
            continue;
        }
        assert!(entry.file_type().unwrap().is_file(), "{name}");
        let mode = mode(&entry.path());
        assert!(matches!(mode, 0o444 | 0o555), "{name} has mode {mode:o}");
        found.insert(name, (fs::read(entry.path()).unwrap(), mode == 0o555));
    }
}

pub(crate) fn mode(path: &Path) -> u32 {
    let found = fs::symlink_metadata(path).unwrap();
    found.permissions().mode() & 0o7777
}

/// A folder of a test's own, in which caches are made.
pub(crate) struct CacheDir(tempfile::TempDir);

impl CacheDir {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn cache(&self) -> PathBuf {
        self.0.path().join("cache")
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for CacheDir {
    // Who has no rights of root cannot remove what is in a shut folder.
    fn drop(&mut self) {
        make_removable(self.0.path());
    }
}

pub(crate) fn make_removable(folder: &Path) {
    if fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir()) {
        let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            make_removable(&entry.path());
        }
    }
}

/// The names in a cache, but for those of digests.
pub(crate) fn unexpected_entries(cache: &Path) -> Vec<String> {
    let entries = fs::read_dir(cache).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut strays: Vec<String> = names.filter(|name| name.len() != 64).collect();
    strays.sort();
    strays
}
