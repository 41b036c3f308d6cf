//! Tests of files that are not portable.

use helve_skill_format::Profile;

use crate::format::world::{PDF, World};

#[test]
fn pointers_of_git_lfs_are_not_the_file() {
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
    let world = World::new(&[("pdf/SKILL.md", PDF), ("pdf/model.bin", pointer)]);
    insta::assert_snapshot!(world.problems(), @r#"
    error[SK0151]: this is a pointer of Git LFS, not the file itself
      --> skills/pdf/model.bin
       = help: fetch the files: `git lfs pull`
    "#);
    let world = world.under(Profile::Lenient);
    insta::assert_snapshot!(world.problems(), @r#"
    warning[SK0151]: this is a pointer of Git LFS, not the file itself
      --> skills/pdf/model.bin
       = help: fetch the files: `git lfs pull`
    "#);
    assert!(world.read().skills[0].file("model.bin").is_none());
}

#[test]
#[cfg(target_os = "linux")]
fn paths_differ_in_more_than_case() {
    let world = World::new(&[
        ("pdf/SKILL.md", PDF),
        ("pdf/Scripts/a.py", "x"),
        ("pdf/scripts/b.py", "x"),
        ("pdf/na\u{ef}ve.md", "x"),
        ("pdf/nai\u{308}ve.md", "x"),
        ("PDF/SKILL.md", "---\nname: pdf\ndescription: d\n---\n"),
    ]);
    insta::assert_snapshot!(world.problems(), @r#"
    error[SK0115]: the name is `pdf`, but the folder is `PDF`
      --> skills/PDF/SKILL.md:2:7
       = help: rename the folder to `pdf`
    error[SK0152]: `PDF` and `pdf` are one where case does not count
      --> skills/pdf
       = help: rename one of the two
    error[SK0152]: `naïve.md` and `naïve.md` are one where case does not count
      --> skills/pdf/naïve.md
       = help: rename one of the two
    error[SK0152]: `Scripts` and `scripts` are one where case does not count
      --> skills/pdf/scripts
       = help: rename one of the two
    "#);
}

#[test]
#[cfg(unix)]
fn names_are_ones_that_windows_has_too() {
    let world = World::new(&[
        ("aux/SKILL.md", "---\nname: aux\ndescription: d\n---\n"),
        ("pdf/SKILL.md", PDF),
        ("pdf/nul.txt", "x"),
        ("pdf/COM¹", "x"),
        ("pdf/lpt9.tar.gz", "x"),
        ("pdf/what?.md", "x"),
        ("pdf/tab\t.md", "x"),
        ("pdf/dots./x", "x"),
        ("pdf/console.md", "fine"),
        ("pdf/com10", "fine"),
        ("pdf/.hidden", "fine"),
    ]);
    insta::assert_snapshot!(world.problems(), @r#"
    error[SK0153]: `aux` is a device on Windows
      --> skills/aux
       = help: rename it: the name is not valid on every operating system
    error[SK0153]: `COM¹` is a device on Windows
      --> skills/pdf/COM¹
       = help: rename it: the name is not valid on every operating system
    error[SK0153]: Windows has no names that end with a dot or a space
      --> skills/pdf/dots.
       = help: rename it: the name is not valid on every operating system
    error[SK0153]: `lpt9` is a device on Windows
      --> skills/pdf/lpt9.tar.gz
       = help: rename it: the name is not valid on every operating system
    error[SK0153]: `nul` is a device on Windows
      --> skills/pdf/nul.txt
       = help: rename it: the name is not valid on every operating system
    error[SK0153]: Windows has no `\t` in names
      --> skills/pdf/tab\t.md
       = help: rename it: the name is not valid on every operating system
    error[SK0153]: Windows has no `?` in names
      --> skills/pdf/what?.md
       = help: rename it: the name is not valid on every operating system
    "#);
}

#[test]
#[cfg(target_os = "linux")]
fn names_are_utf8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let world = World::new(&[("pdf/SKILL.md", PDF)]);
    let path = world.path("pdf").join(OsStr::from_bytes(b"a\xff"));
    std::fs::write(path, "x").unwrap();
    std::fs::create_dir(world.path("").join(OsStr::from_bytes(b"b\xff"))).unwrap();
    insta::assert_snapshot!(world.problems(), @r#"
    error[SK0125]: the name is not UTF-8
      --> skills/b�
       = help: rename it
    error[SK0125]: the name is not UTF-8
      --> skills/pdf/a�
       = help: rename it
    "#);
}

#[test]
#[cfg(unix)]
fn a_script_is_marked_as_one() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;
    let world = World::new(&[
        ("pdf/SKILL.md", PDF),
        ("pdf/fill.sh", "#!/bin/sh\n"),
        ("pdf/good.sh", "#!/bin/sh\n"),
        ("pdf/run", "\u{7f}ELF"),
    ]);
    for program in ["pdf/good.sh", "pdf/run"] {
        set_permissions(world.path(program), Permissions::from_mode(0o755)).unwrap();
    }
    insta::assert_snapshot!(world.problems(), @r#"
    warning[SK0206]: the file begins with `#!` and is not marked as executable
      --> skills/pdf/fill.sh:1:1
       = help: mark it: `chmod +x`, and where git does not see that, `git update-index --chmod=+x`
    "#);
    let skill = &world.read().skills[0];
    assert!(
        skill
            .files
            .iter()
            .all(|file| file.executable == (file.path != "SKILL.md"))
    );
}

#[test]
#[cfg(unix)]
fn what_is_no_file_is_not_read() {
    let world = World::new(&[("pdf/SKILL.md", PDF)]);
    let _socket = std::os::unix::net::UnixListener::bind(world.path("pdf/s")).unwrap();
    insta::assert_snapshot!(world.problems(), @r#"
    error[SK0127]: this is neither a file nor a folder
      --> skills/pdf/s
    "#);
}
