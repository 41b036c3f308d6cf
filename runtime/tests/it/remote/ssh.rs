//! Another machine: its key, and connections that break.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use helve_runtime::sandbox::{Exit, Sandbox, SandboxError, SshCredential, SshSandbox, SshSettings};

use crate::remote::line::Line;
use crate::remote::{SOON, id, policy, read, sh, words};

/// The server of the environment: `user port private-key known-hosts`.
struct Server {
    user: String,
    port: u16,
    key: PathBuf,
    known_hosts: PathBuf,
}

fn server() -> Option<Server> {
    let words = words("HELVE_TEST_SSH")?;
    Some(Server {
        user: words[0].clone(),
        port: words[1].parse().expect("a port"),
        key: words[2].clone().into(),
        known_hosts: words[3].clone().into(),
    })
}

impl Server {
    fn settings(&self, known_hosts: &Path) -> SshSettings {
        let credential = SshCredential::Key {
            path: self.key.clone(),
            passphrase: None,
        };
        let mut settings = SshSettings::new("127.0.0.1", &self.user, credential, known_hosts);
        settings.port = self.port;
        settings
    }

    /// The line of the file of known hosts, for the same key at another port.
    fn line_for(&self, port: u16) -> String {
        let line = fs::read_to_string(&self.known_hosts).expect("known hosts");
        line.replace(&format!("]:{} ", self.port), &format!("]:{port} "))
    }
}

async fn why(settings: SshSettings, folder: &Path) -> String {
    let error = SshSandbox::open(settings, policy(folder))
        .await
        .expect_err("it is refused");
    assert!(
        matches!(error, SandboxError::Unavailable { .. }),
        "{error:?}"
    );
    error.to_string()
}

#[tokio::test]
async fn a_host_is_trusted_by_its_known_key_only() {
    let Some(server) = server() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("known");
    let known = fs::read_to_string(&server.known_hosts).unwrap();
    fs::write(&file, "").unwrap();
    let unknown = why(server.settings(&file), folder.path()).await;
    assert!(
        unknown.contains("SHA256:") && unknown.contains("is not known"),
        "{unknown}"
    );
    // The user's own key stands for that of an interceptor.
    let other = fs::read_to_string(server.key.with_extension("pub")).unwrap();
    let other = other.split(' ').nth(1).unwrap();
    fs::write(
        &file,
        format!("[127.0.0.1]:{} ssh-ed25519 {other}\n", server.port),
    )
    .unwrap();
    let changed = why(server.settings(&file), folder.path()).await;
    assert!(
        changed.contains("line 1") && changed.contains("SHA256:"),
        "{changed}"
    );
    fs::write(
        &file,
        format!("@revoked * {}{known}", known.split_once(' ').unwrap().1),
    )
    .unwrap();
    let revoked = why(server.settings(&file), folder.path()).await;
    assert!(revoked.contains("revoked"), "{revoked}");
    let missing = why(server.settings(&folder.path().join("none")), folder.path()).await;
    assert!(missing.contains("cannot be read"), "{missing}");
}

#[tokio::test]
async fn a_user_is_refused_in_words() {
    let Some(server) = server() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut settings = server.settings(&server.known_hosts);
    settings.user = "nobody-of-this-name".to_owned();
    let refused = why(settings, folder.path()).await;
    assert!(
        refused.contains("does not accept nobody-of-this-name"),
        "{refused}"
    );
    let nowhere = why(
        server.settings(&server.known_hosts),
        &folder.path().join("none"),
    )
    .await;
    assert!(
        nowhere.contains("does not exist on the remote machine"),
        "{nowhere}"
    );
    // The missing layers are not accepted.
    let strict = helve_runtime::sandbox::SandboxPolicy::new(folder.path());
    let error = SshSandbox::open(server.settings(&server.known_hosts), strict).await;
    assert!(
        matches!(error, Err(SandboxError::Isolation { .. })),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_cut_connection_loses_nothing() {
    let Some(server) = server() else { return };
    let folder = tempfile::tempdir().unwrap();
    let line = Line::to(server.port).await;
    let file = folder.path().join("known");
    fs::write(&file, server.line_for(line.port)).unwrap();
    let mut settings = server.settings(&file);
    settings.port = line.port;
    let sandbox = SshSandbox::open(settings, policy(folder.path()))
        .await
        .unwrap();
    let script = "for i in 1 2 3 4 5 6; do echo $i; sleep 0.3; done; exit 7";
    sandbox.start(sh("counts", script)).await.unwrap();
    let mut bytes = Vec::new();
    loop {
        let chunk = read(&sandbox, "counts", bytes.len() as u64).await;
        assert_eq!(chunk.offset, bytes.len() as u64);
        bytes.extend(chunk.bytes);
        if chunk.end {
            break;
        }
        line.cut();
    }
    assert_eq!(bytes, b"1\n2\n3\n4\n5\n6\n");
    let status = sandbox.status(&id("counts"), SOON).await.unwrap();
    assert_eq!(status.exit, Some(Exit::Code(7)));
    sandbox.close().await.unwrap();
}

#[test]
fn who_comes_later_finds_what_runs_and_then_it_ends() {
    let Some(server) = server() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut settings = server.settings(&server.known_hosts);
    settings.linger = Duration::from_secs(15);
    // A runtime that is dropped closes its connections without a word, as a process that dies does.
    let first = tokio::runtime::Runtime::new().unwrap();
    let sandbox = first.block_on(async {
        let sandbox = SshSandbox::open(settings.clone(), policy(folder.path()))
            .await
            .unwrap();
        let script = "echo begun; (setsid sleep 3210.5 &); exec sleep 3210.5";
        sandbox.start(sh("stays", script)).await.unwrap();
        sandbox
    });
    first.shutdown_timeout(Duration::from_secs(1));
    let name = sandbox.id().clone();
    std::mem::forget(sandbox);
    let second = tokio::runtime::Runtime::new().unwrap();
    let again = second.block_on(async {
        let again = SshSandbox::attach(settings.clone(), &name).await.unwrap();
        assert_eq!(read(&again, "stays", 0).await.bytes, b"begun\n");
        assert_eq!(again.list().await.unwrap().len(), 1);
        again
    });
    let private = PathBuf::from(format!("/tmp/{name}"));
    assert!(private.exists());
    second.shutdown_timeout(Duration::from_secs(1));
    std::mem::forget(again);
    let begun = Instant::now();
    while private.exists() {
        assert!(begun.elapsed() < SOON, "it did not end");
        std::thread::sleep(Duration::from_millis(100));
    }
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    let left = lines
        .filter(|line| line.starts_with(b"sleep\x003210.5"))
        .count();
    assert_eq!(left, 0, "all of them ended with the sandbox");
}
