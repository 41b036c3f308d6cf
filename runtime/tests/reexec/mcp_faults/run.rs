//! The processes of a case: the tests start a client for each, and the client starts its servers.

use std::fmt::Write as _;
use std::io::Read as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::Trial;

use crate::mcp_faults::hostile::{self, Fault, Wire};

/// How long a case may take, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(240);
/// What a client may have held at its peak.
const MEMORY: u64 = 256 << 20;
const SERVER: &str = "play-the-server";
const CLIENT: &str = "play-the-client";

/// Plays the part that the arguments name, where a test started this process with one.
pub(crate) fn run_as_role() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let part: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match part.as_slice() {
        [SERVER, fault, wire, ..] => {
            hostile::serve(Fault::named(fault).unwrap(), Wire::named(wire).unwrap())
        }
        [CLIENT, fault, wire, mark] => {
            let (fault, wire) = (Fault::named(fault).unwrap(), Wire::named(wire).unwrap());
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
pub(crate) fn server_arguments(fault: Fault, wire: Wire, mark: &str) -> [String; 4] {
    [
        SERVER.to_owned(),
        fault.word(),
        wire.word().to_owned(),
        mark.to_owned(),
    ]
}

/// Tells what a client sees of a fault over these transports; what is the same over several is told once.
pub(crate) fn told(fault: Fault, wires: &[Wire]) -> String {
    let mut told: Vec<(Vec<&str>, String)> = Vec::new();
    let visits: Vec<_> = std::thread::scope(|scope| {
        let started: Vec<_> = wires
            .iter()
            .map(|&wire| (wire, scope.spawn(move || visit(fault, wire))))
            .collect();
        started
            .into_iter()
            .map(|(wire, visit)| (wire, visit.join()))
            .collect()
    });
    for (wire, visit) in visits {
        let said = visit.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        match told.iter_mut().find(|(_, other)| *other == said) {
            Some((words, _)) => words.push(wire.word()),
            None => told.push((vec![wire.word()], said)),
        }
    }
    told.into_iter()
        .fold(String::new(), |mut text, (words, said)| {
            let _ = write!(text, "over {}:\n{said}", words.join(", "));
            text
        })
}

/// Runs one client to its end, and holds its memory and what it leaves behind against the bounds.
fn visit(fault: Fault, wire: Wire) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().to_str().unwrap();
    let mut client = Command::new(std::env::current_exe().unwrap())
        .args([CLIENT, &fault.word(), wire.word(), mark])
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
        if started.elapsed() > PATIENCE {
            client.kill().unwrap();
            panic!("{fault:?} over {}: the client did not end", wire.word());
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(status.success(), "{fault:?} over {}: {status}", wire.word());
    await_the_end_of(mark, fault, wire);
    let text = reader.join().unwrap().unwrap();
    let (said, memory) = text.rsplit_once("peak ").unwrap();
    let memory: u64 = memory.trim().parse().unwrap();
    assert!(
        memory <= MEMORY,
        "{fault:?} over {}: {memory} bytes at the peak",
        wire.word()
    );
    said.to_owned()
}

/// No server outlives its client, not even one that does not read the end of its input.
fn await_the_end_of(mark: &str, fault: Fault, wire: Wire) {
    let started = Instant::now();
    while !processes_of(mark).is_empty() {
        let left = processes_of(mark);
        assert!(
            started.elapsed() < PATIENCE,
            "{fault:?} over {}: still there: {left:?}",
            wire.word()
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
