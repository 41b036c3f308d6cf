//! What cargo is told of a folder.

use std::collections::BTreeSet;
use std::fs;

use tempfile::TempDir;

use super::*;
use crate::{Severity, codes};

fn written(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn skill(name: &str, fields: &str, body: &str) -> String {
    format!("---\nname: {name}\n{fields}---\n{body}")
}

/// A skill for every rule whose breach is only warned of.
fn questionable() -> TempDir {
    let described = "description: Fills forms.\n";
    written(&[
        (
            "long/SKILL.md",
            &skill("long", described, &"word word word word word\n".repeat(900)),
        ),
        (
            "links/SKILL.md",
            &skill(
                "links",
                described,
                "[gone](gone.md), [out](../long/SKILL.md), [first](first.md)\n",
            ),
        ),
        ("links/first.md", "[second](second.md)\n"),
        ("links/second.md", "Deep.\n"),
        (
            "script/SKILL.md",
            &skill("script", described, "Run `fill.sh`.\n"),
        ),
        ("script/fill.sh", "#!/bin/sh\n"),
        (
            "fields/SKILL.md",
            &skill(
                "fields",
                "description: Fills forms # quickly.\nallowed_tools: Read\n",
                "Hid\u{200b}den.\n",
            ),
        ),
        ("büro/SKILL.md", &skill("büro", described, "")),
    ])
}

#[test]
fn warnings_are_lines_for_cargo() {
    let folder = questionable();
    let found = crate::read(folder.path(), "skills", &Options::default());
    assert_eq!(found.errors_message("test"), None);
    insta::assert_snapshot!(instructions("skills", &found), @"");
}

#[test]
fn every_rule_that_is_only_warned_of_is_warned_of() {
    let folder = questionable();
    let found = crate::read(folder.path(), "skills", &Options::default());
    let warned: BTreeSet<_> = found.warnings().map(|problem| problem.code).collect();
    let by_specification = codes::ALL.iter().map(|(code, _)| *code);
    let expected = by_specification
        .filter(|code| Profile::Spec.severity(*code) == Some(Severity::Warning))
        .collect();
    assert_eq!(warned, expected);
}

#[test]
fn errors_are_left_to_the_macro() {
    let folder = written(&[("pdf/SKILL.md", "# PDF\n")]);
    let found = crate::read(folder.path(), "skills", &Options::default());
    assert!(found.has_errors());
    assert_eq!(
        instructions("skills", &found),
        "cargo::rerun-if-changed=skills\n"
    );
    let found = crate::read(Path::new("/nowhere"), "skills", &Options::default());
    assert_eq!(
        instructions("skills", &found),
        "cargo::rerun-if-changed=skills\n"
    );
}

#[test]
fn options_are_those_of_the_macro() {
    let folder = questionable();
    let options = Options::default().exclude(["long/", "links/", "script/", "fields/"]);
    let found = crate::read(
        folder.path(),
        "skills",
        &options.profile(Profile::SkillsRef),
    );
    insta::assert_snapshot!(instructions("skills", &found), @"");
}
