//! Sandboxes in containers and on another machine, as the environment names them; see `.ci/sandbox-peers`.

use std::env;
use std::sync::Arc;
use std::time::Duration;

use helve_runtime::sandbox::Sandbox;
#[cfg(feature = "docker")]
use helve_runtime::sandbox::{DockerSandbox, DockerSettings};
#[cfg(feature = "ssh")]
use helve_runtime::sandbox::{SshCredential, SshSandbox, SshSettings};

use crate::sandbox_suite::kinds::SandboxKind;

/// How long a sandbox outlives a test that died.
const LINGER: Duration = Duration::from_secs(2);

/// Reads a variable of several words; says so where it is not set.
fn environment_words(kind: &str, variable: &str) -> Option<Vec<String>> {
    match env::var(variable) {
        Ok(text) => Some(text.split(' ').map(str::to_owned).collect()),
        Err(_) => {
            eprintln!("{kind}: {variable} is not set, so nothing ran");
            None
        }
    }
}

#[cfg(feature = "ssh")]
/// The server of `HELVE_TEST_SSH`: `user port private-key known-hosts`.
pub(crate) fn ssh() -> Option<SandboxKind> {
    let words = environment_words("ssh", "HELVE_TEST_SSH")?;
    let [user, port, key, known_hosts] = &words[..] else {
        panic!("HELVE_TEST_SSH holds {words:?}");
    };
    let credential = SshCredential::Key {
        path: key.into(),
        passphrase: None,
    };
    let mut settings = SshSettings::new("127.0.0.1", user, credential, known_hosts);
    settings.port = port.parse().expect("a port");
    settings.linger = LINGER;
    let again = settings.clone();
    Some(SandboxKind {
        name: "ssh",
        open: Box::new(move |policy| {
            let settings = settings.clone();
            Box::pin(async move {
                let sandbox = SshSandbox::open(settings, policy).await?;
                Ok(Arc::new(sandbox) as Arc<dyn Sandbox>)
            })
        }),
        attach: Some(Box::new(move |id| {
            let settings = again.clone();
            Box::pin(async move {
                let sandbox = SshSandbox::attach(settings, &id).await?;
                Ok(Arc::new(sandbox) as Arc<dyn Sandbox>)
            })
        })),
        is_here: true,
    })
}

/// The engines of `HELVE_TEST_DOCKER` and `HELVE_TEST_DOCKER_ROOTLESS`: `endpoint image`, and who it runs as.
#[cfg(feature = "docker")]
pub(crate) fn docker() -> Vec<SandboxKind> {
    let engines = [
        ("docker", "HELVE_TEST_DOCKER"),
        ("docker_rootless", "HELVE_TEST_DOCKER_ROOTLESS"),
    ];
    engines
        .into_iter()
        .filter_map(|(name, variable)| Some(engine(name, &environment_words(name, variable)?)))
        .collect()
}

#[cfg(feature = "docker")]
fn engine(name: &'static str, words: &[String]) -> SandboxKind {
    let mut settings = DockerSettings::new(&words[0], &words[1]);
    settings.linger = LINGER;
    let again = settings.clone();
    // Root gives the workspace to whom the engine runs as; with an engine of root, to an unprivileged user.
    let owner: u32 = words
        .get(2)
        .map_or(1000, |user| user.parse().expect("a user"));
    SandboxKind {
        name,
        open: Box::new(move |policy| {
            let settings = settings.clone();
            Box::pin(async move {
                chown_tree(&policy.workspace, owner);
                let sandbox = DockerSandbox::open(settings, policy).await?;
                Ok(Arc::new(sandbox) as Arc<dyn Sandbox>)
            })
        }),
        attach: Some(Box::new(move |id| {
            let settings = again.clone();
            Box::pin(async move {
                let sandbox = DockerSandbox::attach(settings, &id).await?;
                Ok(Arc::new(sandbox) as Arc<dyn Sandbox>)
            })
        })),
        is_here: false,
    }
}

/// Gives a folder with all that is in it to a user; nobody but root can, and nobody else needs to.
#[cfg(feature = "docker")]
fn chown_tree(path: &std::path::Path, owner: u32) {
    let _ = std::os::unix::fs::lchown(path, Some(owner), Some(owner));
    if path.is_dir() && !path.is_symlink() {
        for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
            chown_tree(&entry.path(), owner);
        }
    }
}
