//! The bundles of a user: their list, and their files by digest.

use std::path::{Path, PathBuf};

use helve_permission::acceptances::{
    AcceptanceContent, AcceptanceError, AcceptanceState, Acceptances,
};
use helve_storage::atomic_file::{AtomicFile, FilePermissions};
use helve_storage::bounded_read::read_if_exists;
use helve_storage::file_lock::FileLock;
use helve_storage::user_folders;
use serde::{Deserialize, Serialize};

use super::contents::{FetchedBundle, subject};
use super::installed::{BundleRecord, InstalledBundle};
use crate::error::InstallError;
use crate::store::SkillStore;

/// The name of the list.
const LIST: &str = "bundles.toml";

/// The greatest size of the list, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// The bundles of a user.
///
/// ```
/// use helve::skill_install::BundleStore;
///
/// let folder = std::env::temp_dir().join("no-bundles-here");
/// assert!(BundleStore::in_folder(folder).list()?.is_empty());
/// # Ok::<_, helve::skill_install::InstallError>(())
/// ```
#[derive(Debug, Clone)]
pub struct BundleStore {
    folder: PathBuf,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BundleList {
    #[serde(default, rename = "bundle")]
    bundles: Vec<BundleRecord>,
}

impl BundleStore {
    /// Returns the bundles in the folder of data of the user: `helve/bundles` in `$XDG_DATA_HOME` or `~/.local/share`.
    #[must_use]
    pub fn for_user() -> Option<Self> {
        Some(Self::in_folder(user_folders::data()?.join("helve/bundles")))
    }

    /// Returns the bundles in a folder, which may not exist yet.
    #[must_use]
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        Self { folder }
    }

    /// Lists the installed bundles, sorted by name.
    ///
    /// # Errors
    /// When the list or a manifest cannot be read.
    pub fn list(&self) -> Result<Vec<InstalledBundle>, InstallError> {
        let records = self.read()?.bundles.into_iter();
        let bundles = records.map(|record| {
            let root = self.root(&record.name, &record.digest);
            InstalledBundle::read(record, root)
        });
        bundles.collect()
    }

    /// Returns an installed bundle.
    ///
    /// # Errors
    /// When there is none of that name, or it cannot be read.
    pub fn get(&self, name: &str) -> Result<InstalledBundle, InstallError> {
        let bundles = self.list()?;
        let known = bundles
            .iter()
            .map(|bundle| bundle.name().to_owned())
            .collect();
        let found = bundles.into_iter().find(|bundle| bundle.name() == name);
        found.ok_or_else(|| InstallError::UnknownBundle {
            name: name.to_owned(),
            known,
        })
    }

    /// Installs a bundle, in place of the one of the same name. Its content is in force once it is accepted.
    ///
    /// # Errors
    /// When the files cannot be written; the bundle that was installed stays.
    pub fn install(&self, bundle: &FetchedBundle) -> Result<InstalledBundle, InstallError> {
        let (name, digest) = (&bundle.manifest.name, bundle.digest().to_string());
        SkillStore::new(self.folder.join("store")).put(name, &bundle.tree)?;
        let record = BundleRecord {
            name: name.clone(),
            source: bundle.source.clone(),
            commit: bundle.revision.commit.clone(),
            digest: digest.clone(),
        };
        self.change(|list| {
            list.bundles.retain(|one| one.name != *name);
            list.bundles.push(record.clone());
            list.bundles.sort_by(|a, b| a.name.cmp(&b.name));
        })?;
        InstalledBundle::read(record, self.root(name, &digest))
    }

    /// Removes a bundle with all that it has, and its acceptance.
    ///
    /// # Errors
    /// When there is none of that name, or the list cannot be written.
    pub fn remove(
        &self,
        name: &str,
        acceptances: &Acceptances,
    ) -> Result<InstalledBundle, InstallError> {
        let bundle = self.get(name)?;
        self.change(|list| list.bundles.retain(|one| one.name != name))?;
        let kind = helve_permission::acceptances::AcceptanceKind::Bundle;
        acceptances.revoke(|one| one.kind == kind && one.name == name)?;
        // What cannot be removed is in force no more.
        if let Some(version) = bundle.root.parent() {
            let _ = std::fs::remove_dir_all(version);
        }
        Ok(bundle)
    }

    /// Reports whether the user has accepted a bundle, and its files are those that were accepted.
    ///
    /// # Errors
    /// When the acceptances cannot be read.
    pub fn state(
        &self,
        bundle: &InstalledBundle,
        acceptances: &Acceptances,
    ) -> Result<AcceptanceState, AcceptanceError> {
        let content = AcceptanceContent::with_digest(bundle.digest.clone(), []);
        let subject = subject(bundle.name(), &bundle.source);
        let state = acceptances.state(Ok(subject), &content)?;
        if state == AcceptanceState::Accepted && !self.is_intact(bundle) {
            return Ok(AcceptanceState::Changed);
        }
        Ok(state)
    }

    /// Compares the files of an installed bundle with its digest.
    fn is_intact(&self, bundle: &InstalledBundle) -> bool {
        let store = SkillStore::new(self.folder.join("store"));
        let digest = bundle.digest.parse().ok();
        digest.is_some_and(|digest| store.get(bundle.name(), &digest).is_some())
    }

    /// Reads an installed bundle as if it were fetched, for its review.
    ///
    /// # Errors
    /// When its files were changed.
    pub fn review(&self, bundle: &InstalledBundle) -> Result<FetchedBundle, InstallError> {
        let store = SkillStore::new(self.folder.join("store"));
        let digest = bundle.digest.parse().ok();
        let tree = digest.and_then(|digest| store.get(bundle.name(), &digest));
        let tree = tree.ok_or_else(|| {
            let reason = "its files were changed since it was installed; add it again";
            InstallError::refused(format!("the bundle `{}`", bundle.name()), reason)
        })?;
        Ok(FetchedBundle {
            manifest: bundle.manifest.clone(),
            source: bundle.source.clone(),
            revision: crate::fetch::Revision {
                commit: bundle.commit.clone(),
                ..Default::default()
            },
            tree,
        })
    }

    fn root(&self, name: &str, digest: &str) -> PathBuf {
        self.folder.join("store").join(digest).join(name)
    }

    fn path(&self) -> PathBuf {
        self.folder.join(LIST)
    }

    fn read(&self) -> Result<BundleList, InstallError> {
        read(&self.path())
    }

    fn change(&self, change: impl FnOnce(&mut BundleList)) -> Result<(), InstallError> {
        let path = self.path();
        std::fs::create_dir_all(&self.folder).map_err(InstallError::io("create", &self.folder))?;
        let _lock = FileLock::lock_parent_of(&path).map_err(InstallError::io("lock", &path))?;
        let mut list = self.read()?;
        change(&mut list);
        let text = toml::to_string(&list).map_err(|error| invalid(&path, &error.to_string()))?;
        let file = AtomicFile::new(&path, FilePermissions::OwnerOnly);
        file.replace(&[text.as_bytes()])
            .map_err(InstallError::io("write", &path))
    }
}

fn read(path: &Path) -> Result<BundleList, InstallError> {
    let bytes = read_if_exists(path, MAX_BYTES).map_err(InstallError::io("read", path))?;
    let Some(bytes) = bytes else {
        return Ok(BundleList::default());
    };
    let text = String::from_utf8(bytes).map_err(|_| invalid(path, "it is not UTF-8"))?;
    toml::from_str(&text).map_err(|error| invalid(path, error.message()))
}

fn invalid(path: &Path, reason: &str) -> InstallError {
    InstallError::InvalidFile {
        path: path.to_owned(),
        reason: reason.to_owned(),
    }
}
