//! `${VARIABLE}` in the texts of a file; `$${` is a dollar sign and a brace.

pub(crate) fn names(text: &str) -> Result<Vec<&str>, String> {
    let mut names = Vec::new();
    for_each_piece(text, |piece| {
        if let TemplatePiece::Variable(name) = piece {
            names.push(name);
        }
    })?;
    Ok(names)
}

/// Expands variables; the error is the name of the first variable without a value.
pub(crate) fn expand(
    text: &str,
    mut value: impl FnMut(&str) -> Option<String>,
) -> Result<String, &str> {
    let mut expanded = String::with_capacity(text.len());
    let mut missing = None;
    let read = for_each_piece(text, |piece| match piece {
        TemplatePiece::Text(text) => expanded.push_str(text),
        TemplatePiece::Variable(name) => match value(name) {
            Some(value) => expanded.push_str(&value),
            None => missing = missing.or(Some(name)),
        },
    });
    match (read, missing) {
        (_, Some(name)) => Err(name),
        (Ok(()), None) => Ok(expanded),
        // Invalid texts are errors when the file is read.
        (Err(_), None) => Ok(text.to_owned()),
    }
}

/// Shows the variables of a text, and hides the rest of it.
pub(crate) fn redact(text: &str) -> String {
    let mut shown = String::new();
    let _ = for_each_piece(text, |piece| match piece {
        TemplatePiece::Text("") => {}
        TemplatePiece::Text(_) => shown.push('…'),
        TemplatePiece::Variable(name) => shown.push_str(&format!("${{{name}}}")),
    });
    shown
}

enum TemplatePiece<'t> {
    Text(&'t str),
    Variable(&'t str),
}

fn for_each_piece<'t>(
    text: &'t str,
    mut each: impl FnMut(TemplatePiece<'t>),
) -> Result<(), String> {
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let (before, after) = (&rest[..start], &rest[start + 2..]);
        if let Some(before) = before.strip_suffix('$') {
            each(TemplatePiece::Text(before));
            each(TemplatePiece::Text("${"));
            rest = after;
            continue;
        }
        each(TemplatePiece::Text(before));
        let Some(end) = after.find('}') else {
            return Err(
                "unclosed `${`: expected `${VARIABLE}`, or `$${` for a literal `${`".to_owned(),
            );
        };
        let name = &after[..end];
        if !is_name(name) {
            return Err(format!(
                "invalid variable name in `${{{name}}}`: expected `${{VARIABLE}}`, or `$${{` for a literal `${{`"
            ));
        }
        each(TemplatePiece::Variable(name));
        rest = &after[end + 1..];
    }
    each(TemplatePiece::Text(rest));
    Ok(())
}

fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && name.chars().all(fits) && !name.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::{expand, names};

    fn expand_test_text(text: &str) -> Result<String, &str> {
        expand(text, |name| (name == "A").then(|| "1".to_owned()))
    }

    #[test]
    fn variables_are_put_in_their_places() {
        assert_eq!(expand_test_text("x${A}y${A}"), Ok("x1y1".to_owned()));
        assert_eq!(
            expand_test_text("$A $$ {A} $"),
            Ok("$A $$ {A} $".to_owned())
        );
        assert_eq!(expand_test_text("$${A} ${A}"), Ok("${A} 1".to_owned()));
        assert_eq!(expand_test_text("${A}${B}${C}"), Err("B"));
    }

    #[test]
    fn what_names_no_variable_is_refused() {
        assert_eq!(names("${A}-${_b2}$${C}"), Ok(vec!["A", "_b2"]));
        for wrong in ["${", "${A", "${}", "${A-B}", "${1}", "${ä}"] {
            assert!(names(wrong).is_err(), "{wrong}");
        }
    }
}
