//! Holds the rules about skills against their cases in `tests/ui/skills/`.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use helve_skill_format::{Code, Profile, Severity, codes};

/// Rules whose breach is no error where skills are embedded, and that the build helper warns of instead: its tests have
/// a case of each.
fn warned_of(code: Code) -> bool {
    [Profile::Spec, Profile::SkillsRef, Profile::Mcp]
        .iter()
        .all(|profile| profile.severity(code) != Some(Severity::Error))
}

/// Returns the constants of `codes.rs`, each with its code.
fn rules() -> BTreeMap<String, Code> {
    let source = include_str!("../../skills-derive/format/src/codes.rs");
    let constants = source.lines().filter_map(|line| {
        let (name, code) = line.trim().split_once(" = \"")?;
        let code = code.strip_suffix("\";")?;
        let known = codes::ALL.iter().find(|(known, _)| known.as_str() == code);
        Some((name.to_lowercase(), known?.0))
    });
    constants.collect()
}

fn cases(extension: &str) -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui/skills");
    let paths = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let of_kind = paths.filter(|path| path.extension().is_some_and(|found| found == extension));
    of_kind
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect()
}

/// Rules that no case can be of, and why.
const EXEMPT: [(&str, &str); 1] = [(
    "skill_md_case",
    "a `skill.md` is no skill in one profile, and accepted in the others that embed: skill_md_missing_in_lower_case",
)];

/// A case whose mistake breaks two rules, whatever one does.
const TWO_RULES: &str = "name_twice";

/// Returns the rules without a case.
fn without_case(rules: &BTreeMap<String, Code>, cases: &BTreeSet<String>) -> Vec<String> {
    let exempt = |name: &str| EXEMPT.iter().any(|(exempt, _)| *exempt == name);
    let missing = rules
        .iter()
        .filter(|(name, code)| !warned_of(**code) && !exempt(name) && !cases.contains(*name));
    missing
        .map(|(name, code)| format!("{name} ({code})"))
        .collect()
}

/// Returns the cases that are named by no rule.
fn without_rule(rules: &BTreeMap<String, Code>, cases: &BTreeSet<String>) -> Vec<String> {
    let of_rule = |case: &str| {
        rules.keys().any(|rule| {
            case.strip_prefix(&**rule)
                .is_some_and(|detail| detail.is_empty() || detail.starts_with('_'))
        })
    };
    let stray = cases
        .iter()
        .filter(|case| !of_rule(case) && !case.starts_with("argument_"))
        .filter(|case| *case != "several_skills");
    stray.cloned().collect()
}

#[test]
fn every_rule_has_a_case() {
    let rules = rules();
    assert_eq!(
        rules.len(),
        codes::ALL.len(),
        "not every code was read: {rules:#?}"
    );
    let missing = without_case(&rules, &cases("rs"));
    assert!(
        missing.is_empty(),
        "no case in tests/ui/skills: {missing:#?}"
    );
}

#[test]
fn every_case_is_of_a_rule_and_has_a_message() {
    let stray = without_rule(&rules(), &cases("rs"));
    assert!(stray.is_empty(), "named by no rule: {stray:#?}");
    assert_eq!(
        cases("rs"),
        cases("stderr"),
        "a case without a message, or the other way round"
    );
}

#[test]
fn every_message_is_of_its_rule_alone() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui/skills");
    for (name, code) in rules() {
        let Ok(message) = fs::read_to_string(folder.join(&name).with_extension("stderr")) else {
            continue;
        };
        assert!(
            message.contains(&format!("error[{code}]")),
            "{name}: {message}"
        );
        let rules = if name == TWO_RULES { 2 } else { 1 };
        assert_eq!(message.matches("error[SK").count(), rules, "{message}");
    }
}

/// Proof that the tests above can fail.
#[test]
fn what_is_missing_is_found() {
    let rules = rules();
    let cases = ["anchor", "anchors", "name_length", "name_length_of_words"];
    let cases = cases.map(str::to_owned).into();
    let missing = without_case(&rules, &cases);
    assert!(missing.contains(&"tag (SK0107)".to_owned()), "{missing:?}");
    assert!(
        !missing.iter().any(|name| name.starts_with("anchor ")),
        "{missing:?}"
    );
    assert_eq!(without_rule(&rules, &cases), ["anchors"]);
}
