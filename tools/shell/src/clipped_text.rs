//! A text of which only the beginning and the end are kept.

/// Keeps the beginning and the end of a text that is received in pieces, in bounded memory.
#[derive(Debug)]
pub(super) struct ClippedText {
    head: String,
    tail: String,
    /// The number of characters that the beginning can still store.
    remaining_head: usize,
    /// The number of characters at the end, and its limit.
    tail_chars: usize,
    max_tail: usize,
    omitted: usize,
}

impl ClippedText {
    /// Creates a text of at most `most` characters, including the note about omitted characters.
    pub(super) fn new(most: usize) -> Self {
        let most = most.saturating_sub(MAX_NOTE_CHARS);
        Self {
            head: String::new(),
            tail: String::new(),
            remaining_head: most / 2,
            tail_chars: 0,
            max_tail: most - most / 2,
            omitted: 0,
        }
    }

    pub(super) fn push(&mut self, text: &str) {
        let (head, rest) = split(text, self.remaining_head);
        self.head.push_str(head);
        if rest.is_empty() {
            self.remaining_head -= head.chars().count();
            return;
        }
        self.remaining_head = 0;
        self.tail.push_str(rest);
        self.tail_chars += rest.chars().count();
        // Truncated only occasionally, so that many small pieces take linear time.
        if self.tail_chars > 2 * self.max_tail {
            self.trim_tail();
        }
    }

    /// Adds a note about bytes that the sandbox has discarded.
    pub(super) fn miss(&mut self, bytes: u64) {
        let shown = format!("\n[… {bytes} bytes were not kept …]\n");
        self.push(&shown);
    }

    fn trim_tail(&mut self) {
        let over = self.tail_chars.saturating_sub(self.max_tail);
        let (cut, _) = split(&self.tail, over);
        let cut = cut.len();
        self.tail.drain(..cut);
        self.tail_chars -= over;
        self.omitted += over;
    }

    /// Returns the text with a note of the omitted characters, and whether there are any.
    pub(super) fn finish(mut self) -> (String, bool) {
        self.trim_tail();
        if self.omitted == 0 {
            self.head.push_str(&self.tail);
            return (self.head, false);
        }
        let Self {
            head,
            tail,
            omitted: left_out,
            ..
        } = self;
        let text = format!("{head}\n[… {left_out} characters omitted …]\n{tail}");
        (text, true)
    }
}

/// The greatest length of the note, in characters.
const MAX_NOTE_CHARS: usize = 60;

/// Splits a text after `characters` characters.
fn split(text: &str, characters: usize) -> (&str, &str) {
    if text.len() <= characters {
        return (text, "");
    }
    let at = text.char_indices().nth(characters);
    text.split_at(at.map_or(text.len(), |(at, _)| at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clipped(pieces: &[&str], most: usize) -> (String, bool) {
        let mut clipped = ClippedText::new(most);
        for piece in pieces {
            clipped.push(piece);
        }
        clipped.finish()
    }

    #[test]
    fn what_fits_is_whole() {
        let whole = ("aäbc".to_owned(), false);
        assert_eq!(clipped(&["aä", "", "b", "c"], MAX_NOTE_CHARS + 4), whole);
        assert_eq!(clipped(&["aäbc"], MAX_NOTE_CHARS + 4), whole);
    }

    #[test]
    fn what_does_not_fit_loses_its_middle() {
        let expected = ("aä\n[… 2 characters omitted …]\nöb".to_owned(), true);
        assert_eq!(clipped(&["aäxyöb"], MAX_NOTE_CHARS + 4), expected);
        assert_eq!(clipped(&["a", "äxy", "öb"], MAX_NOTE_CHARS + 4), expected);
        let (text, _) = clipped(&["x"; 100_000], MAX_NOTE_CHARS + 200);
        assert!(text.chars().count() <= MAX_NOTE_CHARS + 200, "{text}");
        assert!(text.contains("99800 characters"), "{text}");
        assert_eq!(
            clipped(&["abc"], 0),
            ("\n[… 3 characters omitted …]\n".to_owned(), true)
        );
    }
}
