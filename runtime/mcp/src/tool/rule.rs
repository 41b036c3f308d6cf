//! Rules about calls of a server's tools: `mcp__slack__send_message(channel=#general)`.

use serde_json::{Map, Value};

use helve_core::support::wildcard;
use helve_core::tool::Coverage;

/// Returns whether a rule covers a call: a rule names an argument and its value, in which `*` matches any characters.
///
/// Returns `None` if this cannot be decided: for another form of rule, an argument that the tool does not have, a
/// value that is not a scalar, or a value with `..` and a pattern with `*`. In this case a deny rule applies, and an
/// allow rule does not.
pub(super) fn coverage(
    schema: &Value,
    arguments: &Map<String, Value>,
    rule: &str,
) -> Option<Coverage> {
    let (name, pattern) = rule.split_once('=')?;
    let name = name.trim_end();
    let known = schema.get("properties").and_then(Value::as_object)?;
    if !known.contains_key(name) {
        return None;
    }
    let given = match arguments.get(name) {
        None | Some(Value::Null) => return Some(Coverage::from_parts([false])),
        Some(Value::String(given)) => given.clone(),
        Some(given @ (Value::Bool(_) | Value::Number(_))) => given.to_string(),
        Some(Value::Array(_) | Value::Object(_)) => return None,
    };
    let leads_up = given.split(['/', '\\']).any(|part| part == "..");
    if leads_up && pattern.contains('*') {
        return None;
    }
    Some(Coverage::from_parts([wildcard::matches(
        pattern.trim_start(),
        &given,
    )]))
}

#[cfg(test)]
mod tests {
    use super::coverage;
    use serde_json::json;

    fn covers(arguments: &serde_json::Value, rule: &str) -> Option<bool> {
        let schema = json!({ "properties": { "channel": {}, "count": {}, "to": {} } });
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        coverage(&schema, &arguments, rule).map(|coverage| coverage.covers_all())
    }

    #[test]
    fn a_rule_is_about_one_argument() {
        let call = json!({ "channel": "#general", "count": 3 });
        assert_eq!(covers(&call, "channel=#general"), Some(true));
        assert_eq!(covers(&call, "channel = #gen*"), Some(true));
        assert_eq!(covers(&call, "channel=#random"), Some(false));
        assert_eq!(covers(&call, "count=3"), Some(true));
        assert_eq!(covers(&call, "to=*"), Some(false));
    }

    #[test]
    fn what_nobody_can_say_is_not_said() {
        for (call, rule) in [
            (json!({}), "anything"),
            (json!({}), ""),
            (json!({ "chanel": "a" }), "chanel=a"),
            (json!({ "to": ["a"] }), "to=a"),
            (json!({ "to": "src/../../etc" }), "to=src/*"),
        ] {
            assert_eq!(covers(&call, rule), None, "{rule}");
        }
    }
}
