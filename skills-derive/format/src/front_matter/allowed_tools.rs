//! The field `allowed-tools`, in all forms in use.

use super::value::Value;

/// Parses a list of tools: text separated by spaces or commas, a list of such texts, or the keys of a mapping.
///
/// Parentheses belong to their tool: `Bash(git add *), Read` is two tools. Brackets around the whole text, quotes
/// around one tool, and duplicates are removed.
///
/// ```
/// use helve_skill_format::{Value, allowed_tools};
///
/// let text = Value::Text("Bash(git add *) Read,Grep".to_owned());
/// assert_eq!(allowed_tools(&text), ["Bash(git add *)", "Read", "Grep"]);
/// ```
#[must_use]
pub fn allowed_tools(value: &Value) -> Vec<String> {
    let mut tools = Vec::new();
    collect(value, &mut tools);
    let mut seen = std::collections::BTreeSet::new();
    tools.retain(|tool| seen.insert(tool.clone()));
    tools
}

fn collect(value: &Value, tools: &mut Vec<String>) {
    match value {
        Value::Text(text) => tools.extend(split(text).map(str::to_owned)),
        Value::List(items) => items.iter().for_each(|item| collect(item, tools)),
        Value::Mapping(entries) => {
            for (key, _) in entries {
                tools.extend(split(key).map(str::to_owned));
            }
        }
    }
}

/// Splits at white space and commas outside of parentheses.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let text = text.trim();
    let text = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'))
        .unwrap_or(text);
    let mut depth = 0_usize;
    let tools = text.split(move |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (c == ',' || c.is_whitespace())
    });
    tools.map(unquote).filter(|tool| !tool.is_empty())
}

fn unquote(tool: &str) -> &str {
    let tool = tool.trim();
    ['"', '\'']
        .iter()
        .find_map(|&quote| tool.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(tool)
        .trim()
}
