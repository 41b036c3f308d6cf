//! Starting, ending, output.

use helve_runtime::sandbox::{Exit, OutputStream, Sandbox, SandboxError};

use crate::world::{World, read};

pub(super) async fn a_command_runs_and_tells_how_it_ended() {
    let world = World::new().await;
    let done = world.run(world.spec(["/bin/true"])).await.unwrap();
    assert_eq!(done.exit, Some(Exit::Code(0)));
    let done = world.sh("echo out; echo err >&2; exit 7").await;
    assert_eq!(done.exit, Some(Exit::Code(7)));
    assert_eq!((&*done.stdout, &*done.stderr), ("out\n", "err\n"));
    let done = world.sh("kill -KILL $$").await;
    assert_eq!(done.exit, Some(Exit::Signal(9)));
    let error = world
        .run(world.spec(["no-such-program"]))
        .await
        .unwrap_err();
    assert!(
        matches!(error, SandboxError::CannotStart { .. }),
        "{error:?}"
    );
    world.close().await;
}

pub(super) async fn output_comes_by_offset() {
    let world = World::new().await;
    let spec = world.spec(["/bin/sh", "-c", "printf 0123456789"]);
    let id = spec.id.clone();
    world.run(spec).await.unwrap();
    let chunk = world
        .sandbox
        .read(read(&id, OutputStream::Stdout, 4))
        .await
        .unwrap();
    assert_eq!(
        (&chunk.bytes[..], chunk.offset, chunk.total, chunk.end),
        (&b"456789"[..], 4, 10, true)
    );
    world.close().await;
}

pub(super) async fn the_outside_is_not_there() {
    let world = World::new().await;
    std::fs::write(world.path().join("file"), "inside").unwrap();
    let script = format!(
        "id -u; cat file; echo new > made; ls / /root /home 2>&1; ls {0}; touch /usr/x; \
         cat /etc/shadow; grep Cap /proc/self/status; ls /proc | grep -c '^[0-9]'; mount | wc -l",
        world.path().display()
    );
    let done = world.sh(&script).await;
    println!("{}\n{}", done.stdout, done.stderr);
    assert_eq!(
        std::fs::read_to_string(world.path().join("made")).unwrap(),
        "new\n"
    );
    world.close().await;
}
