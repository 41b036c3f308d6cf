//! Other processes, other folders, the network inside, and much at once.

use std::fs;

use helve_runtime::sandbox::{
    Exit, IsolatedSandbox, OutputStream, Sandbox, SandboxError, SandboxId,
};

use crate::isolated::fixture::{IsolatedWorld, read};

pub(super) async fn another_process_attaches() {
    let world = IsolatedWorld::new().await;
    let spec = world.spec(["/bin/sh", "-c", "echo hello"]);
    let id = spec.id.clone();
    world.run(spec).await.unwrap();
    let output = crate::isolated::fixture::read_attached(world.sandbox.id(), &id);
    assert_eq!(output, "hello\n");
    // The sandbox lives as long as somebody is connected.
    let second = IsolatedSandbox::attach(world.sandbox.id()).await.unwrap();
    drop(world);
    let chunk = second
        .read(read(&id, OutputStream::Stdout, 0))
        .await
        .unwrap();
    assert_eq!(chunk.bytes, b"hello\n");
    second.close().await.unwrap();
    let nobody = SandboxId::new("nobody").unwrap();
    let error = IsolatedSandbox::attach(&nobody).await.unwrap_err();
    assert!(matches!(error, SandboxError::Closed { .. }), "{error:?}");
}

pub(super) async fn a_folder_is_projected() {
    let world = IsolatedWorld::new().await;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("skill"), "text").unwrap();
    std::os::unix::fs::symlink("/etc/shadow", folder.path().join("outward")).unwrap();
    let path = world
        .sandbox
        .project(folder.path(), "skills")
        .await
        .unwrap();
    let script = format!(
        "cat {0}/skill; touch {0}/new; cat {0}/outward",
        path.display()
    );
    let done = world.sh(&script).await;
    assert_eq!(
        (done.exit, &*done.stdout),
        (Some(Exit::Code(1)), "text"),
        "{}",
        done.stderr
    );
    assert!(!folder.path().join("new").exists());
    assert_eq!(
        world
            .sandbox
            .project(folder.path(), "skills")
            .await
            .unwrap(),
        path
    );
    for (folder, name) in [
        (folder.path(), "../x"),
        (folder.path(), ""),
        ("/no/such".as_ref(), "y"),
        ("/etc".as_ref(), "skills"),
    ] {
        let error = world.sandbox.project(folder, name).await.unwrap_err();
        assert!(
            matches!(error, SandboxError::Projection { .. }),
            "{error:?}"
        );
    }
    world.close().await;
}

pub(super) async fn readable_and_writable_folders() {
    let (readable, writable) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(readable.path().join("file"), "text").unwrap();
    let (read, write) = (readable.path().to_owned(), writable.path().to_owned());
    let world = IsolatedWorld::with_policy(|policy| {
        policy.readable.push(read);
        policy.writable.push(write);
    })
    .await;
    let script = format!(
        "cat {0}/file; echo x > {1}/new; touch {0}/new || echo refused",
        readable.path().display(),
        writable.path().display()
    );
    let done = world.sh(&script).await;
    assert_eq!(done.stdout, "textrefused\n", "{done:?}");
    assert!(writable.path().join("new").exists());
    world.close().await;
}

pub(super) async fn loopback_is_its_own() {
    let outside = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = outside.local_addr().unwrap().port();
    let world = IsolatedWorld::new().await;
    let python = format!(
        "import socket\ns=socket.create_server(('127.0.0.1',0))\nsocket.create_connection(s.getsockname())\nprint('inside')\n\
         try:\n socket.create_connection(('127.0.0.1',{port}),2)\n print('outside')\nexcept OSError: print('refused')"
    );
    let done = world.run(world.spec(["python3", "-c", &python])).await;
    match done {
        Ok(done) => assert_eq!(done.stdout, "inside\nrefused\n", "{done:?}"),
        Err(_) => println!("ran nothing: there is no python3"),
    }
    world.close().await;
}

pub(super) async fn many_at_once() {
    let world = IsolatedWorld::new().await;
    let specs: Vec<_> = (0..80)
        .map(|_| world.spec(["/bin/sh", "-c", "sleep 0.3; echo done"]))
        .collect();
    let started = futures_util::future::join_all(specs.into_iter().map(|spec| {
        let id = spec.id.clone();
        let world = &world;
        async move { world.sandbox.start(spec).await.map(|_| id) }
    }));
    let (ran, refused): (Vec<_>, Vec<_>) = started.await.into_iter().partition(Result::is_ok);
    assert!(
        ran.len() >= 60 && ran.len() + refused.len() == 80,
        "{} {}",
        ran.len(),
        refused.len()
    );
    for id in ran {
        let done = world.wait(&id.unwrap()).await.unwrap();
        assert_eq!((done.exit, &*done.stdout), (Some(Exit::Code(0)), "done\n"));
    }
    assert_eq!(world.sh("echo again").await.stdout, "again\n");
    world.close().await;
}
