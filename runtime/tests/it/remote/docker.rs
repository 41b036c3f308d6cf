//! A container: what it is made of, and how it ends.

use std::io::{Read as _, Write as _};
use std::os::unix::fs::chown;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use helve_runtime::sandbox::{
    DockerSandbox, DockerSettings, Layer, LayerStatus, Sandbox, SandboxChoice, SandboxError,
    SandboxPolicy, WorkspaceTransfer,
};

use crate::remote::{SOON, id, policy, read, sh, words};

fn settings() -> Option<DockerSettings> {
    let words = words("HELVE_TEST_DOCKER")?;
    Some(DockerSettings::new(&words[0], &words[1]))
}

#[tokio::test]
async fn a_copy_holds_all_but_landlock() {
    let Some(mut settings) = settings() else {
        return;
    };
    settings.workspace = WorkspaceTransfer::Copy;
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("src")).unwrap();
    std::fs::write(folder.path().join("src/main.rs"), "fn main() {}").unwrap();
    std::fs::write(folder.path().join(".env"), "SECRET=1").unwrap();
    let mut policy = SandboxPolicy::new(folder.path());
    let refused = DockerSandbox::open(settings.clone(), policy.clone()).await;
    let Err(SandboxError::Isolation { missing }) = refused else {
        panic!("Landlock is missing, and nobody accepted that: {refused:?}");
    };
    let missing: Vec<Layer> = missing.iter().map(|gap| gap.layer).collect();
    eprintln!("missing in a container of this engine: {missing:?}");
    policy.accepted = missing.into_iter().collect();
    let sandbox = DockerSandbox::open(settings, policy).await.unwrap();
    for layer in [
        Layer::Files,
        Layer::Network,
        Layer::Privileges,
        Layer::MaskedPaths,
        Layer::ProtectedPaths,
    ] {
        let holds = &sandbox.enforcement().layers[&layer];
        assert!(
            matches!(holds, LayerStatus::Yes { .. }),
            "{layer}: {holds:?}"
        );
    }
    let script = "cat src/main.rs; ls -A; id -u; echo changed > src/main.rs; echo x > /etc/x 2>/dev/null || echo read-only";
    sandbox.start(sh("look", script)).await.unwrap();
    sandbox.status(&id("look"), SOON).await.unwrap();
    let told = String::from_utf8(read(&sandbox, "look", 0).await.bytes).unwrap();
    assert_eq!(told, "fn main() {}src\n1000\nread-only\n");
    // What commands change stays there.
    assert_eq!(
        std::fs::read(folder.path().join("src/main.rs")).unwrap(),
        b"fn main() {}"
    );
    sandbox.close().await.unwrap();
}

#[test]
fn a_choice_finds_its_engine() {
    let Some(words) = words("HELVE_TEST_DOCKER") else {
        return;
    };
    // The engine is named by a variable, and this process has no business to change its own.
    if std::env::var("DOCKER_HOST").ok().as_ref() != Some(&words[0]) {
        let again = std::process::Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "remote::docker::a_choice_finds_its_engine",
                "--nocapture",
            ])
            .env("DOCKER_HOST", &words[0])
            .status();
        assert!(again.unwrap().success());
        return;
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let folder = tempfile::tempdir().unwrap();
        chown(folder.path(), Some(1000), Some(1000)).unwrap();
        let choice: SandboxChoice = format!("docker:{}", words[1]).parse().unwrap();
        let sandbox = helve_runtime::sandbox::open(&choice, policy(folder.path())).await;
        let sandbox = sandbox.unwrap();
        sandbox.start(sh("says", "pwd")).await.unwrap();
        let told = read(&*sandbox, "says", 0).await.bytes;
        assert_eq!(told, format!("{}\n", folder.path().display()).into_bytes());
        sandbox.close().await.unwrap();
    });
}

#[test]
fn a_container_ends_with_its_app() {
    let Some(mut settings) = settings() else {
        return;
    };
    settings.linger = Duration::from_secs(2);
    let folder = tempfile::tempdir().unwrap();
    chown(folder.path(), Some(1000), Some(1000)).unwrap();
    // A runtime that is dropped closes its connections without a word, as a process that dies does.
    let first = tokio::runtime::Runtime::new().unwrap();
    let sandbox = first.block_on(async {
        let sandbox = DockerSandbox::open(settings.clone(), policy(folder.path()))
            .await
            .unwrap();
        sandbox
            .start(sh("stays", "echo begun; exec sleep 600"))
            .await
            .unwrap();
        sandbox
    });
    let name = sandbox.id().clone();
    first.shutdown_timeout(Duration::from_secs(1));
    std::mem::forget(sandbox);
    // Attaching would hold it, so the engine is asked.
    let begun = Instant::now();
    while exists(&settings.endpoint, name.as_str()) {
        assert!(begun.elapsed() < SOON * 2, "it did not end");
        std::thread::sleep(Duration::from_millis(100));
    }
    eprintln!("it ended after {:?}", begun.elapsed());
}

/// Asks an engine whether it has a container.
fn exists(endpoint: &str, name: &str) -> bool {
    let socket = endpoint.strip_prefix("unix://").expect("a socket");
    let mut engine = UnixStream::connect(socket).expect("the engine");
    let question = format!("GET /v1.40/containers/{name}/json HTTP/1.0\r\nHost: engine\r\n\r\n");
    engine.write_all(question.as_bytes()).expect("to be heard");
    let mut answer = String::new();
    engine.read_to_string(&mut answer).expect("an answer");
    let code = answer.split(' ').nth(1).expect("a status");
    // Podman answers 500 while it goes.
    let is_gone = code == "404" || answer.contains("no such container");
    assert!(code == "200" || is_gone, "{answer}");
    code == "200"
}
