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
