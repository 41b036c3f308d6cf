//! Tests of the severity of a violation in each profile.

use helve_skill_format::{Profile, Severity, codes, parse};

use crate::format::world::{PDF, World};

#[test]
fn the_reference_validator_is_stricter_about_yaml_and_fields() {
    let text = "---\nname: pdf\ndescription: d\ntags: [a]\nmetadata:\n  a:\n    b: c\n  d:\n      e: f\n---\n";
    let world = World::new(&[("pdf/SKILL.md", text)]).under(Profile::SkillsRef);
    insta::assert_snapshot!(world.problems(), @r#"
    error[SK0119]: lists and mappings in brackets are refused by the reference validator
      --> skills/pdf/SKILL.md:4:7
       = help: write each entry on a line of its own, or quote the value if the bracket belongs to the text
    error[SK0120]: mappings of one level that are indented differently are refused by the reference validator
      --> skills/pdf/SKILL.md:9:7
       = help: indent them alike
    "#);
    let world = World::new(&[(
        "pdf/SKILL.md",
        "---\nname: -pdf\ndescription: d\nversion: 1\n---\n",
    )]);
    insta::assert_snapshot!(world.under(Profile::SkillsRef).problems(), @r#"
    error[SK0114]: a name may not begin or end with `-`
      --> skills/pdf/SKILL.md:2:7
       = help: write `name: pdf`, as the folder is called
    error[SK0115]: the name is `-pdf`, but the folder is `pdf`
      --> skills/pdf/SKILL.md:2:7
       = help: write `name: pdf`
    error[SK0142]: `version` is not a field of the specification
      --> skills/pdf/SKILL.md:4:10
       = help: put it under `metadata`, which takes any `key: value`
    "#);
}

#[test]
fn the_reference_validator_takes_no_tabs() {
    let of = |yaml: &str| {
        let text = format!("---\nname: pdf\n{yaml}---\n");
        World::new(&[("pdf/SKILL.md", &text)])
            .under(Profile::SkillsRef)
            .problems()
    };
    insta::assert_snapshot!(of("description: ü\td\n"), @r#"
    error[SK0146]: a tab outside of quotes is refused by the reference validator
      --> skills/pdf/SKILL.md:3:15
       = help: write spaces instead of the tab
    "#);
    // The first error decides how the rest is parsed: this text is not YAML.
    insta::assert_snapshot!(of("\t\n- a\n"), @r#"
    error[SK0146]: a tab outside of quotes is refused by the reference validator
      --> skills/pdf/SKILL.md:3:1
       = help: write spaces instead of the tab
    error[SK0103]: invalid YAML: while parsing a block mapping, did not find expected key
      --> skills/pdf/SKILL.md:4:3
    "#);
    for fine in [
        "description: 'a\tb'\n",
        "description: |\n  a\tb\n  \tc\n",
        "# a\tb\ndescription: d # e\tf\n",
        "description: \"a\n  \tb\" # c\td\n",
    ] {
        assert!(!of(fine).contains("error"), "{fine}: {}", of(fine));
    }
}

#[test]
fn the_reference_validator_accepts_the_file_in_lower_case() {
    let world = World::new(&[("pdf/skill.md", PDF)]).under(Profile::SkillsRef);
    let collection = world.read();
    assert_eq!(collection.problems, []);
    assert_eq!(collection.skills[0].manifest, "skill.md");
    let both = World::new(&[("pdf/skill.md", "lower"), ("pdf/SKILL.md", PDF)]);
    assert_eq!(
        both.under(Profile::SkillsRef).read().skills[0].manifest,
        "SKILL.md"
    );
}

#[test]
fn the_reference_validator_finds_nothing_in_nothing() {
    let parsed = parse("---\n---\n", Some("pdf"), Profile::SkillsRef);
    insta::assert_snapshot!(parsed.problems[0], @r#"
    error[SK0104]: the front matter is not a list of `field: value` lines
      --> SKILL.md:1:1
    "#);
    assert_eq!(parsed.problems.len(), 1);
}

#[test]
fn mcp_takes_names_of_ascii_alone() {
    let text = "---\nname: größe\ndescription: d\n---\n";
    let of = |profile| {
        World::new(&[("größe/SKILL.md", text)])
            .under(profile)
            .problems()
    };
    insta::assert_snapshot!(of(Profile::Mcp), @r#"
    error[SK0135]: `ö` is not ASCII: MCP and some hosts take only `a` to `z`, digits and `-`
      --> skills/größe/SKILL.md:2:7
    "#);
    insta::assert_snapshot!(of(Profile::Spec), @r#"
    warning[SK0135]: `ö` is not ASCII: MCP and some hosts take only `a` to `z`, digits and `-`
      --> skills/größe/SKILL.md:2:7
    "#);
    assert_eq!(of(Profile::Lenient), "");
}

#[test]
fn every_code_is_an_error_or_a_warning_somewhere() {
    for (code, meaning) in codes::ALL {
        let of = |profile: Profile| profile.severity(*code);
        let profiles = [
            Profile::Spec,
            Profile::SkillsRef,
            Profile::Mcp,
            Profile::Lenient,
        ];
        assert!(
            profiles.iter().any(|&profile| of(profile).is_some()),
            "{code}"
        );
        assert!(!meaning.is_empty());
        // An error of the lenient profile is also an error of the specification.
        if of(Profile::Lenient) == Some(Severity::Error) {
            assert_eq!(of(Profile::Spec), Some(Severity::Error), "{code}");
        }
    }
}
