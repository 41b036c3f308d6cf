//! Text that the user edits in a program of their own.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::Command;

use helve_core::support::random;

/// Returns the editor of the user: `$VISUAL`, or else `$EDITOR`.
pub fn editor_program() -> Option<String> {
    let programs = ["VISUAL", "EDITOR"].map(std::env::var);
    let mut programs = programs.into_iter().flatten();
    programs.find(|name| !name.trim().is_empty())
}

/// Edits a text in an editor, which may have arguments.
pub async fn edit_text(
    program: String,
    text: String,
    extension: &'static str,
) -> io::Result<String> {
    let edited = tokio::task::spawn_blocking(move || edit(&program, &text, extension));
    edited.await.map_err(io::Error::other).flatten()
}

/// Runs an editor on a file that only the user can read.
fn edit(program: &str, text: &str, extension: &str) -> io::Result<String> {
    let name = format!("helve-{}.{extension}", random::hex::<8>());
    let path = std::env::temp_dir().join(name);
    create_private(&path)?.write_all(text.as_bytes())?;
    let mut words = program.split_whitespace();
    let status = Command::new(words.next().unwrap_or_default())
        .args(words)
        .arg(&path)
        .status();
    let text = match status {
        Ok(status) if !status.success() => {
            let message = format!("the editor `{program}` failed: {status}");
            Err(io::Error::other(message))
        }
        Ok(_) => std::fs::read_to_string(&path),
        Err(error) => {
            let message = format!("the editor `{program}` could not be started: {error}");
            Err(io::Error::other(message))
        }
    };
    let _ = std::fs::remove_file(&path);
    text
}

fn create_private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
