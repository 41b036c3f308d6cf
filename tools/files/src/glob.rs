//! `glob`: finds files by name, newest first.

use std::pin::pin;
use std::time::{Duration, SystemTime};

use futures_util::StreamExt as _;
use globset::{GlobBuilder, GlobMatcher};
use helve::prelude::*;
use helve::sandbox::{FileKind, SandboxFs};

use super::grep::dangerous_files::DangerousFileFilter;
use super::grep::walk::{Walk, WalkEntry, WalkOptions, into_stream};
use super::stop_token::StopSource;
use super::{name, permission};

/// The greatest number of paths that are returned.
const MAX_SHOWN: usize = 250;

/// The greatest number of matching files whose modification times are read.
const MAX_FILES: usize = 100_000;

/// The number of files per batch whose times are read, and the number of concurrent batches.
const BATCH: usize = 128;
const AT_ONCE: usize = 2;

/// Finds files by a pattern of their paths, such as `**/*.rs` or `src/**/*.{js,ts}`; the newest come first.
///
/// A pattern without `/` is about the name in any folder. Passes over what `.gitignore` names, and over hidden files
/// unless the pattern names them with their dot. Returns at most 250 paths; use `grep` to search contents.
#[tool(
    always,
    read_only,
    title = "Find files",
    requires(fs),
    timeout = "30s",
    check = permission::check_glob,
    match_rule = permission::match_glob,
    suggest_rules = permission::suggest_glob
)]
pub async fn glob(
    /// Pattern of the paths, relative to `path`: `*` and `?` stay within a name, `**` goes through folders.
    #[arg(min_len = 1, max_len = 1_000, example = "src/**/*.rs")]
    pattern: &str,
    /// Folder to search, relative to the working folder or absolute.
    #[arg(default = ".")]
    path: &str,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let matcher = compile(pattern)?;
    let (fs, path) = (cx.fs()?, name::resolve_path(cx, path));
    let start = fs.resolve(&path).await?;
    if fs.metadata(&path).await?.kind != FileKind::Directory {
        return Err(ToolError::failed(format!(
            "`{}` is a file; give the folder to search in as `path`",
            name::display_path(&path)
        )));
    }
    let watch = StopSource::new(cx);
    let seeing = WalkOptions {
        include_hidden: names_hidden(pattern),
    };
    let walk = Walk::new(fs, &start, None, DangerousFileFilter::none(), seeing).await?;
    let is_wanted = |step: &WalkEntry| match step {
        WalkEntry::File(path, _) => path
            .strip_prefix(&start.absolute)
            .is_ok_and(|path| matcher.is_match(path)),
        WalkEntry::Unreadable(..) => true,
    };
    let wanted = into_stream(walk).filter(|step| std::future::ready(is_wanted(step)));
    let batches = wanted.ready_chunks(BATCH);
    let aged = batches.map(|steps| load_times(fs, steps)).buffered(AT_ONCE);
    let mut found = GlobMatches::default();
    let mut aged = pin!(aged);
    while let Some(files) = aged.next().await {
        found.add(files?);
        found.is_truncated |= watch.is_over();
        if found.is_truncated {
            break;
        }
        watch.check()?;
    }
    Ok(found.output(pattern, &start.display, cx.result_budget()))
}

/// Reads the modification times of files; a file that no longer exists is left out. The error names what was not
/// searched.
async fn load_times(
    fs: &dyn SandboxFs,
    steps: Vec<WalkEntry>,
) -> Result<Vec<Result<TimedPath, String>>, ToolError> {
    let (mut paths, mut names, mut unread) = (Vec::new(), Vec::new(), Vec::new());
    for step in steps {
        match step {
            WalkEntry::File(path, name) => {
                paths.push(path);
                names.push(name);
            }
            WalkEntry::Unreadable(name, reason) => unread.push(Err(format!("`{name}` ({reason})"))),
        }
    }
    let found = fs.metadata_each(paths).await?;
    let pairs = found.into_iter().zip(names);
    let aged = pairs.filter_map(|(found, name)| Some(Ok((found.ok()?.modified, name))));
    Ok(aged.chain(unread).collect())
}

/// The modification time of a file, and its path.
type TimedPath = (Option<SystemTime>, String);

/// Compiles a pattern with the rules of `.gitignore`: a pattern without a slash matches names.
fn compile(pattern: &str) -> Result<GlobMatcher, ToolError> {
    let trimmed = pattern.trim_start_matches("./").trim_start_matches('/');
    let anywhere = match pattern.contains('/') {
        true => trimmed.to_owned(),
        false => format!("**/{trimmed}"),
    };
    let built = GlobBuilder::new(&anywhere).literal_separator(true).build();
    let glob = built.map_err(|error| {
        ToolError::failed(format!(
            "`pattern` cannot be used: {}; write it like `*.rs`, `docs/**/*.md` or `src/*.{{js,ts}}`",
            error.kind()
        ))
    })?;
    Ok(glob.compile_matcher())
}

/// Reports whether a pattern contains the name of a hidden file.
fn names_hidden(pattern: &str) -> bool {
    let mut parts = pattern.split(['/', '{', ',']);
    parts.any(|part| part.starts_with('.') && !matches!(part, "." | ".."))
}

#[derive(Default)]
struct GlobMatches {
    files: Vec<TimedPath>,
    unreadable: Vec<String>,
    is_truncated: bool,
}

impl GlobMatches {
    fn add(&mut self, files: Vec<Result<TimedPath, String>>) {
        for file in files {
            match file {
                Ok(file) => self.files.push(file),
                Err(unread) => self.unreadable.push(unread),
            }
            self.is_truncated = self.files.len() == MAX_FILES;
            if self.is_truncated {
                return;
            }
        }
    }

    fn output(mut self, pattern: &str, place: &str, budget: usize) -> ToolOutput {
        // The walk is sorted by path, and the stable sort keeps this order for equal times.
        self.files.sort_by_key(|(modified, _)| {
            std::cmp::Reverse(modified.unwrap_or(SystemTime::UNIX_EPOCH - Duration::from_secs(1)))
        });
        let (mut text, mut room, mut shown) = (String::new(), budget, 0);
        for (_, name) in self.files.iter().take(MAX_SHOWN) {
            let Some(left) = room.checked_sub(name.chars().count() + 1) else {
                break;
            };
            room = left;
            shown += 1;
            text.push_str(name);
            text.push('\n');
        }
        if self.files.is_empty() && !self.is_truncated {
            text = format!("no file in `{place}` matches `{pattern}`");
        }
        let total = self.files.len();
        let mut output = ToolOutput::plain(text);
        if self.is_truncated {
            output = output.with_note(format!(
                "[search incomplete: {shown} of at least {total} files are shown, and newer files may be missing; \
                 narrow `path` or `pattern`]"
            ));
        } else if shown < total {
            output = output.with_note(format!(
                "[the newest {shown} of {total} files; narrow `path` or `pattern` to see the others]"
            ));
        }
        if !self.unreadable.is_empty() {
            let named: Vec<_> = self.unreadable.iter().take(5).cloned().collect();
            output = output.with_note(format!("[not searched: {}]", named.join(", ")));
        }
        output
    }
}

#[cfg(test)]
mod tests {
    use super::{compile, names_hidden};

    #[test]
    fn patterns_are_those_of_gitignore() {
        for (pattern, path) in [
            ("*.rs", "src/a.rs"),
            ("**/*.rs", "a.rs"),
            ("./src/*.rs", "src/a.rs"),
            ("/a.rs", "a.rs"),
            ("src/**", "src/a/b"),
            ("*.{js,ts}", "a/b.ts"),
        ] {
            assert!(compile(pattern).unwrap().is_match(path), "{pattern}");
        }
        for (pattern, path) in [
            ("src/*.rs", "src/a/b.rs"),
            ("/a.rs", "b/a.rs"),
            ("*.ts", "a.md"),
        ] {
            assert!(!compile(pattern).unwrap().is_match(path), "{pattern}");
        }
        assert!(compile("[").is_err());
        assert!(names_hidden(".github/**") && names_hidden("**/.env*") && names_hidden("{a,.b}"));
        assert!(!names_hidden("./a") && !names_hidden("../a.b") && !names_hidden("**/*.rs"));
    }
}
