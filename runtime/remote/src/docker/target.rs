//! Finds the engine for `docker:IMAGE`, which does not name one, in the usual places.

use std::env;
use std::path::{Path, PathBuf};

use super::DockerSettings;
use super::settings::is_tcp;
use helve_core::sandbox::SandboxError;

/// The sockets of engines that run as root.
const SOCKETS: [&str; 2] = ["/run/podman/podman.sock", "/var/run/docker.sock"];

/// Returns settings with the engine of `DOCKER_HOST`, or of the first existing socket.
pub(crate) fn parse_settings(image: &str) -> Result<DockerSettings, SandboxError> {
    let named = env::var("DOCKER_HOST").ok();
    let own = env::var_os("XDG_RUNTIME_DIR").filter(|folder| !folder.is_empty());
    let encrypted = env::var_os("DOCKER_TLS_VERIFY").is_some_and(|value| !value.is_empty());
    let endpoint = match named.filter(|endpoint| !endpoint.is_empty()) {
        Some(endpoint) => check_endpoint(endpoint, encrypted),
        None => find_socket(own.map(PathBuf::from).as_deref(), Path::exists),
    };
    let endpoint = endpoint.map_err(|why| SandboxError::Unavailable {
        kind: format!("docker:{image}"),
        why,
    })?;
    Ok(DockerSettings::new(endpoint, image))
}

/// Checks that an endpoint can be reached by the protocol that it names.
fn check_endpoint(endpoint: String, encrypted: bool) -> Result<String, String> {
    let is_open = is_tcp(&endpoint);
    // If TLS is requested, a connection without TLS must not be made.
    if is_open && encrypted {
        return Err(format!(
            "DOCKER_HOST is {endpoint} and DOCKER_TLS_VERIFY is set, but TLS to engines is not supported; \
             name a socket as `unix:///PATH`, such as one that `ssh -L` forwards"
        ));
    }
    if is_open || endpoint.starts_with("unix://") {
        return Ok(endpoint);
    }
    Err(format!(
        "DOCKER_HOST is {endpoint}; write it as `unix:///PATH` or `tcp://HOST:PORT`"
    ))
}

/// Returns the first existing socket; the user's rootless engine comes first.
fn find_socket(own: Option<&Path>, exists: impl Fn(&Path) -> bool) -> Result<String, String> {
    let own = own.map(|folder| folder.join("podman/podman.sock"));
    let places: Vec<PathBuf> = own.into_iter().chain(SOCKETS.map(PathBuf::from)).collect();
    let names = |path: &PathBuf| path.display().to_string();
    match places.iter().find(|path| exists(path)) {
        Some(path) => Ok(format!("unix://{}", names(path))),
        None => Err(format!(
            "no container engine was found: DOCKER_HOST is not set, and there is no socket {}; start one \
             (`systemctl --user start podman.socket`, or Docker), or name it in DOCKER_HOST",
            places.iter().map(names).collect::<Vec<_>>().join(", ")
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{check_endpoint, find_socket};

    #[test]
    fn the_engine_of_the_user_comes_first() {
        let own = Path::new("/run/user/7");
        let first = find_socket(Some(own), |_| true);
        assert_eq!(
            first.as_deref(),
            Ok("unix:///run/user/7/podman/podman.sock")
        );
        let docker = find_socket(Some(own), |path| path.ends_with("docker.sock"));
        assert_eq!(docker.as_deref(), Ok("unix:///var/run/docker.sock"));
        insta::assert_snapshot!(find_socket(None, |_| false).unwrap_err(), @"no container engine was found: DOCKER_HOST is not set, and there is no socket /run/podman/podman.sock, /var/run/docker.sock; start one (`systemctl --user start podman.socket`, or Docker), or name it in DOCKER_HOST");
    }

    #[test]
    fn an_endpoint_has_a_supported_scheme() {
        for good in ["unix:///run/x.sock", "tcp://host:2375", "http://host:2375"] {
            assert_eq!(check_endpoint(good.to_owned(), false).as_deref(), Ok(good));
        }
        assert!(check_endpoint("unix:///run/x.sock".to_owned(), true).is_ok());
        assert!(check_endpoint("tcp://host:2376".to_owned(), true).is_err());
        assert!(check_endpoint("ssh://host".to_owned(), false).is_err());
    }
}
