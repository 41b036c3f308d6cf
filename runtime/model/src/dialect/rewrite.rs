//! The traversal that all rewriting dialects share.

use serde_json::{Map, Value};

use super::describe;
use helve_core::schema::keyword;

/// The rules by which a dialect rewrites each schema object.
pub(super) struct RewriteRules {
    /// The supported keywords; all others are described in words.
    pub(super) keywords: &'static [&'static str],
    /// The supported string formats; `None` if the provider lists none.
    pub(super) formats: Option<&'static [&'static str]>,
    /// Runs before the subschemas are rewritten.
    pub(super) before: fn(&mut Map<String, Value>),
    /// Runs after the unsupported keywords have been moved to the description.
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

/// Moves unsupported keywords into the description.
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
