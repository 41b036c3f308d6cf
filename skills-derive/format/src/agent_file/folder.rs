//! The agent files of a folder.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The greatest size of an agent file, in bytes: 256 KiB, five times the largest real one.
pub const MAX_AGENT_FILE: u64 = 256 * 1024;

/// The greatest depth of folders below a folder of agents.
const MAX_DEPTH: usize = 8;

/// The greatest number of files that are read of one folder.
const MAX_FILES: usize = 2000;

/// A file of a folder of agents.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundAgentFile {
    /// The path.
    pub path: PathBuf,
    /// The number of folders between the file and the folder of agents.
    pub depth: usize,
    /// The text, or the reason why it cannot be read.
    pub text: Result<String, String>,
}

/// Reads the Markdown files of a folder and of the folders in it, sorted by path. A folder that does not exist has none.
///
/// Links to folders are not followed. Hidden files are left out. At most 2,000 files are read, of at most
/// [`MAX_AGENT_FILE`] bytes each; a folder with more, or with folders nested deeper than 8 levels, is listed with the
/// reason.
#[must_use]
pub fn read_agent_files(folder: &Path) -> Vec<FoundAgentFile> {
    let mut found = Vec::new();
    read_folder(folder, 0, &mut found);
    found
}

/// Reads one agent file.
#[must_use]
pub fn read_agent_file(path: &Path) -> FoundAgentFile {
    FoundAgentFile {
        path: path.to_owned(),
        depth: 0,
        text: read_text(path),
    }
}

fn read_folder(folder: &Path, depth: usize, found: &mut Vec<FoundAgentFile>) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
        Err(error) => return found.push(unreadable(folder, depth, error.to_string())),
    };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with('.') {
            continue;
        }
        let is_file = Path::new(&*name)
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("md"));
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            if depth == MAX_DEPTH {
                let reason = format!("it is nested deeper than {MAX_DEPTH} levels");
                found.push(unreadable(&path, depth, reason));
            } else {
                read_folder(&path, depth + 1, found);
            }
        } else if is_file {
            if found.len() >= MAX_FILES {
                let reason = format!("the folder has more than {MAX_FILES} files");
                return found.push(unreadable(&path, depth, reason));
            }
            let text = read_text(&path);
            found.push(FoundAgentFile { path, depth, text });
        }
    }
}

fn unreadable(path: &Path, depth: usize, reason: String) -> FoundAgentFile {
    FoundAgentFile {
        path: path.to_owned(),
        depth,
        text: Err(reason),
    }
}

fn read_text(path: &Path) -> Result<String, String> {
    let metadata = path.metadata().map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| error.to_string())?;
    let read = file.take(MAX_AGENT_FILE + 1).read_to_end(&mut bytes);
    read.map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_AGENT_FILE {
        return Err(format!("it is larger than {} KiB", MAX_AGENT_FILE / 1024));
    }
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
}
