//! `git push`: where it goes, and what it overwrites there.

use super::subcommand;
use crate::script::ScriptWord;

/// What a `git push` does.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GitPush {
    /// The remote, where it is named.
    pub remote: Option<String>,
    /// The first reference, as it is written.
    pub refspec: Option<String>,
    /// The branch that it goes to.
    pub branch: Option<String>,
    /// Whether it overwrites what is there.
    pub is_forced: bool,
    /// Whether it removes what is there.
    pub deletes: bool,
    /// Whether it goes to a branch that others build on.
    pub is_protected: bool,
}

const VALUED: &[&str] = &["-o", "--push-option", "--repo", "--receive-pack", "--exec"];

/// Reads a `git push`; none where it is another command.
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

/// The branch that a reference goes to.
pub(crate) fn branch(refspec: &str) -> &str {
    let refspec = refspec.trim_start_matches('+');
    refspec.rsplit_once(':').map_or(refspec, |(_, to)| to)
}

/// Reports whether others build on a branch of that name.
pub(crate) fn is_protected(branch: &str) -> bool {
    let name = branch.strip_prefix("refs/heads/").unwrap_or(branch);
    matches!(name, "main" | "master" | "trunk" | "production" | "HEAD")
}
