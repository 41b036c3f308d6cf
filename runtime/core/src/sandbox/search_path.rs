//! The search path of a sandbox's commands, and whether commands can write to its folders.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The maximum number of links that are followed on the path of a folder.
const MAX_LINKS: usize = 40;

/// The folders for temporary files that every command can write.
pub const TEMPORARY: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];

/// The `PATH` of the commands of a sandbox, and which of its folders the commands can write.
///
/// A verdict on a command line depends on what the programs of that line do. It is valid only for a `PATH` into which
/// commands cannot put another program of the same name, so that a verdict refers to the `PATH` for which it was made.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::sandbox::SearchPath;
///
/// let path = SearchPath::for_remote("/usr/bin:/srv/app/bin", ["/srv/app"]);
/// assert!(path.is_writable());
/// assert!(!SearchPath::for_remote("/usr/bin:/bin", ["/srv/app"]).is_writable());
/// // An empty element is the folder that a command runs in.
/// assert!(SearchPath::for_remote("/usr/bin:", ["/srv/app"]).is_writable());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchPath {
    path: Option<Arc<str>>,
    /// The resolved folders of the `PATH`, and every link on their paths.
    resolved_folders: Arc<[PathBuf]>,
    is_writable: bool,
}

/// A folder of a sandbox, with everything below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchRoot {
    folder: PathBuf,
    is_writable: bool,
}

impl SearchRoot {
    /// Creates a folder that commands can write.
    pub fn writable(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            is_writable: true,
        }
    }

    /// Creates a folder that commands can read and not write.
    pub fn readable(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            is_writable: false,
        }
    }
}

impl SearchPath {
    /// Creates the search path of commands on another machine or in a container, with the folders that commands can
    /// write there.
    pub fn for_remote<P: Into<PathBuf>>(path: &str, writable: impl IntoIterator<Item = P>) -> Self {
        let roots: Vec<SearchRoot> = writable.into_iter().map(SearchRoot::writable).collect();
        Self::new(Some(path.to_owned()), &roots, |folder| {
            // The meaning of `..` depends on the links of the other machine.
            let leads_up = folder.components().any(|part| part == Component::ParentDir);
            (!leads_up).then(|| vec![folder.to_owned()])
        })
    }

    /// Creates the search path of commands on this machine, or of commands without a `PATH`, with the folders that
    /// commands can write.
    pub fn for_local<P: Into<PathBuf>>(
        path: Option<&str>,
        writable: impl IntoIterator<Item = P>,
    ) -> Self {
        let roots = writable.into_iter().map(SearchRoot::writable).collect();
        Self::from_roots(path.map(str::to_owned), roots)
    }

    /// Creates the search path of commands on this machine. If several roots contain a folder, the nearest root
    /// applies.
    pub fn from_roots(path: Option<String>, roots: Vec<SearchRoot>) -> Self {
        let roots: Vec<SearchRoot> = roots.into_iter().flat_map(with_real_folder).collect();
        Self::new(path, &roots, resolve_with_links)
    }

    /// As [`from_roots`](Self::from_roots), for a `PATH` that may not be UTF-8.
    pub fn from_environment(path: Option<OsString>, roots: Vec<SearchRoot>) -> Self {
        match path.map(OsString::into_string).transpose() {
            Ok(path) => Self::from_roots(path, roots),
            Err(_) => Self {
                path: None,
                resolved_folders: Arc::default(),
                is_writable: true,
            },
        }
    }

    fn new(
        path: Option<String>,
        roots: &[SearchRoot],
        places_of: impl Fn(&Path) -> Option<Vec<PathBuf>>,
    ) -> Self {
        let mut places = Vec::new();
        // Without a `PATH`, bash uses a default, which may end with the current folder.
        let mut is_writable = path.is_none();
        for folder in path.iter().flat_map(std::env::split_paths) {
            match places_of(&folder) {
                Some(found) if folder.is_absolute() => places.extend(found),
                _ => is_writable = true,
            }
        }
        is_writable |= places.iter().any(|place| is_writable_at(place, roots));
        Self {
            path: path.map(Into::into),
            resolved_folders: places.into(),
            is_writable,
        }
    }

    /// Returns the variable; `None` if commands have no `PATH`, or one that is not UTF-8.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        self.path.as_deref()
    }

    /// Reports whether commands can create a program in a folder of the `PATH`, or create a missing folder of it.
    #[must_use]
    pub fn is_writable(&self) -> bool {
        self.is_writable
    }

    /// Reports whether a folder of the `PATH` is in one of these folders.
    pub fn leads_into(&self, folders: &[PathBuf]) -> bool {
        let is_inside = |place: &PathBuf| folders.iter().any(|folder| place.starts_with(folder));
        self.resolved_folders.iter().any(is_inside)
    }
}

/// Returns the folders for temporary files, including that of this process.
pub fn temporary_folders() -> Vec<SearchRoot> {
    let known = TEMPORARY.into_iter().map(PathBuf::from);
    let folders = known.chain([std::env::temp_dir()]);
    folders.map(SearchRoot::writable).collect()
}

/// Removes the folders of a `PATH` that are inside private folders, which are empty when a sandbox opens: there is no
/// program in them, and a program that commands create there must not be mistaken for one of the system.
pub fn without_private(path: &str, private: &[PathBuf], shown: &[PathBuf]) -> String {
    let private = private.iter().map(SearchRoot::writable);
    let roots: Vec<SearchRoot> = private
        .chain(shown.iter().map(SearchRoot::readable))
        .collect();
    let is_kept = |folder: &PathBuf| !is_writable_at(folder, &roots);
    let kept: Vec<PathBuf> = std::env::split_paths(path).filter(is_kept).collect();
    std::env::join_paths(kept)
        .ok()
        .and_then(|joined| joined.into_string().ok())
        .unwrap_or_default()
}

/// Reports whether the nearest root above a path is writable; if two roots are the same folder, the writable one takes
/// precedence.
fn is_writable_at(place: &Path, roots: &[SearchRoot]) -> bool {
    let above = roots.iter().filter(|root| place.starts_with(&root.folder));
    let nearest = above.max_by_key(|root| (root.folder.components().count(), root.is_writable));
    nearest.is_some_and(|root| root.is_writable)
}

/// Adds the canonical path of a root.
fn with_real_folder(root: SearchRoot) -> Vec<SearchRoot> {
    let real = resolve_with_links(&root.folder).and_then(|mut places| places.pop());
    let real = real.filter(|real| *real != root.folder);
    let real = real.map(|folder| SearchRoot { folder, ..root });
    std::iter::once(root).chain(real).collect()
}

/// Returns the path of a folder as given, every link on the path, and the resolved path, whether or not it exists;
/// `None` if the links form a cycle.
fn resolve_with_links(folder: &Path) -> Option<Vec<PathBuf>> {
    let mut places = vec![folder.to_owned()];
    let mut at = PathBuf::new();
    let mut links = 0;
    let mut rest: Vec<OsString> = reversed_components(folder);
    while let Some(name) = rest.pop() {
        if name == ".." {
            at.pop();
            continue;
        }
        let next = at.join(&name);
        match std::fs::read_link(&next) {
            Ok(target) => {
                links += 1;
                if links > MAX_LINKS {
                    return None;
                }
                rest.extend(reversed_components(&target));
                places.push(next);
            }
            Err(_) => at = next,
        }
    }
    places.push(at);
    Some(places)
}

/// Returns the components of a path in reverse order.
fn reversed_components(path: &Path) -> Vec<OsString> {
    let components = path.components().rev();
    let kept = components.filter(|component| *component != Component::CurDir);
    kept.map(|component| component.as_os_str().to_owned())
        .collect()
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn is_writable(path: &str, roots: Vec<SearchRoot>) -> bool {
        SearchPath::from_roots(Some(path.to_owned()), roots).is_writable()
    }

    #[test]
    fn a_folder_that_commands_write_is_found_through_links_and_before_it_exists() {
        let base = tempfile::tempdir().unwrap();
        let base = base.path().canonicalize().unwrap();
        let [work, system] = ["work", "system"].map(|name| base.join(name));
        fs::create_dir_all(work.join("bin")).unwrap();
        fs::create_dir_all(&system).unwrap();
        symlink(work.join("bin"), base.join("into")).unwrap();
        symlink(&system, work.join("out")).unwrap();
        symlink(work.join("out"), base.join("through")).unwrap();
        symlink(work.join("missing/bin"), base.join("dangling")).unwrap();
        symlink(&work, base.join("root")).unwrap();
        symlink("circle", base.join("circle")).unwrap();
        let told = |folder: &str, root: &str| {
            let path = format!("/usr/bin:{}", base.join(folder).display());
            is_writable(&path, vec![SearchRoot::writable(base.join(root))])
        };
        for folder in [
            "work/bin",
            "work/missing/bin",
            "into",
            "work/out",
            "through",
            "dangling",
            "root/bin",
            "system/../work",
            "circle",
        ] {
            assert!(told(folder, "work"), "{folder}");
            assert!(told(folder, "root"), "{folder}, by a link to the root");
        }
        for folder in ["system", "system/missing", "workbench", "work/../system"] {
            assert!(!told(folder, "other"), "{folder}");
        }
        assert!(!told("system", "work") && !told("workbench", "work"));
    }

    #[test]
    fn a_folder_without_a_name_is_the_one_that_commands_run_in() {
        for path in [
            "",
            ":/usr/bin",
            "/usr/bin:",
            "/usr/bin::/bin",
            ".:/bin",
            "bin",
        ] {
            assert!(is_writable(path, Vec::new()), "{path:?}");
        }
        assert!(SearchPath::from_roots(None, Vec::new()).is_writable());
        assert!(!is_writable("/usr/bin:/bin", Vec::new()));
    }

    #[test]
    fn the_nearest_root_decides() {
        let roots = || {
            vec![
                SearchRoot::writable("/srv/home"),
                SearchRoot::readable("/srv/home/tools"),
                SearchRoot::writable("/srv/home/tools/own"),
            ]
        };
        assert!(is_writable("/srv/home/bin", roots()));
        assert!(!is_writable("/srv/home/tools/bin", roots()));
        assert!(is_writable("/srv/home/tools/own", roots()));
    }

    #[test]
    fn what_is_empty_when_a_sandbox_opens_is_left_out() {
        let folders = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        let left = without_private(
            "/home/me/.cargo/bin:/home/me/bin:/usr/bin:/tmp/x:/home/me/work/.venv/bin:.",
            &folders(&["/home/me", "/tmp"]),
            &folders(&["/home/me/.cargo/bin", "/home/me/work"]),
        );
        assert_eq!(
            left,
            "/home/me/.cargo/bin:/usr/bin:/home/me/work/.venv/bin:."
        );
    }
}
