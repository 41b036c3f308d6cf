//! Opens a sandbox of the chosen kind.

use std::sync::Arc;

use helve_core::sandbox::{Sandbox, SandboxError, SandboxPolicy, SearchPath};

use crate::sandbox_choice::SandboxChoice;

/// Opens a sandbox of the chosen kind.
///
/// Settings that the choice does not contain come from the usual places: the container engine from `DOCKER_HOST` or the
/// usual sockets, the SSH key from the agent or `~/.ssh`, the host keys from `~/.ssh/known_hosts`.
///
/// # Errors
/// Fails if a layer is missing that is not accepted as missing, or if this program was built without that kind of
/// sandbox.
pub async fn open(
    choice: &SandboxChoice,
    policy: SandboxPolicy,
) -> Result<Arc<dyn Sandbox>, SandboxError> {
    match choice {
        #[cfg(all(feature = "sandbox", target_os = "linux"))]
        SandboxChoice::Local if policy.ask_blocked => Ok(Arc::new(
            helve_host::sandbox::ExtensibleSandbox::open(policy).await?,
        )),
        #[cfg(all(feature = "sandbox", target_os = "linux"))]
        SandboxChoice::Local => Ok(Arc::new(
            helve_host::sandbox::IsolatedSandbox::open(policy).await?,
        )),
        #[cfg(all(feature = "sandbox", target_os = "macos"))]
        SandboxChoice::Local => Ok(Arc::new(
            helve_host::sandbox::SeatbeltSandbox::open(policy).await?,
        )),
        #[cfg(all(feature = "sandbox", unix))]
        SandboxChoice::Passthrough => Ok(Arc::new(
            helve_host::sandbox::PassthroughSandbox::open(policy).await?,
        )),
        #[cfg(all(unix, feature = "docker"))]
        SandboxChoice::Docker { image } => {
            let settings = crate::docker::parse_settings(image)?;
            Ok(Arc::new(
                crate::DockerSandbox::open(settings, policy).await?,
            ))
        }
        #[cfg(all(unix, feature = "ssh"))]
        SandboxChoice::Ssh { target } => {
            let settings = crate::ssh::parse_settings(target)?;
            let mut policy = policy;
            if let Some(folder) = choice.folder() {
                policy.workspace = folder.to_owned();
            }
            Ok(Arc::new(crate::SshSandbox::open(settings, policy).await?))
        }
        #[allow(
            unreachable_patterns,
            reason = "which kinds are left depends on the features and the system"
        )]
        other => {
            let _ = policy;
            Err(SandboxError::Unavailable {
                kind: other.to_string(),
                why: unavailable(other),
            })
        }
    }
}

/// Returns the search path for programs, if it is known before the sandbox is opened, which is the case on this
/// machine.
pub fn search_path_of(choice: &SandboxChoice, policy: &SandboxPolicy) -> Option<SearchPath> {
    match choice {
        #[cfg(all(feature = "sandbox", target_os = "linux"))]
        SandboxChoice::Local => Some(helve_host::sandbox::IsolatedSandbox::search_path_before(
            policy,
        )),
        #[cfg(all(feature = "sandbox", unix))]
        SandboxChoice::Passthrough => Some(
            helve_host::sandbox::PassthroughSandbox::search_path_before(policy),
        ),
        _ => {
            let _ = policy;
            None
        }
    }
}

fn unavailable(choice: &SandboxChoice) -> String {
    let (feature, is_built) = match choice {
        SandboxChoice::Docker { .. } => ("docker", cfg!(feature = "docker")),
        SandboxChoice::Ssh { .. } => ("ssh", cfg!(feature = "ssh")),
        SandboxChoice::Local | SandboxChoice::Passthrough => ("sandbox", cfg!(feature = "sandbox")),
    };
    if is_built {
        format!("this version does not support {}", std::env::consts::OS)
    } else {
        format!("this program was built without the feature `{feature}` of helve")
    }
}
