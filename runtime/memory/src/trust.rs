//! Whether the user has accepted a project, so that what agents note there reaches the user's other projects.

use std::path::{Path, PathBuf};

use helve_permission::acceptances::{
    AcceptanceContent, AcceptanceError, AcceptanceKind, AcceptanceState, AcceptanceSubject,
    Acceptances, digest_of_fields,
};

/// The acceptance of the folder of a project, by the user.
///
/// Agents read the files of a project, and others may have written them. Where the user has accepted the folder, agents change
/// the memories of the user and the team there without a review. An acceptance is of the folder, whatever its files become; a
/// folder that replaces it at the same path is another one.
///
/// ```
/// use helve::acceptances::Acceptances;
/// use helve::memory::ProjectTrust;
///
/// let folder = tempfile::tempdir()?;
/// let trust = ProjectTrust::new(folder.path(), Acceptances::in_memory());
/// assert!(!trust.is_accepted()?);
/// trust.accept()?;
/// assert!(trust.is_accepted()?);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct ProjectTrust {
    project: PathBuf,
    acceptances: Acceptances,
}

impl ProjectTrust {
    /// Creates the trust in the project around a folder: its Git repository, or else the folder itself.
    #[must_use]
    pub fn new(folder: &Path, acceptances: Acceptances) -> Self {
        let mut above = folder.ancestors();
        let project = above.find(|folder| folder.join(".git").exists());
        Self {
            project: project.unwrap_or(folder).to_owned(),
            acceptances,
        }
    }

    /// Returns the folder of the project.
    #[must_use]
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// Reports whether the user has accepted the folder that is there now. Blocks on file access.
    ///
    /// # Errors
    /// Fails if the acceptances cannot be read.
    pub fn is_accepted(&self) -> Result<bool, AcceptanceError> {
        let Ok((subject, content)) = self.current() else {
            return Ok(false);
        };
        let state = self.acceptances.state(Ok(subject), &content)?;
        Ok(state == AcceptanceState::Accepted)
    }

    /// Records that the user accepts the folder. Blocks on file access.
    ///
    /// # Errors
    /// Fails if the folder cannot be read, or the acceptances cannot be written.
    pub fn accept(&self) -> Result<(), AcceptanceError> {
        let (subject, content) = self.current()?;
        let difference = self.acceptances.read()?.difference(subject, content);
        self.acceptances.accept(&difference)
    }

    /// Revokes the acceptance, and returns whether there was one. Blocks on file access.
    ///
    /// # Errors
    /// Fails if the folder cannot be read, or the acceptances cannot be written.
    pub fn revoke(&self) -> Result<bool, AcceptanceError> {
        let (subject, _) = self.current()?;
        let revoked = self.acceptances.revoke(|one| one.matches(&subject))?;
        Ok(!revoked.is_empty())
    }

    /// Returns the folder as acceptances name it, and what tells it from another one at the same path.
    fn current(&self) -> Result<(AcceptanceSubject, AcceptanceContent), AcceptanceError> {
        let invalid = || AcceptanceError::InvalidPath {
            path: self.project.clone(),
        };
        let real = self.project.canonicalize().map_err(|_| invalid())?;
        let metadata = real.metadata().map_err(|_| invalid())?;
        let path = real.to_str().ok_or_else(invalid)?;
        #[cfg(unix)]
        let digest = {
            use std::os::unix::fs::MetadataExt as _;
            let (device, inode) = (metadata.dev().to_string(), metadata.ino().to_string());
            digest_of_fields([&*device, &*inode])
        };
        #[cfg(not(unix))]
        let digest = {
            let created = metadata.created().map(|time| format!("{time:?}"));
            digest_of_fields([&*created.unwrap_or_default()])
        };
        let subject = AcceptanceSubject::new(AcceptanceKind::ProjectFolder, path, "this machine");
        Ok((subject, AcceptanceContent::with_digest(digest, [])))
    }
}
