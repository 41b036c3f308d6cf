//! `--tools`: which of the app's tools are served.

use clap::ArgMatches;

use crate::cli::app_context::AppContext;
use crate::toolset::Toolset;

/// Keeps the tools that were named. A name that fits none is a mistake.
pub(super) fn chosen(app: &AppContext, matches: &ArgMatches) -> Result<Toolset, String> {
    let all = app.tools.granted();
    let Some(patterns) = matches.get_many::<String>("tools") else {
        return Ok(all.clone());
    };
    let patterns: Vec<String> = patterns.map(|pattern| pattern.trim().to_owned()).collect();
    let names = all.names();
    let fits_none = |pattern: &&String| !names.iter().any(|name| fits(pattern, name));
    if let Some(pattern) = patterns.iter().find(fits_none) {
        return Err(match pattern.contains('*') {
            true => format!("no tool has a name like `{pattern}`"),
            false => all.unknown(pattern).to_string(),
        });
    }
    Ok(all.filtered(move |spec| patterns.iter().any(|pattern| fits(pattern, &spec.name))))
}

/// Reports whether a name fits a pattern, in which `*` stands for any part.
fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else {
        return false;
    };
    let Some(last) = parts.next_back() else {
        return rest.is_empty();
    };
    for part in parts {
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_star_stands_for_any_part() {
        for (pattern, name) in [
            ("grep", "grep"),
            ("*", "grep"),
            ("read_*", "read_file"),
            ("*_file", "read_file"),
            ("r*d*e", "read_file"),
            ("grep*", "grep"),
        ] {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("grep", "grep2"),
            ("read_*", "write_file"),
            ("a*a", "a"),
            ("*x*", "grep"),
            ("", "grep"),
        ] {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }
}
