//! What a person sees of skills, and makes with them.

use super::place::{Place, skill};

#[test]
fn skills_are_listed_by_where_they_come_from() {
    let place = skill(Place::new(), "project/.agents/skills", "pdf");
    let place = skill(place, "home/.claude/skills", "pdf");
    let place = skill(place, "project/.claude/skills", "explore-repository");
    let place = place.with("project/.agents/skills/bad/SKILL.md", "no front matter\n");
    insta::assert_snapshot!(place.run(&["skills"]), @"");
    insta::assert_snapshot!(place.run(&["skills", "show", "nothing"]), @"");
    let shown = place.run(&["skills", "show", "pdf", "--json"]);
    let shown = shown.split_once("--- stdout\n").expect("an output").1;
    let shown: serde_json::Value = serde_json::from_str(shown).expect("JSON");
    assert_eq!(shown["files"].as_array().map(Vec::len), Some(3));
    let listed = place.run(&["skills", "list", "--json"]);
    let listed = listed.split_once("--- stdout\n").expect("an output").1;
    let listed: serde_json::Value = serde_json::from_str(listed).expect("JSON");
    assert_eq!(listed["skills"].as_array().map(Vec::len), Some(2));
    assert_eq!(listed["skills"][1]["digest"], shown["digest"]);
}

#[test]
fn a_projects_settings_open_nothing_before_they_are_accepted() {
    let place = skill(Place::new(), "more", "csv");
    let folder = place.path("more").display().to_string();
    let place = place.with(
        "project/helve.toml",
        &format!("[skills]\nfolders = [{folder:?}]\n"),
    );
    assert!(!place.run(&["skills"]).contains("csv"));
    place.run(&["permissions", "trust"]);
    assert!(place.run(&["skills"]).contains("csv"));
}

#[test]
fn a_digest_that_is_none_is_told() {
    let place = Place::new().with("config/helve/helve.toml", "[skills]\naccept = [\"abc\"]\n");
    insta::assert_snapshot!(place.run(&["skills"]), @"");
}

#[test]
fn a_folder_is_validated() {
    let place = skill(Place::new(), "project/good", "pdf")
        .with(
            "project/bad/one/SKILL.md",
            "---\nname: Two\ndescription: x: y\n---\n",
        )
        .with(
            "project/bad/two/SKILL.md",
            "---\nname: two\ndescription: Two.\nlicence: MIT\n---\nWords.\n",
        );
    insta::assert_snapshot!(place.run(&["skills", "validate", "good"]), @"");
    insta::assert_snapshot!(place.run(&["skills", "validate", "good/pdf/SKILL.md"]), @"");
    insta::assert_snapshot!(place.run(&["skills", "validate", "bad"]), @"");
    insta::assert_snapshot!(place.run(&["skills", "validate", "--profile", "skills-ref", "bad/two"]), @"");
    insta::assert_snapshot!(place.run(&["skills", "validate", "nowhere"]), @"");
}

#[test]
fn embedded_skills_are_exported_and_nothing_is_overwritten() {
    let place = Place::new();
    insta::assert_snapshot!(place.run(&["skills", "export", "out"]), @"");
    let script = place.path("project/out/explore-repository/scripts/largest.sh");
    let written = std::fs::read(&script).expect("a script");
    let embedded = include_bytes!("../../skills/explore-repository/scripts/largest.sh");
    assert_eq!(written, embedded);
    std::fs::write(&script, "changed").expect("a file");
    insta::assert_snapshot!(place.run(&["skills", "export", "out"]), @"");
    assert_eq!(std::fs::read(&script).expect("a script"), b"changed");
    place.run(&["skills", "export", "out", "--force"]);
    assert_eq!(std::fs::read(&script).expect("a script"), embedded);
    let names = std::fs::read_dir(place.path("project/out")).expect("a folder");
    assert_eq!(names.count(), 1);
    assert!(
        place
            .run(&["skills", "validate", "out"])
            .starts_with("exit 0")
    );
}

#[test]
fn a_new_skill_is_a_good_one() {
    let place = Place::new();
    insta::assert_snapshot!(place.run(&["skills", "new", "my-skill"]), @"");
    assert!(
        place
            .run(&["skills", "validate", ".agents/skills/my-skill"])
            .starts_with("exit 0")
    );
    assert!(place.run(&["skills"]).contains("my-skill"));
    insta::assert_snapshot!(place.run(&["skills", "new", "my-skill"]), @"");
    insta::assert_snapshot!(place.run(&["skills", "new", "My Skill"]), @"");
    insta::assert_snapshot!(place.run(&["skills", "new", "../up"]), @"");
    assert!(
        place
            .run(&["skills", "new", "--in", "skills", "own"])
            .starts_with("exit 0")
    );
    assert!(place.path("project/skills/own/SKILL.md").exists());
}
