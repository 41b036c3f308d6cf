//! Lists of names, each written as one text with blanks between the names, which keeps long tables readable.

use std::collections::HashMap;
use std::sync::LazyLock;

/// A list of names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NameList {
    text: &'static str,
    /// One bit per name: most look-ups are of a name that the list does not contain, and end here.
    filter: u128,
}

impl NameList {
    pub(crate) const fn new(text: &'static str) -> Self {
        Self {
            text,
            filter: filter(text),
        }
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = &'static str> {
        self.text.split_ascii_whitespace()
    }

    /// Reports whether the list contains a name.
    #[inline]
    pub(crate) fn has(&self, name: &str) -> bool {
        may_contain(self.filter, name) && self.finds(name)
    }

    fn finds(&self, name: &str) -> bool {
        // Bytes are compared, since most verdicts look into many lists.
        let mut listed = self.text.as_bytes().split(|byte| *byte == b' ');
        listed.any(|listed| listed == name.as_bytes())
    }
}

/// Makes a list in place, at compile time.
macro_rules! names {
    ($text:literal) => {
        const { $crate::name_list::NameList::new($text) }
    };
}
pub(crate) use names;

/// Returns the bits of the words of a text; a comma after a word is not part of it.
pub(crate) const fn filter(text: &str) -> u128 {
    let bytes = text.as_bytes();
    let (mut filter, mut start, mut at) = (0, 0, 0);
    while at <= bytes.len() {
        if at == bytes.len() || bytes[at] == b' ' {
            let end = if at > start && bytes[at - 1] == b',' {
                at - 1
            } else {
                at
            };
            if end > start {
                filter |= bit(bytes, start, end);
            }
            start = at + 1;
        }
        at += 1;
    }
    filter
}

/// Reports whether a word may be one of those that a filter was made of; it is certain if it is not.
#[inline]
pub(crate) const fn may_contain(filter: u128, word: &str) -> bool {
    !word.is_empty() && filter & bit(word.as_bytes(), 0, word.len()) != 0
}

/// Returns the bit of a word that is not empty, by its length, its first byte and its last.
#[inline]
const fn bit(bytes: &[u8], start: usize, end: usize) -> u128 {
    let (first, last) = (bytes[start] as usize, bytes[end - 1] as usize);
    1 << (((end - start) * 11 + first * 5 + last) % 128)
}

/// Table rows by each name of their lists. A lookup takes the same time however many names there are.
pub(crate) type NameIndex<T> = LazyLock<HashMap<&'static str, T, foldhash::fast::FixedState>>;

/// Makes the index of a table whose rows have lists without common names.
pub(crate) fn index<T: Copy>(
    rows: impl IntoIterator<Item = (&'static str, T)>,
) -> HashMap<&'static str, T, foldhash::fast::FixedState> {
    let names = |(list, row): (&'static str, T)| {
        let names = list.split_ascii_whitespace();
        names.map(move |name| (name, row))
    };
    rows.into_iter().flat_map(names).collect()
}

/// Makes the index of a table of lists by each name before them.
pub(crate) fn index_lists(
    rows: &[(&'static str, &'static str)],
) -> HashMap<&'static str, NameList, foldhash::fast::FixedState> {
    index(
        rows.iter()
            .map(|(names, list)| (*names, NameList::new(list))),
    )
}

/// Panics if a name occurs twice in the lists.
#[cfg(test)]
pub(crate) fn assert_disjoint(lists: impl IntoIterator<Item = &'static str>) {
    let mut seen = std::collections::BTreeSet::new();
    let names = lists.into_iter().flat_map(str::split_ascii_whitespace);
    names.for_each(|name| assert!(seen.insert(name), "{name} is listed twice"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_contains_its_names_and_nothing_else() {
        const LIST: NameList = NameList::new("-s --short  push [ é");
        for name in ["-s", "--short", "push", "[", "é"] {
            assert!(LIST.has(name), "{name}");
        }
        for name in ["", " ", "-", "short", "pus", "push ", "-s --short"] {
            assert!(!LIST.has(name), "{name}");
        }
        assert!(!NameList::new("").has(""));
    }

    #[test]
    fn a_filter_has_each_word_of_a_list_with_commas() {
        let filter = filter("log, stash list, show");
        for word in ["log", "stash", "list", "show"] {
            assert!(may_contain(filter, word), "{word}");
        }
        assert!(!may_contain(filter, "commit"));
    }
}
