//! Whole folders, through the front: what is embedded, and the message when something is wrong.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::*;

/// A package with a `skills` folder of these files.
fn package(files: &[(&str, &[u8])]) -> TempDir {
    let package = TempDir::new().unwrap();
    for (path, contents) in files {
        let path = package.path().join("skills").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }
    package
}

/// What is wrong with a `skills` folder of these files.
fn problems(files: &[(&str, &[u8])]) -> String {
    problems_in(package(files).path())
}

fn problems_in(package: &Path) -> String {
    read(&package.join("skills"), "skills").unwrap_err()
}

const PDF: &[u8] = b"---\nname: pdf\ndescription: Reads PDF files.\n---\n# PDF\n";

#[test]
fn a_good_folder_is_read_in_sorted_order() {
    let package = package(&[
        ("pdf/SKILL.md", PDF),
        ("pdf/scripts/fill.py", b"#!/usr/bin/env python3\n"),
        ("pdf/scripts-more.txt", b"x"),
        ("pdf/logo.bin", b"\xff\x00"),
        ("pdf/sub/SKILL.md", b"not a skill of its own"),
        (
            "csv/SKILL.md",
            b"---\nname: csv\ndescription: |\n  Reads CSV.\n---\n",
        ),
        ("README.md", b"loose"),
        ("pdf/.DS_Store", b"x"),
        ("pdf/__pycache__/fill.pyc", b"x"),
        ("pdf/node_modules/a/index.js", b"x"),
        (".git/HEAD", b"x"),
    ]);
    let skills = read(&package.path().join("skills"), "skills").unwrap();
    let names: Vec<_> = skills
        .iter()
        .map(|skill| (skill.name.as_str(), skill.description.as_str()))
        .collect();
    assert_eq!(names, [("csv", "Reads CSV."), ("pdf", "Reads PDF files.")]);
    assert_eq!(&PDF[skills[1].body_start..], b"# PDF\n");
    let files: Vec<_> = skills[1]
        .files
        .iter()
        .map(|file| (file.path.as_str(), file.size, file.executable, file.utf8))
        .collect();
    assert_eq!(
        files,
        [
            ("SKILL.md", 54, false, true),
            ("logo.bin", 2, false, false),
            ("scripts-more.txt", 1, false, true),
            ("scripts/fill.py", 23, true, true),
            ("sub/SKILL.md", 22, false, true),
        ]
    );
}

#[test]
fn all_problems_of_all_skills_are_one_message() {
    let message = problems(&[
        ("csv/SKILL.md", b"---\nname: CSV\ndescription: d\n---\n"),
        ("ok/SKILL.md", b"---\nname: ok\ndescription: d\n---\n"),
        (
            "pdf/SKILL.md",
            b"---\nname: pdf\ndescription: Use this when: asked\n---\n",
        ),
        ("scraps/notes.md", b"x"),
        ("web/SKILL.md", b"---\nname: www\n---\n"),
    ]);
    insta::assert_snapshot!(message, @r#"
    include_skills!: 5 problems in 4 of 5 skills under `skills/`
    error[SK0113]: `C` is not allowed in a name: lower-case letters, digits and `-` are
      --> skills/csv/SKILL.md:2:7
       = help: write `name: csv`, as the folder is called
    error[SK0102]: unquoted `: ` makes this a nested mapping
      --> skills/pdf/SKILL.md:3:27
       = help: quote it: description: "Use this when: …"
    error[SK0123]: the folder has no SKILL.md
      --> skills/scraps
       = help: add a SKILL.md, or move the folder elsewhere
    error[SK0116]: `description` is missing
      --> skills/web/SKILL.md:1:1
       = help: say what the skill does and when to use it: a model chooses by it
    error[SK0115]: the name is `www`, but the folder is `web`
      --> skills/web/SKILL.md:2:7
       = help: write `name: web`, or rename the folder to `www`
    "#);
}

#[test]
fn the_folder_must_be_there_and_hold_skills() {
    insta::assert_snapshot!(problems(&[]), @"
    include_skills!: 1 problem with `skills/`
    error[SK0121]: there is no such folder
      --> skills
       = help: the path is relative to the folder of the package's Cargo.toml
    ");
    insta::assert_snapshot!(problems(&[("README.md", b"x"), ("node_modules/a/SKILL.md", PDF)]), @"
    include_skills!: 1 problem with `skills/`
    error[SK0122]: the folder holds no skills
      --> skills
       = help: a skill is a folder with a SKILL.md, as in `pdf/SKILL.md`
    ");
    let package = package(&[("pdf/SKILL.md", PDF)]);
    let message = read(
        &package.path().join("skills/pdf/SKILL.md"),
        "skills/pdf/SKILL.md",
    )
    .unwrap_err();
    assert!(
        message.contains("error[SK0121]: this is not a folder"),
        "{message}"
    );
}

#[test]
fn a_folder_that_is_nearly_a_skill_is_told_how() {
    insta::assert_snapshot!(problems(&[("pdf/skill.md", PDF), ("vendor/csv/SKILL.md", PDF)]), @"
    include_skills!: 2 problems in 2 of 2 skills under `skills/`
    error[SK0123]: the folder has no SKILL.md
      --> skills/pdf
       = help: rename `skill.md` to `SKILL.md`
    error[SK0123]: the folder has no SKILL.md
      --> skills/vendor
       = help: there are skills deeper inside: name this folder to include_skills! instead
    ");
}

#[test]
fn bytes_that_are_no_text_are_located() {
    let message = problems(&[
        ("a/SKILL.md", b"---\nname: a\ndescription: \xff\n---\n"),
        ("b/SKILL.md", b"---\nname: b\ndescription: d\n---\nx\0y\n"),
    ]);
    insta::assert_snapshot!(message, @"
    include_skills!: 2 problems in 2 of 2 skills under `skills/`
    error[SK0110]: SKILL.md is not UTF-8
      --> skills/a/SKILL.md:3:14
    error[SK0109]: the file holds a NUL character
      --> skills/b/SKILL.md:5:2
       = help: delete it
    ");
}

#[test]
fn a_file_that_is_too_large_is_refused() {
    let package = package(&[("pdf/SKILL.md", PDF), ("pdf/big.bin", b"")]);
    let big = fs::File::options()
        .write(true)
        .open(package.path().join("skills/pdf/big.bin"))
        .unwrap();
    big.set_len(16 * 1024 * 1024 + 1).unwrap();
    insta::assert_snapshot!(problems_in(package.path()), @"
    include_skills!: 1 problem in 1 of 1 skill under `skills/`
    error[SK0126]: the file is 16777217 bytes long; at most 16777216 are embedded
      --> skills/pdf/big.bin
    ");
}

#[test]
#[cfg(unix)]
fn links_are_refused_wherever_they_stand() {
    use std::os::unix::fs::symlink;
    let package = package(&[("pdf/SKILL.md", PDF)]);
    let skills = package.path().join("skills");
    symlink("../../secret", skills.join("pdf/key")).unwrap();
    symlink("pdf", skills.join("same")).unwrap();
    // A loose link beside the skills is no part of them, as a loose file is none.
    symlink("pdf/SKILL.md", skills.join("AGENTS.md")).unwrap();
    insta::assert_snapshot!(problems_in(package.path()), @"
    include_skills!: 2 problems in 2 of 2 skills under `skills/`
    error[SK0124]: this is a symbolic link, to `../../secret`
      --> skills/pdf/key
       = help: a skill carries its files itself: put a copy here
    error[SK0124]: this is a symbolic link, to `pdf`
      --> skills/same
       = help: a skill carries its files itself: put a copy here
    ");
}

#[test]
#[cfg(target_os = "linux")]
fn names_must_be_utf8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let package = package(&[("pdf/SKILL.md", PDF)]);
    fs::write(
        package
            .path()
            .join("skills/pdf")
            .join(OsStr::from_bytes(b"a\xff")),
        "x",
    )
    .unwrap();
    insta::assert_snapshot!(problems_in(package.path()), @"
    include_skills!: 1 problem in 1 of 1 skill under `skills/`
    error[SK0125]: the name is not UTF-8
      --> skills/pdf/a\u{fffd}
       = help: rename it
    ");
}

#[test]
#[cfg(unix)]
fn the_mode_bit_makes_a_file_executable() {
    use std::os::unix::fs::PermissionsExt;
    let package = package(&[("pdf/SKILL.md", PDF), ("pdf/run", b"\x7fELF")]);
    let run = package.path().join("skills/pdf/run");
    fs::set_permissions(&run, fs::Permissions::from_mode(0o755)).unwrap();
    let skills = read(&package.path().join("skills"), "skills").unwrap();
    assert!(skills[0].files[1].executable);
}
