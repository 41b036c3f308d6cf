//! Standard input and terminals.

use helve_runtime::sandbox::{Exit, OutputStream, Sandbox, SandboxError, Stdin, TerminalSize};

use crate::isolated::fixture::IsolatedWorld;

pub(super) async fn what_is_written_is_read() {
    let world = IsolatedWorld::new().await;
    let mut spec = world.spec(["/bin/sh", "-c", "wc -c"]);
    spec.stdin = Stdin::Open;
    let id = spec.id.clone();
    world.sandbox.start(spec).await.unwrap();
    world
        .sandbox
        .write(&id, vec![b'x'; 1_000_000], false)
        .await
        .unwrap();
    world
        .sandbox
        .write(&id, b"yz".to_vec(), true)
        .await
        .unwrap();
    let done = world.wait(&id).await.unwrap();
    assert_eq!(done.stdout.trim(), "1000002");
    world.close().await;
}

pub(super) async fn nothing_is_the_end_at_once() {
    let world = IsolatedWorld::new().await;
    let done = world.run(world.spec(["/bin/cat"])).await.unwrap();
    assert_eq!(done.exit, Some(Exit::Code(0)));
    world.close().await;
}

pub(super) async fn a_terminal_is_one() {
    let world = IsolatedWorld::new().await;
    let mut spec = world.spec([
        "/bin/sh",
        "-c",
        "tty; stty size; read line; echo got $line; stty size",
    ]);
    spec.stdin = Stdin::Open;
    spec.terminal = Some(TerminalSize {
        rows: 30,
        columns: 100,
    });
    let id = spec.id.clone();
    world.sandbox.start(spec).await.unwrap();
    let shown = world.output(&id, OutputStream::Stdout, 20).await;
    assert_eq!(shown, "/dev/pts/0\r\n30 100\r\n", "{shown:?}");
    world
        .sandbox
        .resize(
            &id,
            TerminalSize {
                rows: 40,
                columns: 120,
            },
        )
        .await
        .unwrap();
    world
        .sandbox
        .write(&id, b"word\n".to_vec(), false)
        .await
        .unwrap();
    let done = world.wait(&id).await.unwrap();
    assert!(done.stdout.ends_with("got word\r\n40 120\r\n"), "{done:?}");
    let plain = world.spec(["/bin/sleep", "5"]);
    let id = plain.id.clone();
    world.sandbox.start(plain).await.unwrap();
    let error = world
        .sandbox
        .resize(
            &id,
            TerminalSize {
                rows: 1,
                columns: 1,
            },
        )
        .await
        .unwrap_err();
    assert!(
        matches!(error, SandboxError::NoTerminal { .. }),
        "{error:?}"
    );
    world.close().await;
}

pub(super) async fn a_closed_input_is_told() {
    let world = IsolatedWorld::new().await;
    let spec = world.spec(["/bin/true"]);
    let id = spec.id.clone();
    world.run(spec).await.unwrap();
    let error = world
        .sandbox
        .write(&id, b"x".to_vec(), false)
        .await
        .unwrap_err();
    assert!(
        matches!(error, SandboxError::InputClosed { .. }),
        "{error:?}"
    );
    world.close().await;
}
