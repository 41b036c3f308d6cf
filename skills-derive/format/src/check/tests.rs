use super::*;
use crate::{Profile, front_matter};

/// Checks a skill with this front matter in `folder`, and returns the findings as lines.
fn findings(folder: &str, yaml: &str) -> String {
    findings_under(Profile::Spec, folder, yaml)
}

fn findings_under(profile: Profile, folder: &str, yaml: &str) -> String {
    let read = front_matter::read(yaml);
    let findings = check(&RuleInput {
        folder: Some(folder),
        front_matter: &read.front_matter,
        complete: read.is_complete,
        profile,
    });
    let lines = findings.iter().map(|finding| {
        let at = finding.at.unwrap();
        let help = finding
            .help
            .as_ref()
            .map(|help| format!("\n   = help: {help}"))
            .unwrap_or_default();
        format!(
            "{} {}:{} {}{help}",
            finding.code, at.line, at.column, finding.message
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Checks a name that is also the name of the folder.
fn name(name: &str) -> String {
    findings(name, &format!("name: '{name}'\ndescription: d\n"))
}

#[test]
fn good_skills_pass() {
    for good in ["pdf", "a", "1", "pdf-2-go"] {
        assert_eq!(name(good), "", "{good}");
    }
    // Letters and digits of any script, also after NFKC: only reported as not ASCII.
    for good in ["größe", "日本語", "навык", "cafe\u{301}", "１"] {
        let findings = name(good);
        assert!(
            findings.is_empty() || findings.starts_with("SK0135") && findings.lines().count() == 1,
            "{good}: {findings}"
        );
    }
    assert_eq!(
        findings(
            "pdf",
            "name: pdf\ndescription: |\n  d\nlicense: MIT\nversion: 1.0\nargument-hint: [x]\n"
        ),
        ""
    );
    assert_eq!(name(&"x".repeat(64)), "");
    let longest = "é".repeat(1024);
    assert_eq!(
        findings("pdf", &format!("name: pdf\ndescription: {longest}\n")),
        ""
    );
}

#[test]
fn a_missing_field_is_named() {
    insta::assert_snapshot!(findings("pdf", "license: MIT\n"), @"
    SK0111 1:1 `name` is missing
       = help: write `name: pdf`
    SK0116 1:1 `description` is missing
       = help: say what the skill does and when to use it: a model chooses by it
    ");
    insta::assert_snapshot!(findings("pdf", "Name: pdf\ndescription: ' '\n"), @r#"
    SK0111 2:7 `name` is missing; `Name` is another field
       = help: write `name: pdf`
    SK0132 3:14 `description` is empty
       = help: say what the skill does and when to use it: a model chooses by it
    SK0142 2:7 `Name` is not a field of the specification
       = help: did you mean `name`?
    "#);
    insta::assert_snapshot!(findings("pdf", "name: [pdf]\ndescription:\n"), @r#"
    SK0131 2:7 `name` is a list, not text
       = help: write `name: pdf`
    SK0132 3:12 `description` is empty
       = help: say what the skill does and when to use it: a model chooses by it
    "#);
}

#[test]
fn lengths_count_characters() {
    insta::assert_snapshot!(name(&"ö".repeat(65)), @r#"
    SK0112 2:7 `name` is 65 characters long; at most 64 are allowed
    SK0135 2:7 `ö` is not ASCII: MCP and some hosts take only `a` to `z`, digits and `-`
    "#);
    let long = "é".repeat(1025);
    insta::assert_snapshot!(
        findings("pdf", &format!("name: pdf\ndescription: {long}\n")),
        @"SK0117 3:14 `description` is 1025 characters long; at most 1024 are allowed"
    );
}

#[test]
fn a_name_has_lower_case_letters_digits_and_hyphens() {
    insta::assert_snapshot!(name("PDF Tools"), @r#"
    SK0133 2:7 `P` is an upper-case letter, which a name may not have
       = help: write `name: pdf-tools`, and call the folder the same
    SK0113 2:7 a space is not allowed in a name: lower-case letters, digits and `-` are
       = help: write `name: pdf-tools`, and call the folder the same
    "#);
    insta::assert_snapshot!(findings("pdf-tools", "name: pdf tools\ndescription: d\n"), @"
    SK0113 2:7 a space is not allowed in a name: lower-case letters, digits and `-` are
       = help: write `name: pdf-tools`, as the folder is called
    ");
    insta::assert_snapshot!(name("!"), @"
    SK0113 2:7 `!` is not allowed in a name: lower-case letters, digits and `-` are
       = help: a good name is like `pdf-tools`
    ");
    // A combining vowel sign and an enclosed letter, which `char::is_alphanumeric` accepts.
    for wrong in ["कि", "🅰"] {
        assert!(name(wrong).starts_with("SK0113"), "{wrong}");
    }
    assert!(name("ǅ").starts_with("SK0133"));
}

#[test]
fn hyphens_stand_alone_and_inside() {
    insta::assert_snapshot!(name("-pdf"), @r#"
    SK0114 2:7 a name may not begin or end with `-`
       = help: write `name: pdf`, and call the folder the same
    "#);
    assert!(name("pdf-").starts_with("SK0114"));
    assert!(name("pdf--go").starts_with("SK0134"));
}

#[test]
fn the_name_is_the_folders() {
    insta::assert_snapshot!(findings("pdf-tools", "name: pdf\ndescription: d\n"), @"
    SK0115 2:7 the name is `pdf`, but the folder is `pdf-tools`
       = help: write `name: pdf-tools`, or rename the folder to `pdf`
    ");
    insta::assert_snapshot!(findings("PDF", "name: pdf\ndescription: d\n"), @"
    SK0115 2:7 the name is `pdf`, but the folder is `PDF`
       = help: rename the folder to `pdf`
    ");
}

#[test]
fn a_file_that_could_not_be_read_to_its_end_is_not_missing_anything() {
    insta::assert_snapshot!(findings("pdf", "name: csv\nlicense: a: b\n"), @"
    SK0115 2:7 the name is `csv`, but the folder is `pdf`
       = help: write `name: pdf`, or rename the folder to `csv`
    ");
}

#[test]
fn the_reference_validator_judges_every_rule_of_a_name_alone() {
    insta::assert_snapshot!(findings_under(Profile::SkillsRef, "pdf", "name: -PDF--Tools!\ndescription: d\n"), @r#"
    SK0133 2:7 `P` is an upper-case letter, which a name may not have
       = help: write `name: pdf`, as the folder is called
    SK0113 2:7 `!` is not allowed in a name: lower-case letters, digits and `-` are
       = help: write `name: pdf`, as the folder is called
    SK0114 2:7 a name may not begin or end with `-`
       = help: write `name: pdf`, as the folder is called
    SK0134 2:7 a name may not have two `-` in a row
       = help: write `name: pdf`, as the folder is called
    SK0115 2:7 the name is `-PDF--Tools!`, but the folder is `pdf`
       = help: write `name: pdf`
    "#);
}

#[test]
fn names_are_compared_in_their_normal_form() {
    let yaml = "name: cafe\u{301}\ndescription: d\n";
    insta::assert_snapshot!(findings("caf\u{e9}", yaml), @r#"SK0135 2:7 `é` is not ASCII: MCP and some hosts take only `a` to `z`, digits and `-`"#);
    insta::assert_snapshot!(findings_under(Profile::Mcp, "caf\u{e9}", yaml), @r#"SK0135 2:7 `é` is not ASCII: MCP and some hosts take only `a` to `z`, digits and `-`"#);
    assert_eq!(findings_under(Profile::Lenient, "caf\u{e9}", yaml), "");
}

#[test]
fn compatibility_is_short_text() {
    let of = |value: &str| {
        findings(
            "pdf",
            &format!("name: pdf\ndescription: d\ncompatibility:{value}\n"),
        )
    };
    assert_eq!(of(&format!(" {}", "é".repeat(500))), "");
    insta::assert_snapshot!(of(&format!(" {}", "é".repeat(501))), @r#"SK0136 4:16 `compatibility` is 501 characters long; at most 500 are allowed"#);
    insta::assert_snapshot!(of(""), @r#"
    SK0137 4:14 `compatibility` is empty
       = help: leave the field out
    "#);
    insta::assert_snapshot!(of(" [a]"), @r#"
    SK0138 4:16 `compatibility` is a list, not text
       = help: write it as text: `compatibility: Needs Python 3.11 and network access`
    "#);
}

#[test]
fn the_other_fields_have_their_types() {
    let of = |yaml: &str| findings("pdf", &format!("name: pdf\ndescription: d\n{yaml}"));
    insta::assert_snapshot!(of("license:\n  - MIT\n"), @r#"
    SK0141 5:3 `license` is a list, not text
       = help: name the licence, or the file that holds it: `license: Apache-2.0`
    "#);
    insta::assert_snapshot!(of("metadata: x\n"), @r#"
    SK0139 4:11 `metadata` is text, not a mapping
       = help: write `key: value` lines under it, indented
    "#);
    insta::assert_snapshot!(of("metadata:\n  a: b\n  tags: [x, y]\n  deep:\n    e: f\n"), @r#"
    SK0139 5:3 `tags` under `metadata` is a list, not text
       = help: write one text: `tags: a, b`
    SK0139 5:3 `deep` under `metadata` is a mapping, not text
       = help: write one text: `deep: a, b`
    "#);
    insta::assert_snapshot!(of("allowed-tools:\n  - Bash(git add *)\n  - Read, Grep\n"), @r#"
    SK0140 5:3 `allowed-tools` is a list, not text
       = help: write `allowed-tools: Bash(git add *) Read Grep`
    "#);
    assert_eq!(of("metadata:\nlicense:\nallowed-tools: Read, Grep\n"), "");
}

#[test]
fn an_unknown_field_is_told_with_the_nearest_known_one() {
    let of = |yaml: &str| findings("pdf", &format!("name: pdf\ndescription: d\n{yaml}"));
    insta::assert_snapshot!(of("allowed_tools: Read\nLicence: MIT\nuserInvocable: true\nanything: x\n"), @r#"
    SK0142 4:16 `allowed_tools` is not a field of the specification
       = help: did you mean `allowed-tools`?
    SK0142 5:10 `Licence` is not a field of the specification
       = help: did you mean `license`?
    SK0142 6:16 `userInvocable` is not a field of the specification
       = help: did you mean `user-invocable`?
    SK0142 7:11 `anything` is not a field of the specification
       = help: put it under `metadata`, which takes any `key: value`
    "#);
    let long = "x".repeat(500);
    assert!(of(&format!("{long}: y\n")).contains("under `metadata`"));
    insta::assert_snapshot!(findings_under(Profile::SkillsRef, "pdf", "name: pdf\ndescription: d\nversion: 1\n"), @r#"
    SK0142 4:10 `version` is not a field of the specification
       = help: put it under `metadata`, which takes any `key: value`
    "#);
    insta::assert_snapshot!(findings("pdf", "name: pdf\ndescripton: d\n"), @r#"
    SK0116 3:13 `description` is missing; `descripton` is another field
       = help: say what the skill does and when to use it: a model chooses by it
    SK0142 3:13 `descripton` is not a field of the specification
       = help: did you mean `description`?
    "#);
}
