//! The installer of skills of other people is given the same repository as this one.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::skills::install::{publish, with_repository};

/// Lists the files of a folder with their modes and contents.
fn files(folder: &Path) -> BTreeMap<String, (bool, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        for entry in std::fs::read_dir(&path).expect("a folder").flatten() {
            let at = entry.path();
            if at.is_dir() {
                open.push(at);
                continue;
            }
            #[cfg(unix)]
            let is_executable = {
                use std::os::unix::fs::PermissionsExt as _;
                at.metadata().expect("a file").permissions().mode() & 0o111 != 0
            };
            #[cfg(not(unix))]
            let is_executable = false;
            let name = at
                .strip_prefix(folder)
                .expect("a path")
                .display()
                .to_string();
            let bytes = std::fs::read(&at).expect("a file");
            // This installer also makes files executable that begin with `#!`.
            found.insert(name, (is_executable || bytes.starts_with(b"#!"), bytes));
        }
    }
    found
}

/// Another installer is given the same repository, through git: both lay out the same files.
#[test]
fn another_installer_lays_out_the_same_files() {
    let Ok(installer) = std::env::var("HELVE_SKILLS_CLI") else {
        eprintln!(
            "HELVE_SKILLS_CLI is not set to a command such as `npx skills`: nothing was compared"
        );
        return;
    };
    let (place, server) = with_repository();
    let place = place.with_file("repository/skills/csv/deep/a/b.json", "{}\n");
    let repository = place.path("repository");
    publish(&server, &repository);
    let added = place.run(&["skills", "add", "acme/skills", "--yes"]);
    assert!(added.starts_with("exit 0"), "{added}");
    let config = format!(
        "[url \"file://{}\"]\n\tinsteadOf = https://github.com/acme/skills.git\n",
        repository.display()
    );
    let place = place.with_file("gitconfig", &config);
    std::fs::create_dir(place.path("other")).expect("a folder");
    let mut words = installer.split_whitespace();
    let output = Command::new(words.next().expect("a program"))
        .args(words)
        .args([
            "add",
            "acme/skills",
            "--agent",
            "universal",
            "--skill",
            "*",
            "--yes",
            "--copy",
        ])
        .current_dir(place.path("other"))
        .env("HOME", place.path("home"))
        .env("GIT_CONFIG_GLOBAL", place.path("gitconfig"))
        .env("DISABLE_TELEMETRY", "1")
        .env("CI", "1")
        .output()
        .expect("the installer starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
    let ours = files(&place.path("project/.agents/skills"));
    assert_eq!(ours, files(&place.path("other/.agents/skills")));
    eprintln!("the same {} files of {} skills", ours.len(), 2);
}
