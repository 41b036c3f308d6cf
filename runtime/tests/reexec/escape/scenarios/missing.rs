//! Machines that lack something, simulated: nothing runs unless somebody accepted it, and it is said what is missing.

use super::{EscapeTest, expect};
use crate::escape::app::App;
use crate::escape::fixture::EscapeWorld;
use crate::escape::user_suite::UserSuite;

pub(super) const TESTS: &[EscapeTest] = &[
    ("missing_landlock", |half| missing(half, "landlock")),
    ("missing_namespaces", |half| missing(half, "namespaces")),
    ("missing_network_namespace", |half| {
        missing(half, "network_namespace")
    }),
    ("missing_seccomp", |half| missing(half, "seccomp")),
    ("missing_mounts", |half| missing(half, "mounts")),
    ("missing_new_mount_calls", |half| {
        missing(half, "new_mount_calls")
    }),
    ("missing_mount_setattr", |half| {
        missing(half, "mount_setattr")
    }),
    ("missing_pivot_root", |half| missing(half, "pivot_root")),
    ("missing_openat2", |half| missing(half, "openat2")),
    ("missing_limits", |half| missing(half, "limits")),
    ("missing_capabilities", |half| missing(half, "capabilities")),
    ("no_user_namespaces_left", no_namespaces_left),
    ("missing_and_accepted", accepted),
];

fn missing(half: &'static UserSuite, what: &str) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    let doors = half.tools.join("doors").display().to_string();
    let plain = world.run_outside(&[&doors, "without", what, "true"]);
    if !plain {
        println!("without {what}: nothing was simulated, filters are not possible here");
        return Ok(());
    }
    refuses(App::start(&world, &[&doors, "without", what], ""), what)
}

/// Expects that the app could not open its sandbox, and knows why.
fn refuses(mut app: App, what: &str) -> Result<(), String> {
    let said = app.read_line();
    app.wait();
    println!("without {what}: {said}");
    let isolation = said.starts_with("error isolation ");
    expect(isolation, || {
        format!("without {what}, the app says `{said}`")
    })
}

fn no_namespaces_left(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    let take = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$0\"";
    let before = ["unshare", "--user", "--map-root-user", "sh", "-c", take];
    if !world.run_outside(&["unshare", "--user", "--map-root-user", "true"]) {
        println!("no user namespace can be made here, so this simulated nothing");
        return Ok(());
    }
    refuses(App::start(&world, &before, ""), "user namespaces")
}

/// What was accepted by name is missing from the table of what holds, and commands run.
fn accepted(half: &'static UserSuite) -> Result<(), String> {
    let world = EscapeWorld::new(half);
    let doors = half.tools.join("doors").display().to_string();
    let mut app = App::start(&world, &[&doors, "without", "landlock"], "landlock");
    let said = app.read_line();
    expect(
        said.starts_with("open ") && said.contains("landlock"),
        || said.clone(),
    )?;
    let ran = app.send("run echo hello");
    expect(ran.contains("hello"), || ran.clone())?;
    app.end();
    Ok(())
}
