//! The files that the command of a hook runs: an acceptance is of their content, too.

use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::alias::absolute;
use crate::handler::HookCommand;
use helve_core::support::hex;
use helve_storage::bounded_read::read_if_exists;

/// The maximum size of a file, in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// Returns the files below a folder that the words of a command name.
pub(crate) fn find(command: &HookCommand, project: &Path) -> Vec<PathBuf> {
    let words: Vec<String> = match command {
        HookCommand::Shell(line) => words(line),
        HookCommand::Program(words) => words.clone(),
    };
    let project_text = project.to_string_lossy();
    let mut found: Vec<PathBuf> = Vec::new();
    for word in words {
        let word = word
            .replace("${CLAUDE_PROJECT_DIR}", &project_text)
            .replace("$CLAUDE_PROJECT_DIR", &project_text)
            .replace("${HOME}", "~")
            .replace("$HOME", "~");
        let path = PathBuf::from(absolute(&word, project));
        if path.is_file() && !found.contains(&path) {
            found.push(path);
        }
    }
    found
}

/// Splits a line at blanks and at the characters of the shell, without its quotes.
fn words(line: &str) -> Vec<String> {
    let is_end =
        |c: char| c.is_whitespace() || matches!(c, ';' | '&' | '|' | '<' | '>' | '(' | ')' | '=');
    let words = line.split(is_end);
    let words = words.map(|word| word.replace(['"', '\''], ""));
    words.filter(|word| !word.is_empty()).collect()
}

/// Returns the digest of a file; `None` if the file cannot be read.
pub(crate) fn digest(file: &Path) -> Option<String> {
    let bytes = read_if_exists(file, MAX_BYTES).ok()??;
    Some(hex::encode(&Sha256::digest(&bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_command_are_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = folder.path();
        std::fs::create_dir(project.join("hooks")).expect("a folder");
        std::fs::write(project.join("hooks/check.py"), "pass").expect("a file");
        for line in [
            "python3 hooks/check.py --strict",
            "\"$CLAUDE_PROJECT_DIR\"/hooks/check.py",
            "cd ${CLAUDE_PROJECT_DIR} && python3 './hooks/check.py' || exit 2",
        ] {
            let found = find(&HookCommand::Shell(line.to_owned()), project);
            assert_eq!(found, [project.join("hooks/check.py")], "{line}");
        }
        let none = find(&HookCommand::Shell("jq -r .tool_name".to_owned()), project);
        assert!(none.is_empty());
    }
}
