//! `grep`: searches files like ripgrep, through the host's file capability.

mod batch;
pub(super) mod dangerous_files;
pub(super) mod ignore_rules;
mod output;
mod pattern;
mod report;
mod search;
pub(super) mod walk;

use std::pin::pin;
use std::sync::Arc;

use futures_util::StreamExt as _;
use helve::permission::DangerousPaths;
use helve::prelude::*;
use helve::sandbox::{FileKind, ReadHandle};

use self::dangerous_files::DangerousFileFilter;
pub use self::output::GrepOutput;
use self::report::SearchReport;
use self::search::{Matches, Search};
use self::walk::{Walk, WalkOptions, into_stream};
use super::stop_token::StopSource;
use super::{name, permission};

/// Searches file contents with a regular expression, like `rg`.
///
/// Passes over binary and hidden files and what `.gitignore` names, unless `path` is the file itself or `glob` names
/// it. Keys and other secrets are passed over too, unless they are what `path` or `glob` names. Files come in the order of their paths; lines are cut at 500 characters. Each line is searched by itself. Use
/// `output` "files" to find where something is, then `read_file` with an `offset`.
#[tool(
    always,
    read_only,
    title = "Search files",
    requires(fs),
    timeout = "30s",
    check = permission::check_search,
    match_rule = permission::match_search,
    suggest_rules = permission::suggest_search
)]
#[expect(
    clippy::too_many_arguments,
    reason = "each is an argument that a model knows from `rg`"
)]
pub async fn grep(
    /// Regular expression in Rust's syntax, without look-around and back-references. Escape what is meant literally:
    /// `fn main\(`.
    #[arg(min_len = 1, max_len = 10_000, example = r"fn \w+\(")]
    pattern: &str,
    /// File or folder to search, relative to the working folder or absolute.
    #[arg(default = ".")]
    path: &str,
    /// Only files that this glob names, such as `*.rs` or `src/**/*.{js,ts}` (from the working folder); `!*.lock` names
    /// all others.
    glob: Option<&str>,
    /// Whether upper and lower case are the same.
    #[arg(default)]
    case_insensitive: bool,
    /// What to return.
    #[arg(default)]
    output: GrepOutput,
    /// Lines to show before and after each match.
    #[arg(name = "context", default, max = 20)]
    context_lines: usize,
    /// Most matching lines to return; most files, where `output` is not "content".
    #[arg(default = 250, min = 1, max = 10_000)]
    limit: usize,
    dangerous: Option<&DangerousPaths>,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let matcher = pattern::compile(pattern, case_insensitive)?;
    let search = Arc::new(Search::new(matcher, output, context_lines, limit));
    let shut = DangerousFileFilter::new(dangerous, path, glob, cx);
    let (fs, path) = (cx.fs()?, name::resolve_path(cx, path));
    let start = fs.resolve(&path).await?;
    let watch = StopSource::new(cx);
    let mut report = SearchReport::new(&search, cx.result_budget());
    if fs.metadata(&path).await?.kind == FileKind::Directory {
        let walk = Walk::new(fs, &start, glob, shut, WalkOptions::default()).await?;
        let batches = into_stream(walk).ready_chunks(batch::MAX_BATCH);
        let results = batches.map(|steps| batch::search(steps, fs, &search, &watch));
        let mut results = pin!(results.buffered(batch::at_once()));
        while let Some(found) = results.next().await {
            report.add_all(found?);
            if watch.is_over() && !report.is_full() {
                report.stop();
            }
            if report.is_full() {
                break;
            }
        }
    } else {
        let matches = run(fs.open(&path).await?, &search, &watch).await?;
        if matches.is_binary && matches.count == 0 {
            report.unread(&start.display, "binary");
        }
        report.add(&start.display, matches);
    }
    watch.check()?;
    Ok(report.finish(pattern, &start.display))
}

/// Searches an open file on the blocking pool.
async fn run(
    handle: ReadHandle,
    search: &Arc<Search>,
    watch: &StopSource,
) -> Result<Matches, ToolError> {
    let (search, reader) = (Arc::clone(search), watch.reader(handle));
    Ok(tokio::task::spawn_blocking(move || search.run(&mut search.take_worker(), reader)).await?)
}
