//! Phrases: words that follow each other, with a few others between them.

/// A phrase to look for: from each group one word, in order.
#[derive(Debug, Clone, Copy)]
pub(super) struct Phrase {
    name: &'static str,
    /// The most words from one group's word to the next group's.
    reach: usize,
    groups: &'static [&'static [&'static str]],
}

impl Phrase {
    pub(super) const fn new(
        name: &'static str,
        reach: usize,
        groups: &'static [&'static [&'static str]],
    ) -> Self {
        Self {
            name,
            reach,
            groups,
        }
    }

    /// Returns where the phrase ends that a text may begin with; its words stand in one paragraph.
    fn end(&self, text: &str) -> Option<usize> {
        let mut words = words(text);
        let mut end = 0;
        for (number, group) in self.groups.iter().enumerate() {
            let reach = if number == 0 { 1 } else { self.reach };
            let mut near = words.by_ref().take(reach);
            end = near
                .find(|(_, word)| is_among(word, group))
                .map(|(at, word)| at + word.len())?;
            if text[..end].contains("\n\n") {
                return None;
            }
        }
        Some(end)
    }
}

/// Finds the phrases of a text, each phrase once: its name and its words.
pub(super) fn find<'t>(
    phrases: &'static [Phrase],
    text: &'t str,
) -> impl Iterator<Item = (&'static str, &'t str)> {
    let openers = Openers::of(phrases);
    let mut found: Vec<(&'static str, &'t str)> = Vec::new();
    for (at, word) in words(text).filter(|(_, word)| openers.may_be(word)) {
        for phrase in phrases
            .iter()
            .filter(|phrase| is_among(word, phrase.groups[0]))
        {
            if !found.iter().any(|(name, _)| *name == phrase.name)
                && let Some(end) = phrase.end(&text[at..])
            {
                found.push((phrase.name, &text[at..at + end]));
            }
        }
    }
    found.into_iter()
}

fn is_among(word: &str, group: &[&str]) -> bool {
    group
        .iter()
        .any(|candidate| candidate.eq_ignore_ascii_case(word))
}

/// Which lengths the words that begin a phrase have, by their first letter: most words are none of them.
struct Openers([u32; 26]);

impl Openers {
    fn of(phrases: &[Phrase]) -> Self {
        let mut lengths = [0; 26];
        for word in phrases.iter().flat_map(|phrase| phrase.groups[0]) {
            if let Some(letter) = word.bytes().next().and_then(number) {
                lengths[letter] |= 1 << word.len().min(31);
            }
        }
        Self(lengths)
    }

    fn may_be(&self, word: &str) -> bool {
        let letter = word.bytes().next().and_then(number);
        letter.is_some_and(|letter| self.0[letter] & (1 << word.len().min(31)) != 0)
    }
}

fn number(letter: u8) -> Option<usize> {
    let letter = letter.to_ascii_lowercase();
    letter
        .is_ascii_lowercase()
        .then(|| usize::from(letter - b'a'))
}

/// Iterates over the words of a text, with where they begin.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let mut from = 0;
    std::iter::from_fn(move || {
        while from < bytes.len() && !is_word(bytes[from]) {
            from += 1;
        }
        let start = from;
        while from < bytes.len() && is_word(bytes[from]) {
            from += 1;
        }
        // All bytes of other scripts belong to words, so that no character is cut.
        (start < from).then(|| (start, &text[start..from]))
    })
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'\'' || byte >= 0x80
}
