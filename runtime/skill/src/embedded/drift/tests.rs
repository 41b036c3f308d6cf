//! A folder is compared with what was embedded from it.

use std::fs;
use std::time::Duration;

use tempfile::TempDir;

use super::*;
use crate::EmbeddedSkill;

const SKILL_MD: &str = "---\nname: pdf\ndescription: d\n---\n";

/// A set of one skill, whose folder is as it was.
fn embedded(package: &TempDir) -> (&'static SkillSet, &'static SourceFolder) {
    let write = |path: &str, text: &str| {
        let path = package.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("pdf/SKILL.md", SKILL_MD);
    write("pdf/fields.md", "one");
    write("pdf/drafts/new.md", "left out");
    let file = |path, text: &'static str| {
        let digest = Sha256::digest(text.as_bytes()).into();
        EmbeddedFile::new(path, text.as_bytes(), digest, false, true)
    };
    let files = Box::leak(Box::new([
        file("SKILL.md", SKILL_MD),
        file("fields.md", "one"),
    ]));
    let skill = EmbeddedSkill::new("pdf", "d", SKILL_MD, SKILL_MD.len(), files);
    let skills = Box::leak(Box::new([skill]));
    let source = SourceFolder {
        path: Box::leak(package.path().to_str().unwrap().into()),
        exclude: &["drafts/"],
    };
    (
        Box::leak(Box::new(SkillSet::new("p", "skills", skills))),
        Box::leak(Box::new(source)),
    )
}

fn lines(drift: &[Drift]) -> Vec<String> {
    drift.iter().map(Drift::to_string).collect()
}

#[test]
fn a_folder_as_it_was_has_no_drift() {
    let package = TempDir::new().unwrap();
    let (set, source) = embedded(&package);
    assert_eq!(compare(set, source, None), []);
    assert_eq!(set.drift(), [], "it does not know its folder");
}

#[test]
fn every_difference_is_named() {
    let package = TempDir::new().unwrap();
    let (set, source) = embedded(&package);
    fs::write(package.path().join("pdf/fields.md"), "two").unwrap();
    fs::write(package.path().join("pdf/more.md"), "").unwrap();
    fs::create_dir(package.path().join("csv")).unwrap();
    fs::write(
        package.path().join("csv/SKILL.md"),
        "---\nname: csv\ndescription: d\n---\n",
    )
    .unwrap();
    let drift = compare(set, source, None);
    assert_eq!(
        lines(&drift),
        [
            "added: csv/SKILL.md",
            "changed: pdf/fields.md",
            "added: pdf/more.md"
        ]
    );
    fs::remove_dir_all(package.path().join("pdf")).unwrap();
    let drift = compare(set, source, None);
    assert_eq!(
        lines(&drift),
        [
            "added: csv/SKILL.md",
            "removed: pdf/SKILL.md",
            "removed: pdf/fields.md"
        ]
    );
}

#[test]
fn a_skill_that_is_broken_by_now_has_changed() {
    let package = TempDir::new().unwrap();
    let (set, source) = embedded(&package);
    fs::write(package.path().join("pdf/SKILL.md"), "no front matter").unwrap();
    let drift = compare(set, source, None);
    assert_eq!(lines(&drift), ["changed: pdf/SKILL.md"]);
}

#[test]
fn what_is_older_than_the_program_is_not_read() {
    let package = TempDir::new().unwrap();
    let (set, source) = embedded(&package);
    fs::write(package.path().join("pdf/fields.md"), "two").unwrap();
    let later = SystemTime::now() + Duration::from_secs(60);
    assert_eq!(
        compare(set, source, Some(later)),
        [],
        "it is as long as it was"
    );
    let earlier = SystemTime::UNIX_EPOCH;
    assert_eq!(
        lines(&compare(set, source, Some(earlier))),
        ["changed: pdf/fields.md"]
    );
    // An old file that was put in its place.
    let file = fs::File::options()
        .append(true)
        .open(package.path().join("pdf/fields.md"))
        .unwrap();
    file.set_modified(earlier).unwrap();
    let built = SystemTime::now() - Duration::from_secs(60);
    assert_eq!(
        lines(&compare(set, source, Some(built))),
        ["changed: pdf/fields.md"]
    );
}

#[test]
fn a_folder_that_is_gone_has_no_drift() {
    let package = TempDir::new().unwrap();
    let (set, source) = embedded(&package);
    drop(package);
    assert_eq!(compare(set, source, None), []);
}
