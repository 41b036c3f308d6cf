//! The bundles of a user: their list, and their files by digest.

use std::path::{Path, PathBuf};

use helve_core::tool::chain_text;
use helve_permission::acceptances::{
    AcceptanceContent, AcceptanceError, AcceptanceKind, AcceptanceState, Acceptances,
};
use helve_storage::atomic_file::{AtomicFile, FilePermissions};
use helve_storage::bounded_read::read_if_exists;
use helve_storage::file_lock::FileLock;
use helve_storage::user_folders;
use serde::{Deserialize, Serialize};

use super::contents::{FetchedBundle, subject};
use super::installed::{BundleRecord, InstalledBundle};
use crate::error::{InstallError, shown};
use crate::source::InstallSource;
use crate::store::SkillStore;
use crate::tree::SkillTree;

/// The folder of the files.
const STORE: &str = "store";

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

impl BundleList {
    /// Returns a bundle, or the error that there is none of this name.
    fn find(&self, name: &str) -> Result<&BundleRecord, InstallError> {
        let mut records = self.bundles.iter();
        let found = records.find(|record| record.name == name);
        found.ok_or_else(|| InstallError::UnknownBundle {
            name: name.to_owned(),
            known: self.bundles.iter().map(|one| one.name.clone()).collect(),
        })
    }
}

/// Returns whether two texts name the same source, of a repository also at other references.
fn is_same_source(one: &str, other: &str) -> bool {
    let repository = |text: &str| match text.parse() {
        Ok(InstallSource::GitHub {
            owner,
            repository,
            path,
            ..
        }) => Some((owner, repository, path)),
        _ => None,
    };
    one == other || repository(one).is_some_and(|of| Some(of) == repository(other))
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

    /// Lists the installed bundles, sorted by name, each with the error of one that cannot be read.
    ///
    /// # Errors
    /// When the list cannot be read.
    pub fn list(&self) -> Result<Vec<Result<InstalledBundle, InstallError>>, InstallError> {
        let records = self.read()?.bundles.into_iter();
        Ok(records.map(|record| self.open(record)).collect())
    }

    /// Returns an installed bundle.
    ///
    /// # Errors
    /// When there is none of that name, or it cannot be read.
    pub fn get(&self, name: &str) -> Result<InstalledBundle, InstallError> {
        let list = self.read()?;
        self.open(list.find(name)?.clone())
    }

    /// Installs a bundle, in place of the one of the same name and source. Its content is in force once it is accepted.
    ///
    /// # Errors
    /// When a bundle of another source has the name, or the files cannot be written; the bundle that was installed stays.
    pub fn install(&self, bundle: &FetchedBundle) -> Result<InstalledBundle, InstallError> {
        let (name, digest) = (&bundle.manifest.name, bundle.digest().to_string());
        let record = BundleRecord {
            name: name.clone(),
            source: bundle.source.clone(),
            commit: bundle.revision.commit.clone(),
            digest: digest.clone(),
        };
        let store = self.files();
        self.change(|list| {
            let mut kept = vec![digest.clone()];
            if let Ok(before) = list.find(name) {
                if !is_same_source(&before.source, &record.source) {
                    let reason = format!(
                        "one of the same name comes from {}; run `bundles remove {name}` to install this one instead",
                        shown(&before.source)
                    );
                    return Err(InstallError::refused(format!("the bundle `{name}`"), reason));
                }
                kept.push(before.digest.clone());
            }
            store.put(name, &bundle.tree)?;
            // Processes that have begun with the version before go on to use its files.
            let kept: Vec<&str> = kept.iter().map(String::as_str).collect();
            store.remove_all_but(name, &kept)?;
            list.bundles.retain(|one| one.name != *name);
            list.bundles.push(record.clone());
            list.bundles.sort_by(|a, b| a.name.cmp(&b.name));
            Ok(())
        })?;
        self.open(record)
    }

    /// Removes a bundle with all files of its versions, and its acceptance.
    ///
    /// # Errors
    /// When there is none of that name, or a file cannot be removed. The bundle is then not in force.
    pub fn remove(&self, name: &str, acceptances: &Acceptances) -> Result<(), InstallError> {
        self.change(|list| {
            list.find(name)?;
            acceptances.revoke(|one| one.kind == AcceptanceKind::Bundle && one.name == name)?;
            self.files().remove_all_but(name, &[])?;
            list.bundles.retain(|one| one.name != name);
            Ok(())
        })
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
        self.tree(bundle).is_some()
    }

    /// Reads an installed bundle as if it were fetched, for its review.
    ///
    /// # Errors
    /// When its files were changed.
    pub fn review(&self, bundle: &InstalledBundle) -> Result<FetchedBundle, InstallError> {
        let tree = self.tree(bundle).ok_or_else(|| {
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

    /// Reads the files of a bundle, if they are those that were installed.
    fn tree(&self, bundle: &InstalledBundle) -> Option<SkillTree> {
        let digest = bundle.digest.parse().ok()?;
        self.files().get(bundle.name(), &digest)
    }

    fn open(&self, record: BundleRecord) -> Result<InstalledBundle, InstallError> {
        let name = record.name.clone();
        let root = self.folder.join(STORE).join(&record.digest).join(&name);
        let broken = |error: InstallError| InstallError::BrokenBundle {
            name,
            reason: chain_text(&error),
        };
        InstalledBundle::read(record, root).map_err(broken)
    }

    fn files(&self) -> SkillStore {
        SkillStore::new(self.folder.join(STORE))
    }

    fn path(&self) -> PathBuf {
        self.folder.join(LIST)
    }

    fn read(&self) -> Result<BundleList, InstallError> {
        read(&self.path())
    }

    fn change(
        &self,
        change: impl FnOnce(&mut BundleList) -> Result<(), InstallError>,
    ) -> Result<(), InstallError> {
        let path = self.path();
        std::fs::create_dir_all(&self.folder).map_err(InstallError::io("create", &self.folder))?;
        let _lock = FileLock::lock_parent_of(&path).map_err(InstallError::io("lock", &path))?;
        let mut list = self.read()?;
        change(&mut list)?;
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
