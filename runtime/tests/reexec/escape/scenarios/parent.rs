//! Who dies takes with it what it has to, and leaves nothing behind.

use super::layout::mounted;
use super::{EscapeTest, expect, listing};
use crate::escape::app::{App, ProcessHandle};
use crate::escape::fixture::EscapeWorld;
use crate::escape::user_suite::UserSuite;

pub(super) const TESTS: &[EscapeTest] = &[
    ("killed_app_takes_everything_along", killed_app),
    ("killed_keeper_takes_everything_along", killed_supervisor),
    ("killed_first_process_takes_everything_along", killed_init),
    ("killed_warden_leaves_the_sandbox_whole", killed_shim),
    ("commands_do_not_end_each_other", commands_kill_all),
    ("closed_app_leaves_nothing", closed_app),
    (
        "killed_app_and_keeper_are_cleared_up_after",
        cleared_up_after,
    ),
];

/// A tree of processes that does not go by itself.
const TREE: &str = r#"trap '' TERM HUP INT; setsid sleep 600 & (setsid sh -c 'trap "" TERM; sleep 600; :' &) ; sleep 600"#;

/// An app with a standing command.
fn start_standing(world: &EscapeWorld) -> Result<App, String> {
    let mut app = App::start(world, &[], "");
    let opened = app.read_line();
    expect(opened.starts_with("open "), || opened.clone())?;
    let started = app.send(&format!("start {TREE}"));
    expect(started == "started", || started.clone())?;
    // The tree stands once all of its sleepers do; the first answer of another command is later than its start.
    let seen = app.send(
        "run until [ \"$(cat /proc/[0-9]*/comm | grep -c sleep)\" -ge 3 ]; do :; done; echo stands",
    );
    expect(seen.contains("stands"), || seen.clone())?;
    Ok(app)
}

/// Reports what was left behind in folders.
fn check_nothing_left(
    world: &EscapeWorld,
    before: &[String],
    run: &std::path::Path,
) -> Result<(), String> {
    let after = listing(&world.workspace);
    expect(before == after, || {
        format!("the workspace changed: {after:?}")
    })?;
    expect(!mounted(&world.base), || "a mount is left".to_owned())?;
    let left: Vec<_> = listing(run)
        .into_iter()
        .filter(|line| !line.ends_with(" 0"))
        .collect();
    expect(left.is_empty(), || {
        format!("files of the sandbox are left: {left:?}")
    })
}

fn killed_app(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    let before = listing(&world.workspace);
    let app = start_standing(&world)?;
    let family = app.descendants();
    expect(family.len() >= 5, || {
        format!("only {} processes were seen", family.len())
    })?;
    let own = rustix::process::Pid::from_raw(app.pid()).ok_or("no pid")?;
    rustix::process::kill_process(own, rustix::process::Signal::KILL)
        .map_err(|error| error.to_string())?;
    for relative in &family {
        expect(relative.has_ended(), || {
            format!("process {} goes on after its app was killed", relative.pid)
        })?;
    }
    let run = app.runtime_folder.clone();
    app.wait_after_kill();
    check_nothing_left(&world, &before, &run)
}

/// Kills one of the helpers, and expects that everything of the sandbox ends, and that the app is told so.
fn killed_helper(half: &'static UserSuite, which: usize) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    let before = listing(&world.workspace);
    let mut app = start_standing(&world)?;
    let family = app.descendants();
    expect(family.len() >= 5, || {
        format!("only {} processes were seen", family.len())
    })?;
    family[which].kill();
    for relative in family.iter().skip(1) {
        expect(relative.has_ended(), || {
            format!("process {} goes on", relative.pid)
        })?;
    }
    let told = app.send("status");
    let known = told.contains("unknown: the sandbox ended")
        || told.starts_with("error the sandbox has ended");
    expect(known, || format!("the app was told: {told}"))?;
    let again = app.send("run echo hello");
    expect(again.starts_with("error "), || {
        format!("after it, a command still `{again}`")
    })?;
    let run = app.runtime_folder.clone();
    app.end();
    check_nothing_left(&world, &before, &run)
}

fn killed_supervisor(half: &'static UserSuite) -> Result<(), String> {
    killed_helper(half, 0)
}

fn killed_init(half: &'static UserSuite) -> Result<(), String> {
    killed_helper(half, 1)
}

/// What stood under a shim that was killed from outside ends with it, and is told as ended; the sandbox goes on.
fn killed_shim(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    let before = listing(&world.workspace);
    let mut app = start_standing(&world)?;
    let family = app.descendants();
    let tree = ProcessHandle::descendants_of(family[2].pid);
    expect(tree.len() >= 3, || {
        format!("only {} processes were seen", tree.len())
    })?;
    family[2].kill();
    for relative in &tree {
        expect(relative.has_ended(), || {
            format!("process {} outlives its shim", relative.pid)
        })?;
    }
    let told = app.send("status");
    expect(told.starts_with("status unknown"), || {
        format!("the app was told: {told}")
    })?;
    let again = app.send("run echo hello");
    expect(again.contains("hello"), || {
        format!("after it, another command: {again}")
    })?;
    let run = app.runtime_folder.clone();
    app.end();
    check_nothing_left(&world, &before, &run)
}

/// A command signals nobody but its own: not its shim, and not other commands.
fn commands_kill_all(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    let mut app = start_standing(&world)?;
    let killed = app.send("run kill -9 -1; echo survived");
    println!("`kill -9 -1` is told as: {killed}");
    // The kernel spares who asks.
    expect(killed.starts_with("ran "), || {
        format!("it was told: {killed}")
    })?;
    let standing = app.send("glance");
    expect(standing == "status running", || {
        format!("the standing one was told: {standing}")
    })?;
    let again = app.send("run echo hello");
    expect(again.contains("hello"), || {
        format!("after it, another command: {again}")
    })?;
    let said = app.end();
    expect(said == "closed", || said.clone())
}

fn closed_app(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    let before = listing(&world.workspace);
    let app = start_standing(&world)?;
    let family = app.descendants();
    let run = app.runtime_folder.clone();
    let said = app.end();
    expect(said == "closed", || said.clone())?;
    for relative in &family {
        expect(relative.has_ended(), || {
            format!("process {} goes on", relative.pid)
        })?;
    }
    check_nothing_left(&world, &before, &run)
}

/// Nobody is left to clear up: the next app does, and leaves alone what lives.
fn cleared_up_after(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    let before = listing(&world.workspace);
    let app = start_standing(&world)?;
    let family = app.descendants();
    let own = ProcessHandle::open(app.pid()).ok_or("no app")?;
    // The supervisor is stopped first, so that it sees nothing of the end of its app.
    family[0].signal(rustix::process::Signal::STOP);
    own.kill();
    family[0].kill();
    for relative in &family {
        expect(relative.has_ended(), || {
            format!("process {} goes on", relative.pid)
        })?;
    }
    let run = app.runtime_folder.clone();
    app.wait_after_kill();
    expect(check_nothing_left(&world, &before, &run).is_err(), || {
        "nothing was left, so nothing is shown".to_owned()
    })?;
    // A sandbox that has just been made is left alone; this one counts as older.
    for entry in std::fs::read_dir(run.join("helve"))
        .into_iter()
        .flatten()
        .flatten()
    {
        let folder = std::fs::File::open(entry.path()).map_err(|error| error.to_string())?;
        folder
            .set_modified(std::time::SystemTime::UNIX_EPOCH)
            .map_err(|error| error.to_string())?;
    }
    let mut living = App::start(&world, &[], "");
    let opened = living.read_line();
    expect(opened.starts_with("open "), || opened.clone())?;
    let ran = living.send("run echo hello");
    expect(ran.contains("hello"), || ran.clone())?;
    living.end();
    check_nothing_left(&world, &before, &run)
}
