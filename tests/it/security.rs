//! Holds SECURITY.md against the tests: whoever renames or removes one that it names has to say what holds its claim now.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;

/// The head of the tables of claims.
const HEAD: &str = "| claim | test |";

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the claims of a page, each with the cell that names its tests.
fn claims(page: &str) -> Vec<(&str, &str)> {
    let mut claims = Vec::new();
    let mut is_table = false;
    for line in page.lines() {
        is_table = line == HEAD || (is_table && line.starts_with('|'));
        if !is_table || line == HEAD || line.starts_with("|---") {
            continue;
        }
        let row = line.trim_start_matches("| ").trim_end_matches(" |");
        claims.push(row.rsplit_once(" | ").unwrap_or((row, "")));
    }
    claims
}

/// Says what is wrong with a cell of the form `` `file`: `name`, `name`; `file`: `name` ``.
fn mistakes(cell: &str) -> Vec<String> {
    let quoted = |text: &str| -> Option<String> {
        let inside = text.trim().strip_prefix('`')?.strip_suffix('`')?;
        (!inside.contains('`')).then(|| inside.to_owned())
    };
    let mut mistakes = Vec::new();
    for part in cell.split(';') {
        let Some((file, names)) = part.split_once(": ") else {
            mistakes.push(format!("`{part}` names a file without tests"));
            continue;
        };
        let text = quoted(file).and_then(|file| fs::read_to_string(workspace().join(file)).ok());
        let Some(text) = text else {
            mistakes.push(format!("there is no file {file}"));
            continue;
        };
        for name in names.split(',') {
            let is_there = quoted(name).is_some_and(|name| names_test(&text, &name));
            if !is_there {
                mistakes.push(format!("{file} has no test {name}"));
            }
        }
    }
    mistakes
}

/// Reports whether a source has a function of this name, or a test that is named by a text.
fn names_test(source: &str, name: &str) -> bool {
    let is_function = |at: usize| {
        let before = &source[..at];
        let after = &source[at + name.len()..];
        before.ends_with("fn ") && after.starts_with(['(', '<'])
            || (before.ends_with('"') || before.ends_with("::")) && after.starts_with('"')
    };
    source.match_indices(name).any(|(at, _)| is_function(at))
}

#[test]
fn every_claim_has_tests_that_are_there() {
    let page = fs::read_to_string(workspace().join("SECURITY.md")).unwrap();
    let claims = claims(&page);
    assert!(claims.len() > 30, "only {} claims", claims.len());
    let wrong: Vec<_> = claims
        .iter()
        .flat_map(|(claim, cell)| {
            mistakes(cell)
                .into_iter()
                .map(move |mistake| format!("{claim}: {mistake}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_claim_whose_test_is_gone_is_found() {
    let cells = [
        "`SECURITY.md`",
        "`tests/it/gone.rs`: `every_claim_has_tests_that_are_there`",
        "`tests/it/security.rs`: `every_claim`",
        "`tests/it/security.rs`: `every_claim_has_tests_that_are_there`, `another`",
        "",
    ];
    for cell in cells {
        assert_eq!(mistakes(cell).len(), 1, "{cell}");
    }
    assert!(mistakes("`tests/it/security.rs`: `every_claim_has_tests_that_are_there`").is_empty());
}
