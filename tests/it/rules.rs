//! Holds the rules of the macros, their cases in `tests/ui/`, and their messages against each other.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// What the types tell rather than the macro: the beginnings of the names of these cases.
const TYPE_ERROR_CASES: [&str; 15] = [
    "bad_error_type",
    "bad_return_type",
    "bad_stream",
    "check_of_wrong",
    "default_of_another_type",
    "default_without_default",
    "future_not_send",
    "host_state",
    "match_rule_of_wrong",
    "permit",
    "risk_with_wrong",
    "suggest_rules_of_wrong",
    "syntax_of",
    "toolset_not_sync",
    "unsupported_type",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the names of the files of one kind in `tests/ui`.
fn cases(extension: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(root().join("tests/ui")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect()
}

/// Returns the variants of `enum Rule`.
fn rules() -> Vec<String> {
    variants(&fs::read_to_string(root().join("macros/src/rule.rs")).unwrap())
}

fn variants(source: &str) -> Vec<String> {
    let (_, body) = source.split_once("enum Rule {").unwrap();
    let names = body
        .lines()
        .map(str::trim)
        .filter_map(|line| line.strip_suffix(','));
    names
        .filter(|name| name.chars().all(char::is_alphanumeric))
        .map(str::to_owned)
        .collect()
}

fn snake_case(variant: &str) -> String {
    let mut name = String::new();
    for letter in variant.chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.extend(letter.to_lowercase());
    }
    name
}

/// Returns the rules that no case is named by.
fn without_case(rules: &[String], cases: &BTreeSet<String>) -> Vec<String> {
    let names = rules.iter().map(|rule| snake_case(rule));
    names.filter(|name| !cases.contains(name)).collect()
}

/// Returns the cases that are named neither by a rule nor by what the types tell.
fn without_rule(rules: &[String], cases: &BTreeSet<String>) -> Vec<String> {
    let rules: Vec<String> = rules.iter().map(|rule| snake_case(rule)).collect();
    let is_of = |case: &str, rule: &str| {
        case.strip_prefix(rule)
            .is_some_and(|detail| detail.is_empty() || detail.starts_with('_'))
    };
    let told = |case: &&String| {
        rules.iter().any(|rule| is_of(case, rule))
            || TYPE_ERROR_CASES.iter().any(|told| is_of(case, told))
    };
    cases.iter().filter(|case| !told(case)).cloned().collect()
}

/// Returns the messages that are not exactly one error, and what they are.
fn not_one_error(messages: &BTreeMap<String, String>) -> Vec<String> {
    let count = |message: &str, word: &str| {
        message
            .lines()
            .filter(|line| line.starts_with(word))
            .count()
    };
    let odd = messages.iter().filter_map(|(name, message)| {
        let (errors, warnings) = (count(message, "error"), count(message, "warning"));
        (errors != 1 || warnings != 0)
            .then(|| format!("{name}: {errors} errors, {warnings} warnings"))
    });
    odd.collect()
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_rule_has_a_case() {
    let missing = without_case(&rules(), &cases("rs"));
    assert!(missing.is_empty(), "no case in tests/ui: {missing:#?}");
}

#[test]
fn every_case_is_of_a_rule() {
    let stray = without_rule(&rules(), &cases("rs"));
    assert!(stray.is_empty(), "named by no rule: {stray:#?}");
}

#[test]
fn every_case_has_a_message_and_every_message_a_case() {
    let (cases, messages) = (cases("rs"), cases("stderr"));
    let alone: Vec<_> = cases.symmetric_difference(&messages).collect();
    assert!(alone.is_empty(), "without its other half: {alone:#?}");
}

#[test]
fn one_mistake_gives_one_error() {
    let messages: BTreeMap<String, String> = cases("stderr")
        .into_iter()
        .map(|name| {
            let path = root().join("tests/ui").join(&name).with_extension("stderr");
            (name, fs::read_to_string(path).unwrap())
        })
        .collect();
    assert!(messages.len() >= 45, "only {} cases", messages.len());
    let odd = not_one_error(&messages);
    assert!(odd.is_empty(), "more or less than one error: {odd:#?}");
}

#[test]
fn every_rule_is_reported_somewhere() {
    let mut files = Vec::new();
    rust_files(&root().join("macros/src"), &mut files);
    let sources: String = files
        .iter()
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    let silent: Vec<_> = rules()
        .into_iter()
        .filter(|rule| {
            let mention = format!("Rule::{rule}");
            // The name goes no further: `Rule::Generic` is no mention of `Rule::GenericReturn`.
            !sources
                .match_indices(&mention)
                .any(|(at, _)| !sources[at + mention.len()..].starts_with(char::is_alphanumeric))
        })
        .collect();
    assert!(silent.is_empty(), "reported nowhere: {silent:#?}");
}

/// Proof that the tests above can fail.
#[test]
fn what_is_missing_is_found() {
    let source = "pub(crate) enum Rule {\n    /// A comma, here.\n    NoDocs,\n    BadName,\n}\n";
    let rules = variants(source);
    assert_eq!(rules, ["NoDocs", "BadName"]);

    let cases = ["no_docs", "no_docs_at_all", "no_docstring"]
        .map(str::to_owned)
        .into();
    assert_eq!(without_case(&rules, &cases), ["bad_name"]);
    assert_eq!(without_rule(&rules, &cases), ["no_docstring"]);

    let messages = [
        ("good", "error: no docs\n --> tests/ui/good.rs:1:1\n"),
        ("twice", "error: no docs\n\nerror[E0277]: no docs\n"),
        ("noisy", "error: no docs\n\nwarning: unused\n"),
        ("silent", ""),
    ];
    let messages = messages
        .map(|(name, text)| (name.to_owned(), text.to_owned()))
        .into();
    assert_eq!(
        not_one_error(&messages),
        [
            "noisy: 1 errors, 1 warnings",
            "silent: 0 errors, 0 warnings",
            "twice: 2 errors, 0 warnings"
        ]
    );
}
