//! Many processes, and processes that are killed.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use libtest_mimic::Trial;

use crate::skill_projection::fixture::{
    CacheDir, ROLE_VARIABLE, TestSkill, make_removable, test, unexpected_entries,
};

/// How often a projection is killed; `HELVE_SOAK` says another number.
const KILLS: usize = 25;

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        test("sixteen_at_once", sixteen_at_once),
        test("sixteen_find_a_broken_one", sixteen_find_a_broken_one),
        test("killed_in_the_middle", killed_in_the_middle),
        test("what_lives_is_not_swept", what_lives_is_not_swept),
    ]
}

/// What a started process does: says that it is ready, waits for its input to end, and projects.
pub(crate) fn run_role(role: &str) {
    let cache = PathBuf::from(role);
    println!("ready");
    std::io::stdout().flush().unwrap();
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
    println!("{}", TestSkill::large().project(&cache).display());
}

fn start(cache: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.env(ROLE_VARIABLE, cache);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut ready = [0; 6];
    child
        .stdout
        .as_mut()
        .unwrap()
        .read_exact(&mut ready)
        .unwrap();
    child
}

/// Starts sixteen processes, lets all project at once, and returns what each said.
fn project_concurrently(cache: &Path) -> Vec<String> {
    let mut children: Vec<Child> = (0..16).map(|_| start(cache)).collect();
    for child in &mut children {
        drop(child.stdin.take());
    }
    let said = children.into_iter().map(|mut child| {
        let mut line = String::new();
        let stdout = child.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        assert!(child.wait().unwrap().success());
        line.trim().to_owned()
    });
    said.collect()
}

fn sixteen_at_once() {
    for _ in 0..rounds(3) {
        let room = CacheDir::new();
        let cache = room.cache();
        let said = project_concurrently(&cache);
        let large = TestSkill::large();
        let at = large.folder_in(&cache).display().to_string();
        assert!(said.iter().all(|said| *said == at), "{said:?}");
        large.assert_whole(&cache);
        assert_eq!(unexpected_entries(&cache), [".lock"]);
    }
}

/// Only one may move it aside: a second would take away what the first has just put there.
fn sixteen_find_a_broken_one() {
    for _ in 0..rounds(3) {
        let room = CacheDir::new();
        let cache = room.cache();
        let large = TestSkill::large();
        let at = large.project(&cache);
        make_removable(&at);
        fs::remove_file(at.join("SKILL.md")).unwrap();
        let said = project_concurrently(&cache);
        assert_eq!(said.len(), 16);
        large.assert_whole(&cache);
        let aside = unexpected_entries(&cache);
        assert_eq!(aside.len(), 2, "{aside:?}");
        assert!(aside[0].starts_with(".aside-"), "{aside:?}");
    }
}

/// Kills a process when it has written so many files and folders, then looks at what it left, and projects again.
fn killed_in_the_middle() {
    let large = TestSkill::large();
    let entries = large.files.len() + 10;
    let (mut leftovers, mut published) = (0, 0);
    let rounds = rounds(KILLS);
    for round in 0..rounds {
        let room = CacheDir::new();
        let cache = room.cache();
        let mut child = start(&cache);
        drop(child.stdin.take());
        let enough = round % entries;
        while count(&cache) < enough && child.try_wait().unwrap().is_none() {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        if large.folder_in(&cache).exists() {
            large.assert_whole(&cache);
            published += 1;
        }
        if cache.exists() {
            let left = unexpected_entries(&cache)
                .iter()
                .any(|name| name.starts_with(".staging-"));
            leftovers += usize::from(left);
        }
        large.project(&cache);
        large.assert_whole(&cache);
        // One that finds the skill there has no reason to look for leftovers; the next that writes does.
        TestSkill::small().project(&cache);
        assert_eq!(unexpected_entries(&cache), [".lock"]);
    }
    println!("{rounds} kills: {leftovers} in the middle, {published} after the end");
    // On a disk in memory most of them come too late.
    assert!(
        leftovers * 20 >= rounds,
        "hardly any of {rounds} kills fell into the middle"
    );
}

/// Counts what lies below the folder of a writer.
fn count(cache: &Path) -> usize {
    fn below(folder: &Path) -> usize {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| 1 + below(&entry.path())).sum()
    }
    let entries = fs::read_dir(cache).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_name() != ".lock")
        .map(|entry| 1 + below(&entry.path()))
        .sum()
}

fn what_lives_is_not_swept() {
    let room = CacheDir::new();
    let cache = room.cache();
    TestSkill::small().project(&cache);
    let [alive, dead] = ["alive", "dead"].map(|name| cache.join(format!(".staging-{name}")));
    for folder in [&alive, &dead] {
        fs::create_dir(folder).unwrap();
        fs::write(folder.join("file"), "x").unwrap();
    }
    let writer = fs::File::open(&alive).unwrap();
    writer.try_lock().unwrap();
    // A link is no leftover, and what it leads to is not touched.
    let elsewhere = room.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("file"), "x").unwrap();
    std::os::unix::fs::symlink(&elsewhere, cache.join(".staging-link")).unwrap();
    TestSkill::large().project(&cache);
    assert_eq!(
        unexpected_entries(&cache),
        [".lock", ".staging-alive", ".staging-link"]
    );
    assert!(alive.join("file").exists() && elsewhere.join("file").exists());
    // Unlocked first: a process that another test is forking holds the open file for a moment longer.
    writer.unlock().unwrap();
    drop(writer);
    TestSkill::new("other", &[("SKILL.md", "", false)]).project(&cache);
    assert_eq!(unexpected_entries(&cache), [".lock", ".staging-link"]);
}

fn rounds(usual: usize) -> usize {
    let soak = std::env::var("HELVE_SOAK").ok();
    soak.and_then(|rounds| rounds.parse().ok()).unwrap_or(usual)
}
