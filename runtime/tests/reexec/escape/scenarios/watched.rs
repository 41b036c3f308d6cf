//! What becomes of the watch over the folders where it comes to its limits.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::{EscapeTest, expect};
use crate::escape::app::App;
use crate::escape::fixture::EscapeWorld;
use crate::escape::user_suite::UserSuite;

pub(super) const TESTS: &[EscapeTest] = &[
    ("watch_overflows", overflow),
    (
        "watch_overflows_when_something_is_removed",
        overflow_and_removal,
    ),
    ("watch_takes_thousands_of_changes", thousands),
    ("no_watch_is_left", no_watch_left),
    ("not_enough_watches_are_left", too_few_watches),
];

/// More happens at once than the kernel keeps: all folders are looked through.
fn overflow(half: &'static UserSuite) -> Result<(), String> {
    let notes = planted_among(half, 20_000)?;
    expect(notes.contains("the watch overflowed"), || notes.clone())
}

/// Thousands of changes are in the queue, fewer than it holds: the one that matters is among them.
fn thousands(half: &'static UserSuite) -> Result<(), String> {
    let notes = planted_among(half, 4_500)?;
    expect(!notes.contains("the watch overflowed"), || notes.clone())
}

/// Plants something after so many changes, and before some more; the supervisor sees them all at once. Returns what it
/// notes.
fn planted_among(half: &'static UserSuite, before: usize) -> Result<String, String> {
    let world = EscapeWorld::new(half);
    let mut app = App::start(&world, &[], "");
    let opened = app.read_line();
    expect(opened.starts_with("open "), || opened.clone())?;
    let said = app.send("new_paths");
    expect(said == "new_paths Some(Watched)", || said.clone())?;
    let after = before + 1_500;
    let script = format!(
        "mkdir many; until [ -e go ]; do :; done; \
         i=0; while [ $i -lt {before} ]; do : > many/some-longer-name-$i; i=$((i+1)); done; \
         mkdir sub; mkdir .vscode; echo evil > .vscode/tasks.json; \
         while [ $i -lt {after} ]; do : > many/some-longer-name-$i; i=$((i+1)); done; \
         echo > done; exec sleep 1000"
    );
    let started = app.send(&format!("start {script}"));
    expect(started == "started", || started.clone())?;
    eventually(&world.workspace.join("many"))?;
    // A command that is sent afterwards finds the folder watched.
    app.send("glance");
    while_stopped(&world, &app, || Ok(()))?;
    let ended = app.send("status");
    expect(ended.contains("stopped: "), || ended.clone())?;
    expect(!world.workspace.join(".vscode").exists(), || {
        "what was made is still there".to_owned()
    })?;
    let notes = app.send("notes");
    app.end();
    Ok(notes)
}

/// A protected file is removed by the user, and made by a command; the kernel tells neither.
fn overflow_and_removal(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    let [settings, full, removed] =
        [".envrc", "full", "removed"].map(|name| world.workspace.join(name));
    let failed = |error: std::io::Error| error.to_string();
    fs::write(&settings, "mine").map_err(failed)?;
    let mut app = App::start(&world, &[], "");
    let opened = app.read_line();
    expect(opened.starts_with("open "), || opened.clone())?;
    let script = "mkdir many; until [ -e go ]; do :; done; \
         i=0; while [ $i -lt 20000 ]; do : > many/some-longer-name-$i; i=$((i+1)); done; \
         : > full; until [ -e removed ]; do :; done; \
         echo evil > .envrc; : > done; exec sleep 1000";
    let started = app.send(&format!("start {script}"));
    expect(started == "started", || started.clone())?;
    eventually(&world.workspace.join("many"))?;
    app.send("glance");
    while_stopped(&world, &app, || {
        eventually(&full)?;
        fs::remove_file(&settings).map_err(failed)?;
        fs::write(&removed, "").map_err(failed)
    })?;
    let ended = app.send("status");
    expect(ended.contains("stopped: "), || ended.clone())?;
    expect(!settings.exists(), || {
        "what was made is still there".to_owned()
    })?;
    let notes = app.send("notes");
    app.end();
    expect(notes.contains("the watch overflowed"), || notes.clone())
}

/// Lets the command go on while the supervisor is stopped, until it is done.
fn while_stopped(
    world: &EscapeWorld,
    app: &App,
    meanwhile: impl FnOnce() -> Result<(), String>,
) -> Result<(), String> {
    let family = app.descendants();
    let supervisor = family.first().ok_or("no supervisor")?;
    supervisor.signal(Signal::STOP);
    let done = fs::write(world.workspace.join("go"), "")
        .map_err(|error| error.to_string())
        .and_then(|()| meanwhile())
        .and_then(|()| eventually(&world.workspace.join("done")));
    supervisor.signal(Signal::CONT);
    done
}

/// Waits until a file is there.
fn eventually(path: &Path) -> Result<(), String> {
    let patience = Instant::now() + Duration::from_secs(60);
    while !path.exists() {
        expect(Instant::now() < patience, || {
            format!("{} never came to be", path.display())
        })?;
        std::thread::yield_now();
    }
    Ok(())
}

/// The kernel gives no watch at all.
fn no_watch_left(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    let doors = half.tools.join("doors").display().to_string();
    if !world.run_outside(&[&doors, "without", "watches", "true"]) {
        println!("without watches: nothing was simulated, filters are not possible here");
        return Ok(());
    }
    let app = App::start(&world, &[&doors, "without", "watches"], "");
    swept(&world, app)
}

/// The kernel gives three watches, and there are more folders.
fn too_few_watches(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    let unshare = ["unshare", "--user", "--map-current-user", "--keep-caps"];
    let take = "echo 3 > /proc/sys/user/max_inotify_watches && exec \"$0\"";
    let before = [&unshare[..], &["sh", "-c", take]].concat();
    if half.root || !world.run_outside(&[&before[..], &["true"]].concat()) {
        println!("watches cannot be counted for a sandbox alone here, so this simulated nothing");
        return Ok(());
    }
    let app = App::start(&world, &before, "");
    swept(&world, app)
}

/// Where not all folders can be watched, that is said, and the folders are looked through.
fn swept(world: &EscapeWorld, mut app: App) -> Result<(), String> {
    let opened = app.read_line();
    expect(opened.starts_with("open "), || opened.clone())?;
    let said = app.send("new_paths");
    expect(said.starts_with("new_paths Some(Swept"), || said.clone())?;
    let there = |name: &str| world.workspace.join(name).exists();
    app.send("run mkdir .vscode; echo evil > .vscode/tasks.json");
    expect(!there(".vscode"), || {
        "a folder stays after its command".to_owned()
    })?;
    fs::create_dir(world.workspace.join(".idea")).map_err(|error| error.to_string())?;
    let ran = app.send("run echo evil > .idea/evil; echo ran");
    expect(ran.contains("ran"), || ran.clone())?;
    expect(there(".idea") && !there(".idea/evil"), || {
        "a folder of the user's is taken away, or is not protected".to_owned()
    })?;
    let ended = app.send("start mkdir .zed; echo evil > .zed/tasks.json; exec sleep 1000");
    expect(ended == "started", || ended.clone())?;
    let ended = app.send("status");
    expect(ended.contains("stopped: ") && !there(".zed"), || {
        ended.clone()
    })?;
    app.end();
    Ok(())
}
