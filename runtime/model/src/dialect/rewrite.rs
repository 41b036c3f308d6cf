//! The walk that every rewriting dialect shares.

use serde_json::{Map, Value};

use super::describe;
use helve_core::schema::keyword;

/// What a dialect does to each schema object.
pub(super) struct RewriteRules {
    /// The keywords that survive; others turn into words.
    pub(super) keywords: &'static [&'static str],
    /// The string formats that survive, where the provider lists them.
    pub(super) formats: Option<&'static [&'static str]>,
    /// Runs before the schemas inside are rewritten.
    pub(super) before: fn(&mut Map<String, Value>),
    /// Runs after that, when what the dialect cannot say is already in the description.
    pub(super) after: fn(&mut Map<String, Value>),
}

/// Rewrites a schema by a dialect's rules.
pub(super) fn rewrite(schema: &mut Value, rules: &RewriteRules) {
    let Value::Object(map) = schema else { return };
    (rules.before)(map);
    keyword::each_child(map, |child| rewrite(child, rules));
    say_the_rest(map, rules);
    (rules.after)(map);
    *map = keyword::reorder(std::mem::take(map));
}

/// Moves what the dialect has no keyword for into the description.
fn say_the_rest(map: &mut Map<String, Value>, rules: &RewriteRules) {
    let survives = |key: &str, value: &Value| {
        let is_known =
            |known: &[&str]| value.as_str().is_some_and(|format| known.contains(&format));
        rules.keywords.contains(&key) && (key != "format" || rules.formats.is_none_or(is_known))
    };
    if map.iter().all(|(key, value)| survives(key, value)) {
        return;
    }
    let lost = map
        .iter()
        .filter(|(key, value)| !survives(key, value) && !keyword::is_private_marker(key));
    let said: Vec<String> = lost
        .filter_map(|(key, value)| describe::sentence(key, value))
        .collect();
    map.retain(|key, value| survives(key, value));
    if !said.is_empty() {
        describe::append(map, &said.join(" "));
    }
}
