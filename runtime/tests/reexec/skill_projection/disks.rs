//! Disks that are full or read-only. A test that mounts runs itself again in a mount namespace of its own.

use std::fs;
use std::path::Path;
use std::process::Command;

use helve_runtime::skill::{ProjectionError, SkillProjection};
use libtest_mimic::Trial;

use crate::skill_projection::fixture::{CacheDir, TestSkill, test, unexpected_entries};

const INSIDE: &str = "HELVE_TEST_INSIDE";

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        test(
            "a_full_disk_leaves_nothing_half",
            a_full_disk_leaves_nothing_half,
        ),
        test("a_read_only_disk", a_read_only_disk),
    ]
}

/// Runs a test again where it may mount; `true` in that run.
fn with_mounts(test: &str) -> bool {
    if std::env::var_os(INSIDE).is_some() {
        return true;
    }
    let mut wrapper = vec!["--mount", "--propagation", "private"];
    if !rustix::process::geteuid().is_root() {
        wrapper.push("--map-root-user");
    }
    let program = std::env::current_exe().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(&wrapper).arg(&program).args(arguments);
        command.env(INSIDE, "1").output()
    };
    if !run(&["--list"]).is_ok_and(|output| output.status.success()) {
        println!("{test}: nothing can be mounted here, so nothing ran");
        return false;
    }
    let name = format!("skill_projection::{test}");
    let output = run(&["--exact", &name, "--nocapture"]).unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    assert!(told.contains("1 passed"), "{told}");
    false
}

fn mount(arguments: &[&str], at: &Path) {
    let status = Command::new("mount").args(arguments).arg(at).status();
    assert!(status.unwrap().success(), "mount {arguments:?}");
}

fn a_full_disk_leaves_nothing_half() {
    if !with_mounts("a_full_disk_leaves_nothing_half") {
        return;
    }
    let room = CacheDir::new();
    mount(&["-t", "tmpfs", "-o", "size=64k", "tmpfs"], room.path());
    let cache = room.cache();
    let large = TestSkill::large();
    let error = SkillProjection::new(&cache)
        .project(&large.name, &large.projected())
        .unwrap_err();
    assert!(
        matches!(error, ProjectionError::NoSpace { .. }),
        "{error:?}"
    );
    let said = error
        .to_string()
        .replace(&cache.display().to_string(), "<cache>");
    insta::assert_snapshot!(said, @"no space left for the skill in `<cache>`: free some space, or set XDG_CACHE_HOME to a folder on another disk");
    assert!(!large.folder_in(&cache).exists());
    assert_eq!(unexpected_entries(&cache), Vec::<String>::new());
    // Something smaller has room again.
    TestSkill::small().project(&cache);
    TestSkill::small().assert_whole(&cache);
}

fn a_read_only_disk() {
    if !with_mounts("a_read_only_disk") {
        return;
    }
    let room = CacheDir::new();
    mount(&["-t", "tmpfs", "tmpfs"], room.path());
    let cache = room.cache();
    TestSkill::small().project(&cache);
    // The program `mount` repeats the owner that it reads, whom a user namespace does not know.
    rustix::mount::mount_remount(room.path(), rustix::mount::MountFlags::RDONLY, c"").unwrap();
    // What is there can be used.
    TestSkill::small().project(&cache);
    let large = TestSkill::large();
    let refuse = |cache: &Path| {
        let projection = SkillProjection::new(cache);
        let error = projection
            .project(&large.name, &large.projected())
            .unwrap_err();
        assert!(
            matches!(error, ProjectionError::ReadOnly { .. }),
            "{error:?}"
        );
        error
            .to_string()
            .replace(&room.path().display().to_string(), "<room>")
    };
    insta::assert_snapshot!(refuse(&cache), @"`<room>/cache` cannot be written: make it writable, or set XDG_CACHE_HOME to a folder that is");
    insta::assert_snapshot!(refuse(&room.path().join("another")), @"`<room>/another` cannot be written: make it writable, or set XDG_CACHE_HOME to a folder that is");
    assert_eq!(fs::read_dir(&cache).unwrap().count(), 2);
}
