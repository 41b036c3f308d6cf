//! Disks that are full or read-only, folders that are not ours, and what a crash left.
//!
//! Some need mounts: then the test runs itself again in a mount namespace of its own, which takes them along when it ends.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use helve_runtime::sandbox::{FsError, SandboxFs, WriteCondition};

use crate::sandbox_fs::Fixture;
use crate::sandbox_fs::writes::{remove, rename, write};

const INSIDE: &str = "HELVE_TEST_INSIDE";

/// Runs this test again below a command that makes its surroundings; `true` in that run.
fn inside(test: &str, wrapper: &[&str]) -> bool {
    if std::env::var_os(INSIDE).is_some() {
        return true;
    }
    let program = std::env::current_exe().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(wrapper[0]);
        command.args(&wrapper[1..]).arg(&program).args(arguments);
        command.env(INSIDE, "1").output()
    };
    if !run(&["--list"]).is_ok_and(|output| output.status.success()) {
        println!(
            "{test}: `{}` cannot be used here, so nothing ran",
            wrapper.join(" ")
        );
        return false;
    }
    let name = format!("sandbox_fs::{test}");
    let output = run(&["--exact", &name, "--nocapture"]).unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    assert!(told.contains("1 passed"), "{told}");
    false
}

/// Runs this test again where it may mount.
fn with_mounts(test: &str) -> bool {
    if rustix::process::geteuid().is_root() {
        inside(test, &["unshare", "--mount", "--propagation", "private"])
    } else {
        inside(
            test,
            &[
                "unshare",
                "--map-root-user",
                "--mount",
                "--propagation",
                "private",
            ],
        )
    }
}

fn mount(arguments: &[&str], at: &Path) {
    let status = Command::new("mount").args(arguments).arg(at).status();
    assert!(status.unwrap().success(), "mount {arguments:?}");
}

/// The program `mount` repeats the owner that it reads, whom a user namespace does not know.
fn make_read_only(at: &Path) {
    rustix::mount::mount_remount(at, rustix::mount::MountFlags::RDONLY, c"").unwrap();
}

/// A world on a disk of its own, in memory.
fn small_disk(options: &str) -> Fixture {
    let dir = tempfile::tempdir().unwrap();
    mount(&["-t", "tmpfs", "-o", options, "tmpfs"], dir.path());
    Fixture::at(dir)
}

#[tokio::test]
async fn a_full_disk_leaves_the_old_files() {
    if !with_mounts("faults::a_full_disk_leaves_the_old_files") {
        return;
    }
    let world = small_disk("size=256k");
    fs::set_permissions(
        world.root().join("file.txt"),
        fs::Permissions::from_mode(0o640),
    )
    .unwrap();
    let before = world.tree();
    let large = "x".repeat(1 << 20);
    let always = || WriteCondition::Always;
    for changes in [
        vec![write("file.txt", &large, always())],
        vec![write("new/file", &large, always())],
        vec![
            write("sub/inner.txt", "small", always()),
            rename("sub", "moved"),
            write("file.txt", &large, always()),
        ],
    ] {
        let error = world.apply(changes).await.unwrap_err();
        assert!(matches!(error, FsError::NoSpace { .. }), "{error:?}");
        assert_eq!(world.tree(), before);
    }
    // Not a block is left: even then the old file stays, and something can be removed.
    let filler = fs::write(world.root().join("filler"), &large);
    assert!(filler.is_err(), "the disk is not small");
    let text = "y".repeat(100_000);
    let error = world.put("file.txt", &text, always()).await.unwrap_err();
    assert!(matches!(error, FsError::NoSpace { .. }), "{error:?}");
    assert_eq!(world.text("file.txt"), "0123456789");
    let _ = fs::remove_file(world.root().join("filler"));
    world.put("file.txt", "new", always()).await.unwrap();
    assert_eq!(world.strays(), Vec::<String>::new());
}

#[tokio::test]
async fn a_disk_without_room_for_another_name_leaves_the_old_files() {
    if !with_mounts("faults::a_disk_without_room_for_another_name_leaves_the_old_files") {
        return;
    }
    let world = small_disk("size=1m,nr_inodes=9");
    let before = world.tree();
    // The first runs out of names in its middle, the second at its start.
    let many: Vec<_> = (0..8)
        .map(|n| write(&format!("new/{n}"), "x", WriteCondition::Always))
        .collect();
    let error = world.apply(many).await.unwrap_err();
    assert!(matches!(error, FsError::NoSpace { .. }), "{error:?}");
    assert_eq!(world.tree(), before);
    let mut number = 0;
    while fs::write(world.root().join(format!("filler{number}")), "").is_ok() {
        number += 1;
    }
    let before = world.tree();
    let error = world
        .put("file.txt", "x", WriteCondition::Always)
        .await
        .unwrap_err();
    assert!(matches!(error, FsError::NoSpace { .. }), "{error:?}");
    assert_eq!(world.tree(), before);
}

#[tokio::test]
async fn a_read_only_disk_says_so() {
    if !with_mounts("faults::a_read_only_disk_says_so") {
        return;
    }
    let world = small_disk("size=1m");
    make_read_only(world.dir.path());
    for changes in [
        vec![write("file.txt", "x", WriteCondition::Always)],
        vec![write("new", "x", WriteCondition::Absent)],
        vec![remove("file.txt")],
        vec![rename("file.txt", "other")],
    ] {
        let error = world.apply(changes).await.unwrap_err();
        assert!(matches!(error, FsError::ReadOnly { .. }), "{error:?}");
    }
    let error = world.fs.create_dir(Path::new("new")).await.unwrap_err();
    assert!(matches!(error, FsError::ReadOnly { .. }), "{error:?}");
    assert!(world.fs.remove_dir_all(Path::new("sub")).await.is_err());
}

#[tokio::test]
async fn a_file_that_cannot_be_replaced_takes_the_others_back() {
    if !with_mounts("faults::a_file_that_cannot_be_replaced_takes_the_others_back") {
        return;
    }
    let changes = || {
        vec![
            write("file.txt", "replaced", WriteCondition::Always),
            write("new/file", "made", WriteCondition::Absent),
            remove("sub/inner.txt"),
            remove("sub"),
            rename("other", "elsewhere/other"),
        ]
    };
    for position in 0..=changes().len() {
        let world = small_disk("size=1m");
        let root = world.root();
        fs::write(root.join("other"), "other").unwrap();
        fs::write(root.join("pinned"), "pinned").unwrap();
        let pinned = root.join("pinned");
        // A mount point is seen as a file like any, until the rename.
        mount(&["--bind", pinned.to_str().unwrap()], &pinned);
        let before = world.tree();
        let mut changes = changes();
        changes.insert(position, write("pinned", "x", WriteCondition::Always));
        assert!(world.apply(changes).await.is_err());
        assert_eq!(world.tree(), before, "at {position}");
        assert_eq!(world.strays(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn folders_and_files_of_others_stay() {
    let nobody = [
        "setpriv",
        "--reuid=65534",
        "--regid=65534",
        "--clear-groups",
        "--no-new-privs",
    ];
    let test = "faults::folders_and_files_of_others_stay";
    if rustix::process::geteuid().is_root() && !inside(test, &nobody) {
        return;
    }
    let world = Fixture::new();
    let root = world.root();
    let mode = |path: &str, mode| {
        fs::set_permissions(root.join(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("sub", 0o555);
    mode("file.txt", 0o444);
    let before = world.tree();
    for changes in [
        vec![write("sub/inner.txt", "x", WriteCondition::Always)],
        vec![write("sub/new", "x", WriteCondition::Absent)],
        vec![write("file.txt", "x", WriteCondition::Always)],
        vec![remove("sub/inner.txt")],
        vec![rename("sub/inner.txt", "moved")],
        vec![
            write("new", "x", WriteCondition::Absent),
            rename("new", "sub/new"),
        ],
    ] {
        let text = format!("{changes:?}");
        let error = world.apply(changes).await.unwrap_err();
        let denied = matches!(error, FsError::PermissionDenied { .. });
        assert!(denied, "{text}: {error:?}");
        assert_eq!(world.tree(), before, "{text}");
    }
    // A folder that may not be written can still be empty, and then it goes.
    mode("sub", 0o755);
    fs::remove_file(root.join("sub/inner.txt")).unwrap();
    mode("sub", 0o555);
    world.apply(vec![remove("sub")]).await.unwrap();
    assert!(!root.join("sub").exists());
    fs::create_dir(root.join("sub")).unwrap();
    mode("sub", 0o555);
    let changes = vec![remove("sub"), remove("absent")];
    assert!(world.apply(changes).await.is_err());
    let kept = fs::metadata(root.join("sub")).unwrap().permissions().mode();
    assert_eq!(kept & 0o777, 0o555);
}

#[tokio::test]
async fn what_a_crash_left_goes_with_the_next_write() {
    let world = Fixture::new();
    let root = world.root();
    let left = root.join("sub/.helve-apply-0123456789abcdef");
    fs::create_dir_all(left.join("3/.helve-apply-0000000000000000")).unwrap();
    fs::write(left.join("1"), "half of it").unwrap();
    // Another process's, which still works on it.
    let held = root.join("sub/.helve-apply-fedcba9876543210");
    fs::create_dir(&held).unwrap();
    let lock = fs::File::open(&held).unwrap();
    lock.try_lock().unwrap();
    let listing = world.fs.read_dir(Path::new("sub")).await.unwrap();
    assert_eq!(listing.entries.len(), 1, "{listing:?}");
    world
        .put("sub/inner.txt", "new", WriteCondition::Always)
        .await
        .unwrap();
    assert!(!left.exists() && held.exists());
    drop(lock);
    let archive = world.fs.pack(Path::new("sub")).await.unwrap();
    let mut archive = tar::Archive::new(archive);
    let names = tokio::task::spawn_blocking(move || archive.entries().unwrap().count());
    assert_eq!(names.await.unwrap(), 1);
    world
        .apply(vec![remove("sub/inner.txt"), remove("sub")])
        .await
        .unwrap();
    assert!(!root.join("sub").exists());
}
