//! The files that the command of a hook runs: an acceptance is of their content, too.

use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::alias::absolute;
use crate::handler::HookCommand;
use helve_core::support::hex;
use helve_storage::bounded_read::read_if_exists;

/// The maximum size of a file, in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// The variables that stand for the folder of the project, in which commands of hooks run.
const PROJECT_VARIABLES: [&str; 2] = ["CLAUDE_PROJECT_DIR", "PWD"];

/// How deep command lines within the words of command lines are read, as in `sh -c "sh -c '…'"`.
const MAX_DEPTH: usize = 3;

/// Returns the files that the words of a command name, as far as they exist. Relative names are below the folder of the
/// project, or below a folder that the command changes to.
pub(crate) fn find(command: &HookCommand, project: &Path) -> Vec<PathBuf> {
    let mut words = Vec::new();
    match command {
        HookCommand::Shell(line) => add_words(line, MAX_DEPTH, &mut words),
        HookCommand::Program(own) => {
            for word in own {
                words.push(word.clone());
                add_words(word, MAX_DEPTH, &mut words);
            }
        }
    }
    let mut folders = vec![project.to_owned()];
    let mut found: Vec<PathBuf> = Vec::new();
    let mut is_after_cd = false;
    for word in &words {
        let word = expand(word, project);
        for index in 0..folders.len() {
            let path = PathBuf::from(absolute(&word, &folders[index]));
            if is_after_cd && path.is_dir() && !folders.contains(&path) {
                folders.push(path);
            } else if path.is_file() && !found.contains(&path) {
                found.push(path);
            }
        }
        is_after_cd = matches!(&*word, "cd" | "pushd");
    }
    found
}

/// Adds the words of a command line without their quotes, the values of `NAME=value` words, and the words of words that
/// are command lines themselves.
fn add_words(line: &str, depth: usize, added: &mut Vec<String>) {
    for word in words(line) {
        if let Some((_, value)) = word.split_once('=') {
            added.push(value.to_owned());
        }
        let is_line = word.contains(|c: char| is_separator(c) || matches!(c, '\'' | '"'));
        added.push(word.clone());
        if is_line && depth > 0 {
            add_words(&word, depth - 1, added);
        }
    }
}

/// Splits a command line into words, as a shell does: at blanks and operators that are not quoted.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', None | Some('"')) => match chars.next() {
                // A backslash at the end of a line joins it with the next one.
                Some('\n') | None => {}
                Some(next @ ('"' | '\\' | '$' | '`')) => word.push(next),
                Some(next) if quote.is_none() => word.push(next),
                Some(next) => word.extend(['\\', next]),
            },
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            (c, None) if is_separator(c) => words.push(std::mem::take(&mut word)),
            (c, _) => word.push(c),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

fn is_separator(c: char) -> bool {
    c.is_whitespace() || matches!(c, ';' | '&' | '|' | '<' | '>' | '(' | ')' | '`')
}

/// Replaces the variables of a word whose values are known: the folder of the project, and `~` for the home folder.
fn expand(word: &str, project: &Path) -> String {
    let project = project.to_string_lossy();
    let mut expanded = String::new();
    let mut rest = word;
    while let Some((before, after)) = rest.split_once('$') {
        expanded.push_str(before);
        let braced = after
            .strip_prefix('{')
            .and_then(|text| text.split_once('}'));
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let name_end = |text: &str| text.find(|c| !is_name(c)).unwrap_or(text.len());
        let (name, next) = match braced {
            // A default, as in `${NAME:-.}`, is not used where the variable is set.
            Some((inner, next)) => (&inner[..name_end(inner)], next),
            None => after.split_at(name_end(after)),
        };
        rest = next;
        match name {
            name if PROJECT_VARIABLES.contains(&name) => expanded.push_str(&project),
            "HOME" => expanded.push('~'),
            _ => {
                expanded.push('$');
                rest = after;
            }
        }
    }
    expanded + rest
}

/// Returns the digest of a file; `None` if the file cannot be read.
pub(crate) fn digest(file: &Path) -> Option<String> {
    let bytes = read_if_exists(file, MAX_BYTES).ok()??;
    Some(hex::encode(&Sha256::digest(&bytes)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
            "\"${CLAUDE_PROJECT_DIR:-.}/hooks/check.py\" || exit 2",
            "cd ${CLAUDE_PROJECT_DIR} && python3 './hooks/check.py' || exit 2",
            "cd hooks && ./check.py",
            "CHECK=hooks/check.py sh -c '. \"$CHECK\"'",
            "echo \"$(python3 hooks/check.py)\"",
        ] {
            let found = find(&HookCommand::Shell(line.to_owned()), project);
            assert_eq!(found, [project.join("hooks/check.py")], "{line}");
        }
        let none = find(&HookCommand::Shell("jq -r .tool_name".to_owned()), project);
        assert!(none.is_empty());
    }
    #[test]
    fn a_file_with_a_blank_in_its_path_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = folder.path();
        std::fs::create_dir(project.join("my hooks")).expect("a folder");
        let file = project.join("my hooks/check it.py");
        std::fs::write(&file, "pass").expect("a file");
        for line in [
            r#""$CLAUDE_PROJECT_DIR/my hooks/check it.py" --strict"#,
            r#""$CLAUDE_PROJECT_DIR"/'my hooks'/check\ it.py"#,
            r"python3 my\ hooks/check\ it.py && true",
            r#"bash -c "python3 'my hooks/check it.py'""#,
            r#"cd "my hooks" && python3 "check it.py""#,
            r"CHECK='my hooks/check it.py' run-check",
            "python3 'my hooks/check it.py",
        ] {
            let found = find(&HookCommand::Shell(line.to_owned()), project);
            assert_eq!(found, [&*file], "{line}");
        }
        for words in [
            ["python3", "my hooks/check it.py"],
            ["sh", "'my hooks/check it.py'"],
        ] {
            let words = words.map(str::to_owned).to_vec();
            let found = find(&HookCommand::Program(words.clone()), project);
            assert_eq!(found, [&*file], "{words:?}");
        }
    }

    proptest! {
        /// A quoted word is one word, whatever it contains.
        #[test]
        fn a_quoted_word_is_whole(word in "[ -~]{1,20}", before in "[a-z]{0,5}") {
            let quoted = format!("'{}'", word.replace('\'', r"'\''"));
            let line = format!("{before} {quoted};x");
            prop_assert!(words(&line).contains(&word), "{}", line);
        }

        /// No line makes the search fail.
        #[test]
        fn every_line_is_read(line in ".{0,80}") {
            let mut added = Vec::new();
            add_words(&line, MAX_DEPTH, &mut added);
            for word in added {
                expand(&word, Path::new("/project"));
            }
        }
    }
}
