//! The parsing of arguments in the manner of `getopt`.

use crate::name_list::NameList;
use crate::script::ScriptWord;

/// Reports whether an option is in a list, or abbreviates an option in the list.
pub(super) fn is_harmful(name: &str, harmful: NameList) -> bool {
    harmful.iter().any(|option| {
        if name.starts_with("--") && option.starts_with("--") {
            name.len() > 2 && option.starts_with(name)
        } else {
            option == name
        }
    })
}

/// One option or operand.
pub(super) enum Item<'w, 'a> {
    Operand(&'w ScriptWord<'a>),
    /// An option, its attached or following value, and the word that contains the option.
    Option {
        name: &'w str,
        value: Option<&'w str>,
        word: &'w ScriptWord<'a>,
    },
}

/// An iterator over arguments as `getopt` parses them: bundles, attached values, options after operands, `--`.
pub(super) struct OptionIter<'w, 'a> {
    words: &'w [ScriptWord<'a>],
    valued: &'static str,
    /// The rest of a bundle.
    cluster: Option<(&'w ScriptWord<'a>, usize)>,
    is_over: bool,
}

impl<'w, 'a> OptionIter<'w, 'a> {
    pub(super) fn new(words: &'w [ScriptWord<'a>], valued: &'static str) -> Self {
        Self {
            words,
            valued,
            cluster: None,
            is_over: false,
        }
    }

    fn take(&mut self) -> Option<&'w ScriptWord<'a>> {
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(first)
    }

    fn in_cluster(&mut self, word: &'w ScriptWord<'a>, at: usize) -> Option<Item<'w, 'a>> {
        let text = &*word.text;
        let letter = text[at..].chars().next()?;
        let next = at + letter.len_utf8();
        let name = short(letter);
        if self.valued.contains(letter) {
            self.cluster = None;
            let value = if next < text.len() {
                Some(&text[next..])
            } else {
                self.take().map(|word| &*word.text)
            };
            return Some(Item::Option { name, value, word });
        }
        self.cluster = (next < text.len()).then_some((word, next));
        Some(Item::Option {
            name,
            value: None,
            word,
        })
    }
}

impl<'w, 'a> Iterator for OptionIter<'w, 'a> {
    type Item = Item<'w, 'a>;

    fn next(&mut self) -> Option<Item<'w, 'a>> {
        if let Some((word, at)) = self.cluster {
            return self.in_cluster(word, at);
        }
        let word = self.take()?;
        let text = &*word.text;
        if self.is_over || text.len() < 2 || !text.starts_with('-') {
            return Some(Item::Operand(word));
        }
        if text == "--" {
            self.is_over = true;
            return self.next();
        }
        if text.starts_with("--") {
            let (name, value) = match text.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (text, None),
            };
            return Some(Item::Option { name, value, word });
        }
        self.in_cluster(word, 1)
    }
}

/// Returns a letter with a dash, without allocating.
fn short(letter: char) -> &'static str {
    const LETTERS: &str = "-a-b-c-d-e-f-g-h-i-j-k-l-m-n-o-p-q-r-s-t-u-v-w-x-y-z-A-B-C-D-E-F-G-H-I-J-K-L-M-N-O-P-Q-R-S-T-U-V-W-X-Y-Z-0-1-2-3-4-5-6-7-8-9-@-#-?-%-+-,-.-/-:-=";
    match LETTERS.find(letter) {
        Some(at) if at > 0 => &LETTERS[at - 1..=at],
        _ => "-",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_taken_as_getopt_takes_them() {
        let words: Vec<ScriptWord<'_>> = ["-an5", "x", "--out=y", "-n", "6", "--", "-z"]
            .map(ScriptWord::literal)
            .into();
        let shown: Vec<String> = OptionIter::new(&words, "n")
            .map(|item| match item {
                Item::Operand(word) => word.text.to_string(),
                Item::Option { name, value, .. } => format!("{name}={value:?}"),
            })
            .collect();
        let expected = [
            "-a=None",
            "-n=Some(\"5\")",
            "x",
            "--out=Some(\"y\")",
            "-n=Some(\"6\")",
            "-z",
        ];
        assert_eq!(shown, expected);
    }
}
