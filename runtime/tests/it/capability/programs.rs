//! Programs that run to their end in a sandbox.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use helve_runtime::capability::{Command, Output, Process, Requires};
use helve_runtime::sandbox::{Exit, LazySandbox, PassthroughSandbox, Sandbox, SandboxPolicy};
use tempfile::TempDir;

use crate::capability::http::told;

const PROCESS: Requires = Requires {
    process: true,
    ..Requires::NONE
};

struct Place {
    folder: TempDir,
    sandbox: Arc<dyn Sandbox>,
}

impl Place {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let policy = SandboxPolicy::new(folder.path().canonicalize().unwrap());
        let sandbox = PassthroughSandbox::open(policy).await.unwrap();
        Self {
            folder,
            sandbox: Arc::new(sandbox),
        }
    }

    fn door(&self) -> Process {
        let sandbox = LazySandbox::from_opened(Arc::clone(&self.sandbox));
        Process::new(&PROCESS, Some(Arc::new(sandbox)))
    }

    async fn run(&self, script: &str, input: &[u8]) -> Output {
        let mut command = Command::new("sh", ["-c", script]);
        command.stdin = input.to_vec();
        self.door().run(command).await.unwrap()
    }

    async fn end(self) {
        self.sandbox.close().await.unwrap();
    }
}

#[tokio::test]
async fn what_a_program_writes_and_how_it_ends_comes_back() {
    let place = Place::new().await;
    let output = place.run("cat; echo oops >&2; exit 3", b"hello").await;
    assert_eq!(output.exit, Exit::Code(3));
    assert_eq!(
        (&*output.stdout, &*output.stderr),
        (&b"hello"[..], &b"oops\n"[..])
    );
    assert!(!output.truncated);
    let killed = place.run("kill -9 $$", b"").await;
    assert_eq!(killed.exit, Exit::Signal(9));
    // Whatever the input: it may be long, and nobody has to read it.
    let long = vec![b'x'; 3 << 20];
    assert_eq!(
        place.run("wc -c", &long).await.stdout.trim_ascii(),
        b"3145728"
    );
    assert_eq!(place.run("exit 0", &long).await.exit, Exit::Code(0));
    let missing = place
        .door()
        .run(Command::new("no-such-program-here", ["x"]))
        .await;
    assert!(told(&missing.unwrap_err()).contains("no-such-program-here"));
    place.end().await;
}

#[tokio::test]
async fn output_and_time_are_bounded() {
    let place = Place::new().await;
    let mut command = Command::new("sh", ["-c", "yes | head -c 3000000; echo end >&2"]);
    command.max_output_bytes = 1000;
    let output = place.door().run(command).await.unwrap();
    assert_eq!((output.stdout.len(), output.truncated), (1000, true));
    assert_eq!(
        (&*output.stderr, output.exit),
        (&b"end\n"[..], Exit::Code(0))
    );
    let mut command = Command::new("sleep", ["1000"]);
    command.timeout = Some(Duration::from_millis(300));
    assert_eq!(
        place.door().run(command).await.unwrap().exit,
        Exit::TimedOut
    );
    // What a program leaves behind with its output open does not hold up its end.
    let started = Instant::now();
    let output = place.run("sleep 1000 & echo here", b"").await;
    assert_eq!(output.stdout, b"here\n");
    assert!(started.elapsed() < Duration::from_secs(60));
    place.end().await;
}

#[tokio::test]
async fn a_program_that_nobody_waits_for_is_ended() {
    let place = Place::new().await;
    let file = place.folder.path().join("pid");
    let script = "echo $$ > pid.new; mv pid.new pid; exec sleep 1000";
    let running = tokio::spawn({
        let door = place.door();
        async move { door.run(Command::new("sh", ["-c", script])).await }
    });
    let pid = loop {
        match std::fs::read_to_string(&file) {
            Ok(pid) => break pid.trim().to_owned(),
            Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    };
    running.abort();
    let process = Path::new("/proc").join(&pid);
    let command = || std::fs::read(process.join("cmdline")).unwrap_or_default();
    let gone = async {
        // One that has ended and was not waited for has no command line any more.
        while command().starts_with(b"sleep") {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), gone)
        .await
        .expect("it ends");
    place.end().await;
}
