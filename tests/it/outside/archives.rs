//! `.ci/archives` makes the same archive of the same files.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use crate::outside::building::{ProcessOutput, run, workspace, write};

/// A target that is not that of this machine needs no compiler where the program is given.
const TARGET: &str = "aarch64-unknown-linux-musl";

/// In place of a program, whose build would take minutes.
const PROGRAM: &str = "#!/bin/sh\necho \"assistant $*\"\n";

/// Makes the archive of a program in a folder.
fn archive(program: &Path, folder: &Path) -> ProcessOutput {
    let mut archives = Command::new(workspace().join(".ci/archives"));
    archives
        .arg(folder)
        .arg(TARGET)
        .env("HELVE_ARCHIVE_PROGRAM", program)
        .env("SOURCE_DATE_EPOCH", "1000000000");
    run(&mut archives)
}

fn write_program(path: &Path, text: &str, mode: u32) {
    write(path, text);
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("the mode can be set");
}

fn tar(options: &[&str], archive: &Path) -> String {
    let mut tar = Command::new("tar");
    run(tar.args(options).arg("-zf").arg(archive).env("TZ", "UTC"))
        .assert_success()
        .out
}

#[test]
fn the_same_files_are_the_same_archive() {
    let here = tempfile::tempdir().expect("a temporary folder");
    let folders = ["first", "second"].map(|name| here.path().join(name));
    // Another time, another mode and another name of the program.
    for (folder, mode) in folders.iter().zip([0o700, 0o755]) {
        let program = folder.with_extension("program");
        write_program(&program, PROGRAM, mode);
        archive(&program, folder).assert_success();
    }
    let sums = folders
        .each_ref()
        .map(|folder| fs::read_to_string(folder.join("SHA256SUMS")).expect("the digests"));
    assert_eq!(sums[0], sums[1]);
    let name = format!("assistant-{}-{TARGET}", env!("CARGO_PKG_VERSION"));
    assert!(
        sums[0].ends_with(&format!("  {name}.tar.gz\n")),
        "{}",
        sums[0]
    );
    let mut check = Command::new("sha256sum");
    run(check
        .args(["--check", "SHA256SUMS"])
        .current_dir(&folders[0]))
    .assert_success();

    let archive = folders[1].join(format!("{name}.tar.gz"));
    let listed = tar(&["--list"], &archive).replace(&name, "NAME");
    insta::assert_snapshot!(listed, @"
    NAME/
    NAME/LICENSE-APACHE
    NAME/LICENSE-MIT
    NAME/README.md
    NAME/assistant
    NAME/completions/
    NAME/completions/_assistant
    NAME/completions/_assistant.ps1
    NAME/completions/assistant.bash
    NAME/completions/assistant.elv
    NAME/completions/assistant.fish
    ");
    let entries = tar(&["--list", "--verbose"], &archive);
    for entry in entries.lines() {
        assert!(
            entry.contains(" 0/0 ") && entry.contains(" 2001-09-09 01:46 "),
            "{entry}"
        );
    }
    tar(
        &[
            "--extract",
            &format!("--directory={}", here.path().display()),
        ],
        &archive,
    );
    let made = here.path().join(&name);
    let version = run(Command::new(made.join("assistant")).arg("--version")).assert_success();
    assert_eq!(version.out, "assistant --version\n");
    let completions =
        fs::read_to_string(made.join("completions/_assistant")).expect("completions of zsh");
    assert_eq!(completions, "assistant completions zsh\n");
}

#[test]
fn a_program_without_completions_makes_no_archive() {
    let here = tempfile::tempdir().expect("a temporary folder");
    let program = here.path().join("program");
    write_program(&program, "#!/bin/sh\n[ \"$1\" = --version ]\n", 0o755);
    let folder = here.path().join("archives");
    let output = archive(&program, &folder);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert_eq!(
        fs::read_dir(folder).expect("the folder is there").count(),
        0
    );

    write_program(&program, "#!/bin/sh\nexit 1\n", 0o755);
    let output = archive(&program, &here.path().join("archives"));
    assert_eq!(output.code, Some(1), "{output:?}");
    let reason =
        "error: no program of these targets runs here, and so nothing prints the completions: ";
    assert_eq!(output.err, format!("{reason}{TARGET}\n"));
}
