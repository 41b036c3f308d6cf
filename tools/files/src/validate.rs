//! Checks the syntax of written files: errors are reported, and the file is still written.

use std::path::Path;

use saphyr_parser::Parser;
use serde::de::IgnoredAny;

/// The greatest size of a file that is checked, in bytes.
const MAX_BYTES: usize = 2 << 20;

/// Returns a warning if a file is not valid JSON, TOML or YAML, as its name requires; `None` if there is no error.
pub(super) fn warning(path: &Path, text: &str) -> Option<String> {
    if text.len() > MAX_BYTES {
        return None;
    }
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    let (language, mistake) = match &*extension {
        "json" if !has_comments(path) => ("JSON", json(text)?),
        "toml" => ("TOML", toml(text)?),
        "yaml" | "yml" => ("YAML", yaml(text)?),
        _ => return None,
    };
    let path = super::name::display_path(path);
    Some(format!(
        "[warning: `{path}` is not valid {language}: {mistake}]"
    ))
}

/// Reports whether JSON files with this name may contain comments.
fn has_comments(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let folder = path.parent().and_then(Path::file_name);
    name.starts_with("tsconfig")
        || name.starts_with("jsconfig")
        || name.starts_with("devcontainer")
        || folder.is_some_and(|folder| folder == ".vscode")
}

fn json(text: &str) -> Option<String> {
    let error = serde_json::from_str::<IgnoredAny>(text).err()?;
    Some(error.to_string())
}

fn toml(text: &str) -> Option<String> {
    let error = text.parse::<toml::Table>().err()?;
    let line = error.span().map(|span| {
        let line = text[..span.start.min(text.len())].matches('\n').count() + 1;
        format!(" at line {line}")
    });
    Some(format!("{}{}", error.message(), line.unwrap_or_default()))
}

fn yaml(text: &str) -> Option<String> {
    let error = Parser::new_from_str(text).find_map(Result::err)?;
    let marker = error.marker();
    Some(format!(
        "{} at line {} column {}",
        error.info(),
        marker.line(),
        marker.col() + 1
    ))
}

#[cfg(test)]
mod tests {
    use super::warning;

    #[test]
    fn says_where_the_mistake_is() {
        for (path, text) in [
            ("a.json", "{\"a\": 1}\n"),
            ("a.toml", "a = 1\n"),
            ("a.yaml", "a: 1\n---\nb: [1, 2]\n"),
            ("tsconfig.json", "{ // comments\n}\n"),
            ("a.txt", "{"),
            ("Makefile", "{"),
        ] {
            assert_eq!(warning(path.as_ref(), text), None, "{path}");
        }
        for (path, text, says) in [
            ("a.JSON", "{\"a\": 1,}\n", "at line 1 column 9"),
            ("a.toml", "a = 1\na = = 2\n", "line 2"),
            ("a.yml", "name: a\n  count: 1\n", "line 2 column 8"),
        ] {
            let warning = warning(path.as_ref(), text).unwrap();
            assert!(warning.contains(says), "{warning}");
        }
    }

    #[test]
    fn deep_nesting_ends() {
        for (path, open) in [("a.json", "["), ("a.toml", "a = ["), ("a.yaml", "[")] {
            let text = format!("{}{}", open, "[".repeat(200_000));
            assert!(warning(path.as_ref(), &text).is_some(), "{path}");
        }
    }
}
