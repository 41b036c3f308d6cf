//! Batches of files that one thread searches, because waking a thread for each file would cost more.

use std::num::NonZero;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use helve::ToolError;
use helve::sandbox::{FsError, ReadHandle, SandboxFs};

use super::output::GrepOutput;
use super::search::{Matches, Search, SearchFailure, SearchWorker};
use super::walk::{self, WalkEntry};
use crate::stop_token::{StopSource, StopToken};

/// The greatest number of files per batch.
pub(super) const MAX_BATCH: usize = 128;

/// The number of concurrent batches: the least and the greatest.
const AT_ONCE: (usize, usize) = (4, 12);

/// Returns the number of concurrent batches; their results keep the order of the paths.
pub(super) fn at_once() -> usize {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    processors.clamp(AT_ONCE.0, AT_ONCE.1)
}

/// The result of one step of the walk.
pub(super) struct FileResult {
    /// The path for display.
    pub(super) name: String,
    /// The matches; the error is the reason why the file was not searched.
    pub(super) result: Result<Matches, String>,
}

/// Searches the files of a batch in order, until the batch alone reaches the limit or the result is no longer needed.
pub(super) async fn search(
    steps: Vec<WalkEntry>,
    fs: &dyn SandboxFs,
    search: &Arc<Search>,
    watch: &StopSource,
) -> Result<Vec<FileResult>, ToolError> {
    let (mut paths, mut names) = (Vec::new(), Vec::new());
    for step in steps {
        let (name, missing) = match step {
            WalkEntry::File(path, name) => {
                paths.push(path);
                (name, None)
            }
            WalkEntry::Unreadable(name, reason) => (name, Some(reason)),
        };
        names.push((name, missing));
    }
    let results = run(paths, fs, search, watch).await?;
    Ok(pair_results(names, results))
}

/// Searches files; files without a result were not needed.
async fn run(
    paths: Vec<PathBuf>,
    fs: &dyn SandboxFs,
    search: &Arc<Search>,
    watch: &StopSource,
) -> Result<Vec<Result<Matches, String>>, ToolError> {
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let results = Arc::new(Mutex::new(Vec::with_capacity(paths.len())));
    let mut job = SearchTask {
        worker: None,
        search: Arc::clone(search),
        stop_token: watch.interest(),
        results: Arc::clone(&results),
        match_count: 0,
    };
    fs.open_each(paths, Box::new(move |file| job.take(file)))
        .await?;
    let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(std::mem::take(&mut *results))
}

/// Pairs results with names, up to the first name without a result.
fn pair_results(
    names: Vec<(String, Option<String>)>,
    results: Vec<Result<Matches, String>>,
) -> Vec<FileResult> {
    let mut results = results.into_iter();
    let pair = |(name, missing): (String, Option<String>)| {
        let result = missing.map_or_else(|| results.next(), |reason| Some(Err(reason)))?;
        Some(FileResult { name, result })
    };
    names.into_iter().map_while(pair).collect()
}

/// The part of a search that one thread runs.
struct SearchTask {
    search: Arc<Search>,
    worker: Option<SearchWorker>,
    stop_token: StopToken,
    results: Arc<Mutex<Vec<Result<Matches, String>>>>,
    /// The number of results of this batch that count towards the limit.
    match_count: usize,
}

impl SearchTask {
    fn take(&mut self, file: Result<ReadHandle, FsError>) -> ControlFlow<()> {
        if self.stop_token.is_stopped() {
            return ControlFlow::Break(());
        }
        let worker = self.worker.get_or_insert_with(|| self.search.take_worker());
        let result = match file {
            Ok(handle) => Ok(self.search.run(worker, self.stop_token.reader(handle))),
            Err(error) => Err(walk::reason(&error)),
        };
        let flow = result
            .as_ref()
            .map_or(ControlFlow::Continue(()), |matches| {
                self.match_count += match self.search.output {
                    GrepOutput::Content => matches.count as usize,
                    GrepOutput::Files | GrepOutput::Count => usize::from(matches.count > 0),
                };
                // One more than the limit shows whether there are further results.
                let is_enough = self.match_count > self.search.limit;
                match is_enough || matches!(matches.failure, Some(SearchFailure::Stopped)) {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            });
        let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        results.push(result);
        flow
    }
}

impl Drop for SearchTask {
    fn drop(&mut self) {
        if let Some(worker) = self.worker.take() {
            self.search.release(worker);
        }
    }
}
