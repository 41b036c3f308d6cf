//! `${VARIABLE}` and `${VARIABLE:-default}` in the texts of `.mcp.json`.

/// Expands variables; the error is the name of the first variable that has neither a value nor a default. Other text is
/// kept.
pub(super) fn expand(text: &str, value: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let (before, after) = (&rest[..start], &rest[start + 2..]);
        expanded.push_str(before);
        let inside = after.find('}').map(|end| &after[..end]);
        let Some((inside, name, default)) = inside.and_then(parts) else {
            expanded.push_str("${");
            rest = after;
            continue;
        };
        match value(name).or_else(|| default.map(str::to_owned)) {
            Some(value) => expanded.push_str(&value),
            None => return Err(name.to_owned()),
        }
        rest = &after[inside.len() + 1..];
    }
    expanded.push_str(rest);
    Ok(expanded)
}

/// Splits the text between the braces into the whole, the name and the default.
fn parts(inside: &str) -> Option<(&str, &str, Option<&str>)> {
    let (name, default) = match inside.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inside, None),
    };
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_name = !name.is_empty()
        && name.chars().all(fits)
        && !name.starts_with(|c: char| c.is_ascii_digit());
    is_name.then_some((inside, name, default))
}

#[cfg(test)]
mod tests {
    use super::expand;

    fn expand_test_text(text: &str) -> Result<String, String> {
        expand(text, |name| (name == "A").then(|| "1${B}".to_owned()))
    }

    #[test]
    fn variables_are_put_in_their_places() {
        for (text, expanded) in [
            ("x${A}y", "x1${B}y"),
            ("${A:-2}", "1${B}"),
            ("${B:-2}${B:-}", "2"),
            ("${B:-http://h:1/x}", "http://h:1/x"),
            ("$A ${} ${1} ${a b} ${", "$A ${} ${1} ${a b} ${"),
        ] {
            assert_eq!(expand_test_text(text), Ok(expanded.to_owned()), "{text}");
        }
        assert_eq!(expand_test_text("${A}${B}${C}"), Err("B".to_owned()));
    }
}
