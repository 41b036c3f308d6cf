//! Reads a window of lines from a file of any size in bounded memory, even if a line has a gigabyte.

use std::io::{self, BufRead, BufReader, Read};

use super::{name, text};

/// The greatest number of characters of a line that are shown.
const MAX_LINE_CHARS: usize = 2_000;

/// The greatest size of these characters, in bytes.
const MAX_LINE_BYTES: usize = MAX_LINE_CHARS * 4;

/// The number of bytes after the window that are read to count their lines.
const MAX_COUNTED_BYTES: u64 = 64 << 20;

/// The requested lines.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineWindow {
    /// The first line, counted from 1.
    pub(super) offset: u64,
    /// The greatest number of lines.
    pub(super) limit: u64,
    /// The greatest number of characters; at least one line is returned.
    pub(super) budget: usize,
}

/// The lines of a window.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct WindowText {
    /// The lines, with their numbers.
    pub(super) text: String,
    /// The number of lines in the window.
    pub(super) lines: u64,
    /// The number of lines that were counted in the file.
    pub(super) total: u64,
    /// Whether all lines of the file were counted.
    pub(super) counted_all: bool,
    /// Whether the window contained bytes that are not UTF-8.
    pub(super) is_lossy: bool,
}

/// Reads a window of lines.
pub(super) fn read(reader: impl Read, window: LineWindow) -> io::Result<WindowText> {
    let mut lines = LineReader::new(reader);
    let mut shown = WindowText::default();
    let mut room = window.budget;
    let mut more = lines.skip(window.offset.saturating_sub(1), u64::MAX)?;
    while more && shown.lines < window.limit {
        let Some(line) = lines.next()? else { break };
        let number = window.offset + shown.lines;
        let text = format!("{number:6}\t{}\n", line.render());
        let length = text.chars().count();
        more = length <= room;
        if more || shown.lines == 0 {
            room = room.saturating_sub(length);
            shown.is_lossy |= line.is_lossy();
            shown.text.push_str(&text);
            shown.lines += 1;
        }
    }
    shown.counted_all = !lines.skip(u64::MAX, MAX_COUNTED_BYTES)?;
    shown.total = lines.newlines + u64::from(!lines.at_start);
    Ok(shown)
}

/// A reader that counts lines.
struct LineReader<R> {
    reader: BufReader<R>,
    newlines: u64,
    /// Whether the last byte was a line break, or no byte was read yet.
    at_start: bool,
}

impl<R: Read> LineReader<R> {
    fn new(reader: R) -> Self {
        Self {
            reader: BufReader::with_capacity(64 << 10, reader),
            newlines: 0,
            at_start: true,
        }
    }

    /// Skips `wanted` line breaks, or at most `most` bytes; returns `false` if the file ended before.
    fn skip(&mut self, wanted: u64, most: u64) -> io::Result<bool> {
        let (mut wanted, mut most) = (wanted, most);
        while wanted > 0 && most > 0 {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                return Ok(false);
            }
            let breaks = buffer.iter().filter(|&&byte| byte == b'\n').count() as u64;
            let taken = if breaks < wanted {
                buffer.len()
            } else {
                let mut ends = (0..buffer.len()).filter(|&at| buffer[at] == b'\n');
                ends.nth(usize::try_from(wanted - 1).unwrap_or(usize::MAX))
                    .map_or(buffer.len(), |end| end + 1)
            };
            self.pass(taken, breaks.min(wanted));
            wanted -= breaks.min(wanted);
            most = most.saturating_sub(taken as u64);
        }
        Ok(true)
    }

    /// Reads one line, and keeps the part that can be shown; returns `None` at the end of the file.
    fn next(&mut self) -> io::Result<Option<LineBuffer>> {
        let mut line = LineBuffer::default();
        let mut is_empty = true;
        loop {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                return Ok((!is_empty).then_some(line));
            }
            is_empty = false;
            // `contains` uses `memchr`, which is fast for a long line.
            let end = match buffer.contains(&b'\n') {
                true => buffer.iter().position(|&byte| byte == b'\n'),
                false => None,
            };
            line.push(&buffer[..end.unwrap_or(buffer.len())]);
            let taken = end.map_or(buffer.len(), |end| end + 1);
            self.pass(taken, u64::from(end.is_some()));
            if end.is_some() {
                return Ok(Some(line));
            }
        }
    }

    /// Consumes bytes of the buffer that contain this number of line breaks.
    fn pass(&mut self, bytes: usize, newlines: u64) {
        if let Some(last) = bytes.checked_sub(1) {
            self.at_start = self.reader.buffer().get(last) == Some(&b'\n');
        }
        self.reader.consume(bytes);
        self.newlines += newlines;
    }
}

/// The beginning of a line, and the length of the whole line.
#[derive(Default)]
struct LineBuffer {
    bytes: Vec<u8>,
    characters: u64,
    last: u8,
}

impl LineBuffer {
    fn push(&mut self, bytes: &[u8]) {
        let room = MAX_LINE_BYTES.saturating_sub(self.bytes.len());
        self.bytes
            .extend_from_slice(&bytes[..room.min(bytes.len())]);
        self.characters += characters(bytes) as u64;
        self.last = bytes.last().copied().unwrap_or(self.last);
    }

    /// Renders the line without its trailing carriage return, truncated for display.
    fn render(&self) -> String {
        let carriage = u64::from(self.last == b'\r');
        let text = text::lossy(self.complete_bytes());
        let text = text.strip_suffix('\r').unwrap_or(&text);
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        name::truncate(text, MAX_LINE_CHARS, self.characters - carriage)
    }

    fn is_lossy(&self) -> bool {
        std::str::from_utf8(self.complete_bytes()).is_err()
    }

    /// Returns the stored bytes without an incomplete character at the end.
    fn complete_bytes(&self) -> &[u8] {
        match std::str::from_utf8(&self.bytes) {
            Err(error) if error.error_len().is_none() && self.bytes.len() == MAX_LINE_BYTES => {
                &self.bytes[..error.valid_up_to()]
            }
            _ => &self.bytes,
        }
    }
}

/// Counts characters by their bytes that are not continuation bytes, also in text with incomplete characters.
fn characters(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.chars().count(),
        Err(_) => bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count(),
    }
}

#[cfg(test)]
mod tests {
    use super::{LineWindow, MAX_LINE_CHARS, WindowText, read};

    fn window(text: &[u8], offset: u64, limit: u64) -> WindowText {
        let budget = 1_000_000;
        let window = LineWindow {
            offset,
            limit,
            budget,
        };
        read(text, window).unwrap()
    }

    #[test]
    fn counts_as_editors_do() {
        for (text, total) in [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("\n\n", 2)] {
            assert_eq!(window(text.as_bytes(), 1, 1).total, total, "{text:?}");
            assert_eq!(window(text.as_bytes(), 9, 1).total, total, "{text:?}");
        }
    }

    #[test]
    fn takes_lines_out_of_the_middle() {
        let shown = window(b"a\r\nb\r\nc\r\nd", 2, 2);
        assert_eq!(shown.text, "     2\tb\n     3\tc\n");
        assert_eq!((shown.lines, shown.total, shown.counted_all), (2, 4, true));
    }

    #[test]
    fn cuts_long_lines_between_characters() {
        let text = window("ä".repeat(MAX_LINE_CHARS + 1).as_bytes(), 1, 1).text;
        assert!(
            text.ends_with("ä… [line cut: 2000 of 2001 characters]\n"),
            "{text}"
        );
        let text = window("a".repeat(MAX_LINE_CHARS).as_bytes(), 1, 1).text;
        assert!(!text.contains("cut"));
        let text = window(
            format!("a{}", "😀".repeat(MAX_LINE_CHARS * 2)).as_bytes(),
            1,
            1,
        );
        assert!(
            !text.is_lossy && text.text.contains("2000 of 4001"),
            "{}",
            text.text
        );
    }

    #[test]
    fn stops_at_its_budget() {
        let window = LineWindow {
            offset: 1,
            limit: 10,
            budget: 20,
        };
        let shown = read(&b"one\ntwo\nthree\n"[..], window).unwrap();
        assert_eq!((shown.lines, shown.total), (1, 3));
    }

    #[test]
    fn shows_what_is_not_utf8() {
        let shown = window(b"a\xff\x01b\ncaf\xe9\n", 1, 2);
        assert_eq!(shown.text, "     1\ta\u{fffd}\u{1}b\n     2\tcafé\n");
        assert!(shown.is_lossy);
    }
}
