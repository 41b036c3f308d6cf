//! Parses a patch, in the two formats that models write.

use super::unified;

/// The greatest length of a patch in characters, and its greatest number of files.
const MAX_PATCH_CHARS: usize = 4 << 20;
const MAX_FILES: usize = 200;

/// The change of a patch to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FilePatch {
    pub(super) path: String,
    /// The line of the patch that names the file, counted from 1.
    pub(super) line: usize,
    pub(super) action: PatchAction,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PatchAction {
    /// Creates the file with this text.
    Add(String),
    /// Removes the file, whose contents must match the hunks.
    Delete(Vec<Hunk>),
    /// Changes the file, and optionally moves it to another path.
    Update {
        move_to: Option<String>,
        hunks: Vec<Hunk>,
    },
}

/// A change at one place of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Hunk {
    /// The line of the patch at which the hunk starts, counted from 1.
    pub(super) line: usize,
    /// Lines of the file before the place, in order.
    pub(super) headings: Vec<String>,
    /// The first line of the file that the hunk covers, counted from 1, if the patch contains it.
    pub(super) at: Option<usize>,
    pub(super) lines: Vec<(LineSign, String)>,
    /// Whether the place is the end of the file.
    pub(super) is_end: bool,
    /// Whether the last line has a line break before and after the change, if the patch states it.
    pub(super) ends: [Option<FileEnd>; 2],
}

/// The operation on a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineSign {
    Keep,
    Remove,
    Add,
}

/// The end of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileEnd {
    WithoutBreak,
}

impl Hunk {
    /// Returns the lines that must be in the file.
    pub(super) fn before(&self) -> Vec<&str> {
        self.lines_but(LineSign::Add)
    }

    /// Returns the lines after the change.
    pub(super) fn after(&self) -> Vec<&str> {
        self.lines_but(LineSign::Remove)
    }

    fn lines_but(&self, sign: LineSign) -> Vec<&str> {
        let lines = self.lines.iter().filter(|(own, _)| *own != sign);
        lines.map(|(_, line)| &**line).collect()
    }
}

/// The error of an invalid patch, with the line of the patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PatchError {
    pub(super) line: usize,
    pub(super) message: String,
}

impl PatchError {
    pub(super) fn new(line: usize, what: impl Into<String>) -> Self {
        let what = what.into();
        Self {
            line,
            message: what,
        }
    }
}

/// The lines of a patch, numbered from 1.
pub(super) struct PatchLines<'a> {
    lines: Vec<&'a str>,
    at: usize,
}

impl<'a> PatchLines<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            lines: text.lines().collect(),
            at: 0,
        }
    }

    pub(super) fn peek(&self) -> Option<&'a str> {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<&'a str> {
        self.lines.get(self.at + ahead).copied()
    }

    pub(super) fn next(&mut self) -> Option<&'a str> {
        let line = self.peek()?;
        self.at += 1;
        Some(line)
    }

    /// Returns the number of the next line.
    pub(super) fn number(&self) -> usize {
        self.at + 1
    }

    fn skip_blank(&mut self) {
        while self.peek().is_some_and(|line| line.trim().is_empty()) {
            self.at += 1;
        }
    }
}

/// Parses a patch.
pub(super) fn parse(text: &str) -> Result<Vec<FilePatch>, PatchError> {
    if text.len() > MAX_PATCH_CHARS {
        return Err(PatchError::new(
            1,
            "the patch is longer than 4 MB; split it",
        ));
    }
    let mut lines = PatchLines::new(text);
    lines.skip_blank();
    let files = match lines.peek().map(str::trim) {
        None => Vec::new(),
        Some("*** Begin Patch") => {
            lines.next();
            envelope(&mut lines)?
        }
        Some(_) => unified::parse(&mut lines)?,
    };
    if files.is_empty() {
        return Err(PatchError::new(1, "the patch changes no file"));
    }
    if files.len() > MAX_FILES {
        let what = format!("it names more than {MAX_FILES} files; split it");
        return Err(PatchError::new(files[MAX_FILES].line, what));
    }
    check_paths(&files)?;
    Ok(files)
}

fn check_paths(files: &[FilePatch]) -> Result<(), PatchError> {
    let mut named: Vec<String> = Vec::new();
    for file in files {
        let target = match &file.action {
            PatchAction::Update { move_to, .. } => move_to.as_deref(),
            _ => None,
        };
        for path in [Some(&*file.path), target].into_iter().flatten() {
            check_path(path).map_err(|what| PatchError::new(file.line, what))?;
            let plain: Vec<&str> = path
                .split('/')
                .filter(|name| !matches!(*name, "" | "."))
                .collect();
            let plain = plain.join("/");
            if named.contains(&plain) {
                let what = format!(
                    "`{path}` is named twice; put all that is about a file into one section"
                );
                return Err(PatchError::new(file.line, what));
            }
            named.push(plain);
        }
    }
    Ok(())
}

/// Rejects paths that a patch must not change.
fn check_path(path: &str) -> Result<(), String> {
    if path.is_empty() {
        return Err("a path is missing".to_owned());
    }
    for name in path.split(['/', '\\']) {
        if name.eq_ignore_ascii_case(".git") {
            return Err(format!(
                "`{path}` belongs to git, and a patch cannot change that; use git itself"
            ));
        }
        if name.contains(':') {
            return Err(format!(
                "`{path}` has a `:` in it; give a path relative to the working folder, and write a file of such a name \
                 with `write_file`"
            ));
        }
    }
    Ok(())
}

/// Returns the value of a line such as `*** Add File: path`.
fn value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    Some(line.trim().strip_prefix(key)?.trim())
}

const HEADS: [&str; 3] = ["*** Add File:", "*** Delete File:", "*** Update File:"];

/// Parses the text between `*** Begin Patch` and `*** End Patch`.
fn envelope(lines: &mut PatchLines<'_>) -> Result<Vec<FilePatch>, PatchError> {
    // A closing line in a hunk may be text of the file, so that the last one counts.
    let Some(end) = lines.lines.iter().rposition(|line| !is_filler(line)) else {
        return Err(PatchError::new(1, "it is empty"));
    };
    if lines.lines[end].trim() != "*** End Patch" || end < lines.at {
        let what = "the last line is not `*** End Patch`, so that some of it may be missing";
        return Err(PatchError::new(end + 1, what));
    }
    lines.lines.truncate(end);
    let mut files = Vec::new();
    loop {
        lines.skip_blank();
        let number = lines.number();
        let Some(line) = lines.next() else {
            return Ok(files);
        };
        let path = |key| value(line, key).map(str::to_owned);
        let [add, delete, update] = HEADS.map(path);
        let (path, action) = match (add, delete, update) {
            (Some(path), ..) => (path, PatchAction::Add(parse_added_lines(lines)?)),
            (_, Some(path), _) => (path, PatchAction::Delete(Vec::new())),
            (_, _, Some(path)) => (path, parse_update(lines)?),
            _ => {
                let what = format!(
                    "`{}` is neither `*** Add File: path` nor `*** Update File: path` nor `*** Delete File: path`",
                    render_line(line)
                );
                return Err(PatchError::new(number, what));
            }
        };
        files.push(FilePatch {
            path,
            line: number,
            action,
        });
    }
}

/// Returns whether a line may follow a patch: a blank line, or the end of a code block.
fn is_filler(line: &str) -> bool {
    matches!(line.trim(), "" | "```")
}

fn is_file_header(line: &str) -> bool {
    HEADS.iter().any(|head| line.starts_with(head))
}

/// Parses the lines of a new file.
fn parse_added_lines(lines: &mut PatchLines<'_>) -> Result<String, PatchError> {
    let mut text = String::new();
    while let Some(line) = lines.peek() {
        if let Some(added) = line.strip_prefix('+') {
            text.push_str(added);
            text.push('\n');
        } else if !line.trim().is_empty() {
            if is_file_header(line.trim()) {
                break;
            }
            let what = format!(
                "`{}` is not a line of a new file; each begins with `+`",
                render_line(line)
            );
            return Err(PatchError::new(lines.number(), what));
        }
        lines.next();
    }
    Ok(text)
}

/// Parses the change of an existing file.
fn parse_update(lines: &mut PatchLines<'_>) -> Result<PatchAction, PatchError> {
    lines.skip_blank();
    let move_to = lines.peek().and_then(|line| value(line, "*** Move to:"));
    let move_to = move_to.map(str::to_owned);
    if move_to.is_some() {
        lines.next();
    }
    let mut hunks = Vec::new();
    loop {
        match lines.peek() {
            None => break,
            Some(line) if is_file_header(line.trim_start()) && !line.starts_with(' ') => break,
            Some(line) if hunks.is_empty() && is_file_header(line.trim()) => break,
            Some(line) if line.trim().is_empty() && is_blank_until_header(lines) => {
                lines.next();
            }
            Some(_) => hunks.push(hunk(lines)?),
        }
    }
    if hunks.is_empty() && move_to.is_none() {
        let what = "an update has no hunk; write `@@`, then lines that begin with ` `, `-` or `+`";
        return Err(PatchError::new(lines.number(), what));
    }
    Ok(PatchAction::Update { move_to, hunks })
}

/// Reports whether only blank lines precede the next file.
fn is_blank_until_header(lines: &PatchLines<'_>) -> bool {
    let mut rest = lines.lines[lines.at..].iter();
    rest.find(|line| !line.trim().is_empty())
        .is_none_or(|line| is_file_header(line.trim()))
}

/// Parses one hunk: its headings, then its lines.
fn hunk(lines: &mut PatchLines<'_>) -> Result<Hunk, PatchError> {
    let mut hunk = Hunk {
        line: lines.number(),
        ..Hunk::default()
    };
    while let Some(line) = lines.peek() {
        let Some(heading) = line.strip_prefix("@@") else {
            break;
        };
        lines.next();
        match unified::range(line) {
            Some(at) => hunk.at = at,
            None => {
                let heading = heading.trim();
                if !heading.is_empty() {
                    hunk.headings.push(heading.to_owned());
                }
            }
        }
    }
    body(lines, &mut hunk, |lines| {
        let line = lines.peek().unwrap_or_default();
        is_file_header(line)
    })?;
    if lines
        .peek()
        .is_some_and(|line| line.trim() == "*** End of File")
    {
        lines.next();
        hunk.is_end = true;
    }
    if hunk.lines.is_empty() {
        let what = "a hunk has no lines; each begins with ` `, `-` or `+`";
        return Err(PatchError::new(hunk.line, what));
    }
    Ok(hunk)
}

/// Parses the lines of a hunk up to the next hunk, or until `ends` returns `true`.
pub(super) fn body(
    lines: &mut PatchLines<'_>,
    hunk: &mut Hunk,
    ends: impl Fn(&PatchLines<'_>) -> bool,
) -> Result<(), PatchError> {
    while let Some(line) = lines.peek() {
        if line.starts_with("@@") || ends(lines) {
            break;
        }
        if line.trim_end() == "*** End of File" {
            break;
        }
        let mut characters = line.chars();
        let sign = match characters.next() {
            // Many editors and models remove the space of an empty line.
            Some(' ') | None => LineSign::Keep,
            Some('-') => LineSign::Remove,
            Some('+') => LineSign::Add,
            Some('\\') => {
                no_break(hunk);
                lines.next();
                continue;
            }
            Some(_) => {
                let what = format!(
                    "`{}` is not a line of a hunk; each begins with ` ` (context), `-` (removed) or `+` (added)",
                    render_line(line)
                );
                return Err(PatchError::new(lines.number(), what));
            }
        };
        hunk.lines.push((sign, characters.as_str().to_owned()));
        lines.next();
    }
    // Blank lines before the next header belong to the patch, not to the file.
    let mut before = lines.at;
    while before > 0 && lines.lines[before - 1].is_empty() && !hunk.lines.is_empty() {
        hunk.lines.pop();
        before -= 1;
    }
    Ok(())
}

/// Processes `\ No newline at end of file`.
fn no_break(hunk: &mut Hunk) {
    let sign = hunk.lines.last().map(|(sign, _)| *sign);
    if sign != Some(LineSign::Add) {
        hunk.ends[0] = Some(FileEnd::WithoutBreak);
    }
    if sign != Some(LineSign::Remove) {
        hunk.ends[1] = Some(FileEnd::WithoutBreak);
    }
}

/// Renders a line of the patch for an error.
pub(super) fn render_line(line: &str) -> String {
    let line = line.trim_end();
    let total = line.chars().count() as u64;
    crate::name::truncate(line, 100, total)
}
