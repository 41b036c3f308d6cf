//! Parses a machine as users write it: `[USER@]HOST[:PORT][/FOLDER]`.

use std::env;

use super::{SshCredential, SshSettings};
use helve_core::sandbox::SandboxError;

/// The key files that are searched if there is no agent, the best first.
const KEY_FILES: [&str; 3] = ["id_ed25519", "id_ecdsa", "id_rsa"];

/// Parses a target, and takes the other settings from the places that `ssh` uses: `~/.ssh` and the agent.
pub(crate) fn parse_settings(target: &str) -> Result<SshSettings, SandboxError> {
    let (machine, _) = target.split_at(target.find('/').unwrap_or(target.len()));
    let unavailable = |why: String| SandboxError::Unavailable {
        kind: format!("ssh:{target}"),
        why,
    };
    let (user, host, port) = split_target(machine)
        .ok_or_else(|| unavailable("write it as `ssh:[USER@]HOST[:PORT][/FOLDER]`".into()))?;
    let user = user
        .map(str::to_owned)
        .or_else(|| env::var("USER").ok())
        .ok_or_else(|| unavailable("missing user; write `ssh:USER@HOST`".into()))?;
    let folder = env::home_dir()
        .map(|home| home.join(".ssh"))
        .ok_or_else(|| unavailable("no home folder was found for `.ssh`".into()))?;
    let key = KEY_FILES.map(|name| folder.join(name));
    let key = key.into_iter().find(|path| path.is_file());
    let credential = match (env::var_os("SSH_AUTH_SOCK"), key) {
        (Some(socket), _) if !socket.is_empty() => SshCredential::Agent { socket: None },
        (_, Some(path)) => SshCredential::Key {
            path,
            passphrase: None,
        },
        _ => {
            return Err(unavailable(format!(
                "found no SSH agent (SSH_AUTH_SOCK) and no key in {}",
                folder.display()
            )));
        }
    };
    let mut settings = SshSettings::new(host, user, credential, folder.join("known_hosts"));
    settings.port = port;
    Ok(settings)
}

/// Splits a target into the user, the host and the port.
fn split_target(target: &str) -> Option<(Option<&str>, &str, u16)> {
    let (user, rest) = match target.rsplit_once('@') {
        Some((user, rest)) => (Some(user), rest),
        None => (None, target),
    };
    let (host, port) = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        // An IPv6 address contains colons itself.
        Some((host, "")) => (host, None),
        Some((host, after)) => (host, Some(after.strip_prefix(':')?)),
        None => match rest.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (rest, None),
        },
    };
    let port = port.map_or(Some(22), |port| port.parse().ok())?;
    let is_whole = !host.is_empty() && user != Some("") && port != 0;
    is_whole.then_some((user, host, port))
}

#[cfg(test)]
mod tests {
    use super::split_target;

    #[test]
    fn targets_are_taken_apart() {
        assert_eq!(split_target("host"), Some((None, "host", 22)));
        assert_eq!(
            split_target("me@host:2222"),
            Some((Some("me"), "host", 2222))
        );
        assert_eq!(split_target("me@[::1]:22"), Some((Some("me"), "::1", 22)));
        assert_eq!(split_target("[::1]"), Some((None, "::1", 22)));
        for wrong in ["", "@host", "me@", "host:", "host:0", "host:x", "[::1]22"] {
            assert_eq!(split_target(wrong), None, "{wrong}");
        }
    }
}
