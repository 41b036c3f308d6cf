//! The folders whose files define things by name, such as agents and commands.

use std::path::{Path, PathBuf};

/// The roots of a working folder: folders that may contain `.agents` and `.claude`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DefinitionRoots {
    /// The folders of the project, the nearest first: the working folder, and those above it up to the folder of the
    /// repository. Outside of a repository, the working folder alone. The home folder is not among them.
    pub project: Vec<PathBuf>,
    /// The home folder of the user.
    pub user: Option<PathBuf>,
}

impl DefinitionRoots {
    /// Finds the roots of a working folder.
    #[must_use]
    pub fn around(folder: &Path, home: Option<&Path>) -> Self {
        let real = |path: &Path| path.canonicalize().ok();
        let is_home = |path: &PathBuf| home.is_some_and(|home| real(home) == real(path));
        let mut project = up_to_repository(folder);
        project.retain(|folder| !is_home(folder));
        Self {
            project,
            user: home.map(Path::to_owned),
        }
    }
}

/// Returns the folders below a root that define things of one kind, such as `agents`, in order of precedence.
#[must_use]
pub fn below(root: &Path, kind: &str) -> [PathBuf; 2] {
    [".agents", ".claude"].map(|folder| root.join(folder).join(kind))
}

/// Lists a folder and the folders above it up to that of the repository; the folder alone outside of a repository.
fn up_to_repository(folder: &Path) -> Vec<PathBuf> {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let mut folders = Vec::new();
    for above in folder.ancestors() {
        folders.push(above.to_owned());
        if above.join(".git").exists() {
            return folders;
        }
    }
    vec![folder]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_folder_of_a_project_is_first() {
        let place = tempfile::tempdir().expect("a folder");
        let folder = |below: &str| place.path().join(below);
        std::fs::create_dir_all(folder("home/shop/web")).expect("folders");
        let roots = DefinitionRoots::around(&folder("home/shop/web"), None);
        assert_eq!(roots.project, [folder("home/shop/web")]);
        std::fs::create_dir(folder("home/.git")).expect("a folder");
        let home = folder("home");
        let roots = DefinitionRoots::around(&folder("home/shop/web"), Some(&home));
        assert_eq!(
            roots.project,
            [folder("home/shop/web"), folder("home/shop")]
        );
        assert_eq!(roots.user, Some(home));
    }
}
