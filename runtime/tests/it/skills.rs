//! Skills through the front: embedded by the macro, read back from the catalogue.
#![cfg(feature = "skills")]
// What the macro expands to must do under this.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use helve_runtime::skill::{EmbeddedSkill, Skill, SkillCatalog};

helve_runtime::include_skills!("tests/fixtures/skills");
// A second use in one crate.
helve_runtime::include_skills!("./tests/fixtures/more-skills/");

fn catalog() -> SkillCatalog {
    SkillCatalog::for_packages(&[env!("CARGO_PKG_NAME")])
        .unwrap()
        // The tests of compressed skills embed it.
        .without(["packed-pdf"])
}

fn pdf() -> &'static EmbeddedSkill {
    embedded("pdf")
}

fn embedded(name: &str) -> &'static EmbeddedSkill {
    catalog().get(name).unwrap().as_embedded().unwrap().1
}

#[test]
fn every_skill_of_both_folders_is_there() {
    let catalog = catalog();
    let names: Vec<_> = catalog.skills().map(Skill::name).collect();
    assert_eq!(names, ["csv", "notes", "pdf"]);
    let linked = SkillCatalog::collect().unwrap();
    assert_eq!(linked.without(["packed-pdf"]).len(), 3);
    assert!(SkillCatalog::for_packages(&["another"]).unwrap().is_empty());
    assert_eq!(
        catalog.origin("notes").unwrap().to_string(),
        "`tests/fixtures/more-skills` of the package `helve-runtime`"
    );
}

#[test]
fn a_skill_is_what_its_file_says() {
    let skill = pdf();
    assert_eq!(
        skill.description(),
        "Fills and reads PDF forms. Use it when: a form is attached."
    );
    assert_eq!(
        skill.body(),
        "# PDF\n\nRun `scripts/fill.sh`; see `references/fields.md`.\n"
    );
    assert_eq!(
        skill.file("SKILL.md").unwrap().text(),
        Ok(include_str!("../fixtures/skills/pdf/SKILL.md"))
    );
}

#[test]
fn the_text_of_a_skill_is_embedded_once() {
    let skill = pdf();
    let file = skill
        .file("SKILL.md")
        .unwrap()
        .bytes()
        .unwrap()
        .as_ptr_range();
    assert!(file.contains(&skill.body().as_ptr()));
}

#[test]
fn files_come_back_with_what_is_known_about_them() {
    let files: Vec<_> = pdf()
        .files()
        .iter()
        .map(|file| {
            (
                file.path(),
                file.size(),
                file.is_executable(),
                file.is_utf8(),
            )
        })
        .collect();
    assert_eq!(
        files,
        [
            ("LICENSE", 4, false, true),
            ("SKILL.md", 151, false, true),
            ("logo.bin", 3, false, false),
            ("references/fields.md", 42, false, true),
            ("scripts/fill.sh", 35, true, true),
        ]
    );
    let logo = pdf().file("logo.bin").unwrap();
    assert_eq!(logo.bytes().unwrap(), b"\x00\xff\xfe");
    assert_eq!(
        logo.text().unwrap_err().to_string(),
        "the embedded file `logo.bin` is not text: it is not UTF-8"
    );
    assert_eq!(
        pdf().file("references/fields.md").unwrap().text(),
        Ok("# Fields\n\nA field has a name and a value.\n")
    );
    assert!(pdf().file("references").is_none());
}

#[test]
fn digests_are_what_sha256sum_says() {
    let digest = |file: &str| {
        let sha256 = pdf().file(file).unwrap().sha256();
        sha256
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
    };
    assert_eq!(
        digest("SKILL.md"),
        "018b2c42773d25a859ba8ca78d8f0db32aea1f5891c3507c40f6345ff0ebd20b"
    );
    assert_eq!(
        digest("logo.bin"),
        "d590f90f7944340fb253f0c59cb89fd41d4ec255ff246f524f8f7c94f0a233e5"
    );
    assert_eq!(
        digest("scripts/fill.sh"),
        "f970e4ce8b3918ef3b2a45ad695f3f8a2c24776bc5f0e348e9657a5af53424cb"
    );
}

#[test]
fn equal_files_of_two_skills_share_their_bytes() {
    let license = |skill| embedded(skill).file("LICENSE").unwrap().bytes().unwrap();
    assert_eq!(license("csv").as_ptr(), license("pdf").as_ptr());
}

#[test]
fn the_prompt_lists_them_escaped() {
    insta::assert_snapshot!(catalog().prompt(), @r#"
    <available_skills>
      <skill><name>csv</name><description>Reads and writes CSV files. Use it when a table has &lt;1,000 columns &amp; "quotes".</description></skill>
      <skill><name>notes</name><description>Takes notes.</description></skill>
      <skill><name>pdf</name><description>Fills and reads PDF forms. Use it when: a form is attached.</description></skill>
    </available_skills>
    "#);
}

#[test]
fn a_small_budget_shortens_and_then_names() {
    insta::assert_snapshot!(catalog().prompt_within(370), @"
    <available_skills>
      <skill><name>csv</name><description>Reads and writes CSV file…</description></skill>
      <skill><name>notes</name><description>Takes notes.</description></skill>
      <skill><name>pdf</name><description>Fills and reads PDF forms…</description></skill>
      <note>Some descriptions are shortened; load_skill gives a skill in full.</note>
    </available_skills>
    ");
    insta::assert_snapshot!(catalog().prompt_within(250), @"
    <available_skills>
      <skill><name>csv</name></skill>
      <skill><name>notes</name></skill>
      <skill><name>pdf</name></skill>
      <note>The descriptions are left out for space; load_skill gives a skill in full.</note>
    </available_skills>
    ");
}

#[tokio::test]
async fn loading_gives_the_body_and_a_list_of_files() {
    insta::assert_snapshot!(catalog().load("pdf").await.unwrap(), @r#"
    <skill name="pdf">
    # PDF

    Run `scripts/fill.sh`; see `references/fields.md`.
    </skill>
    <skill_files>
    LICENSE (4 bytes)
    logo.bin (3 bytes)
    references/fields.md (42 bytes)
    scripts/fill.sh (35 bytes, executable)
    </skill_files>
    "#);
    assert_eq!(
        catalog().load("pfd").await.unwrap_err().to_string(),
        "unknown skill `pfd`; did you mean `pdf`?"
    );
}
