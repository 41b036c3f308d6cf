//! The commits that a push would publish, shown with the approval question.

use std::borrow::Cow;
use std::time::Duration;

use helve_core::authority;
use helve_core::capability::{Command, Process, Requires};
use helve_core::sandbox::{Access, Exit};
use helve_core::tool::{CallPart, Preview, ToolContext};

/// The maximum number of listed commits.
const MAX_COMMITS: usize = 50;

/// The time limit of the git process.
const GIT_TIMEOUT: Duration = Duration::from_secs(2);

/// The maximum length of git's output that is read, in bytes.
const MAX_OUTPUT_BYTES: usize = 16 << 10;

/// Reports whether a call pushes.
pub(crate) fn pushes(parts: &[CallPart]) -> bool {
    parts.iter().any(|part| Push::parse(&part.text).is_some())
}

/// Lists the commits that a call would push; returns `None` if the call pushes nothing. Commits that cannot be listed
/// are reported as such.
///
/// Runs `git log` in the session's sandbox with read access, and never the command that the question is about.
pub(crate) async fn preview_commits(parts: &[CallPart], context: &ToolContext) -> Option<Preview> {
    let push = parts.iter().find_map(|part| Push::parse(&part.text))?;
    let commits = match push.list_commits(context).await {
        Ok(lines) if lines.is_empty() => vec!["no unpushed commits".to_owned()],
        Ok(lines) => lines,
        Err(why) => vec![format!("the commits cannot be listed: {why}")],
    };
    Some(Preview::Commits { commits })
}

/// A `git push`, as far as its text determines what is published.
#[derive(Debug, Default, PartialEq, Eq)]
struct Push {
    folder: Option<String>,
    /// Whether all branches or all refs are pushed.
    pushes_all: bool,
    sources: Vec<String>,
}

impl Push {
    /// Parses the push in a command.
    fn parse(command: &str) -> Option<Self> {
        let words = command.split_whitespace();
        let mut words = words.map(|word| word.trim_matches(['"', '\'']));
        words.find(|word| word.rsplit('/').next() == Some("git"))?;
        let mut push = Self::default();
        loop {
            match words.next()? {
                "push" => break,
                "-C" => push.folder = words.next().map(str::to_owned),
                "-c" | "--git-dir" | "--work-tree" | "--namespace" => _ = words.next()?,
                option if option.starts_with('-') => {}
                _ => return None,
            }
        }
        let mut named = Vec::new();
        for word in words {
            match word {
                "--all" | "--mirror" | "--branches" | "--tags" | "--follow-tags" => {
                    push.pushes_all = true
                }
                word if word.starts_with('-') => {}
                word => named.push(word),
            }
        }
        // The first operand names the remote.
        let sources = named.iter().skip(1).filter_map(|named| {
            let source = named.trim_start_matches('+').split(':').next()?;
            is_ref(source).then(|| source.to_owned())
        });
        push.sources = sources.collect();
        Some(push)
    }

    async fn list_commits(&self, context: &ToolContext) -> Result<Vec<String>, String> {
        let requires = Requires {
            process: true,
            ..Requires::NONE
        };
        let process = Process::new(&requires, authority::grants(context).sandbox.clone());
        let mut command = Command::new("git", self.arguments());
        command.access = Access::Read;
        command.max_output_bytes = MAX_OUTPUT_BYTES;
        command.timeout = Some(GIT_TIMEOUT);
        let listing = tokio::time::timeout(GIT_TIMEOUT, process.run(command));
        let output = listing.await.map_err(|_| "git took too long".to_owned())?;
        let output = output.map_err(|error| error.to_string())?;
        if output.exit != Exit::Code(0) {
            const NO_REPOSITORY: &str = "not a git repository";
            let said = String::from_utf8_lossy(&output.stderr);
            if said.contains(NO_REPOSITORY) {
                return Err(NO_REPOSITORY.to_owned());
            }
            let said = said.lines().next().unwrap_or("git failed");
            return Err(helve_untrusted::neutralize(said).into_owned());
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let lines = text.lines().map(helve_untrusted::neutralize);
        let mut lines: Vec<String> = lines.map(Cow::into_owned).collect();
        if lines.len() > MAX_COMMITS {
            lines.truncate(MAX_COMMITS);
            lines.push("… and more".to_owned());
        }
        Ok(lines)
    }

    fn arguments(&self) -> Vec<String> {
        let mut arguments = Vec::new();
        if let Some(folder) = &self.folder {
            arguments.extend(["-C".to_owned(), folder.clone()]);
        }
        let command = "--no-pager -c core.fsmonitor=false -c log.showSignature=false \
                       log --oneline --no-decorate --no-color --no-ext-diff";
        arguments.extend(command.split(' ').map(str::to_owned));
        arguments.push(format!("--max-count={}", MAX_COMMITS + 1));
        if self.pushes_all {
            arguments.extend(["--branches".to_owned(), "--tags".to_owned()]);
        } else if self.sources.is_empty() {
            arguments.push("HEAD".to_owned());
        } else {
            arguments.extend(self.sources.iter().cloned());
        }
        arguments.extend(["--not".to_owned(), "--remotes".to_owned()]);
        arguments
    }
}

/// Reports whether a word can only be a ref to git.
fn is_ref(word: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || "-_./@".contains(c);
    !word.is_empty()
        && !word.starts_with('-')
        && !word.contains("..")
        && word.chars().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_push_is_read_off_its_text() {
        let push = |folder: Option<&str>, pushes_all, sources: &[&str]| {
            Some(Push {
                folder: folder.map(str::to_owned),
                pushes_all,
                sources: sources.iter().map(|&source| source.to_owned()).collect(),
            })
        };
        for (command, expected) in [
            ("git push", push(None, false, &[])),
            ("git push -u origin main", push(None, false, &["main"])),
            ("git push origin +a:b 'c'", push(None, false, &["a", "c"])),
            ("git push origin $(cat x)", push(None, false, &[])),
            ("git -C sub push", push(Some("sub"), false, &[])),
            ("git push --all", push(None, true, &[])),
            ("git log", None),
            ("git commit -m push", None),
            ("echo push", None),
        ] {
            assert_eq!(Push::parse(command), expected, "{command}");
        }
    }
}
