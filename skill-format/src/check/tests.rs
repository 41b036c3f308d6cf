use super::*;
use crate::front_matter;

/// Checks a skill in `folder` with that front matter, and gives the findings as lines.
fn findings(folder: &str, yaml: &str) -> String {
    let front_matter = front_matter::read(yaml, &mut Vec::new());
    let findings = check(&Candidate {
        folder,
        front_matter: &front_matter,
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

/// Checks a name that is also the folder's.
fn name(name: &str) -> String {
    findings(name, &format!("name: '{name}'\ndescription: d\n"))
}

#[test]
fn good_skills_pass() {
    for good in ["pdf", "a", "1", "pdf-2-go", "größe", "日本語", "ⅷ", "²"] {
        assert_eq!(name(good), "", "{good}");
    }
    assert_eq!(
        findings(
            "pdf",
            "name: pdf\ndescription: |\n  d\nlicense: MIT\nother: [x]\n"
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
    insta::assert_snapshot!(findings("pdf", "Name: pdf\ndescription: ' '\n"), @"
    SK0111 2:7 `name` is missing; `Name` is another field
       = help: write `name: pdf`
    SK0116 3:14 `description` is empty
       = help: say what the skill does and when to use it: a model chooses by it
    ");
    insta::assert_snapshot!(findings("pdf", "name: [pdf]\ndescription:\n"), @"
    SK0111 2:7 `name` is a list or a mapping, not text
       = help: write `name: pdf`
    SK0116 3:12 `description` is empty
       = help: say what the skill does and when to use it: a model chooses by it
    ");
}

#[test]
fn lengths_count_characters() {
    insta::assert_snapshot!(name(&"ö".repeat(65)), @"SK0112 2:7 `name` is 65 characters long; at most 64 are allowed");
    let long = "é".repeat(1025);
    insta::assert_snapshot!(
        findings("pdf", &format!("name: pdf\ndescription: {long}\n")),
        @"SK0117 3:14 `description` is 1025 characters long; at most 1024 are allowed"
    );
}

#[test]
fn a_name_has_lower_case_letters_digits_and_hyphens() {
    insta::assert_snapshot!(name("PDF Tools"), @"
    SK0113 2:7 `P` is not allowed in a name: lower-case letters, digits and `-` are
       = help: write `name: pdf-tools`, and call the folder the same
    ");
    insta::assert_snapshot!(findings("pdf-tools", "name: pdf tools\ndescription: d\n"), @"
    SK0113 2:7 a space is not allowed in a name: lower-case letters, digits and `-` are
       = help: write `name: pdf-tools`, as the folder is called
    ");
    insta::assert_snapshot!(name("!"), @"
    SK0113 2:7 `!` is not allowed in a name: lower-case letters, digits and `-` are
       = help: a good name is like `pdf-tools`
    ");
    // A combining vowel sign, a circled letter and a title-case letter: `char::is_alphanumeric` admits all three.
    for wrong in ["कि", "ⓐ", "ǅ"] {
        assert!(name(wrong).starts_with("SK0113"), "{wrong}");
    }
}

#[test]
fn hyphens_stand_alone_and_inside() {
    insta::assert_snapshot!(name("-pdf"), @"
    SK0114 2:7 a name may not begin or end with `-`, nor have two of them in a row
       = help: write `name: pdf`, and call the folder the same
    ");
    assert!(name("pdf-").starts_with("SK0114"));
    assert!(name("pdf--go").starts_with("SK0114"));
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
