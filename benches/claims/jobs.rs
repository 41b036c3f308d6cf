//! Jobs: a hundred thousand that are due, which processes claim from one file.

use std::collections::HashSet;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant, SystemTime};

use helve::state::{Claim, NewWork, WorkQueue};

use crate::harness::{Bar, Row, measure_alternately, nanos};

/// Says that a fresh process is to claim jobs from a file, and to print how long that took and which they were.
pub(crate) const CLAIMER_ARGUMENT: &str = "--claim-jobs";

const JOBS: usize = 100_000;
const BATCH: usize = 100;
const ROUNDS: usize = 3;

pub(crate) fn rows() -> Vec<Row> {
    let rounds = measure_alternately(ROUNDS, || claim_with(2), || claim_with(1));
    vec![Row {
        what: "100,000 due jobs claimed and finished by two processes",
        against: "by one process",
        bar: Bar::Time(Duration::from_secs(10)),
        rounds,
    }]
}

/// Has processes claim and finish all jobs of a new file, each once, and returns the time of the slowest process.
fn claim_with(processes: usize) -> f64 {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    let queue = WorkQueue::open(&path).unwrap();
    let due = SystemTime::now();
    let job = |number: usize| NewWork {
        kind: "job".to_owned(),
        key: format!("{number}"),
        due,
        payload: serde_json::json!({ "session": format!("session-{number}"), "call": "1.0" }),
    };
    queue
        .put_all(&(0..JOBS).map(job).collect::<Vec<_>>())
        .unwrap();
    let mut children: Vec<_> = (0..processes).map(|_| start(&path)).collect();
    // They begin together.
    for (child, _) in &mut children {
        drop(child.stdin.take());
    }
    let (mut slowest, mut all) = (0.0, Vec::new());
    for (mut child, mut output) in children {
        let mut text = String::new();
        output.read_to_string(&mut text).unwrap();
        assert!(child.wait().unwrap().success(), "{text}");
        let mut numbers = text.split_whitespace();
        slowest = f64::max(slowest, numbers.next().unwrap().parse().unwrap());
        all.extend(numbers.map(str::to_owned));
    }
    let different: HashSet<_> = all.iter().collect();
    assert_eq!((all.len(), different.len()), (JOBS, JOBS));
    assert_eq!(queue.list(None).unwrap(), []);
    slowest
}

/// Starts a process and waits until it has opened the file.
fn start(path: &Path) -> (Child, BufReader<std::process::ChildStdout>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .arg(CLAIMER_ARGUMENT)
        .arg(path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    output.read_line(&mut String::new()).unwrap();
    (child, output)
}

/// Claims jobs from the file that the command line names until none is due, finishes each, and prints the time and the
/// keys.
pub(crate) fn claim() -> ExitCode {
    let path = std::env::args_os().nth(2).unwrap();
    let queue = WorkQueue::open(Path::new(&path)).unwrap();
    println!("ready");
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
    let begun = Instant::now();
    let mut keys = Vec::new();
    loop {
        let claimed = queue.claim(&Claim {
            kinds: vec!["job".to_owned()],
            owner: format!("process {}", std::process::id()),
            lease: Duration::from_secs(60),
            now: SystemTime::now(),
            most: BATCH,
        });
        let claimed = claimed.unwrap();
        if claimed.is_empty() {
            break;
        }
        for job in claimed {
            assert!(queue.finish(&job).unwrap());
            keys.push(job.key);
        }
    }
    println!("{}", nanos(begun.elapsed()));
    println!("{}", keys.join("\n"));
    ExitCode::SUCCESS
}
