//! A file of rules whose folder another process has locked.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use helve_runtime::permission::{Decision, RuleFile, RuleFiles, RuleScope};

use crate::permission::fixture::rule;

/// Says to a second process which folder it is to lock.
const FOLDER: &str = "HELVE_TEST_LOCKED_FOLDER";

/// Not a test of its own: what the second process runs. It holds the lock until its standard input ends.
#[test]
fn hold_a_lock_for_another_test() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let folder = File::open(folder).unwrap();
    folder.lock().unwrap();
    println!("\nlocked");
    std::io::stdout().flush().unwrap();
    let _ = std::io::stdin().lines().count();
}

/// Starts a process that locks a folder, and waits until it has.
fn locked_elsewhere(folder: &Path) -> (Child, impl Sized + use<>) {
    let (_, module) = module_path!().split_once("::").unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture"])
        .arg(format!("{module}::hold_a_lock_for_another_test"))
        .env(FOLDER, folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(
        lines
            .by_ref()
            .map_while(Result::ok)
            .any(|line| line == "locked"),
        "the other process ended without the lock"
    );
    (child, lines)
}

#[tokio::test]
async fn a_lock_of_another_process_ends_in_an_error_that_names_it_and_blocks_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("home/permissions.json");
    fs::create_dir(folder.path().join("home")).unwrap();
    let (mut holder, _output) = locked_elsewhere(&folder.path().join("home"));
    let files = RuleFiles::new([RuleFile::new(&file, RuleScope::User)]);
    let always = Decision::AllowAlways {
        rules: vec![rule("bash(git commit:*)")],
        scope: RuleScope::User,
        message: None,
    };

    let begun = Instant::now();
    let mut ticks = 0_u32;
    let mut clock = tokio::time::interval(Duration::from_millis(50));
    let keeping = files.save_decision(&always);
    tokio::pin!(keeping);
    let error = loop {
        tokio::select! {
            kept = &mut keeping => break kept.unwrap_err(),
            _ = clock.tick() => ticks += 1,
        }
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "it waits without a limit"
        );
    };
    // The executor has one thread: it ran on while the lock was waited for.
    assert!(ticks > 10, "{ticks}");
    assert!(!file.exists());
    let why = std::error::Error::source(&error).unwrap().to_string();
    assert!(
        why.contains(&*folder.path().join("home").to_string_lossy()),
        "{why}"
    );
    if cfg!(target_os = "linux") {
        assert!(why.contains(&format!("process {}", holder.id())), "{why}");
    }

    drop(holder.stdin.take());
    holder.wait().unwrap();
    files.save_decision(&always).await.unwrap();
    assert_eq!(
        files.load().unwrap().rules.allow,
        [rule("bash(git commit:*)")]
    );
}
