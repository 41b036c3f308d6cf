//! A text of which the beginning and the end are kept.

/// Keeps the beginning and the end of a text that comes in pieces, in bounded memory.
#[derive(Debug)]
pub(super) struct Clipped {
    head: String,
    tail: String,
    /// How many more characters the beginning takes.
    room: usize,
    /// How many characters the end has, and may have.
    tail_chars: usize,
    most_tail: usize,
    left_out: usize,
}

impl Clipped {
    /// Keeps so many characters, a part of them for the note about what is left out.
    pub(super) fn new(most: usize) -> Self {
        let most = most.saturating_sub(NOTE);
        Self {
            head: String::new(),
            tail: String::new(),
            room: most / 2,
            tail_chars: 0,
            most_tail: most - most / 2,
            left_out: 0,
        }
    }

    pub(super) fn push(&mut self, text: &str) {
        let (head, rest) = split(text, self.room);
        self.head.push_str(head);
        if rest.is_empty() {
            self.room -= head.chars().count();
            return;
        }
        self.room = 0;
        self.tail.push_str(rest);
        self.tail_chars += rest.chars().count();
        // Cut only now and then, so that many small pieces cost no more than they are long.
        if self.tail_chars > 2 * self.most_tail {
            self.cut();
        }
    }

    /// Counts what could not be had.
    pub(super) fn miss(&mut self, bytes: u64) {
        let shown = format!("\n[… {bytes} bytes were not kept …]\n");
        self.push(&shown);
    }

    fn cut(&mut self) {
        let over = self.tail_chars.saturating_sub(self.most_tail);
        let (cut, _) = split(&self.tail, over);
        let cut = cut.len();
        self.tail.drain(..cut);
        self.tail_chars -= over;
        self.left_out += over;
    }

    /// Returns the text, with the number of characters that were left out where there are any, and whether there are.
    pub(super) fn finish(mut self) -> (String, bool) {
        self.cut();
        if self.left_out == 0 {
            self.head.push_str(&self.tail);
            return (self.head, false);
        }
        let Self {
            head,
            tail,
            left_out,
            ..
        } = self;
        let text = format!("{head}\n[… {left_out} characters left out …]\n{tail}");
        (text, true)
    }
}

/// How many characters the note in the middle has at most.
const NOTE: usize = 60;

/// Splits a text after so many characters.
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
        let mut clipped = Clipped::new(most);
        for piece in pieces {
            clipped.push(piece);
        }
        clipped.finish()
    }

    #[test]
    fn what_fits_is_whole() {
        let whole = ("aäbc".to_owned(), false);
        assert_eq!(clipped(&["aä", "", "b", "c"], NOTE + 4), whole);
        assert_eq!(clipped(&["aäbc"], NOTE + 4), whole);
    }

    #[test]
    fn what_does_not_fit_loses_its_middle() {
        let expected = ("aä\n[… 2 characters left out …]\nöb".to_owned(), true);
        assert_eq!(clipped(&["aäxyöb"], NOTE + 4), expected);
        assert_eq!(clipped(&["a", "äxy", "öb"], NOTE + 4), expected);
        let (text, _) = clipped(&["x"; 100_000], NOTE + 200);
        assert!(text.chars().count() <= NOTE + 200, "{text}");
        assert!(text.contains("99800 characters"), "{text}");
        assert_eq!(
            clipped(&["abc"], 0),
            ("\n[… 3 characters left out …]\n".to_owned(), true)
        );
    }
}
