//! The target and the effect of a `git push`.

use super::subcommand;
use crate::script::ScriptWord;

/// The effect of a `git push`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GitPush {
    /// The remote, if named.
    pub remote: Option<String>,
    /// The first refspec, as written.
    pub refspec: Option<String>,
    /// The target branch.
    pub branch: Option<String>,
    /// Whether the push overwrites the target.
    pub is_forced: bool,
    /// Whether the push deletes the target.
    pub deletes: bool,
    /// Whether the target is a protected branch, on which others base their work.
    pub is_protected: bool,
}

const VALUED: &[&str] = &["-o", "--push-option", "--repo", "--receive-pack", "--exec"];

/// Parses a `git push`; returns `None` for another command.
pub(crate) fn push(words: &[ScriptWord<'_>]) -> Option<GitPush> {
    let at = subcommand(words).or_else(|| words.iter().position(|word| word.text == "push"))?;
    (words.get(at)?.text == "push").then(|| read(&words[at + 1..]))
}

fn read(words: &[ScriptWord<'_>]) -> GitPush {
    let (mut is_forced, mut deletes) = (false, false);
    let mut operands: Vec<&str> = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = &*word.text;
        if !text.starts_with('-') || text == "-" {
            operands.push(text);
            continue;
        }
        let name = text.split_once('=').map_or(text, |(name, _)| name);
        is_forced |= matches!(
            name,
            "--force" | "--force-with-lease" | "--force-if-includes" | "--mirror"
        );
        deletes |= matches!(name, "--delete" | "--prune" | "--mirror");
        if !text.starts_with("--") {
            is_forced |= text.contains('f');
            deletes |= text.contains('d');
        }
        if VALUED.contains(&text) {
            words.next();
        }
    }
    let refspecs = operands.get(1..).unwrap_or_default();
    is_forced |= refspecs.iter().any(|refspec| refspec.starts_with('+'));
    deletes |= refspecs
        .iter()
        .any(|refspec| refspec.starts_with(':') && refspec.len() > 1);
    let branches = || refspecs.iter().map(|refspec| branch(refspec));
    GitPush {
        remote: operands.first().map(|text| (*text).to_owned()),
        refspec: refspecs.first().map(|text| (*text).to_owned()),
        branch: branches().next().map(str::to_owned),
        is_forced,
        deletes,
        is_protected: branches().any(is_protected),
    }
}

/// Returns the target branch of a refspec.
pub(crate) fn branch(refspec: &str) -> &str {
    let refspec = refspec.trim_start_matches('+');
    refspec.rsplit_once(':').map_or(refspec, |(_, to)| to)
}

/// Reports whether a branch of this name is usually shared by others.
pub(crate) fn is_protected(branch: &str) -> bool {
    let name = branch.strip_prefix("refs/heads/").unwrap_or(branch);
    matches!(name, "main" | "master" | "trunk" | "production" | "HEAD")
}
