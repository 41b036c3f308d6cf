//! The processes of a case: the tests start a client for each, and the client starts its servers.

use std::fmt::Write as _;
use std::io::Read as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::Trial;

use crate::mcp_faults::hostile::{self, Fault, Transport};

/// How long a case may take, however busy the machine is.
const CASE_TIMEOUT: Duration = Duration::from_secs(240);
/// What a client may have held at its peak.
const MAX_MEMORY_BYTES: u64 = 256 << 20;
const SERVER_ARGUMENT: &str = "play-the-server";
const CLIENT_ARGUMENT: &str = "play-the-client";

/// Plays the part that the arguments name, where a test started this process with one.
pub(crate) fn run_as_role() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let part: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match part.as_slice() {
        [SERVER_ARGUMENT, fault, wire, ..] => hostile::serve(
            Fault::from_name(fault).unwrap(),
            Transport::from_name(wire).unwrap(),
        ),
        [CLIENT_ARGUMENT, fault, wire, mark] => {
            let (fault, wire) = (
                Fault::from_name(fault).unwrap(),
                Transport::from_name(wire).unwrap(),
            );
            print!("{}", crate::mcp_faults::client::visit(fault, wire, mark));
            std::process::exit(0)
        }
        _ => {}
    }
}

pub(crate) fn tests() -> Vec<Trial> {
    let cases = crate::mcp_faults::cases::all().into_iter();
    let trials = cases.map(|(name, case)| {
        Trial::test(format!("mcp_faults::{name}"), move || {
            case();
            Ok(())
        })
    });
    trials.collect()
}

/// Returns the arguments that make this program a server.
pub(crate) fn server_arguments(fault: Fault, wire: Transport, mark: &str) -> [String; 4] {
    [
        SERVER_ARGUMENT.to_owned(),
        fault.name(),
        wire.name().to_owned(),
        mark.to_owned(),
    ]
}

/// Tells what a client sees of a fault over these transports; what is the same over several is told once.
pub(crate) fn client_report(fault: Fault, wires: &[Transport]) -> String {
    let mut told: Vec<(Vec<&str>, String)> = Vec::new();
    let visits: Vec<_> = std::thread::scope(|scope| {
        let started: Vec<_> = wires
            .iter()
            .map(|&wire| (wire, scope.spawn(move || run_client(fault, wire))))
            .collect();
        started
            .into_iter()
            .map(|(wire, visit)| (wire, visit.join()))
            .collect()
    });
    for (wire, visit) in visits {
        let said = visit.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        match told.iter_mut().find(|(_, other)| *other == said) {
            Some((words, _)) => words.push(wire.name()),
            None => told.push((vec![wire.name()], said)),
        }
    }
    told.into_iter()
        .fold(String::new(), |mut text, (words, said)| {
            let _ = write!(text, "over {}:\n{said}", words.join(", "));
            text
        })
}

/// Runs one client to its end, and holds its memory and what it leaves behind against the bounds.
fn run_client(fault: Fault, wire: Transport) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().to_str().unwrap();
    let mut client = Command::new(std::env::current_exe().unwrap())
        .args([CLIENT_ARGUMENT, &fault.name(), wire.name(), mark])
        .env("HOME", mark)
        .env_remove("HTTP_PROXY")
        .env_remove("http_proxy")
        .env_remove("ALL_PROXY")
        .env_remove("all_proxy")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = client.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        output.read_to_string(&mut text).map(|_| text)
    });
    let started = Instant::now();
    let status = loop {
        if let Some(status) = client.try_wait().unwrap() {
            break status;
        }
        if started.elapsed() > CASE_TIMEOUT {
            client.kill().unwrap();
            panic!("{fault:?} over {}: the client did not end", wire.name());
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(status.success(), "{fault:?} over {}: {status}", wire.name());
    wait_for_server_exit(mark, fault, wire);
    let text = reader.join().unwrap().unwrap();
    let (said, memory) = text.rsplit_once("peak ").unwrap();
    let memory: u64 = memory.trim().parse().unwrap();
    assert!(
        memory <= MAX_MEMORY_BYTES,
        "{fault:?} over {}: {memory} bytes at the peak",
        wire.name()
    );
    said.to_owned()
}

/// No server outlives its client, not even one that does not read the end of its input.
fn wait_for_server_exit(mark: &str, fault: Fault, wire: Transport) {
    let started = Instant::now();
    while !processes_of(mark).is_empty() {
        let left = processes_of(mark);
        assert!(
            started.elapsed() < CASE_TIMEOUT,
            "{fault:?} over {}: still there: {left:?}",
            wire.name()
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Returns the ids of the processes that have the mark among their arguments.
fn processes_of(mark: &str) -> Vec<String> {
    let entries = std::fs::read_dir("/proc").unwrap();
    entries
        .flatten()
        .filter(|entry| {
            let arguments = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            arguments
                .split(|&byte| byte == 0)
                .any(|argument| argument == mark.as_bytes())
        })
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}
