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
    let source = include_str!("../skill-format/src/codes.rs");
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

#[test]
fn every_rule_has_a_case() {
    let rules = rules();
    assert_eq!(
        rules.len(),
        codes::ALL.len(),
        "every code was read: {rules:#?}"
    );
    let cases = cases("rs");
    let missing: Vec<_> = rules
        .iter()
        .filter(|(name, code)| !warned_of(**code) && !cases.contains(*name))
        .collect();
    assert!(
        missing.is_empty(),
        "no case in tests/ui/skills: {missing:#?}"
    );
}

#[test]
fn every_case_is_of_a_rule() {
    let rules = rules();
    let stray: Vec<_> = cases("rs")
        .into_iter()
        .filter(|case| !rules.contains_key(case))
        .filter(|case| !case.starts_with("argument_") && case != "several_skills")
        .collect();
    assert!(stray.is_empty(), "named by no rule: {stray:#?}");
    let halves = (cases("rs"), cases("stderr"));
    assert_eq!(
        halves.0, halves.1,
        "every case has a message, and every message a case"
    );
}

#[test]
fn every_message_is_of_its_rule() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui/skills");
    for (name, code) in rules() {
        let Ok(message) = fs::read_to_string(folder.join(&name).with_extension("stderr")) else {
            continue;
        };
        assert!(
            message.contains(&format!("error[{code}]")),
            "{name}: {message}"
        );
        assert_eq!(
            message.matches("error[SK").count(),
            1,
            "one rule a case: {message}"
        );
    }
}
