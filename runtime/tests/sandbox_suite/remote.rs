//! Sandboxes in containers and on another machine, as the environment names them; see `.ci/sandbox-peers`.

use std::env;
use std::sync::Arc;
use std::time::Duration;

use helve_runtime::sandbox::{Sandbox, SshCredential, SshSandbox, SshSettings};

use crate::kinds::Kind;

/// How long a sandbox outlives a test that died.
const LINGER: Duration = Duration::from_secs(2);

/// Reads a variable of several words; says so where it is not set.
fn words(kind: &str, variable: &str) -> Option<Vec<String>> {
    match env::var(variable) {
        Ok(text) => Some(text.split(' ').map(str::to_owned).collect()),
        Err(_) => {
            eprintln!("{kind}: {variable} is not set, so nothing ran");
            None
        }
    }
}

/// The server of `HELVE_TEST_SSH`: `user port private-key known-hosts`.
pub(crate) fn ssh() -> Option<Kind> {
    let words = words("ssh", "HELVE_TEST_SSH")?;
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
    Some(Kind {
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
