//! A sequence of units, each of which has several spellings.

use crate::outcome::MatchOutcome;

/// The most positions that are followed at once.
const MAX_POSITIONS: usize = 16;

/// The positions after the spellings of a unit.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Spellings {
    ends: [usize; MAX_POSITIONS],
    count: usize,
    /// Whether the text ends within a spelling.
    is_pending: bool,
}

impl Spellings {
    /// Adds the position after a complete spelling.
    pub(crate) fn add_end(&mut self, end: usize) {
        if self.count < MAX_POSITIONS && !self.ends().contains(&end) {
            self.ends[self.count] = end;
            self.count += 1;
        }
    }

    /// Marks that the text ends before a spelling is complete.
    pub(crate) fn set_pending(&mut self) {
        self.is_pending = true;
    }

    /// Adds a spelling, as far as the text has it.
    pub(crate) fn add(&mut self, text: &[u8], start: usize, spelling: &[u8]) {
        self.add_if(text, start, spelling, <[u8]>::eq);
    }

    /// Adds a spelling in which the case of letters does not matter.
    pub(crate) fn add_any_case(&mut self, text: &[u8], start: usize, spelling: &[u8]) {
        self.add_if(text, start, spelling, <[u8]>::eq_ignore_ascii_case);
    }

    fn add_if(
        &mut self,
        text: &[u8],
        start: usize,
        spelling: &[u8],
        is_same: fn(&[u8], &[u8]) -> bool,
    ) {
        let rest = text.get(start..).unwrap_or_default();
        let length = rest.len().min(spelling.len());
        if !is_same(&rest[..length], &spelling[..length]) {
            return;
        }
        if length == spelling.len() {
            self.add_end(start + length);
        } else {
            self.is_pending = true;
        }
    }

    fn ends(&self) -> &[usize] {
        &self.ends[..self.count]
    }
}

/// Follows all spellings of a sequence of units at once. The longest match is the outcome.
pub(crate) fn match_units<U>(
    start: usize,
    units: impl IntoIterator<Item = U>,
    spell: impl Fn(&U, usize, &mut Spellings),
) -> MatchOutcome {
    let mut reached = Spellings::default();
    reached.add_end(start);
    let mut is_pending = false;
    for unit in units {
        let mut next = Spellings::default();
        for position in reached.ends() {
            spell(&unit, *position, &mut next);
        }
        is_pending |= next.is_pending;
        reached = next;
        if reached.count == 0 {
            break;
        }
    }
    match reached.ends().iter().max() {
        Some(end) => MatchOutcome::Found {
            end: *end,
            is_open: is_pending,
        },
        None if is_pending => MatchOutcome::Pending,
        None => MatchOutcome::None,
    }
}

/// The most bytes of a spelling: four bytes, each in hexadecimal behind backslashes.
const MAX_SPELLING: usize = 48;

/// A spelling that is written without an allocation. What does not fit is left out.
pub(crate) struct SpellingBuffer {
    bytes: [u8; MAX_SPELLING],
    length: usize,
}

impl SpellingBuffer {
    pub(crate) fn new() -> Self {
        Self {
            bytes: [0; MAX_SPELLING],
            length: 0,
        }
    }

    pub(crate) fn push(&mut self, part: &[u8]) {
        let end = self.length + part.len();
        if let Some(free) = self.bytes.get_mut(self.length..end) {
            free.copy_from_slice(part);
            self.length = end;
        }
    }

    /// Writes a number in a base up to 16, with at least so many digits.
    pub(crate) fn push_number(&mut self, number: u32, base: u32, least: usize) {
        let (mut digits, mut rest) = ([b'0'; 32], number);
        let mut from = digits.len();
        while rest > 0 || digits.len() - from < least.max(1) {
            from -= 1;
            let digit = char::from_digit(rest % base, base);
            digits[from] = digit
                .and_then(|digit| u8::try_from(digit).ok())
                .unwrap_or(b'0');
            rest /= base;
        }
        self.push(&digits[from..]);
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// The most blanks that an encoder puts before a continued line.
const MAX_INDENT: usize = 16;

/// Returns the position after a line break, which may be escaped, and the blanks that follow.
pub(crate) fn line_break(text: &[u8], start: usize) -> Option<usize> {
    let rest = text.get(start..)?;
    let breaks: [&[u8]; 5] = [b"\r\n", b"\n", b"\r", b"\\r\\n", b"\\n"];
    let length = breaks.iter().find(|line| rest.starts_with(line))?.len();
    let blanks = rest[length..].iter().take(MAX_INDENT);
    let blanks = blanks.take_while(|byte| matches!(byte, b' ' | b'\t' | b'>'));
    Some(start + length + blanks.count())
}
