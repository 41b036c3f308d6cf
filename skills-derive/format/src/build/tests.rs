//! Tests of the instructions for cargo.

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

/// Creates a folder with a violation of every rule that only warns.
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
    insta::assert_snapshot!(instructions("skills", &found), @r#"
    cargo::rerun-if-changed=skills
    cargo::warning=skills/büro/SKILL.md:2:7: `ü` is not ASCII: MCP and some hosts take only `a` to `z`, digits and `-` [SK0135]
    cargo::warning=skills/fields/SKILL.md:3:26: ` #` begins a comment: `description` ends here [SK0207]; help: quote it if the text goes on: description: "Fills forms #…"
    cargo::warning=skills/fields/SKILL.md:4:16: `allowed_tools` is not a field of the specification [SK0142]; help: did you mean `allowed-tools`?
    cargo::warning=skills/fields/SKILL.md:6:4: U+200B cannot be seen, and a model reads it [SK0208]; help: delete the invisible characters
    cargo::warning=skills/links/SKILL.md:5:8: the link `gone.md` leads to no file of the skill [SK0203]; help: add the file, or delete the link
    cargo::warning=skills/links/SKILL.md:5:24: the link `../long/SKILL.md` leads out of the skill [SK0204]; help: a skill must contain its own files: add a copy inside the skill
    cargo::warning=skills/links/first.md:1:10: `second.md` is reached only from here, two levels deep [SK0205]; help: link to it from SKILL.md, too
    cargo::warning=skills/long/SKILL.md:5:1: the body has 900 lines; at most 500 are recommended [SK0201]; help: move what is not always needed to files of its own, and link to them
    cargo::warning=skills/long/SKILL.md:5:1: the body has about 5624 tokens, a token for 4 bytes; at most 5000 are recommended [SK0202]; help: move what is not always needed to files of its own, and link to them
    cargo::warning=skills/script/fill.sh:1:1: the file begins with `#!` and is not marked as executable [SK0206]; help: mark it: `chmod +x`, and where git does not see that, `git update-index --chmod=+x`
    "#);
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
    insta::assert_snapshot!(instructions("skills", &found), @r#"
    cargo::rerun-if-changed=skills
    cargo::warning=skills/büro/SKILL.md:2:7: `ü` is not ASCII: MCP and some hosts take only `a` to `z`, digits and `-` [SK0135]
    "#);
}
