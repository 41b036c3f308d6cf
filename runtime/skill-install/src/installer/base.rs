//! The folders and files of an installer.

use std::path::{Path, PathBuf};

use helve_permission::acceptances::Acceptances;
use helve_storage::file_lock::FileLock;
use helve_storage::user_folders;

use crate::error::InstallError;
use crate::lock::LockFile;
use crate::status::SkillStatuses;
use crate::store::SkillStore;

/// Where skills are, below the root.
const SKILLS: &str = ".agents/skills";

/// The lock file, below the root.
const LOCK: &str = ".agents/helve-skills.lock";

/// Installs skills below one root: a project, or the home of the user. Its methods block on file access.
///
/// A skill is laid out as a whole, in one step, and its earlier versions remain in a store. The lock file records the source,
/// the commit and the digest of each.
///
/// ```
/// use helve::skill_install::SkillInstaller;
///
/// # let folder = std::env::temp_dir();
/// let installer = SkillInstaller::new(&folder, folder.join("data"), Default::default());
/// assert!(installer.skills_folder().ends_with(".agents/skills"));
/// ```
#[derive(Debug, Clone)]
pub struct SkillInstaller {
    pub(super) root: PathBuf,
    data: PathBuf,
    pub(super) store: SkillStore,
    statuses: SkillStatuses,
    acceptances: Acceptances,
    pub(super) user: String,
}

impl SkillInstaller {
    /// Installs below a root, with the store and the statuses in a folder of data.
    pub fn new(root: &Path, data: PathBuf, acceptances: Acceptances) -> Self {
        Self {
            root: root.canonicalize().unwrap_or_else(|_| root.to_owned()),
            store: SkillStore::new(data.join("store")),
            statuses: SkillStatuses::new(data.join("status.json")),
            data,
            acceptances,
            user: std::env::var("USER").unwrap_or_else(|_| "unknown".to_owned()),
        }
    }

    /// Returns the folder of data of the user: `helve/skills` in `$XDG_DATA_HOME` or `~/.local/share`.
    #[must_use]
    pub fn data_folder() -> Option<PathBuf> {
        Some(user_folders::data()?.join("helve/skills"))
    }

    /// Returns the folder of the skills.
    #[must_use]
    pub fn skills_folder(&self) -> PathBuf {
        self.root.join(SKILLS)
    }

    /// Returns the root.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the statuses of skills.
    #[must_use]
    pub fn statuses(&self) -> &SkillStatuses {
        &self.statuses
    }

    /// Reads the lock file.
    ///
    /// # Errors
    /// When the file cannot be read, or has a later version.
    pub fn lock_file(&self) -> Result<LockFile, InstallError> {
        LockFile::read(&self.root.join(LOCK))
    }

    pub(crate) fn data(&self) -> &Path {
        &self.data
    }

    pub(crate) fn store(&self) -> &SkillStore {
        &self.store
    }

    pub(super) fn acceptances(&self) -> &Acceptances {
        &self.acceptances
    }

    /// Locks the skills of the root against other processes, and checks that their folder is in the root: a project may
    /// have a link there.
    pub(super) fn lock(&self) -> Result<FileLock, InstallError> {
        let folder = self.skills_folder();
        // From the outer folder to the inner one: a folder must not be made through a link.
        for inner in [folder.parent().unwrap_or(&folder), &folder] {
            match std::fs::create_dir(inner) {
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                created => created.map_err(InstallError::io("create", inner))?,
            }
            let real = inner
                .canonicalize()
                .map_err(InstallError::io("read", inner))?;
            if !real.starts_with(&self.root) {
                let (real, root) = (real.display(), self.root.display());
                let reason = format!("it leads to `{real}`, outside of `{root}`");
                return Err(InstallError::refused(
                    format!("`{}`", inner.display()),
                    reason,
                ));
            }
        }
        let lock = self.root.join(LOCK);
        FileLock::lock_parent_of(&lock).map_err(InstallError::io("lock", &lock))
    }
}
