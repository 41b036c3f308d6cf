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

/// Phrases by the words that begin them.
pub(super) struct Phrases {
    phrases: &'static [Phrase],
    /// The words that begin a phrase, with the phrase's number, by their first letter and length: nearly every word of a
    /// text shares them with none.
    openers: Vec<Vec<(&'static str, usize)>>,
}

/// Words of more letters share one place.
const LONGEST: usize = 16;

impl Phrases {
    pub(super) fn new(phrases: &'static [Phrase]) -> Self {
        let mut openers = vec![Vec::new(); 26 * LONGEST];
        for (number, phrase) in phrases.iter().enumerate() {
            for word in phrase.groups[0] {
                if let Some(place) = place(word) {
                    openers[place].push((*word, number));
                }
            }
        }
        Self { phrases, openers }
    }

    /// Finds the phrases of a text, each phrase once: its name and its words.
    pub(super) fn find<'t>(&self, text: &'t str) -> Vec<(&'static str, &'t str)> {
        let mut found: Vec<(&'static str, &'t str)> = Vec::new();
        for (at, word) in words(text) {
            let Some(place) = place(word) else { continue };
            for (opener, number) in &self.openers[place] {
                let phrase = &self.phrases[*number];
                if opener.eq_ignore_ascii_case(word)
                    && !found.iter().any(|(name, _)| *name == phrase.name)
                    && let Some(end) = phrase.end(&text[at..])
                {
                    found.push((phrase.name, &text[at..at + end]));
                }
            }
        }
        found
    }
}

fn place(word: &str) -> Option<usize> {
    let letter = word.as_bytes().first()?.to_ascii_lowercase();
    let number = letter
        .is_ascii_lowercase()
        .then(|| usize::from(letter - b'a'))?;
    Some(number * LONGEST + word.len().min(LONGEST) - 1)
}

fn is_among(word: &str, group: &[&str]) -> bool {
    group
        .iter()
        .any(|candidate| candidate.eq_ignore_ascii_case(word))
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
