//! The names of agents.

/// The maximum length of a name, in characters.
const MAX_NAME: usize = 100;

/// Returns the reason why a text is not the name of an agent.
pub(super) fn problem(name: &str) -> Option<String> {
    let is_allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '#');
    if name.starts_with('-') {
        return Some("the `name` begins with a hyphen".to_owned());
    }
    if name.chars().count() > MAX_NAME {
        return Some(format!("the `name` is longer than {MAX_NAME} characters"));
    }
    let found = name.chars().find(|c| !is_allowed(*c))?;
    Some(format!(
        "the `name` contains {:?}, which no name may contain",
        found.to_string()
    ))
}
