//! Phrases: sequences of words, with a limited number of other words between them.

use helve_core::support::text::last_bytes;

/// A phrase to detect: one word of each group, in order.
#[derive(Debug, Clone)]
pub(super) struct Phrase {
    pub(super) name: &'static str,
    pub(super) groups: Vec<PhraseGroup>,
    /// Whether the first word has to be a command, rather than describe an action.
    pub(super) is_command: bool,
    /// Whether a colon has to follow.
    pub(super) is_before_colon: bool,
}

/// A group of alternative words, one of which must occur.
#[derive(Debug, Clone)]
pub(super) struct PhraseGroup {
    /// The maximum distance from the word of the previous group, in words.
    pub(super) max_distance: usize,
    pub(super) words: Vec<&'static str>,
}

/// A placeholder in a group for any host or e-mail address.
const ADDRESS: &str = "<address>";

impl Phrase {
    /// Returns the end of the phrase that begins at an offset of a text. The words must be in one paragraph.
    fn end(&self, text: &str, from: usize) -> Option<usize> {
        if self.is_command && !is_command(&text[..from]) {
            return None;
        }
        let rest = &text[from..];
        let mut words = words(rest);
        let mut end = 0;
        for group in &self.groups {
            let mut near = words.by_ref().take(group.max_distance);
            end = near
                .find(|(at, word)| is_among(text, from + at, word, &group.words))
                .map(|(at, word)| at + word.len())?;
            if rest[..end].contains("\n\n") {
                return None;
            }
        }
        let colon = rest[end..].trim_start_matches([' ', '*', '_']);
        (!self.is_before_colon || colon.starts_with(':')).then_some(end)
    }
}

/// Words after which a verb describes an action instead of commanding it.
const TELLING: &str = "to will can could may might would not never don't we they it i who which that clients client \
    servers users programs tools commands functions methods cannot can't does do did doesn't won't \
    you'll we'll a an the how what of for from by with without in on this no";

/// Words that begin a command whose action is in the infinitive: "use the shell to send it".
const TELLING_TO: &str = "use run call invoke remember be make try proceed continue";

/// The maximum distance at which the word before a verb, and the beginning of its sentence, are searched, in bytes.
const MAX_LOOKBEHIND: usize = 64;

/// Reports whether a verb after the given text is a command, as far as the words before it indicate.
fn is_command(before: &str) -> bool {
    let near = last_bytes(before, MAX_LOOKBEHIND);
    // Punctuation begins a sentence or a clause.
    let is_end = |c: char| c.is_ascii_punctuation() && c != '\'' && c != '-' || c == '\n';
    let sentence = near.rsplit(is_end).next().unwrap_or(near);
    let mut words = words(sentence).map(|(_, word)| word);
    let is_of = |word: &str, list: &str| list.split(' ').any(|one| one.eq_ignore_ascii_case(word));
    let Some(first) = words.next() else {
        return true;
    };
    let last = words.last().unwrap_or(first);
    !is_of(last, TELLING) || (last.eq_ignore_ascii_case("to") && is_of(first, TELLING_TO))
}

/// The phrases by their first words.
pub(super) struct PhraseIndex {
    phrases: Vec<Phrase>,
    /// The first words of phrases, with the number of the phrase, by their first letter and length: most words of a
    /// text share a bucket with none.
    openers: Vec<Vec<(&'static str, usize)>>,
}

/// Longer words share one bucket.
const MAX_BUCKET_LEN: usize = 16;

impl PhraseIndex {
    pub(super) fn new(phrases: Vec<Phrase>) -> Self {
        let mut openers = vec![Vec::new(); 26 * MAX_BUCKET_LEN];
        for (number, phrase) in phrases.iter().enumerate() {
            for word in phrase.groups.iter().take(1).flat_map(|group| &group.words) {
                if let Some(place) = bucket(word) {
                    openers[place].push((*word, number));
                }
            }
        }
        Self { phrases, openers }
    }

    /// Finds the phrases of a text, each phrase once: its name and the matching text.
    pub(super) fn find<'t>(&self, text: &'t str) -> Vec<(&'static str, &'t str)> {
        let mut found: Vec<(&'static str, &'t str)> = Vec::new();
        for (at, word) in words(text) {
            let Some(place) = bucket(word) else { continue };
            for (opener, number) in &self.openers[place] {
                let phrase = &self.phrases[*number];
                if opener.eq_ignore_ascii_case(word)
                    && !found.iter().any(|(name, _)| *name == phrase.name)
                    && let Some(end) = phrase.end(text, at)
                {
                    found.push((phrase.name, &text[at..at + end]));
                }
            }
        }
        found
    }
}

fn bucket(word: &str) -> Option<usize> {
    let letter = word.as_bytes().first()?.to_ascii_lowercase();
    let number = usize::from(letter.checked_sub(b'a').filter(|number| *number < 26)?);
    Some(number * MAX_BUCKET_LEN + word.len().min(MAX_BUCKET_LEN) - 1)
}

/// Reports whether the word at an offset of a text belongs to a group.
fn is_among(text: &str, at: usize, word: &str, group: &[&str]) -> bool {
    group.iter().any(|candidate| {
        if *candidate == ADDRESS {
            return is_address(text, at, word);
        }
        let Some(bare) = candidate.strip_prefix(['.', '/']) else {
            return candidate.eq_ignore_ascii_case(word);
        };
        let before = &text.as_bytes()[..at];
        let has_prefix = before.last() == candidate.as_bytes().first();
        let inside = before.iter().rev().nth(1).copied().is_some_and(is_word);
        bare.eq_ignore_ascii_case(word) && has_prefix && (candidate.starts_with('/') || !inside)
    })
}

/// Top-level domains of hosts, as opposed to the extensions of files.
const DOMAINS: &[&str] = &[
    "com", "net", "org", "io", "ru", "cn", "xyz", "example", "test", "site", "app", "dev", "info",
    "co", "me", "tk", "top", "cc", "ai", "online", "live", "click", "link", "invalid",
];

/// Reports whether a host or an e-mail address begins with a word.
fn is_address(text: &str, at: usize, word: &str) -> bool {
    let rest = &text[at + word.len()..];
    if let Some(domain) = rest.strip_prefix('@') {
        return domain.starts_with(|c: char| c.is_ascii_alphanumeric());
    }
    let is_of_host = |byte: &u8| byte.is_ascii_alphanumeric() || b".-".contains(byte);
    let length = rest.bytes().take(253).take_while(is_of_host).count();
    let host = rest[..length].trim_end_matches('.');
    let Some((_, last)) = host.rsplit_once('.') else {
        return false;
    };
    host.starts_with(['.', '-']) && DOMAINS.iter().any(|end| end.eq_ignore_ascii_case(last))
}

/// Iterates over the words of a text, with their offsets.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let mut from = 0;
    std::iter::from_fn(move || {
        let mut start = from;
        while let CharClass::Other(length) = part(bytes, start) {
            start += length;
        }
        from = start;
        while let CharClass::Word(length) = part(bytes, from) {
            from += length;
        }
        (start < from).then(|| (start, &text[start..from]))
    })
}

/// The class of a character, with its length in bytes.
enum CharClass {
    Word(usize),
    Other(usize),
    End,
}

/// Classifies one character. All bytes of other scripts belong to words, so that no character is cut. Quotation marks
/// and dashes do not belong to words; an apostrophe does between two letters.
fn part(bytes: &[u8], at: usize) -> CharClass {
    let is_letter = |at: usize| bytes.get(at).copied().is_some_and(is_word);
    let joins = |length: usize| at > 0 && is_letter(at - 1) && is_letter(at + length);
    match &bytes[at..] {
        [] => CharClass::End,
        [b'\'', ..] if joins(1) => CharClass::Word(1),
        [0xe2, 0x80, 0x99, ..] if joins(3) => CharClass::Word(3),
        // The dashes, quotation marks and spaces of `U+2000` to `U+203F`, and the angles of quotations.
        [0xe2, 0x80, _, ..] => CharClass::Other(3),
        [0xc2, 0xab | 0xbb, ..] => CharClass::Other(2),
        [byte, ..] if is_word(*byte) => CharClass::Word(1),
        _ => CharClass::Other(1),
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80
}
