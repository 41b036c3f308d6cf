//! Finds and reads the files of commands.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use super::front_matter::FrontMatter;
use super::{CommandScope, CustomCommand, CustomCommands, Shown};
use crate::bundles;
use helve_storage::definition_roots::{self, DefinitionRoots};

/// The maximum number of folders below a folder of commands.
const MAX_DEPTH: usize = 4;
/// The maximum number of files that are read.
const MAX_FILES: usize = 500;
/// The maximum size of a file. A longer text could not be shown to the user who accepts it.
const MAX_FILE_BYTES: u64 = 32 << 10;

/// Reads the commands of the project around a folder, the nearest folder first, and then those of the user.
pub(super) fn read(folder: &Path, home: Option<&Path>) -> CustomCommands {
    let mut found = CustomCommands::default();
    let roots = DefinitionRoots::around(folder, home);
    for project in &roots.project {
        read_scope(project, CommandScope::Project, &mut found);
    }
    if let Some(home) = &roots.user {
        read_scope(home, CommandScope::User, &mut found);
    }
    for (bundle, path) in bundles::command_paths() {
        read_bundle(&path, bundle, &mut found);
    }
    found
}

/// Reads the commands of a bundle, whose name is that of their namespace: a folder of them, or one file.
fn read_bundle(path: &Path, bundle: String, found: &mut CustomCommands) {
    let (mut namespace, scope) = (vec![bundle], CommandScope::User);
    if path.is_dir() {
        return read_folder(path, &mut namespace, scope, found);
    }
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    let command = stem.map(|stem| read_file(path, stem, &namespace, scope));
    found.commands.extend(command.and_then(Result::ok));
}

fn read_scope(root: &Path, scope: CommandScope, found: &mut CustomCommands) {
    for folder in definition_roots::below(root, "commands") {
        read_folder(&folder, &mut Vec::new(), scope, found);
    }
}

fn read_folder(
    folder: &Path,
    namespace: &mut Vec<String>,
    scope: CommandScope,
    found: &mut CustomCommands,
) {
    let Ok(entries) = folder.read_dir() else {
        return;
    };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        // A folder that is a link could lead back.
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let Some(name) = entry.file_name().to_str().map(str::to_owned) else {
            continue;
        };
        if is_folder && namespace.len() < MAX_DEPTH && is_name(&name) {
            namespace.push(name);
            read_folder(&path, namespace, scope, found);
            namespace.pop();
        } else if let Some(stem) = name.strip_suffix(".md") {
            if found.commands.len() >= MAX_FILES {
                return;
            }
            match read_file(&path, stem, namespace, scope) {
                Ok(command) => found.commands.push(command),
                Err(problem) => {
                    let note = format!("{} defines no command: {problem}", Shown(&path));
                    found.notes.push(note);
                }
            }
        }
    }
}

/// Reports whether a name can be typed as a part of a command.
fn is_name(name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty() && !name.starts_with('.') && name.chars().all(is_part)
}

fn read_file(
    path: &Path,
    stem: &str,
    namespace: &[String],
    scope: CommandScope,
) -> Result<CustomCommand, String> {
    if !is_name(stem) {
        return Err(
            "its name has other characters than letters, digits, `-`, `_` and `.`".to_owned(),
        );
    }
    let metadata = path.metadata().map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| error.to_string())?;
    let reading = file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes);
    reading.map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(format!("it is larger than {} KiB", MAX_FILE_BYTES >> 10));
    }
    let text = String::from_utf8(bytes).map_err(|_| "it is not valid UTF-8".to_owned())?;
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let (front_matter, body_start) = FrontMatter::parse(&text);
    if text[body_start..].trim().is_empty() {
        return Err("it has no prompt".to_owned());
    }
    Ok(CustomCommand {
        scope,
        path: path.to_owned(),
        namespace: namespace.join(":"),
        stem: stem.to_owned(),
        // The file is in `commands`, in `.agents` or `.claude`.
        levels: namespace.len() + 3,
        text,
        front_matter,
        body_start,
    })
}
