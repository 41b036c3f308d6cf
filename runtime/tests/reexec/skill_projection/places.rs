//! Where skills are laid out, and what is found there.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use helve_runtime::skill::SkillProjection;
use libtest_mimic::Trial;

use crate::skill_projection::fixture::{
    CacheDir, TestSkill, make_removable, mode, test, unexpected_entries,
};

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        test("versions_lie_side_by_side", versions_lie_side_by_side),
        test("what_is_there_is_used", what_is_there_is_used),
        test(
            "what_was_changed_is_moved_aside",
            what_was_changed_is_moved_aside,
        ),
        test("a_place_that_is_no_folder", a_place_that_is_no_folder),
        test("names_that_no_file_can_have", names_that_no_file_can_have),
    ]
}

fn versions_lie_side_by_side() {
    let room = CacheDir::new();
    let cache = room.cache();
    let old = TestSkill::small();
    let mut new = old.clone();
    new.files.get_mut("SKILL.md").unwrap().0.push(b'!');
    let mut runs = old.clone();
    runs.files.get_mut("SKILL.md").unwrap().1 = true;
    let mut renamed = old.clone();
    renamed.name = "other".to_owned();
    for given in [&old, &new, &runs, &renamed] {
        given.project(&cache);
    }
    for given in [&old, &new, &runs, &renamed] {
        given.assert_whole(&cache);
    }
    assert_eq!(mode(&cache), 0o700);
    assert_eq!(fs::read_dir(&cache).unwrap().count(), 5);
}

fn what_is_there_is_used() {
    let room = CacheDir::new();
    let small = TestSkill::small();
    let at = small.project(&room.cache());
    let before = fs::metadata(at.join("SKILL.md")).unwrap();
    small.project(&room.cache());
    let after = fs::metadata(at.join("SKILL.md")).unwrap();
    assert_eq!(before.modified().unwrap(), after.modified().unwrap());
    assert_eq!(ino(&before), ino(&after));
}

fn ino(found: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(found)
}

/// A way to spoil a skill that was laid out.
type Corruption = fn(&Path);

/// Writes a file that its owner may only read, and leaves its mode as it was.
fn rewrite(path: &Path, text: &str) {
    let mode = fs::metadata(path).unwrap().permissions();
    fs::set_permissions(path, Permissions::from_mode(0o600)).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, mode).unwrap();
}

fn what_was_changed_is_moved_aside() {
    let spoils: [Corruption; 9] = [
        |at| rewrite(&at.join("SKILL.md"), "-!-\nname: pdf\n---\n"),
        |at| rewrite(&at.join("SKILL.md"), ""),
        |at| fs::remove_file(at.join("SKILL.md")).unwrap(),
        |at| fs::write(at.join("more"), "").unwrap(),
        |at| fs::write(at.parent().unwrap().join("more"), "").unwrap(),
        |at| fs::create_dir(at.join("scripts/empty")).unwrap(),
        |at| fs::set_permissions(at.join("SKILL.md"), Permissions::from_mode(0o555)).unwrap(),
        |_| {},
        |at| {
            let elsewhere = at.parent().unwrap().with_file_name("elsewhere");
            fs::rename(at, &elsewhere).unwrap();
            symlink(&elsewhere, at).unwrap();
        },
    ];
    for (index, spoil) in spoils.into_iter().enumerate() {
        let room = CacheDir::new();
        let cache = room.cache();
        let small = TestSkill::small();
        let at = small.project(&cache);
        let reader = fs::File::open(at.join("scripts")).unwrap();
        make_removable(at.parent().unwrap());
        spoil(&at);
        small.project(&cache);
        small.assert_whole(&cache);
        let strays = unexpected_entries(&cache);
        let aside: Vec<_> = strays
            .iter()
            .filter(|name| name.starts_with(".aside-"))
            .collect();
        assert_eq!(aside.len(), 1, "{index}: {strays:?}");
        // A process that had it open still reads it.
        assert!(reader.metadata().unwrap().is_dir());
        assert!(
            cache.join(aside[0]).join("pdf/scripts/fill.py").exists(),
            "{index}"
        );
    }
    // Something that is no folder at all.
    let room = CacheDir::new();
    let small = TestSkill::small();
    let digest = small.folder_in(&room.cache()).parent().unwrap().to_owned();
    TestSkill::new("x", &[("SKILL.md", "", false)]).project(&room.cache());
    fs::write(&digest, "a file").unwrap();
    small.project(&room.cache());
    small.assert_whole(&room.cache());
}

fn a_place_that_is_no_folder() {
    let room = CacheDir::new();
    let small = TestSkill::small();
    let files = small.projected();
    let refuse = |cache: &Path| {
        let error = SkillProjection::new(cache)
            .project("pdf", &files)
            .unwrap_err();
        let place = room.path().display().to_string();
        error.to_string().replace(&place, "<room>")
    };
    let file = room.path().join("file");
    fs::write(&file, "x").unwrap();
    insta::assert_snapshot!(refuse(&file), @"cannot write skills to `<room>/file`: it is not a folder; remove it");
    insta::assert_snapshot!(refuse(&file.join("below")), @"cannot write skills to `<room>/file/below`: a parent of it is not a folder");
    let link = room.path().join("link");
    symlink(room.path(), &link).unwrap();
    insta::assert_snapshot!(refuse(&link), @"cannot write skills to `<room>/link`: it is a symbolic link; remove it, or use its target");
    let open = room.path().join("open");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, Permissions::from_mode(0o777)).unwrap();
    insta::assert_snapshot!(refuse(&open), @"cannot write skills to `<room>/open`: it is writable by other users; run `chmod go-w` on it");
    insta::assert_snapshot!(refuse(Path::new("relative")), @"cannot write skills to `relative`: the path is not absolute; use an absolute path");
    let mut left: Vec<_> = fs::read_dir(room.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    left.sort();
    assert_eq!(left, ["file", "link", "open"]);
}

fn names_that_no_file_can_have() {
    let room = CacheDir::new();
    let refuse = |name: &str, files: &[(&str, &str, bool)]| {
        let given = TestSkill::new(name, files);
        let projection = SkillProjection::new(room.cache());
        let error = projection.project(name, &given.projected()).unwrap_err();
        error.to_string()
    };
    let deep = "d/".repeat(40) + "f";
    let long = "l".repeat(300);
    let said = [
        refuse("../x", &[]),
        refuse("", &[]),
        refuse("a\u{1b}b", &[]),
        refuse("x", &[("../escape", "", false)]),
        refuse("x", &[("/etc/passwd", "", false)]),
        refuse("x", &[("a//b", "", false)]),
        refuse("x", &[("a\\b", "", false)]),
        refuse("x", &[("a", "", false), ("a/b", "", false)]),
        refuse("x", &[(&deep, "", false)]),
        refuse("x", &[(&long, "", false)]).replace(&long, "<long>"),
    ];
    insta::assert_snapshot!(said.join("\n"), @r#"
        cannot write the skill `../x` to disk: its name contains an invalid character
        cannot write the skill `` to disk: its name is not one of a file below a folder
        cannot write the skill `a\u{1b}b` to disk: its name contains an invalid character
        cannot write the skill `x` to disk: the path "../escape" is not one of a file below a folder
        cannot write the skill `x` to disk: the path "/etc/passwd" is not one of a file below a folder
        cannot write the skill `x` to disk: the path "a//b" is not one of a file below a folder
        cannot write the skill `x` to disk: the path "a\\b" contains an invalid character
        cannot write the skill `x` to disk: "a" is a file and a folder
        cannot write the skill `x` to disk: the path "d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/f" lies too deep
        cannot write the skill `x` to disk: the path "<long>" is too long
        "#);
    let given = TestSkill::small();
    let mut files = given.projected();
    files[0].sha256 = [0; 32];
    let projection = SkillProjection::new(room.cache());
    insta::assert_snapshot!(projection.project("pdf", &files).unwrap_err(), @r#"cannot write the skill `pdf` to disk: the path "SKILL.md" does not match its digest"#);
    files[0].path = "scripts/fill.py".into();
    files[0].sha256 = sha2::Digest::finalize(<sha2::Sha256 as sha2::Digest>::new_with_prefix(
        &files[0].bytes,
    ))
    .into();
    insta::assert_snapshot!(projection.project("pdf", &files).unwrap_err(), @r#"cannot write the skill `pdf` to disk: the path "scripts/fill.py" is there twice"#);
    assert!(!room.cache().exists());
}
