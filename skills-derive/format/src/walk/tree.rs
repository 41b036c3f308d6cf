//! The files and folders of one skill.

use std::fs::{DirEntry, Metadata};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::entries::{entries, join, unreadable};
use super::exclude::Exclusions;
use super::links::{self, FolderChain};
use super::names;
use crate::codes;
use crate::limits::{
    MAX_FILE, MAX_FILES, MAX_FILES_MCP, MAX_FOLDER_DEPTH, MAX_SKILL, MAX_SKILL_MCP,
};
use crate::options::Options;
use crate::problem::Finding;
use crate::{Profile, codes::Code};

/// The contents of a skill's folder.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// All files, sorted by path.
    pub(crate) files: Vec<FoundFile>,
    /// The paths of all folders, sorted.
    pub(crate) folders: Vec<String>,
    /// The findings, each with its path.
    pub(crate) findings: Vec<(String, Finding)>,
}

impl Tree {
    /// Returns the file at a path.
    pub(crate) fn file(&self, path: &str) -> Option<&FoundFile> {
        let index = self
            .files
            .binary_search_by(|file| file.path.as_str().cmp(path));
        index.ok().map(|index| &self.files[index])
    }

    /// Returns whether there is a folder at a path.
    pub(crate) fn has_folder(&self, path: &str) -> bool {
        self.folders
            .binary_search_by(|folder| folder.as_str().cmp(path))
            .is_ok()
    }

    fn wrong(&mut self, path: &str, finding: Finding) {
        self.findings.push((path.to_owned(), finding));
    }
}

/// A file of a skill.
#[derive(Debug)]
pub(crate) struct FoundFile {
    /// The path, relative to the skill's folder, with `/` on every system.
    pub(crate) path: String,
    /// The path on this machine.
    pub(crate) location: PathBuf,
    pub(crate) size: u64,
    /// Whether the file is executable, if the system records this.
    pub(crate) is_executable: bool,
}

/// A folder that is not listed yet.
struct PendingFolder {
    path: String,
    depth: usize,
    chain: Rc<FolderChain>,
}

struct TreeWalk<'a> {
    /// The skill's path relative to the folder that is read, to which the exclusions refer.
    relative_path: &'a str,
    exclusions: &'a Exclusions,
    root: &'a Path,
    pending: Vec<PendingFolder>,
    tree: Tree,
}

/// Collects all files below `folder`.
pub(super) fn walk(folder: &Path, below: &str, options: &Options, exclusions: &Exclusions) -> Tree {
    let chain = Rc::new(FolderChain {
        location: folder.to_owned(),
        parent: None,
    });
    let mut walk = TreeWalk {
        relative_path: below,
        exclusions,
        root: folder,
        pending: vec![PendingFolder {
            path: String::new(),
            depth: 0,
            chain,
        }],
        tree: Tree::default(),
    };
    walk.run(count_limit(options.profile));
    let mut tree = walk.tree;
    tree.files.sort_by(|left, right| left.path.cmp(&right.path));
    tree.folders.sort();
    check(&mut tree, options.profile);
    tree
}

fn count_limit(profile: Profile) -> usize {
    match profile {
        Profile::Mcp => MAX_FILES_MCP,
        _ => MAX_FILES,
    }
}

/// Applies the rules about all files together.
fn check(tree: &mut Tree, profile: Profile) {
    let most = match profile {
        Profile::Mcp => MAX_SKILL_MCP,
        _ => MAX_SKILL,
    };
    let bytes: u64 = tree.files.iter().map(|file| file.size).sum();
    if bytes > most {
        let message = format!("the skill's files have {bytes} bytes; at most {most} are allowed");
        tree.wrong("", Finding::new(codes::SKILL_SIZE, message));
    }
    let files = tree.files.iter().map(|file| file.path.as_str());
    let paths = tree.folders.iter().map(String::as_str).chain(files);
    let collisions: Vec<_> = names::collisions(paths)
        .map(|(path, finding)| (path.to_owned(), finding))
        .collect();
    tree.findings.extend(collisions);
}

impl TreeWalk<'_> {
    // Iterative, because deep folders must not overflow the stack.
    fn run(&mut self, most: usize) {
        while let Some(folder) = self.pending.pop() {
            match entries(&folder.chain.location) {
                Ok(entries) => entries
                    .into_iter()
                    .for_each(|entry| self.entry(&folder, &entry)),
                Err(error) => self.tree.wrong(&folder.path, unreadable(&error)),
            }
            // Folders count as well, because links can multiply them.
            if self.tree.files.len() > most || self.tree.folders.len() > most {
                self.too_many(codes::FILE_COUNT, most);
                return;
            }
        }
    }

    fn too_many(&mut self, code: Code, most: usize) {
        let message = format!("the skill has more than {most} files or folders");
        let finding = Finding::new(code, message);
        self.tree.wrong(
            "",
            finding.with_help("leave out what a model does not need"),
        );
        // The skill is rejected, so that no more folders are listed.
        self.pending.clear();
    }

    fn entry(&mut self, folder: &PendingFolder, entry: &DirEntry) {
        let name = entry.file_name();
        let path = join(&folder.path, &name.to_string_lossy());
        let Some(name) = name.to_str() else {
            self.tree.wrong(&path, names::not_utf8());
            return;
        };
        match self.kind(folder, entry, &path) {
            Ok(None) => {}
            Ok(Some(kind)) => {
                if let Some(finding) = names::reserved_name(name) {
                    self.tree.wrong(&path, finding);
                }
                self.add(folder, entry, path, kind);
            }
            Err(finding) => self.tree.wrong(&path, finding),
        }
    }

    /// Returns the kind of an entry; `None` if the entry is excluded.
    fn kind(
        &self,
        folder: &PendingFolder,
        entry: &DirEntry,
        path: &str,
    ) -> Result<Option<EntryKind>, Finding> {
        // The type of the entry itself, not of a link's target.
        let is_link = entry
            .file_type()
            .map_err(|error| unreadable(&error))?
            .is_symlink();
        let below = join(self.relative_path, path);
        if is_link && self.exclusions.is_excluded(&below, entry.path().is_dir()) {
            return Ok(None);
        }
        let metadata = match is_link {
            true => links::follow(&entry.path(), self.root, &folder.chain)?.metadata(),
            false => entry.metadata(),
        };
        let metadata = metadata.map_err(|error| unreadable(&error))?;
        if self.exclusions.is_excluded(&below, metadata.is_dir()) {
            return Ok(None);
        }
        if metadata.is_dir() {
            Ok(Some(EntryKind::Folder))
        } else if metadata.is_file() {
            Ok(Some(EntryKind::File(metadata)))
        } else {
            let message = "this is neither a file nor a folder";
            Err(Finding::new(codes::UNREADABLE, message))
        }
    }

    fn add(&mut self, folder: &PendingFolder, entry: &DirEntry, path: String, kind: EntryKind) {
        match kind {
            EntryKind::File(metadata) => {
                let size = metadata.len();
                if size > MAX_FILE {
                    let message =
                        format!("the file is {size} bytes long; at most {MAX_FILE} are allowed");
                    self.tree
                        .wrong(&path, Finding::new(codes::FILE_SIZE, message));
                    return;
                }
                self.tree.files.push(FoundFile {
                    path,
                    location: entry.path(),
                    size,
                    is_executable: has_mode_bit(&metadata),
                });
            }
            EntryKind::Folder if folder.depth == MAX_FOLDER_DEPTH => {
                let message = format!("the folders nest deeper than {MAX_FOLDER_DEPTH} levels");
                self.tree
                    .wrong(&path, Finding::new(codes::FOLDER_DEPTH, message));
            }
            EntryKind::Folder => {
                self.tree.folders.push(path.clone());
                self.pending.push(PendingFolder {
                    path,
                    depth: folder.depth + 1,
                    chain: Rc::new(FolderChain {
                        location: entry.path(),
                        parent: Some(Rc::clone(&folder.chain)),
                    }),
                });
            }
        }
    }
}

enum EntryKind {
    File(Metadata),
    Folder,
}

#[cfg(unix)]
fn has_mode_bit(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn has_mode_bit(_: &Metadata) -> bool {
    false
}
