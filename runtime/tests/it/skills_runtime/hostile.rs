//! Folders that were made to break things.
#![cfg(unix)]

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::skills_runtime::fixture::{Fixture, make_unreadable, names};

#[tokio::test]
async fn a_pipe_a_loop_a_huge_file_and_odd_names_hide_no_good_skill() {
    let world = Fixture::new();
    world.skill("good", "# Good");
    let skills = world.path("project/.agents/skills");
    for folder in ["pipe", "looped", "huge", "huge-file", "huge-text"] {
        fs::create_dir(skills.join(folder)).unwrap();
    }
    let made = Command::new("mkfifo")
        .arg(skills.join("pipe/SKILL.md"))
        .status();
    assert!(made.unwrap().success());
    symlink("../looped", skills.join("looped/looped")).unwrap();
    symlink("SKILL.md", skills.join("looped/SKILL.md")).unwrap();
    let sparse = |path: &str, size: u64| {
        let file = fs::File::create(skills.join(path)).unwrap();
        file.set_len(size).unwrap();
    };
    sparse("huge/SKILL.md", 1 << 30);
    sparse("huge-file/data.bin", 1 << 30);
    let text = "---\nname: huge-file\ndescription: d\n---\n# Huge\n";
    fs::write(skills.join("huge-file/SKILL.md"), text).unwrap();
    let long = format!(
        "---\nname: huge-text\ndescription: d\n---\n{}",
        "word ".repeat(150_000)
    );
    fs::write(skills.join("huge-text/SKILL.md"), long).unwrap();
    let odd = std::ffi::OsStr::from_bytes(b"odd\xff");
    fs::create_dir(skills.join(odd)).unwrap();
    fs::write(skills.join(odd).join("SKILL.md"), text).unwrap();
    let begun = Instant::now();
    let catalog = world.catalog().await;
    assert!(
        begun.elapsed() < Duration::from_secs(20),
        "{:?}",
        begun.elapsed()
    );
    assert_eq!(names(&catalog), ["good", "huge-file", "huge-text"]);
    let huge = catalog.get("huge-file").unwrap();
    assert!(
        huge.file("data.bin").is_none(),
        "what is too large is no part of it"
    );
    let notes = world.notes(&catalog);
    for said in ["pipe", "looped", "huge/SKILL.md", "data.bin", "not UTF-8"] {
        assert!(notes.contains(said), "{said}: {notes}");
    }
}

#[tokio::test]
async fn a_folder_that_cannot_be_read_is_said() {
    let world = Fixture::new();
    world.skill("good", "# Good").skill("shut", "# Shut");
    if make_unreadable(&world.path("project/.agents/skills/shut")) {
        let catalog = world.catalog().await;
        assert_eq!(names(&catalog), ["good"]);
        let notes = world.notes(&catalog);
        assert!(
            notes.contains("`/project/.agents/skills/shut` cannot be read"),
            "{notes}"
        );
    }
}

#[tokio::test]
async fn ten_thousand_skills_are_bounded_and_said() {
    let world = Fixture::new();
    for number in 0..10_000 {
        world.skill(&format!("skill-{number:05}"), "# One");
    }
    let begun = Instant::now();
    let catalog = world.catalog().await;
    assert!(
        begun.elapsed() < Duration::from_secs(25),
        "{:?}",
        begun.elapsed()
    );
    assert_eq!(catalog.len(), 8_192);
    assert_eq!(
        world.notes(&catalog),
        "in the project's folder `/project/.agents/skills`: `/project/.agents/skills` is too large: skipped 1808 of 10000 folders (at most 8192 skills, 100000 files, 512 MiB); move unneeded files elsewhere"
    );
    let prompt = catalog.prompt();
    assert!(prompt.chars().count() <= 8_000);
    assert!(prompt.contains("more skills are not listed for space"));
    // Nothing has changed, so nothing is read again.
    let begun = Instant::now();
    assert!(catalog.refresh().await.is_none());
    assert!(
        begun.elapsed() < Duration::from_secs(10),
        "{:?}",
        begun.elapsed()
    );
}
