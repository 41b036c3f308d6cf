//! The field `if` of a hook: which calls of a tool a hook is for, in the syntax of permission rules.

use std::path::Path;

use crate::alias::CallView;
use helve_core::support::wildcard;

/// A condition on a call, such as `Bash(git push *)`.
///
/// A condition decides only whether a hook runs. Where the call cannot be compared with the condition, such as a command
/// line with quotes, the hook runs.
#[derive(Debug, Clone)]
pub(crate) struct Condition {
    text: String,
    tool: String,
    pattern: Option<String>,
}

impl Condition {
    pub(crate) fn parse(text: &str) -> Self {
        let (tool, pattern) = match text.trim().split_once('(') {
            Some((tool, rest)) => {
                let pattern = rest.strip_suffix(')').unwrap_or(rest);
                (tool, Some(pattern.to_owned()))
            }
            None => (text.trim(), None),
        };
        Self {
            text: text.to_owned(),
            tool: tool.to_owned(),
            pattern,
        }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the name of the tool, in which `*` matches any characters.
    pub(crate) fn tool(&self) -> &str {
        &self.tool
    }

    /// Reports whether the hook runs for a call.
    pub(crate) fn matches(&self, call: &CallView, project: &Path) -> bool {
        let mut names = call.names.iter();
        if !names.any(|name| wildcard::matches(&self.tool, name)) {
            return false;
        }
        let Some(pattern) = self.pattern.as_deref().filter(|pattern| *pattern != "*") else {
            return true;
        };
        if let Some(command) = call.input["command"].as_str() {
            return matches_command(pattern, command);
        }
        match call.input["file_path"].as_str() {
            Some(path) => matches_path(pattern, path, project),
            // The rules of other tools are their own.
            None => true,
        }
    }
}

/// Reports whether a pattern matches one of the commands of a line. A line that is more than plain words matches.
fn matches_command(pattern: &str, line: &str) -> bool {
    let is_special = |c: char| matches!(c, '\'' | '"' | '\\' | '$' | '`' | '<' | '>' | '#');
    if line.contains(is_special) {
        return true;
    }
    let commands = line.split([';', '&', '|', '\n', '(', ')', '{', '}']);
    commands
        .map(without_assignments)
        .filter(|command| !command.is_empty())
        .any(|command| matches_words(pattern, &command))
}

fn without_assignments(command: &str) -> String {
    let words = command.split_whitespace();
    let is_assignment = |word: &&str| word.contains('=') && !word.starts_with('-');
    let words: Vec<&str> = words.skip_while(is_assignment).collect();
    words.join(" ")
}

fn matches_words(pattern: &str, command: &str) -> bool {
    let prefix = pattern
        .strip_suffix(":*")
        .or_else(|| pattern.strip_suffix(" *"));
    if let Some(prefix) = prefix {
        let with_more = format!("{prefix} *");
        return wildcard::matches(prefix, command) || wildcard::matches(&with_more, command);
    }
    wildcard::matches(pattern, command)
}

/// Reports whether a pattern matches a path: from the root with `//`, from the home folder with `~/`, from the project
/// otherwise. A pattern without a slash matches the name of the file.
fn matches_path(pattern: &str, path: &str, project: &Path) -> bool {
    let path = Path::new(path);
    if let Some(absolute) = pattern.strip_prefix("//") {
        return wildcard::matches(&format!("/{absolute}"), &path.to_string_lossy());
    }
    if let Some(below) = pattern.strip_prefix("~/") {
        let home = std::env::home_dir().unwrap_or_default().join(below);
        return wildcard::matches(&home.to_string_lossy(), &path.to_string_lossy());
    }
    if !pattern.contains('/') {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        return wildcard::matches(pattern, &name);
    }
    let pattern = pattern
        .trim_start_matches("./")
        .trim_start_matches('/')
        .replace("**/", "*");
    let below = path.strip_prefix(project);
    below.is_ok_and(|below| wildcard::matches(&pattern, &below.to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alias::views;

    fn matches(condition: &str, tool: &str, arguments: &str) -> bool {
        let project = Path::new("/work/shop");
        let view = &views(tool, arguments, project)[0];
        Condition::parse(condition).matches(view, project)
    }

    #[test]
    fn commands_are_compared_one_by_one() {
        let command = |condition, line: &str| {
            let arguments = serde_json::json!({ "command": line }).to_string();
            matches(condition, "bash", &arguments)
        };
        assert!(command("Bash(git push:*)", "git push origin main"));
        assert!(command("Bash(git push *)", "git push"));
        assert!(command("Bash(git *)", "cd src && A=1 git status"));
        assert!(!command("Bash(git push *)", "git status; ls"));
        assert!(!command("Bash(git *)", "gitk"));
        // A line that is not plain may run anything.
        assert!(command("Bash(git push *)", "eval \"$X\""));
        assert!(!command("Edit(*.rs)", "ls"));
        assert!(command("Bash", "ls"));
    }

    #[test]
    fn paths_are_compared_with_patterns() {
        let write = |condition, path: &str| {
            let arguments = serde_json::json!({ "path": path, "content": "" }).to_string();
            matches(condition, "write_file", &arguments)
        };
        assert!(write("Write(*.ts)", "src/deep/a.ts"));
        assert!(!write("Write(*.ts)", "a.rs"));
        assert!(write("Write(src/**)", "src/deep/a.rs"));
        assert!(write("Write(/src/**/*.rs)", "src/deep/a.rs"));
        assert!(!write("Write(src/**)", "tests/a.rs"));
        assert!(write("Write(//etc/*)", "/etc/passwd"));
        assert!(write("write_file", "a"));
    }
}
