//! Tests that compare a folder with the set that was embedded from it.

use std::fs;
use std::time::Duration;

use tempfile::TempDir;

use super::*;
use crate::EmbeddedSkill;

const SKILL_MD: &str = "---\nname: pdf\ndescription: d\n---\n";

fn write(package: &TempDir, path: &str, text: &str) {
    let path = package.path().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Returns a set of one skill whose folder is unchanged.
fn embedded() -> (TempDir, &'static SkillSet, &'static SourceFolder) {
    let package = TempDir::new().unwrap();
    write(&package, "pdf/SKILL.md", SKILL_MD);
    write(&package, "pdf/fields.md", "one");
    write(&package, "pdf/drafts/new.md", "left out");
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
    let set = Box::leak(Box::new(SkillSet::new("p", "skills", skills)));
    (package, set, Box::leak(Box::new(source)))
}

fn lines(set: &SkillSet, source: &SourceFolder, built: Option<SystemTime>) -> String {
    let drift = compare(set, source, built);
    drift
        .iter()
        .map(Drift::to_string)
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn a_folder_as_it_was_has_no_drift() {
    let (_package, set, source) = embedded();
    assert_eq!(compare(set, source, None), []);
    assert_eq!(set.drift(), [], "it does not know its folder");
}

#[test]
fn every_difference_is_named() {
    let (package, set, source) = embedded();
    write(&package, "pdf/fields.md", "two");
    write(&package, "pdf/more.md", "");
    let csv = "---\nname: csv\ndescription: d\n---\n";
    write(&package, "csv/SKILL.md", csv);
    insta::assert_snapshot!(lines(set, source, None), @"
    added: csv/SKILL.md
    changed: pdf/fields.md
    added: pdf/more.md
    ");
    fs::remove_dir_all(package.path().join("pdf")).unwrap();
    insta::assert_snapshot!(lines(set, source, None), @"
    added: csv/SKILL.md
    removed: pdf/SKILL.md
    removed: pdf/fields.md
    ");
}

#[test]
fn a_skill_that_is_broken_by_now_has_changed() {
    let (package, set, source) = embedded();
    write(&package, "pdf/SKILL.md", "no front matter");
    assert_eq!(lines(set, source, None), "changed: pdf/SKILL.md");
}

#[test]
fn what_is_older_than_the_program_is_not_read() {
    let (package, set, source) = embedded();
    write(&package, "pdf/fields.md", "two");
    let later = SystemTime::now() + Duration::from_secs(60);
    let drift = compare(set, source, Some(later));
    assert_eq!(drift, [], "it is as long as it was");
    let earlier = SystemTime::UNIX_EPOCH;
    let changed = "changed: pdf/fields.md";
    assert_eq!(lines(set, source, Some(earlier)), changed);
    // An old file that replaces the embedded one.
    let mut options = fs::File::options();
    let file = options
        .append(true)
        .open(package.path().join("pdf/fields.md"));
    let file = file.unwrap();
    file.set_modified(earlier).unwrap();
    let built = SystemTime::now() - Duration::from_secs(60);
    assert_eq!(lines(set, source, Some(built)), changed);
}

#[test]
fn a_folder_that_is_gone_has_no_drift() {
    let (package, set, source) = embedded();
    drop(package);
    assert_eq!(compare(set, source, None), []);
}
