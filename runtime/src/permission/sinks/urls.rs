//! URLs that a call may go to without a question, since they carry nothing that the model composed.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// How many URLs of results a turn may go to.
const MOST_FOLLOWED: usize = 20;

/// How long a word may be that stands beside a URL: a format, a method.
const LONGEST_WORD: usize = 12;

/// How many digits a number has at most that stands beside a URL.
const LONGEST_NUMBER: usize = 6;

/// How many words and numbers may stand beside URLs.
const MOST_WORDS: usize = 6;

/// How long a URL may be.
const LONGEST_URL: usize = 2_048;

/// The URLs that stand verbatim in what the user said, or in results of the network.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct KnownUrls {
    said: BTreeSet<String>,
    /// Those of pages, with how much the model had written before.
    found: BTreeMap<String, usize>,
    /// Those of results that this turn went to, or wants to, the first ones.
    followed: Vec<String>,
    /// How many more this turn went to, which a summary took out of the conversation.
    followed_before: usize,
}

impl KnownUrls {
    /// Sets how many URLs of pages the turn went to that a summary took out of the conversation.
    pub(crate) fn with_followed(mut self, before: usize) -> Self {
        self.followed_before = before;
        self
    }

    /// Returns how many URLs of pages the turn went to.
    pub(crate) fn count_followed(&self) -> usize {
        self.followed_before + self.followed.len()
    }

    /// Takes what the user said.
    pub(crate) fn said(&mut self, text: &str) {
        self.said.extend(urls_in(text).map(str::to_owned));
    }

    /// Takes a page of the network, and how much the model had written when it came.
    pub(crate) fn found(&mut self, text: &str, written: usize) {
        for url in urls_in(text) {
            if !self.found.contains_key(url) {
                self.found.insert(url.to_owned(), written);
            }
        }
    }

    /// Takes a text that a call of this turn has among its arguments, and all that the model wrote. The URLs of pages that
    /// are gone to are counted; one that the model wrote before it stood in a page may hold what the model composed, and was
    /// only sent back.
    pub(crate) fn followed(&mut self, text: &str, written: &str) {
        let Some(before) = self.found.get(text) else {
            return;
        };
        let address = text.split_once("://").map_or(text, |(_, address)| address);
        let is_new = !self.said.contains(text) && !self.followed.iter().any(|url| url == text);
        let was_written = || {
            written
                .get(..*before)
                .is_none_or(|before| before.contains(address))
        };
        if is_new && self.count_followed() < MOST_FOLLOWED && !was_written() {
            self.followed.push(text.to_owned());
        }
    }

    fn knows(&self, url: &str) -> bool {
        self.said.contains(url) || self.followed.iter().any(|known| known == url)
    }

    /// Reports whether arguments name known URLs, and beside them nothing in which something could be carried out.
    pub(crate) fn cover(&self, arguments: &str) -> bool {
        let Ok(arguments) = serde_json::from_str::<Value>(arguments) else {
            return false;
        };
        let texts = strings_of(&arguments);
        let (urls, others): (Vec<_>, Vec<_>) = texts.iter().partition(|text| self.knows(text));
        !urls.is_empty() && others.len() <= MOST_WORDS && others.iter().all(|text| is_word(text))
    }
}

fn is_word(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_' || byte == b'-';
    let is_number = |byte: u8| byte.is_ascii_digit() || byte == b'.';
    text.len() <= LONGEST_WORD && text.bytes().all(is_letter)
        || text.len() <= LONGEST_NUMBER && text.bytes().all(is_number)
}

/// Lists the texts and numbers of a value. The keys of its fields are those of parameters; deeper ones are texts, too.
pub(crate) fn strings_of(value: &Value) -> Vec<String> {
    let mut texts = Vec::new();
    let mut left = vec![(0, value)];
    while let Some((depth, value)) = left.pop() {
        match value {
            Value::String(text) => texts.push(text.clone()),
            Value::Number(number) => texts.push(number.to_string()),
            Value::Array(values) => {
                left.extend(values.iter().rev().map(|value| (depth + 1, value)))
            }
            Value::Object(fields) => {
                if depth > 0 {
                    texts.extend(fields.keys().cloned());
                }
                left.extend(fields.values().map(|value| (depth + 1, value)));
            }
            Value::Null | Value::Bool(_) => {}
        }
    }
    texts
}

/// Lists the URLs of a text, as they stand there.
pub(crate) fn urls_in(text: &str) -> impl Iterator<Item = &str> {
    let starts = text.match_indices("http").map(|(at, _)| at);
    starts.filter_map(|at| {
        let rest = &text[at..];
        let scheme = ["https://", "http://"]
            .into_iter()
            .find(|scheme| rest.starts_with(scheme))?;
        let is_end = |c: char| c.is_whitespace() || c.is_control() || "<>\"'`|\\^{}".contains(c);
        let end = rest.find(is_end).unwrap_or(rest.len());
        let url = trimmed(&rest[..end]);
        (url.len() > scheme.len() && url.len() <= LONGEST_URL).then_some(url)
    })
}

/// Takes off the punctuation that ends a sentence, or closes what was opened before the URL.
fn trimmed(url: &str) -> &str {
    let mut url = url;
    while let Some(last) = url.chars().next_back() {
        let is_open = |open: char| url.matches(open).count() >= url.matches(last).count();
        let stays = match last {
            '.' | ',' | ';' | ':' | '!' | '?' | '*' | '_' => false,
            ')' => is_open('('),
            ']' => is_open('['),
            _ => true,
        };
        if stays {
            break;
        }
        url = &url[..url.len() - last.len_utf8()];
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_found_as_people_write_them() {
        let text =
            "See https://a.org/x?y=1, [b](https://b.org/c) and (http://d.org/e_(f)). http:// no.";
        assert_eq!(
            urls_in(text).collect::<Vec<_>>(),
            [
                "https://a.org/x?y=1",
                "https://b.org/c",
                "http://d.org/e_(f)"
            ]
        );
    }

    #[test]
    fn only_whole_known_urls_are_covered_and_nothing_beside_them() {
        let mut known = KnownUrls::default();
        known.said("read https://a.org/");
        known.found("next: https://b.org/1", 0);
        known.followed("https://b.org/1", "{}");
        known.found("you came from https://b.org/?secret", "b.org/?secret".len());
        known.followed("https://b.org/?secret", "b.org/?secret");
        for (arguments, covered) in [
            (r#"{"url":"https://a.org/"}"#, true),
            (
                r#"{"url":"https://b.org/1","format":"markdown","limit":20}"#,
                true,
            ),
            (r#"{"url":"https://a.org/?secret"}"#, false),
            (
                r#"{"url":"https://b.org/1","body":"the password is hunter2"}"#,
                false,
            ),
            (r#"{"url":"https://b.org/?secret"}"#, false),
            (r#"{"query":"word"}"#, false),
            (r#"{"url":"https://a.org/","limit":12345678901}"#, false),
        ] {
            assert_eq!(known.cover(arguments), covered, "{arguments}");
        }
    }

    #[test]
    fn twenty_urls_of_results_are_followed_in_a_turn() {
        let mut known = KnownUrls::default();
        let url = |number: usize| format!("https://b.org/{number}");
        for number in 0..=MOST_FOLLOWED {
            known.found(&url(number), 0);
            known.followed(&url(number), "");
        }
        assert!(known.knows(&url(MOST_FOLLOWED - 1)));
        assert!(!known.knows(&url(MOST_FOLLOWED)));
    }
}
