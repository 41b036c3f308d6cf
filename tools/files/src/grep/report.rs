//! Renders the result of a search: the output of `rg --heading --line-number`, and notes about omissions.

use std::fmt::Write as _;

use helve::ToolOutput;

use super::batch::FileResult;
use super::output::GrepOutput;
use super::search::{Matches, ResultLine, Search, SearchFailure};

/// The greatest number of files that a note names.
const MAX_NAMED: usize = 5;

/// A result that is built file by file, in the order of the paths.
pub(super) struct SearchReport<'a> {
    search: &'a Search,
    text: String,
    /// The number of characters that can still be written.
    remaining_chars: usize,
    /// The number of lines or files in the result, depending on the limit.
    shown_count: usize,
    searched: usize,
    unreadable: Vec<String>,
    stop_reason: Option<StopReason>,
}

/// The reason why a search ended early.
enum StopReason {
    Limit,
    Budget,
    Time,
}

impl<'a> SearchReport<'a> {
    /// Creates a result of at most `budget` characters.
    pub(super) fn new(search: &'a Search, budget: usize) -> Self {
        Self {
            search,
            text: String::new(),
            remaining_chars: budget,
            shown_count: 0,
            searched: 0,
            unreadable: Vec::new(),
            stop_reason: None,
        }
    }

    /// Reports whether the result is full.
    pub(super) fn is_full(&self) -> bool {
        self.stop_reason.is_some()
    }

    /// Adds the matches of several files, until the result is full.
    pub(super) fn add_all(&mut self, found: Vec<FileResult>) {
        for FileResult { name, result } in found {
            match result {
                Ok(matches) => self.add(&name, matches),
                Err(reason) => self.unread(&name, &reason),
            }
            if self.is_full() {
                return;
            }
        }
    }

    /// Adds the matches of a file.
    pub(super) fn add(&mut self, name: &str, matches: Matches) {
        self.searched += 1;
        match self.search.output {
            GrepOutput::Content => self.content(name, &matches.lines),
            GrepOutput::Files if matches.count > 0 => self.file(name),
            GrepOutput::Count if matches.count > 0 => {
                self.file(&format!("{name}:{}", matches.count));
            }
            GrepOutput::Files | GrepOutput::Count => {}
        }
        match matches.failure {
            Some(SearchFailure::Stopped) => self.stop(),
            Some(SearchFailure::Failed(reason)) => self.unread(name, &reason),
            None if matches.is_binary && matches.count > 0 => {
                self.unread(name, "binary; searched up to its first NUL");
            }
            None => {}
        }
    }

    /// Adds a file or folder that was not searched, or only in part.
    pub(super) fn unread(&mut self, name: &str, reason: &str) {
        self.unreadable.push(format!("`{name}` ({reason})"));
    }

    /// Records that the time limit was reached.
    pub(super) fn stop(&mut self) {
        self.stop_reason = Some(StopReason::Time);
    }

    fn content(&mut self, name: &str, lines: &[ResultLine]) {
        let mut heading = match &*self.text {
            "" => format!("{name}\n"),
            _ => format!("\n{name}\n"),
        };
        for line in lines {
            let is_match = matches!(line, ResultLine::Match(..));
            if is_match && self.shown_count == self.search.limit {
                self.stop_reason = Some(StopReason::Limit);
            }
            if self.is_full() {
                return;
            }
            let wrote = self.write(&format!("{}{line}\n", std::mem::take(&mut heading)));
            self.shown_count += usize::from(wrote && is_match);
        }
    }

    fn file(&mut self, line: &str) {
        if self.shown_count == self.search.limit {
            self.stop_reason = Some(StopReason::Limit);
            return;
        }
        let wrote = self.write(&format!("{line}\n"));
        self.shown_count += usize::from(wrote);
    }

    /// Writes complete lines; returns `false` if they do not fit.
    fn write(&mut self, text: &str) -> bool {
        let Some(room) = self.remaining_chars.checked_sub(text.chars().count()) else {
            self.stop_reason = Some(StopReason::Budget);
            return false;
        };
        self.remaining_chars = room;
        self.text.push_str(text);
        true
    }

    /// Completes the result; `place` is the path that was searched.
    pub(super) fn finish(mut self, pattern: &str, place: &str) -> ToolOutput {
        let notes = self.notes();
        if self.text.is_empty() && self.stop_reason.is_none() {
            let files = match self.searched {
                1 => "1 file".to_owned(),
                files => format!("{files} files"),
            };
            let _ = write!(
                self.text,
                "no match for `{pattern}` in `{place}` ({files} searched)"
            );
        }
        notes
            .into_iter()
            .fold(ToolOutput::plain(self.text), ToolOutput::with_note)
    }

    fn notes(&self) -> Vec<String> {
        let what = match self.search.output {
            GrepOutput::Content => "matching lines",
            GrepOutput::Files | GrepOutput::Count => "files",
        };
        let shown = self.shown_count;
        let mut notes = Vec::new();
        notes.extend(self.stop_reason.as_ref().map(|end| match end {
            StopReason::Limit => format!(
                "[{what} shown: {shown}, and there are more; narrow `pattern`, `path` or `glob`, or raise `limit`]"
            ),
            StopReason::Budget => format!(
                "[{what} shown: {shown}, and more do not fit; narrow `pattern`, `path` or `glob`, or set `output` to \
                 \"files\"]"
            ),
            StopReason::Time => format!(
                "[search timed out, so matches are missing (files searched: {}); narrow `path` or `glob`]",
                self.searched
            ),
        }));
        if !self.unreadable.is_empty() {
            let named = self
                .unreadable
                .iter()
                .take(MAX_NAMED)
                .cloned()
                .collect::<Vec<_>>();
            let more = match self.unreadable.len() - named.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            notes.push(format!("[not fully searched: {}{more}]", named.join(", ")));
        }
        notes
    }
}
