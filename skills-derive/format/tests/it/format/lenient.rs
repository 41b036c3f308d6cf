//! Tests of folders that are read at run time, in which every usable skill is used.

use helve_skill_format::{Profile, parse};

use crate::format::world::{PDF, World};

fn lenient(files: &[(&str, &str)]) -> World {
    World::new(files).under(Profile::Lenient)
}

#[test]
fn a_name_is_found_wherever_there_is_one() {
    let named = |folder: &str, name: &str| {
        let text = format!("---\n{name}\ndescription: d\n---\n");
        parse(&text, Some(folder), Profile::Lenient).name
    };
    assert_eq!(named("pdf", "name: csv").as_deref(), Some("csv"));
    assert_eq!(named("pdf", "name: PDF Tools").as_deref(), Some("pdf"));
    assert_eq!(
        named("PDF Tools", "license: MIT").as_deref(),
        Some("pdf-tools")
    );
    assert_eq!(
        named("My Folder", "name: PDF_Tools!").as_deref(),
        Some("pdf-tools")
    );
    assert_eq!(
        named("x", &format!("name: {}", "y".repeat(65))).as_deref(),
        Some("x")
    );
    assert_eq!(
        named("!", &format!("name: {}-", "y".repeat(63) + "-z")).as_deref(),
        Some(&*"y".repeat(63))
    );
    assert_eq!(named("!", "name: '?'"), None);
    assert_eq!(named("../..", "name: ../../etc"), Some("etc".to_owned()));
}

#[test]
fn oddities_are_warnings() {
    let world = lenient(&[
        (
            "My Skill/SKILL.md",
            "---\nname: PDF\ncategory: x\nmetadata: {a: [b]}\nallowed-tools: [Read]\n---\n\n# Fills *forms*\n\nMore.\n",
        ),
        (
            "colon/SKILL.md",
            "---\nname: other\ndescription: Use when: asked\n---\n",
        ),
        ("lower/skill.md", "---\nname: lower\ndescription: d\n---\n"),
        ("notes/README.md", "no skill"),
    ]);
    insta::assert_snapshot!(world.problems(), @r#"
    warning[SK0116]: `description` is missing
      --> skills/My Skill/SKILL.md:1:1
       = help: say what the skill does and when to use it: a model chooses by it
    warning[SK0133]: `P` is an upper-case letter, which a name may not have
      --> skills/My Skill/SKILL.md:2:7
       = help: write `name: pdf`, and call the folder the same
    warning[SK0139]: `a` under `metadata` is a list, not text
      --> skills/My Skill/SKILL.md:4:11
       = help: write one text: `a: a, b`
    warning[SK0115]: the name is `other`, but the folder is `colon`
      --> skills/colon/SKILL.md:2:7
       = help: write `name: colon`, or rename the folder to `other`
    warning[SK0102]: unquoted `: ` makes this a nested mapping
      --> skills/colon/SKILL.md:3:22
       = help: quote it: description: "Use when: …"
    warning[SK0145]: `skill.md` is not found where upper and lower case differ
      --> skills/lower/skill.md
       = help: rename it to `SKILL.md`
    warning[SK0123]: the folder has no SKILL.md
      --> skills/notes
       = help: add a SKILL.md, or move the folder elsewhere
    "#);
    let skills = world.read().skills;
    let known: Vec<_> = skills
        .iter()
        .map(|skill| (&*skill.name, &*skill.description))
        .collect();
    assert_eq!(
        known,
        [
            ("pdf", "Fills *forms*"),
            ("other", "Use when: asked"),
            ("lower", "d")
        ]
    );
}

#[test]
fn what_cannot_be_used_is_an_error_all_the_same() {
    let world = lenient(&[
        ("!/SKILL.md", "---\ndescription: d\n---\n"),
        ("alias/SKILL.md", "---\nname: alias\ndescription: *a\n---\n"),
        ("bare/SKILL.md", "\n---\n"),
        ("empty/SKILL.md", "---\nname: empty\n---\n \n---\n"),
        (
            "nested/SKILL.md",
            "---\nname: nested\ndescription: one\n  two: three\n---\n",
        ),
    ]);
    insta::assert_snapshot!(world.problems(), @r#"
    error[SK0111]: `name` is missing
      --> skills/!/SKILL.md:1:1
       = help: write `name: pdf-tools`
    error[SK0106]: aliases (`*…`) are not allowed in front matter
      --> skills/alias/SKILL.md:3:14
       = help: write the value out, or quote it if the `*` belongs to the text
    error[SK0101]: the file does not begin with front matter
      --> skills/bare/SKILL.md:1:1
       = help: make `---` its first line, then `name: …` and `description: …`, then `---` again
    error[SK0116]: `description` is missing
      --> skills/empty/SKILL.md:1:1
       = help: say what the skill does and when to use it: a model chooses by it
    error[SK0102]: unquoted `: ` makes this a nested mapping
      --> skills/nested/SKILL.md:4:6
       = help: quote it: description: "one two: …"
    "#);
    assert!(world.read().skills.is_empty());
}

#[test]
fn a_folder_without_front_matter_is_named_by_itself_and_described_by_its_first_paragraph() {
    let world = lenient(&[
        (
            "Weekly Report/SKILL.md",
            "# Reports\n\nWrites the report of a week,\nwith figures.\n\nAsk first.\n",
        ),
        ("heading/SKILL.md", "\u{feff}## Only a heading\n"),
    ]);
    insta::assert_snapshot!(world.problems(), @r"
    warning[SK0101]: the file does not begin with front matter
      --> skills/Weekly Report/SKILL.md:1:1
       = help: make `---` its first line, then `name: …` and `description: …`, then `---` again
    warning[SK0101]: the file does not begin with front matter
      --> skills/heading/SKILL.md:1:1
       = help: make `---` its first line, then `name: …` and `description: …`, then `---` again
    ");
    let skills = world.read().skills;
    let known: Vec<_> = skills
        .iter()
        .map(|skill| (&*skill.name, &*skill.description, skill.body()))
        .collect();
    assert_eq!(
        known,
        [
            (
                "weekly-report",
                "Writes the report of a week, with figures.",
                "# Reports\n\nWrites the report of a week,\nwith figures.\n\nAsk first.\n"
            ),
            ("heading", "Only a heading", "## Only a heading\n"),
        ]
    );
}

#[test]
fn an_empty_folder_is_as_good_as_none() {
    assert_eq!(lenient(&[]).problems(), "");
}

#[test]
fn a_name_stands_for_one_skill() {
    let world = lenient(&[("a/SKILL.md", PDF), ("b/SKILL.md", PDF)]);
    insta::assert_snapshot!(world.read().errors_message("skills").unwrap(), @r#"
    skills: 1 problem in 1 of 2 skills under `skills/`
    error[SK0144]: `a` is also named `pdf`
      --> skills/b
       = help: rename one of the two, or delete it
    "#);
    assert_eq!(world.read().skills.len(), 1);
}

const SKILL_YAML: &str =
    "id: pdf_tools\nname: \"PDF: Tools\"\ndescription: Fills forms. \nactivation: manual\n";

#[test]
fn a_skill_yaml_stands_for_front_matter() {
    let files = [("pdf/SKILL.md", "# PDF\n"), ("pdf/skill.yaml", SKILL_YAML)];
    let world = lenient(&files);
    let collection = world.read();
    assert!(!collection.has_errors());
    let skill = &collection.skills[0];
    assert_eq!(
        (&*skill.name, &*skill.description, skill.body()),
        ("pdf-tools", "Fills forms.", "# PDF\n")
    );
    assert_eq!(skill.front_matter.text("title"), Some("PDF: Tools"));
    assert!(!skill.front_matter.model_invocable());
    insta::assert_snapshot!(world.problems(), @r#"
    warning[SK0143]: the front matter is in `skill.yaml`
      --> skills/pdf/SKILL.md:1:1
       = help: begin SKILL.md with this, and delete `skill.yaml`:
               ---
               name: pdf
               description: Fills forms.
               metadata:
                 title: "PDF: Tools"
                 activation: manual
               ---
    warning[SK0115]: the name is `pdf-tools`, but the folder is `pdf`
      --> skills/pdf/SKILL.md:1:1
       = help: write `name: pdf`, or rename the folder to `pdf-tools`
    "#);
    insta::assert_snapshot!(World::new(&files).problems(), @r#"
    error[SK0143]: the front matter is in `skill.yaml`
      --> skills/pdf/SKILL.md:1:1
       = help: begin SKILL.md with this, and delete `skill.yaml`:
               ---
               name: pdf
               description: Fills forms.
               metadata:
                 title: "PDF: Tools"
                 activation: manual
               ---
    "#);
    insta::assert_snapshot!(World::new(&files).under(Profile::SkillsRef).problems(), @r#"
    error[SK0101]: the file does not begin with front matter
      --> skills/pdf/SKILL.md:1:1
       = help: make `---` its first line, then `name: …` and `description: …`, then `---` again
    "#);
}

#[test]
fn a_skill_yaml_has_problems_of_its_own() {
    let world = lenient(&[
        ("pdf/SKILL.md", "# PDF\n"),
        (
            "pdf/skill.yaml",
            "name: pdf\ndescription: d\ndescription: [\n",
        ),
    ]);
    insta::assert_snapshot!(world.problems(), @r#"
    warning[SK0143]: the front matter is in `skill.yaml`
      --> skills/pdf/SKILL.md:1:1
       = help: begin SKILL.md with this, and delete `skill.yaml`:
               ---
               name: pdf
               description: d
               ---
    error[SK0105]: the key `description` is here twice
      --> skills/pdf/skill.yaml:3:1
       = help: keep one of the two
    error[SK0103]: invalid YAML: while parsing a node, did not find expected node content
      --> skills/pdf/skill.yaml:4:1
    "#);
    let both = World::new(&[("pdf/SKILL.md", PDF), ("pdf/skill.yaml", "not: [looked at")]);
    assert_eq!(both.problems(), "");
}
