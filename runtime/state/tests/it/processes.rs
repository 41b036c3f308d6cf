//! Processes that use one file, and that are killed.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use helve::state::{Put, WorkQueue};

use super::{at, claim_of, new_work};

/// What a process of these tests is to do, and with which file.
const ROLE: &str = "HELVE_STATE_ROLE";
const PATH: &str = "HELVE_STATE_PATH";

fn start(role: &str, path: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "processes::another_process",
            "--nocapture",
            "--ignored",
        ])
        .envs([(ROLE, role)])
        .env(PATH, path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Reads the keys that a process prints, until its end.
fn keys_of(child: &mut Child) -> Vec<String> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let keys = lines.filter_map(|line| Some(line.ok()?.strip_prefix("key ")?.to_owned()));
    keys.collect()
}

/// The process that the tests start. It waits for the end of its input before it begins.
#[test]
#[ignore = "the other tests start it"]
fn another_process() {
    let Ok(role) = std::env::var(ROLE) else {
        return;
    };
    let path = std::env::var_os(PATH).unwrap();
    let print = |key: &str| {
        let mut out = std::io::stdout().lock();
        // The parent may have what it wanted.
        let _ = writeln!(out, "\nkey {key}").and_then(|()| out.flush());
    };
    print("ready");
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).unwrap();
    let queue = WorkQueue::open(Path::new(&path)).unwrap();
    match role.as_str() {
        "claim" => loop {
            let owner = std::process::id().to_string();
            let claimed = queue.claim(&claim_of("job", &owner, at(0), 3)).unwrap();
            if claimed.is_empty() {
                return;
            }
            claimed.iter().for_each(|work| print(&work.key));
        },
        "hold" => {
            let claimed = queue.claim(&claim_of("job", "held", at(0), 1)).unwrap();
            print(&claimed[0].key);
            std::thread::park();
        }
        _ => {
            for number in 0..10_000 {
                let key = format!("{role}-{number}");
                assert_eq!(
                    queue.put(&new_work("job", &key, at(0))).unwrap(),
                    Put::Added
                );
                print(&key);
            }
        }
    }
}

#[test]
fn two_processes_never_claim_one_work() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    let queue = WorkQueue::open(&path).unwrap();
    for number in 0..300 {
        queue
            .put(&new_work("job", &number.to_string(), at(0)))
            .unwrap();
    }
    let mut children = [start("claim", &path), start("claim", &path)];
    for child in &mut children {
        drop(child.stdin.take());
    }
    let mut keys = Vec::new();
    for child in &mut children {
        keys.extend(keys_of(child).into_iter().filter(|key| key != "ready"));
        assert!(child.wait().unwrap().success());
    }
    let different: BTreeSet<_> = keys.iter().collect();
    assert_eq!((keys.len(), different.len()), (300, 300));
}

#[test]
fn work_of_a_killed_process_is_claimed_after_its_lease() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    let queue = WorkQueue::open(&path).unwrap();
    queue.put(&new_work("job", "1", at(0))).unwrap();
    let mut child = start("hold", &path);
    drop(child.stdin.take());
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.map_while(Result::ok).any(|line| line == "key 1"));
    child.kill().unwrap();
    child.wait().unwrap();
    let claim = |now| queue.claim(&claim_of("job", "next", now, 1)).unwrap();
    assert_eq!(claim(at(59)), []);
    assert_eq!(queue.list(None).unwrap()[0].holder.as_deref(), Some("held"));
    assert_eq!(claim(at(60))[0].epoch, 2);
}

/// Four processes create the file at the same time; one after the other is killed while it writes.
#[test]
fn processes_that_are_killed_while_they_write_lose_nothing_that_was_put() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/state.db");
    let mut children = ["a", "b", "c", "d"].map(|role| start(role, &path));
    for child in &mut children {
        drop(child.stdin.take());
    }
    let mut keys = BTreeSet::new();
    for (number, child) in children.iter_mut().enumerate() {
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut lines = lines.map_while(Result::ok);
        let put = |line: String| line.strip_prefix("key ").map(str::to_owned);
        keys.extend(lines.by_ref().filter_map(put).take(10 + 7 * number));
        child.kill().unwrap();
        child.wait().unwrap();
        // What it had printed before it was killed.
        keys.extend(lines.filter_map(put));
    }
    keys.remove("ready");
    assert!(keys.len() > 30, "{keys:?}");
    let queue = WorkQueue::open(&path).unwrap();
    let present: BTreeSet<_> = queue
        .list(Some("job"))
        .unwrap()
        .into_iter()
        .map(|work| work.key)
        .collect();
    assert!(keys.is_subset(&present), "{:?}", keys.difference(&present));
    // A process may have put one work that it did not print.
    assert!(present.len() <= keys.len() + children.len());
}
