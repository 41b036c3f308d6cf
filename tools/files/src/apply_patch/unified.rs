//! Parses unified diffs, of `diff -u` and of git.

use super::parse::{
    FilePatch, Hunk, LineSign, PatchAction, PatchError, PatchLines, body, render_line,
};

/// Parses the files of a diff. Text around the diff, such as the marks of a code block, is ignored.
pub(super) fn parse(lines: &mut PatchLines<'_>) -> Result<Vec<FilePatch>, PatchError> {
    let mut files = Vec::new();
    let mut git = GitHeader::default();
    while let Some(line) = lines.peek() {
        let number = lines.number();
        if line.starts_with("diff --git ") {
            git.finish(&mut files);
            git = GitHeader::new(number);
            lines.next();
        } else if is_file(lines) {
            if !git.is_about(lines.peek().unwrap_or_default()) {
                git.finish(&mut files);
            }
            let file = file(lines, std::mem::take(&mut git))?;
            files.push(file);
        } else if line.starts_with("@@") {
            let what = "a hunk belongs to no file; write `--- a/path` and `+++ b/path` before it";
            return Err(PatchError::new(number, what));
        } else {
            git.parse_line(line);
            lines.next();
        }
    }
    git.finish(&mut files);
    if files.is_empty() {
        let what = "it is neither a patch between `*** Begin Patch` and `*** End Patch`, nor a unified diff with `--- \
                    a/path`, `+++ b/path` and `@@`";
        return Err(PatchError::new(1, what));
    }
    Ok(files)
}

/// The header lines of git for one file.
#[derive(Default)]
struct GitHeader {
    line: Option<usize>,
    from: Option<String>,
    to: Option<String>,
}

impl GitHeader {
    fn new(line: usize) -> Self {
        Self {
            line: Some(line),
            ..Self::default()
        }
    }

    fn parse_line(&mut self, line: &str) {
        if let Some(path) = line.strip_prefix("rename from ") {
            self.from = Some(path.trim().to_owned());
        } else if let Some(path) = line.strip_prefix("rename to ") {
            self.to = Some(path.trim().to_owned());
        }
    }

    /// Reports whether the file of a line `--- a/path` is the renamed file.
    fn is_about(&self, old: &str) -> bool {
        let path = parse_path(old).unwrap_or_default();
        let path = path.strip_prefix("a/").unwrap_or(&path);
        self.from.as_deref() == Some(path)
    }

    /// Adds a file that is only renamed.
    fn finish(&mut self, files: &mut Vec<FilePatch>) {
        if let (Some(line), Some(from), Some(to)) = (self.line, self.from.take(), self.to.take()) {
            files.push(FilePatch {
                path: from,
                line,
                action: PatchAction::Update {
                    move_to: Some(to),
                    hunks: Vec::new(),
                },
            });
        }
    }
}

/// Reports whether the next lines are a file header. A removed line may look like the first line of one.
fn is_file(lines: &PatchLines<'_>) -> bool {
    let begins = |ahead, start| {
        lines
            .peek_at(ahead)
            .is_some_and(|line| line.starts_with(start))
    };
    let has_more = lines.peek_at(2).is_none_or(|line| {
        line.starts_with("@@") || line.trim().is_empty() || line.starts_with("diff ")
    });
    begins(0, "--- ") && begins(1, "+++ ") && has_more
}

fn file(lines: &mut PatchLines<'_>, git: GitHeader) -> Result<FilePatch, PatchError> {
    let line = lines.number();
    let mut side = || parse_path(lines.next().unwrap_or_default());
    let (old, new) = (side(), side());
    let (old, new) = without_prefixes(old, new);
    let mut hunks = Vec::new();
    while lines.peek().is_some_and(|line| line.starts_with("@@")) {
        hunks.push(hunk(lines)?);
    }
    let (path, action) = match (old, new) {
        (None, None) => return Err(PatchError::new(line, "both sides are `/dev/null`")),
        (None, Some(path)) => (path, PatchAction::Add(added_text(&hunks)?)),
        (Some(path), None) => (path, PatchAction::Delete(hunks)),
        (Some(_), Some(path)) => match (git.from, git.to) {
            (Some(from), Some(to)) => (from, update(Some(to), hunks, line)?),
            _ => (path, update(None, hunks, line)?),
        },
    };
    Ok(FilePatch { path, line, action })
}

fn update(
    move_to: Option<String>,
    hunks: Vec<Hunk>,
    line: usize,
) -> Result<PatchAction, PatchError> {
    if hunks.is_empty() && move_to.is_none() {
        return Err(PatchError::new(
            line,
            "it has no hunk; a hunk begins with `@@`",
        ));
    }
    Ok(PatchAction::Update { move_to, hunks })
}

/// Parses the path of `--- path` and `+++ path`; returns `None` for an absent file.
fn parse_path(line: &str) -> Option<String> {
    let path = line.get(4..).unwrap_or_default();
    // `diff -u` writes the time after a tab.
    let path = path.split('\t').next().unwrap_or_default().trim();
    let path = path
        .strip_prefix('"')
        .and_then(|path| path.strip_suffix('"'))
        .unwrap_or(path);
    (path != "/dev/null").then(|| path.to_owned())
}

/// Removes `a/` and `b/`, if both are present, as git writes them.
fn without_prefixes(old: Option<String>, new: Option<String>) -> (Option<String>, Option<String>) {
    let off = |path: &Option<String>, prefix| match path {
        None => Some(None),
        Some(path) => path.strip_prefix(prefix).map(|path| Some(path.to_owned())),
    };
    match (off(&old, "a/"), off(&new, "b/")) {
        (Some(old), Some(new)) => (old, new),
        _ => (old, new),
    }
}

fn hunk(lines: &mut PatchLines<'_>) -> Result<Hunk, PatchError> {
    let number = lines.number();
    let head = lines.next().unwrap_or_default();
    let Some(at) = range(head) else {
        let what = format!(
            "`{}` does not begin a hunk; write `@@ -1,3 +1,4 @@`",
            render_line(head)
        );
        return Err(PatchError::new(number, what));
    };
    let mut hunk = Hunk {
        line: number,
        at,
        ..Hunk::default()
    };
    body(lines, &mut hunk, |lines| {
        let line = lines.peek().unwrap_or_default();
        line.starts_with("diff --git ") || line.starts_with("```") || is_file(lines)
    })?;
    if hunk.lines.is_empty() {
        return Err(PatchError::new(number, "a hunk has no lines"));
    }
    Ok(hunk)
}

/// Parses `@@ -12,3 +12,4 @@`; returns `None` for any other text. The numbers are hints, because models often get
/// them wrong.
#[expect(clippy::option_option, reason = "a head may be there and say nothing")]
pub(super) fn range(line: &str) -> Option<Option<usize>> {
    let rest = line.strip_prefix("@@")?.trim_start();
    let Some(rest) = rest.strip_prefix('-') else {
        return (rest.is_empty() || rest.starts_with("@@")).then_some(None);
    };
    let (old, rest) = rest.split_once(' ')?;
    if !rest.trim_start().starts_with('+') {
        return None;
    }
    let (first, count) = old.split_once(',').unwrap_or((old, "1"));
    let first: usize = first.parse().ok()?;
    // For an insertion, the number is that of the preceding line.
    Some(Some(if count == "0" { first + 1 } else { first }))
}

fn added_text(hunks: &[Hunk]) -> Result<String, PatchError> {
    let mut text = String::new();
    for hunk in hunks {
        if hunk.lines.iter().any(|(sign, _)| *sign != LineSign::Add) {
            let what = "a new file can only have lines that begin with `+`";
            return Err(PatchError::new(hunk.line, what));
        }
        for line in hunk.after() {
            text.push_str(line);
            text.push('\n');
        }
        if hunk.ends[1].is_some() {
            text.pop();
        }
    }
    Ok(text)
}
