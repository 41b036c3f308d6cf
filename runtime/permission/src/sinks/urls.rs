//! URLs that a call may access without a question, since they contain no text that the model composed.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// The maximum number of URLs from results that a turn may access.
const MAX_FOLLOWED: usize = 20;

/// The maximum number of choices beside the URLs.
const MAX_CHOICES: usize = 6;

/// The maximum number of values of a parameter that counts as a choice.
const MAX_VALUES: usize = 32;

/// The maximum length of a URL, in bytes.
const MAX_URL_LEN: usize = 2_048;

/// The URLs that occur verbatim in the user's text or in results from the network.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownUrls {
    user_urls: BTreeSet<String>,
    /// The URLs of pages, each with the length of the model's text before the page arrived.
    page_urls: BTreeMap<String, usize>,
    /// The first URLs from results that this turn accessed or is about to access.
    followed: Vec<String>,
    /// The number of further accessed URLs, which a summary removed from the conversation.
    followed_before: usize,
}

impl KnownUrls {
    /// Sets the number of page URLs that the turn accessed and that a summary removed from the conversation.
    pub fn with_followed(mut self, before: usize) -> Self {
        self.followed_before = before;
        self
    }

    /// Returns the number of page URLs that the turn accessed.
    pub fn count_followed(&self) -> usize {
        self.followed_before + self.followed.len()
    }

    /// Adds the URLs of the user's text.
    pub fn add_user_text(&mut self, text: &str) {
        self.user_urls.extend(find_urls(text).map(str::to_owned));
    }

    /// Adds the URLs of a page from the network, with the length of the model's text before the page arrived.
    pub fn add_page(&mut self, text: &str, written: usize) {
        for url in find_urls(text) {
            self.page_urls.entry(url.to_owned()).or_insert(written);
        }
    }

    /// Adds a text from the arguments of a call of this turn, with all text that the model wrote. Accessed page URLs
    /// are counted. A URL that the model wrote before the URL occurred in a page may contain data that the model
    /// composed and the page only echoed, so it is not added.
    pub fn add_followed(&mut self, text: &str, written: &str) {
        let Some(before) = self.page_urls.get(text) else {
            return;
        };
        let address = text.split_once("://").map_or(text, |(_, address)| address);
        let is_new = !self.contains(text);
        let was_written = || {
            let before = written.get(..*before);
            before.is_none_or(|before| before.contains(address))
        };
        if is_new && self.count_followed() < MAX_FOLLOWED && !was_written() {
            self.followed.push(text.to_owned());
        }
    }

    /// Reports whether a URL is known.
    pub(crate) fn contains(&self, url: &str) -> bool {
        self.user_urls.contains(url) || self.followed.iter().any(|known| known == url)
    }

    /// Reports whether the arguments contain only known URLs, and choices that the tool's schema lists: a flag, or a
    /// value of an enumeration. Any other text or number could carry data out with the request.
    pub(crate) fn covers(&self, arguments: &str, schema: &Value) -> bool {
        let Ok(Value::Object(arguments)) = serde_json::from_str(arguments) else {
            return false;
        };
        let is_url = |value: &Value| match value {
            Value::String(text) => self.contains(text),
            Value::Array(values) => {
                let mut texts = values.iter().map(Value::as_str);
                !values.is_empty() && texts.all(|text| text.is_some_and(|text| self.contains(text)))
            }
            _ => false,
        };
        let (urls, others): (Vec<_>, Vec<_>) =
            arguments.iter().partition(|(_, value)| is_url(value));
        let is_choice = |(name, value): &(&String, &Value)| {
            let parameter = schema.get("properties").and_then(|known| known.get(name));
            parameter.is_some_and(|parameter| is_listed_choice(parameter, value))
        };
        !urls.is_empty() && others.len() <= MAX_CHOICES && others.iter().all(is_choice)
    }
}

/// Reports whether a parameter has a short list of values that contains this value.
fn is_listed_choice(parameter: &Value, value: &Value) -> bool {
    if value.is_boolean() || value.is_null() || parameter.get("const") == Some(value) {
        return true;
    }
    let list = |key: &str| parameter.get(key).and_then(Value::as_array);
    if let Some(values) = list("enum") {
        return values.len() <= MAX_VALUES && values.contains(value);
    }
    let alternatives = list("anyOf").or_else(|| list("oneOf"));
    alternatives.is_some_and(|alternatives| {
        let is_constant = |one: &Value| one.get("const").is_some() || one.get("enum").is_some();
        let is_choice = |one: &Value| is_constant(one) && is_listed_choice(one, value);
        alternatives.len() <= MAX_VALUES && alternatives.iter().any(is_choice)
    })
}

/// Returns the texts and numbers of a value. The top-level keys are parameter names and excluded; nested keys count as
/// texts.
pub fn collect_strings(value: &Value) -> Vec<String> {
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

/// Iterates over the URLs of a text, as written there.
pub(crate) fn find_urls(text: &str) -> impl Iterator<Item = &str> {
    let starts = text.match_indices("http").map(|(at, _)| at);
    starts.filter_map(|at| {
        let rest = &text[at..];
        let scheme = ["https://", "http://"]
            .into_iter()
            .find(|scheme| rest.starts_with(scheme))?;
        let is_end = |c: char| c.is_whitespace() || c.is_control() || "<>\"'`|\\^{}".contains(c);
        let end = rest.find(is_end).unwrap_or(rest.len());
        let url = trim_punctuation(&rest[..end]);
        (url.len() > scheme.len() && url.len() <= MAX_URL_LEN).then_some(url)
    })
}

/// Removes the punctuation that ends a sentence, or that closes a bracket opened before the URL.
fn trim_punctuation(mut url: &str) -> &str {
    while let Some(last) = url.chars().next_back() {
        let is_open = |open: char| url.matches(open).count() >= url.matches(last).count();
        match last {
            '.' | ',' | ';' | ':' | '!' | '?' | '*' | '_' => {}
            ')' if !is_open('(') => {}
            ']' if !is_open('[') => {}
            _ => break,
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
        let found: Vec<_> = find_urls(text).collect();
        let expected = "https://a.org/x?y=1 https://b.org/c http://d.org/e_(f)";
        assert_eq!(found.join(" "), expected);
    }

    #[test]
    fn only_whole_known_urls_are_covered_and_beside_them_what_the_tool_lists() {
        let mut known = KnownUrls::default();
        known.add_user_text("read https://a.org/");
        known.add_page("next: https://b.org/1", 0);
        known.add_followed("https://b.org/1", "{}");
        known.add_page("you came from https://b.org/?secret", "b.org/?secret".len());
        known.add_followed("https://b.org/?secret", "b.org/?secret");
        let many: Vec<String> = (0..100).map(|number| format!("w{number}")).collect();
        let schema = serde_json::json!({ "type": "object", "properties": {
            "url": { "type": "string" },
            "urls": { "type": "array", "items": { "type": "string" } },
            "format": { "enum": ["markdown", "text"] },
            "method": { "anyOf": [{ "const": "GET" }, { "const": "HEAD" }, { "type": "null" }] },
            "raw": { "type": "boolean" },
            "word": { "enum": many },
            "limit": { "type": "integer" },
            "body": { "type": "string" },
            "headers": { "type": "object" },
        }});
        let covered = [
            r#"{"url":"https://a.org/"}"#,
            r#"{"urls":["https://a.org/","https://b.org/1"]}"#,
            r#"{"url":"https://b.org/1","format":"markdown","method":"HEAD","raw":true}"#,
        ];
        let others = [
            r#"{"url":"https://a.org/?secret"}"#,
            r#"{"urls":["https://a.org/","https://a.org/?secret"]}"#,
            r#"{"urls":[]}"#,
            r#"{"url":"https://b.org/1","body":"hunter"}"#,
            r#"{"url":"https://b.org/1","format":"hunter"}"#,
            r#"{"url":"https://b.org/1","method":"hunter"}"#,
            r#"{"url":"https://b.org/1","word":"w7"}"#,
            r#"{"url":"https://b.org/1","headers":{"x":"hunter"}}"#,
            r#"{"url":"https://b.org/1","undeclared":"hunter"}"#,
            r#"{"url":"https://a.org/","limit":123}"#,
            r#"{"url":"https://b.org/?secret"}"#,
            r#"{"query":"word"}"#,
            r#"["https://a.org/"]"#,
        ];
        for arguments in covered {
            assert!(known.covers(arguments, &schema), "{arguments}");
        }
        for arguments in others {
            assert!(!known.covers(arguments, &schema), "{arguments}");
        }
    }

    #[test]
    fn twenty_urls_of_results_are_followed_in_a_turn() {
        let mut known = KnownUrls::default();
        let url = |number: usize| format!("https://b.org/{number}");
        for number in 0..=MAX_FOLLOWED {
            known.add_page(&url(number), 0);
            known.add_followed(&url(number), "");
        }
        assert!(known.contains(&url(MAX_FOLLOWED - 1)));
        assert!(!known.contains(&url(MAX_FOLLOWED)));
    }
}
