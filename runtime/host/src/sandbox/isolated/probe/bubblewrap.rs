//! Finds bubblewrap, which creates namespaces if this program may not create them.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::Obstacle;

/// The first version that does not follow a link of the workspace while it creates mount points (CVE-2026-87766).
const MIN_VERSION: (u32, u32) = (0, 12);

const HINT: &str = "install bubblewrap 0.12 or newer";

/// Finds a usable bubblewrap, and tries it.
pub(super) fn find() -> Result<PathBuf, Obstacle> {
    let refuse = |why: &str| Obstacle::new(why, HINT);
    let program = find_in_path().ok_or_else(|| refuse("bubblewrap is not installed"))?;
    let shown = program.display();
    let version = run(&program, &["--version"]);
    let version = version.ok_or_else(|| refuse(&format!("`{shown} --version` fails")))?;
    let version = version.trim();
    match parse_version(version) {
        Some(number) if number >= MIN_VERSION => {}
        Some(_) => {
            return Err(refuse(&format!(
                "{version} is refused: versions before 0.12 follow links of the workspace (CVE-2026-87766)"
            )));
        }
        None => return Err(refuse(&format!("`{shown} --version` printed no version"))),
    }
    let trial = [
        "--unshare-all",
        "--ro-bind",
        "/",
        "/",
        "--proc",
        "/proc",
        "/bin/true",
    ];
    match run(&program, &trial) {
        Some(_) => Ok(program),
        None => Err(Obstacle::new(
            format!("{version} cannot create namespaces either"),
            format!("run `{shown} {}` to see why", trial.join(" ")),
        )),
    }
}

/// Searches the folders of the system before those of the user.
fn find_in_path() -> Option<PathBuf> {
    let system = ["/usr/bin", "/usr/local/bin", "/bin"].map(PathBuf::from);
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = system.into_iter().chain(env::split_paths(&path));
    folders
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join("bwrap"))
        .find(|program| program.is_file())
}

fn run(program: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program)
        .args(arguments)
        .env_clear()
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Parses a version line such as `bubblewrap 0.12.1`.
fn parse_version(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split_whitespace().next_back()?.split('.');
    let mut next = || parts.next()?.parse().ok();
    Some((next()?, next()?))
}

#[cfg(test)]
mod tests {
    use super::{MIN_VERSION, parse_version};

    #[test]
    fn versions_are_compared_as_numbers() {
        assert_eq!(parse_version("bubblewrap 0.8.0"), Some((0, 8)));
        assert!(parse_version("bubblewrap 0.8.0") < Some(MIN_VERSION));
        assert!(parse_version("bubblewrap 0.12.0") >= Some(MIN_VERSION));
        assert!(parse_version("bubblewrap 1.0") >= Some(MIN_VERSION));
        assert_eq!(parse_version("bubblewrap"), None);
        assert_eq!(parse_version(""), None);
    }
}
