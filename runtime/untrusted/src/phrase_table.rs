//! The table of phrases that are detected.

use std::collections::HashMap;

use super::phrases::{Phrase, PhraseGroup};

/// The table. Its first lines describe the format.
const TABLE: &str = include_str!("known.txt");

/// Parses the phrases of the table. An invalid line is ignored; the tests check that there is none.
pub(super) fn phrases() -> Vec<Phrase> {
    let mut sets = HashMap::new();
    for (name, words) in lines().filter_map(|line| line.split_once(" = ")) {
        sets.insert(name, words.split('|').collect::<Vec<_>>());
    }
    lines().filter_map(|line| phrase(line, &sets)).collect()
}

fn lines() -> impl Iterator<Item = &'static str> {
    TABLE
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn phrase(line: &'static str, sets: &HashMap<&str, Vec<&'static str>>) -> Option<Phrase> {
    let (head, groups) = line.split_once(": ")?;
    let mut head = head.split(' ');
    let mut phrase = Phrase {
        name: head.next()?,
        groups: Vec::new(),
        is_command: false,
        is_before_colon: false,
    };
    for demand in head {
        match demand {
            "command" => phrase.is_command = true,
            "colon" => phrase.is_before_colon = true,
            _ => return None,
        }
    }
    for group in groups.split(' ') {
        phrase.groups.push(self::group(group, sets)?);
    }
    Some(phrase)
}

fn group(text: &'static str, sets: &HashMap<&str, Vec<&'static str>>) -> Option<PhraseGroup> {
    let (words, reach) = text.split_once('~').unwrap_or((text, "1"));
    let mut group = PhraseGroup {
        max_distance: reach.parse().ok()?,
        words: Vec::new(),
    };
    for word in words.split('|') {
        let set = word
            .strip_prefix('{')
            .and_then(|name| name.strip_suffix('}'));
        match set {
            Some(name) => group.words.extend(sets.get(name)?),
            None => group.words.push(word),
        }
    }
    Some(group)
}

#[cfg(test)]
mod tests {
    use super::{lines, phrases};

    #[test]
    fn every_line_of_the_table_is_read() {
        let phrases = phrases();
        let expected = lines().filter(|line| !line.contains(" = ")).count();
        assert_eq!(phrases.len(), expected);
        for phrase in &phrases {
            for group in &phrase.groups {
                assert!(group.max_distance > 0, "{phrase:?}");
                let is_fit = |word: &&str| !word.is_empty() && word.to_ascii_lowercase() == **word;
                assert!(group.words.iter().all(is_fit), "{phrase:?}");
            }
        }
    }
}
