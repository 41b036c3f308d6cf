//! One file after the other, searched on the blocking pool.

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

/// The most characters of a line that are shown.
const MAX_LINE_CHARS: usize = 500;

/// The most memory of one search, and so the longest line.
const MAX_SEARCH_BYTES: usize = 16 << 20;

/// What is searched for, the same for every file.
pub(super) struct Search {
    matcher: RegexMatcher,
    pub(super) output: GrepOutput,
    context: usize,
    pub(super) limit: usize,
    /// What the threads search with, while none of them does.
    idle: Mutex<Vec<SearchWorker>>,
}

/// What one thread searches with: its buffer, and what its matcher has learnt, serve file after file.
pub(super) struct SearchWorker {
    matcher: RegexMatcher,
    searcher: Searcher,
}

/// What was found in one file.
#[derive(Default)]
pub(super) struct Matches {
    /// The lines, with their context.
    pub(super) lines: Vec<ResultLine>,
    /// How many lines matched, up to one more than the limit where lines are wanted.
    pub(super) count: u64,
    /// Whether the file turned out to be binary, so that the search stopped there.
    pub(super) is_binary: bool,
    /// Why the file was not searched to its end.
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

/// Why a file was not searched to its end.
pub(super) enum SearchFailure {
    Stopped,
    Failed(String),
}

impl Search {
    /// Describes a search.
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

    /// Takes an idle worker, or creates one.
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

    /// Takes a worker back.
    pub(super) fn release(&self, worker: SearchWorker) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push(worker);
    }

    /// Searches what a reader gives.
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

/// Takes what the searcher finds.
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
                // One more than wanted shows whether there are more.
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
            // A count that stopped half-way would be a wrong number.
            self.matches.count = 0;
        }
        Ok(())
    }
}

/// Writes a line without its end, cut to what is shown.
fn text(bytes: &[u8]) -> String {
    let line = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let total = line.iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
    let kept = &line[..line.len().min(MAX_LINE_CHARS * 4)];
    name::truncate(&String::from_utf8_lossy(kept), MAX_LINE_CHARS, total as u64)
}
