//! Searches files one after another on the blocking pool.

use std::fmt;
use std::io::{self, Read};
use std::sync::{Mutex, PoisonError};

use grep_regex::RegexMatcher;
use grep_searcher::{
    BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch,
};

use super::output::GrepOutput;
use crate::name;
use crate::stop_token::{ReadFailure, StoppableReader};

/// The greatest number of characters of a line that are shown.
const MAX_LINE_CHARS: usize = 500;

/// The greatest memory of one search in bytes, which limits the length of a line.
const MAX_SEARCH_BYTES: usize = 16 << 20;

/// The parameters of a search, which are the same for all files.
pub(super) struct Search {
    matcher: RegexMatcher,
    pub(super) output: GrepOutput,
    context: usize,
    pub(super) limit: usize,
    /// The workers that no thread uses at the moment.
    idle: Mutex<Vec<SearchWorker>>,
}

/// The state of one thread: its buffer and its matcher's cache are reused for all files.
pub(super) struct SearchWorker {
    matcher: RegexMatcher,
    searcher: Searcher,
}

/// The matches in one file.
#[derive(Default)]
pub(super) struct Matches {
    /// The matching lines, with their context.
    pub(super) lines: Vec<ResultLine>,
    /// The number of matching lines; at most one more than the limit if lines are requested.
    pub(super) count: u64,
    /// Whether the file is binary, so that the search stopped.
    pub(super) is_binary: bool,
    /// The reason why the file was not searched to its end.
    pub(super) failure: Option<SearchFailure>,
}

/// One line of a result.
pub(super) enum ResultLine {
    Match(u64, String),
    Context(u64, String),
    Gap,
}

impl fmt::Display for ResultLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Match(number, text) => write!(f, "{number}:{text}"),
            Self::Context(number, text) => write!(f, "{number}-{text}"),
            Self::Gap => f.write_str("--"),
        }
    }
}

/// The reason why a file was not searched to its end.
pub(super) enum SearchFailure {
    Stopped,
    Failed(String),
}

impl Search {
    /// Creates a search.
    pub(super) fn new(
        matcher: RegexMatcher,
        output: GrepOutput,
        context: usize,
        limit: usize,
    ) -> Self {
        Self {
            matcher,
            output,
            context,
            limit,
            idle: Mutex::default(),
        }
    }

    /// Returns an idle worker, or creates one.
    pub(super) fn take_worker(&self) -> SearchWorker {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.pop().unwrap_or_else(|| SearchWorker {
            matcher: self.matcher.clone(),
            searcher: SearcherBuilder::new()
                .line_number(self.output == GrepOutput::Content)
                .before_context(self.context)
                .after_context(self.context)
                .binary_detection(BinaryDetection::quit(0))
                .heap_limit(Some(MAX_SEARCH_BYTES))
                .build(),
        })
    }

    /// Returns a worker to the idle ones.
    pub(super) fn release(&self, worker: SearchWorker) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push(worker);
    }

    /// Searches the data of a reader.
    pub(super) fn run<R: Read>(
        &self,
        worker: &mut SearchWorker,
        mut reader: StoppableReader<R>,
    ) -> Matches {
        let mut matches = Matches::default();
        let sink = Collector {
            search: self,
            matches: &mut matches,
        };
        let SearchWorker { matcher, searcher } = worker;
        if let Err(error) = searcher.search_reader(&*matcher, &mut reader, sink) {
            matches.failure = Some(match reader.into_failure() {
                Some(ReadFailure::Stopped) => SearchFailure::Stopped,
                Some(ReadFailure::Failed(reason)) => SearchFailure::Failed(reason),
                None if error.to_string().contains("allocation limit") => {
                    let most = name::size(MAX_SEARCH_BYTES as u64);
                    SearchFailure::Failed(format!(
                        "a line is longer than {most}; searched up to it"
                    ))
                }
                None => SearchFailure::Failed(error.to_string()),
            });
        }
        matches
    }
}

/// Collects the results of the searcher.
struct Collector<'a> {
    search: &'a Search,
    matches: &'a mut Matches,
}

impl Sink for Collector<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        self.matches.count += 1;
        Ok(match self.search.output {
            GrepOutput::Content => {
                let line = ResultLine::Match(found.line_number().unwrap_or(0), text(found.bytes()));
                self.matches.lines.push(line);
                // One more than the limit shows whether there are further results.
                self.matches.count <= self.search.limit as u64
            }
            GrepOutput::Files => false,
            GrepOutput::Count => true,
        })
    }

    fn context(&mut self, _: &Searcher, found: &SinkContext<'_>) -> Result<bool, io::Error> {
        if self.search.output == GrepOutput::Content {
            let line = ResultLine::Context(found.line_number().unwrap_or(0), text(found.bytes()));
            self.matches.lines.push(line);
        }
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, io::Error> {
        self.matches.lines.push(ResultLine::Gap);
        Ok(true)
    }

    fn finish(&mut self, _: &Searcher, end: &SinkFinish) -> Result<(), io::Error> {
        self.matches.is_binary = end.binary_byte_offset().is_some();
        if self.matches.is_binary && self.search.output == GrepOutput::Count {
            // An incomplete count would be wrong.
            self.matches.count = 0;
        }
        Ok(())
    }
}

/// Renders a line without its line break, truncated for display.
fn text(bytes: &[u8]) -> String {
    let line = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let total = line.iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
    let kept = &line[..line.len().min(MAX_LINE_CHARS * 4)];
    name::truncate(&String::from_utf8_lossy(kept), MAX_LINE_CHARS, total as u64)
}
