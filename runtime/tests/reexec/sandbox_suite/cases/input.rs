//! What is written to a process, and terminals.

use helve_runtime::sandbox::OutputStream::Stdout;
use helve_runtime::sandbox::{Exit, ProcessSpec, SandboxError, Stdin, TerminalSize};

use crate::sandbox_suite::fixture::{Fixture, exit_of, id, read_all, read_until, run, sh};

fn open(name: &str, script: &str) -> ProcessSpec {
    let mut spec = sh(name, script);
    spec.stdin = Stdin::Open;
    spec
}

pub(crate) async fn nothing_ends_at_once(place: Fixture) {
    let sandbox = place.open().await;
    let ran = run(&*sandbox, sh("cat", "cat; echo end")).await;
    assert_eq!((ran.exit, &*ran.stdout), (Exit::Code(0), "end\n"));
    let mut spec = sh("waits", "sleep 600");
    spec.stdin = Stdin::Empty;
    sandbox.start(spec).await.unwrap();
    let error = sandbox
        .write(&id("waits"), vec![1], false)
        .await
        .unwrap_err();
    assert!(
        matches!(error, SandboxError::InputClosed { .. }),
        "{error:?}"
    );
}

pub(crate) async fn what_is_written_is_read(place: Fixture) {
    let sandbox = place.open().await;
    sandbox.start(open("cat", "cat")).await.unwrap();
    let bytes = b"one\xff\0two";
    sandbox
        .write(&id("cat"), bytes.to_vec(), false)
        .await
        .unwrap();
    sandbox
        .write(&id("cat"), b"three".to_vec(), true)
        .await
        .unwrap();
    assert_eq!(
        read_all(&*sandbox, "cat", Stdout).await,
        b"one\xff\0twothree"
    );
    assert_eq!(exit_of(&*sandbox, "cat").await, Exit::Code(0));
}

pub(crate) async fn much_is_taken_as_it_is_read(place: Fixture) {
    let sandbox = place.open().await;
    sandbox.start(open("cat", "cat")).await.unwrap();
    let piece: Vec<u8> = (0..300_000_u32).map(|at| (at % 251) as u8).collect();
    let write = async {
        for round in 0..10 {
            let end = round == 9;
            sandbox.write(&id("cat"), piece.clone(), end).await.unwrap();
        }
    };
    let (bytes, ()) = tokio::join!(read_all(&*sandbox, "cat", Stdout), write);
    assert_eq!(bytes.len(), 3_000_000);
    assert!(bytes.chunks(300_000).all(|part| part == piece));
}

pub(crate) async fn a_closed_input_is_closed(place: Fixture) {
    let sandbox = place.open().await;
    sandbox.start(open("cat", "cat; sleep 600")).await.unwrap();
    sandbox
        .write(&id("cat"), b"x".to_vec(), true)
        .await
        .unwrap();
    let error = sandbox.write(&id("cat"), vec![1], false).await.unwrap_err();
    assert!(
        matches!(error, SandboxError::InputClosed { .. }),
        "{error:?}"
    );
}

pub(crate) async fn a_process_may_stop_reading(place: Fixture) {
    let sandbox = place.open().await;
    sandbox
        .start(open("short", "head -c 1; exec <&-"))
        .await
        .unwrap();
    // Sooner or later nobody is there to read it; that is an answer, not a wait.
    let mut error = None;
    while error.is_none() {
        error = sandbox
            .write(&id("short"), vec![b'x'; 100_000], false)
            .await
            .err();
    }
    assert!(
        matches!(error, Some(SandboxError::InputClosed { .. })),
        "{error:?}"
    );
    assert_eq!(exit_of(&*sandbox, "short").await, Exit::Code(0));
}

const SIZE: TerminalSize = TerminalSize {
    rows: 31,
    columns: 97,
};

pub(crate) async fn a_terminal_is_one(place: Fixture) {
    let sandbox = place.open().await;
    let mut spec = open(
        "terminal",
        "test -t 0 && test -t 1 && test -t 2 && echo yes; stty size; echo err >&2; echo tty > /dev/tty",
    );
    spec.terminal = Some(SIZE);
    let ran = run(&*sandbox, spec).await;
    assert_eq!(ran.exit, Exit::Code(0));
    let lines: Vec<_> = ran.stdout.lines().collect();
    assert_eq!(lines, ["yes", "31 97", "err", "tty"]);
    assert_eq!(ran.stderr, "");
    let mut empty = sh("empty", "cat; test -t 1 && echo out");
    empty.terminal = Some(SIZE);
    let ran = run(&*sandbox, empty).await;
    assert_eq!((ran.exit, ran.stdout.trim()), (Exit::Code(0), "out"));
}

pub(crate) async fn a_terminal_can_be_resized(place: Fixture) {
    let sandbox = place.open().await;
    let mut spec = open("terminal", "stty size; read go; stty size; echo end");
    spec.terminal = Some(SIZE);
    sandbox.start(spec).await.unwrap();
    read_until(&*sandbox, "terminal", "31 97").await;
    let size = TerminalSize {
        rows: 40,
        columns: 120,
    };
    sandbox.resize(&id("terminal"), size).await.unwrap();
    sandbox
        .write(&id("terminal"), b"go\n".to_vec(), false)
        .await
        .unwrap();
    read_until(&*sandbox, "terminal", "40 120").await;
}

pub(crate) async fn a_terminal_is_written_to(place: Fixture) {
    let sandbox = place.open().await;
    let mut spec = open("terminal", "read line; echo \"<$line>\"; cat; echo end");
    spec.terminal = Some(SIZE);
    sandbox.start(spec).await.unwrap();
    sandbox
        .write(&id("terminal"), b"hello\n".to_vec(), false)
        .await
        .unwrap();
    read_until(&*sandbox, "terminal", "<hello>").await;
    sandbox
        .write(&id("terminal"), b"begun".to_vec(), true)
        .await
        .unwrap();
    read_until(&*sandbox, "terminal", "end").await;
    assert_eq!(exit_of(&*sandbox, "terminal").await, Exit::Code(0));
}

pub(crate) async fn without_a_terminal_nothing_is_resized(place: Fixture) {
    let sandbox = place.open().await;
    sandbox.start(sh("plain", "sleep 600")).await.unwrap();
    let error = sandbox.resize(&id("plain"), SIZE).await.unwrap_err();
    assert!(
        matches!(error, SandboxError::NoTerminal { .. }),
        "{error:?}"
    );
}
