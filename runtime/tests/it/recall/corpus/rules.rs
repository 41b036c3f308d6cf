//! What makes a question fair: no content word of it is a word of the name of its tool, by stems.

/// Words that say nothing about what a tool does.
const STOP_WORDS: &[&str] = &[
    "a", "an", "and", "any", "are", "as", "at", "be", "by", "can", "do", "for", "from", "get",
    "has", "have", "how", "i", "in", "is", "it", "me", "my", "not", "of", "on", "or", "our", "set",
    "that", "the", "this", "to", "up", "us", "was", "what", "when", "where", "which", "who",
    "with", "you", "your",
];

/// Endings that are cut off, the longest that fits first.
const ENDINGS: &[&str] = &[
    "ations", "ation", "ings", "ing", "ies", "ied", "ers", "ors", "er", "or", "ed", "es", "s",
    "ly", "e", "y",
];

/// Returns the words of a question whose stem is one of the tool's name.
pub(crate) fn shared_words(question: &str, name: &str) -> Vec<String> {
    let of_name: Vec<String> = words(&split_humps(name)).map(|word| stem(&word)).collect();
    words(question)
        .filter(|word| of_name.contains(&stem(word)))
        .collect()
}

/// Cuts off an ending, and one of a doubled last letter, so that `running` meets `runs`.
pub(crate) fn stem(word: &str) -> String {
    let ending = ENDINGS
        .iter()
        .find(|ending| word.ends_with(**ending) && word.len() - ending.len() >= 3);
    let mut stem = word[..word.len() - ending.map_or(0, |ending| ending.len())].to_owned();
    let doubled =
        stem.len() > 3 && stem.as_bytes()[stem.len() - 1] == stem.as_bytes()[stem.len() - 2];
    if doubled {
        stem.pop();
    }
    stem
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .filter(|word| !STOP_WORDS.contains(&word.as_str()))
}

/// Puts a gap before each hump of a name, so that `listRuns` is two words.
fn split_humps(name: &str) -> String {
    let mut split = String::new();
    let mut before = ' ';
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit()) {
            split.push(' ');
        }
        split.push(letter);
        before = letter;
    }
    split
}
