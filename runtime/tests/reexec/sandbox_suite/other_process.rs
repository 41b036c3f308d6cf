//! What another process can do with a passthrough sandbox: read output by its folder.

use std::time::Duration;

use helve_runtime::sandbox::OutputStream::Stdout;
use helve_runtime::sandbox::{
    PassthroughSandbox, ReadOutput, Sandbox as _, SandboxError, SandboxPolicy, Stdin,
};
use libtest_mimic::Failed;

use crate::sandbox_suite::fixture::{TIMEOUT, id, sh};

pub(crate) fn run() -> Result<(), Failed> {
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(read_by_the_folder());
    Ok(())
}

async fn read_by_the_folder() {
    let workspace = tempfile::tempdir().unwrap();
    let sandbox = PassthroughSandbox::open(SandboxPolicy::new(workspace.path())).await;
    let sandbox = sandbox.unwrap();
    let folder = sandbox.folder().to_owned();
    let read = |name: &str, offset, wait| {
        let read = ReadOutput {
            process: id(name),
            stream: Stdout,
            offset,
            max: 100,
            wait,
        };
        PassthroughSandbox::read_in(&folder, read)
    };
    let mut spec = sh("cat", "echo begun; cat");
    spec.stdin = Stdin::Open;
    sandbox.start(spec).await.unwrap();
    let chunk = read("cat", 0, TIMEOUT).await.unwrap();
    assert_eq!((&*chunk.bytes, chunk.end), (&b"begun\n"[..], false));
    let nothing = read("cat", 6, Duration::from_millis(30)).await.unwrap();
    assert!(nothing.bytes.is_empty() && !nothing.end);
    let (chunk, ()) = tokio::join!(read("cat", 6, TIMEOUT), async {
        let wrote = sandbox.write(&id("cat"), b"more".to_vec(), true).await;
        wrote.unwrap();
    });
    assert_eq!(chunk.unwrap().bytes, b"more");
    assert!(read("cat", 10, TIMEOUT).await.unwrap().end);
    let unknown = read("nobody", 0, TIMEOUT).await.unwrap_err();
    assert!(
        matches!(unknown, SandboxError::UnknownProcess { .. }),
        "{unknown:?}"
    );
    sandbox.close().await.unwrap();
    let closed = read("cat", 0, TIMEOUT).await.unwrap_err();
    assert!(matches!(closed, SandboxError::Closed { .. }), "{closed:?}");
    assert!(!folder.exists());
}
