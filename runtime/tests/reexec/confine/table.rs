//! What is taken away, and what must be said then.

use std::process::Command;

use libtest_mimic::{Failed, Trial};

/// Names the primitive that the second process loses.
pub(crate) const ROLE_VARIABLE: &str = "HELVE_TEST_MISSING";
/// Names the layers that it accepts as missing.
pub(crate) const ACCEPTED_VARIABLE: &str = "HELVE_TEST_ACCEPTED";

/// Says that it opens a sandbox and runs commands.
pub(crate) const OPENS_SANDBOX_VARIABLE: &str = "HELVE_TEST_OPENS";
/// Says that a newer bubblewrap stands in the place of the installed one.
pub(crate) const NEWER_BUBBLEWRAP_VARIABLE: &str = "HELVE_TEST_NEWER";

/// A primitive, and the words that the gap of each layer must hold: the layer, why, and the mend.
const CASES: &[(&str, &[(&str, &str)])] = &[
    (
        "max_user_namespaces",
        &[
            ("files", "sysctl -w user.max_user_namespaces=15000"),
            ("processes", "a user namespace is not available"),
            ("lifetime", "max_user_namespaces"),
        ],
    ),
    (
        "unshare",
        &[
            ("files", "seccomp=unconfined"),
            ("protected_paths", "a user namespace is not available"),
            ("masked_paths", "seccomp=unconfined"),
        ],
    ),
    (
        "user namespaces",
        &[("files", "a user namespace is not available")],
    ),
    (
        "network namespaces",
        &[("files", "a network namespace is not available")],
    ),
    ("mount", &[("files", "a mount namespace is not available")]),
    ("mount_setattr", &[("files", "Linux 5.12")]),
    (
        "pivot_root",
        &[("files", "another root (pivot_root) is not available")],
    ),
    ("landlock", &[("landlock", "Linux 5.13")]),
    ("landlock, not enabled", &[("landlock", "`lsm=` parameter")]),
    (
        "landlock_restrict_self",
        &[("landlock", "seccomp=unconfined")],
    ),
    ("close_range", &[("descriptors", "Linux 5.11")]),
    ("seccomp", &[("system_calls", "CONFIG_SECCOMP_FILTER")]),
];

/// One test for each primitive.
type ConfineTest = fn() -> Result<(), Failed>;

pub(crate) fn tests() -> Vec<Trial> {
    let missing = CASES.iter().map(|&(primitive, expected)| {
        Trial::test(format!("confine::missing::{primitive}"), move || {
            expect_gaps(primitive, expected)
        })
    });
    let others: [(&str, ConfineTest); 7] = [
        ("everything_is_here", everything),
        ("everything_is_here_unprivileged", everything_unprivileged),
        ("an_old_bubblewrap_is_refused_with_a_reason", old_bubblewrap),
        ("what_is_left_is_taken_once_accepted", reduced),
        ("nothing_is_opened_unless_accepted", refused),
        ("commands_run_reduced_once_accepted", commands_reduced),
        ("commands_run_by_bubblewrap", commands_by_bubblewrap),
    ];
    let others = others
        .into_iter()
        .map(|(name, test)| Trial::test(format!("confine::{name}"), test));
    missing.chain(others).collect()
}

fn run_probe(primitive: &str, accepted: &str) -> Result<String, Failed> {
    run_probe_with(primitive, accepted, &[])
}

fn run_probe_with(primitive: &str, accepted: &str, more: &[&str]) -> Result<String, Failed> {
    // What is root only in its own namespace cannot write to `/run`.
    let runtime = tempfile::tempdir()?;
    let output = Command::new(std::env::current_exe()?)
        .env(ROLE_VARIABLE, primitive)
        .env("XDG_RUNTIME_DIR", runtime.path())
        .env(ACCEPTED_VARIABLE, accepted)
        .envs(more.iter().map(|name| (name, "1")))
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// A primitive that this machine lacks anyway proves nothing, and says so.
fn has_all_primitives(told: &str) -> bool {
    let whole = told.trim() == "by namespaces";
    if !whole {
        println!("this machine lacks something already:\n{told}");
    }
    whole
}

fn expect_gaps(primitive: &str, expected: &[(&str, &str)]) -> Result<(), Failed> {
    if !has_all_primitives(&run_probe("nothing", "")?) {
        return Ok(());
    }
    let told = run_probe(primitive, "")?;
    for (layer, words) in expected {
        let line = told.lines().find(|line| {
            let rest = line.strip_prefix(layer);
            rest.is_some_and(|rest| rest.starts_with(':') || rest.starts_with(" (partly)"))
        });
        match line {
            Some(line) if line.contains(words) => {}
            Some(line) => return Err(format!("`{words}` is not said: {line}").into()),
            None => return Err(format!("nothing is said about {layer}:\n{told}").into()),
        }
    }
    Ok(())
}

fn everything() -> Result<(), Failed> {
    has_all_primitives(&run_probe("nothing", "")?);
    Ok(())
}

fn everything_unprivileged() -> Result<(), Failed> {
    if !rustix::process::geteuid().is_root() {
        println!("only root can become somebody else: nothing was run");
        return Ok(());
    }
    has_all_primitives(&run_probe("nothing, unprivileged", "")?);
    Ok(())
}

fn old_bubblewrap() -> Result<(), Failed> {
    let version = Command::new("bwrap").arg("--version").output();
    let version = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let old =
        version.is_ok_and(|version| (0..12).any(|minor| version.contains(&format!(" 0.{minor}."))));
    if !old || !has_all_primitives(&run_probe("nothing", "")?) {
        println!("no bubblewrap before 0.12 is installed: nothing was run");
        return Ok(());
    }
    let told = run_probe("unshare", "")?;
    if told.contains("is refused") && told.contains("install bubblewrap 0.12") {
        Ok(())
    } else {
        Err(told.into())
    }
}

/// Without namespaces the mechanism says that it is reduced, whatever was accepted.
fn reduced() -> Result<(), Failed> {
    if !has_all_primitives(&run_probe("nothing", "")?) {
        return Ok(());
    }
    let told = run_probe("unshare", WITHOUT_NAMESPACES)?;
    if told.starts_with("by landlock (reduced)\n") && told.contains("files (partly)") {
        Ok(())
    } else {
        Err(told.into())
    }
}

/// What has to be accepted to go without namespaces.
const WITHOUT_NAMESPACES: &str = "files,protected_paths,masked_paths,processes,lifetime,privileges";

fn refused() -> Result<(), Failed> {
    if !has_all_primitives(&run_probe("nothing", "")?) {
        return Ok(());
    }
    for (primitive, layer, mend) in [
        ("unshare", "files, ", "seccomp=unconfined"),
        ("landlock", "landlock: ", "Linux 5.13"),
        ("seccomp", "system_calls: ", "CONFIG_SECCOMP_FILTER"),
        ("close_range", "descriptors: ", "Linux 5.11"),
        (
            "max_user_namespaces",
            "files, ",
            "user.max_user_namespaces=15000",
        ),
    ] {
        let told = run_probe_with(primitive, "", &[OPENS_SANDBOX_VARIABLE])?;
        let line = told
            .lines()
            .find(|line| line.trim_start().starts_with(layer));
        let is_said = line.is_some_and(|line| line.contains(mend));
        if !told.starts_with("commands cannot be isolated on this machine") || !is_said {
            return Err(format!("without {primitive}: {told}").into());
        }
    }
    Ok(())
}

/// What each command of the second process is expected to say.
fn expect_lines(told: &str, expected: &[&str]) -> Result<(), Failed> {
    for line in expected {
        if !told.lines().any(|said| said.starts_with(line)) {
            return Err(format!("`{line}` is not said:\n{told}").into());
        }
    }
    Ok(())
}

fn commands_reduced() -> Result<(), Failed> {
    if !has_all_primitives(&run_probe("nothing", "")?) {
        return Ok(());
    }
    let told = run_probe_with("unshare", WITHOUT_NAMESPACES, &[OPENS_SANDBOX_VARIABLE])?;
    expect_lines(
        &told,
        &[
            "by landlock (reduced)",
            "write: yes new",
            "read outside: no",
            "write outside: no",
            // That is one of the things that were accepted.
            "masked: yes masked",
            "temporary: yes",
            "home: yes",
            "socket: no",
            "capabilities: yes",
            "background: yes",
        ],
    )
}

fn commands_by_bubblewrap() -> Result<(), Failed> {
    let root = rustix::process::geteuid().is_root();
    if !root
        || !std::path::Path::new("/usr/bin/bwrap").exists()
        || !has_all_primitives(&run_probe("nothing", "")?)
    {
        println!("this needs root and an installed bubblewrap: nothing was run");
        return Ok(());
    }
    let told = run_probe_with(
        "unshare",
        "privileges",
        &[OPENS_SANDBOX_VARIABLE, NEWER_BUBBLEWRAP_VARIABLE],
    )?;
    expect_lines(
        &told,
        &[
            "by bubblewrap",
            "write: yes new",
            "read outside: no",
            "write outside: no",
            "masked: no",
            "temporary: yes /tmp/",
            "home: yes",
            "socket: no",
            "capabilities: yes",
            "background: yes",
        ],
    )
}
