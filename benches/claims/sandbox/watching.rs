//! What the watch over the folders of a sandbox costs: at its start, and while commands make files.
//!
//! Commands that make files run twice in one sandbox: once in a folder that is watched, and once where git keeps its objects,
//! which is not. So the watch is the only difference.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use helve::sandbox::{IsolatedSandbox, Sandbox};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::{policy, run_program};
use crate::harness::{Bar, Row, measure_alternately, nanos_per_run};

/// How many files are cloned, and in how many folders they are.
const CLONED_FILES: (usize, usize) = (4000, 400);
/// How many files are compiled, and in how many folders they are.
const COMPILED_FILES: (usize, usize) = (300, 30);

pub(super) fn rows(runtime: &Runtime) -> Vec<Row> {
    let mut rows = vec![in_many_folders(runtime)];
    rows.extend(cloning(runtime));
    rows.extend(building(runtime));
    rows
}

/// Where nothing is watched.
const UNWATCHED: &str = ".git/objects";

fn workspace() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join(UNWATCHED)).unwrap();
    folder
}

/// A sandbox over many folders, which are all watched, against a walk through them.
fn in_many_folders(runtime: &Runtime) -> Row {
    let folder = tempfile::tempdir().unwrap();
    let policy = policy(folder.path());
    for number in 0..20_000 {
        let below = folder.path().join(format!("{}/{number}", number % 200));
        fs::create_dir_all(below).unwrap();
    }
    let open = || {
        let before = Instant::now();
        let sandbox = runtime
            .block_on(IsolatedSandbox::open(policy.clone()))
            .unwrap();
        let took = before.elapsed();
        runtime.block_on(sandbox.close()).unwrap();
        took.as_secs_f64() * 1e9
    };
    Row {
        what: "a sandbox over 20,000 watched folders opens",
        against: "a walk through them",
        bar: Bar::Time(Duration::from_millis(500)),
        rounds: measure_alternately(9, open, || nanos_per_run(1, || walk(folder.path()))),
    }
}

fn walk(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            walk(&entry.path());
        }
    }
}

/// A clone of a repository.
fn cloning(runtime: &Runtime) -> Option<Row> {
    let folder = workspace();
    let from = folder.path().join("from");
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command
            .args(["-c", "user.name=a", "-c", "user.email=a@example.org"])
            .args(arguments)
            .current_dir(&from);
        succeeds(&mut command)
    };
    let (files, folders) = CLONED_FILES;
    for number in 0..files {
        let below = from.join(format!("{}/{}", number % 20, number % folders));
        fs::create_dir_all(&below).unwrap();
        fs::write(
            below.join(number.to_string()),
            number.to_string().repeat(500),
        )
        .unwrap();
    }
    git(&["init", "-q", "."]).then_some(())?;
    assert!(git(&["add", "."]) && git(&["commit", "-qm", "all"]));
    let script = "exec git clone -q --no-hardlinks from \"$0\"";
    Some(Row {
        what: "a git clone of 4,000 files into a folder that is watched",
        against: "into one that is not",
        bar: Bar::Ratio(1.1),
        rounds: in_both(runtime, folder.path(), script, 25),
    })
}

/// A build of a project in C.
fn building(runtime: &Runtime) -> Option<Row> {
    let folder = workspace();
    let programs =
        ["make", "cc"].map(|program| Command::new(program).arg("--version").output().is_ok());
    programs
        .into_iter()
        .all(|is_there| is_there)
        .then_some(())?;
    let (files, folders) = COMPILED_FILES;
    let source = folder.path().join("from");
    let mut objects = String::new();
    for number in 0..files {
        let place = PathBuf::from(format!("{}/{number}", number % folders));
        let file = source.join(&place).with_extension("c");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        let text = format!(
            "#include <stddef.h>\nsize_t number_{number}(size_t n) {{ return n * {number}; }}\n"
        );
        fs::write(file, text).unwrap();
        objects.push_str(&format!(" $(TO)/{}.o", place.display()));
    }
    let rules = format!(
        "all:{objects}\n\tar rcs $(TO)/all.a $^\n$(TO)/%.o: from/%.c\n\t@mkdir -p $(@D)\n\tcc -c -o $@ $<\n"
    );
    fs::write(folder.path().join("Makefile"), rules).unwrap();
    Some(Row {
        what: "a build of 300 files in C into a folder that is watched",
        against: "into one that is not",
        bar: Bar::Ratio(1.03),
        rounds: in_both(runtime, folder.path(), "exec make -s -j2 TO=\"$0\"", 7),
    })
}

/// Runs a script that makes the folder `$0`, where it is watched and where it is not in turn.
fn in_both(runtime: &Runtime, workspace: &Path, script: &str, rounds: usize) -> Vec<(f64, f64)> {
    let sandbox = runtime
        .block_on(IsolatedSandbox::open(policy(workspace)))
        .unwrap();
    let number = std::cell::Cell::new(0);
    let run = |argv: [&str; 4]| {
        number.set(number.get() + 1);
        runtime.block_on(run_program(&sandbox, number.get(), argv));
    };
    let made = |to: &str| {
        let took = nanos_per_run(1, || run(["/bin/sh", "-c", script, to]));
        // From outside, since what git obeys is covered inside by now; the next command finds all as it was before.
        fs::remove_dir_all(workspace.join(to)).unwrap();
        run(["/bin/sh", "-c", ":", to]);
        took
    };
    let unwatched = format!("{UNWATCHED}/made");
    let rounds = measure_alternately(rounds, || made("made"), || made(&unwatched));
    runtime.block_on(sandbox.close()).unwrap();
    rounds
}

fn succeeds(command: &mut Command) -> bool {
    let done = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    done.is_ok_and(|status| status.success())
}
