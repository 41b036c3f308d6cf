//! Converts failures of the scripts to file errors.

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::super::host::HostReply;
use super::{RemoteFs, invalid_reply, kind_of_mode};
use helve_core::sandbox::fs_error::display_path;
use helve_core::sandbox::{FsError, SandboxFs};
use helve_host::sandbox::suggest::{MAX_COMPARED, nearest};

impl RemoteFs {
    /// Returns a reply that starts with `ok`; otherwise returns the error of the path that failed.
    pub(super) async fn expect_ok(
        &self,
        reply: HostReply,
        paths: &[&Path],
    ) -> Result<HostReply, FsError> {
        let words = reply.words();
        if words[0] == "ok" {
            return Ok(reply);
        }
        let number: usize = words.get(1).and_then(|word| word.parse().ok()).unwrap_or(0);
        let at = paths.get(number.saturating_sub(1)).or(paths.first());
        let given = at.copied().unwrap_or(Path::new("."));
        let path = display_path(given);
        let other = |why: String| FsError::Io {
            path: display_path(given),
            source: io::Error::other(why),
        };
        Err(match words[0] {
            "absent" => {
                self.not_found_error(given, Path::new(std::ffi::OsStr::from_bytes(&reply.body)))
                    .await
            }
            "outside" => self.outside(given),
            "link" => FsError::Link { path },
            "not_directory" => FsError::NotADirectory { path },
            "directory" => FsError::IsADirectory { path },
            "denied" => FsError::PermissionDenied { path },
            "changed" => FsError::Changed { path },
            "exists" => FsError::Exists { path },
            "full" => FsError::NoSpace { path },
            "root" => other("it is a root and cannot be removed".to_owned()),
            "not_empty" => FsError::Io {
                path,
                source: io::ErrorKind::DirectoryNotEmpty.into(),
            },
            "special" => {
                let mode =
                    u32::from_str_radix(&String::from_utf8_lossy(&reply.body), 16).unwrap_or(0);
                FsError::NotAFile {
                    path,
                    kind: kind_of_mode(mode),
                }
            }
            "broken" => other(String::from_utf8_lossy(&reply.body).into_owned()),
            _ => invalid_reply(given, &reply),
        })
    }

    /// Returns the error of a missing file, with similar names.
    async fn not_found_error(&self, given: &Path, missing: &Path) -> FsError {
        let path = display_path(given);
        // Relative, as the caller would write the path.
        let short = |path: &Path| {
            let below = self
                .roots
                .first()
                .and_then(|root| path.strip_prefix(root).ok());
            match below {
                Some(below) if given.is_relative() => display_path(below),
                _ => display_path(path),
            }
        };
        let whole = self.at(given).map(|(_, whole)| whole).unwrap_or_default();
        let last = missing.as_os_str().is_empty() || missing == whole;
        let missing = if missing.as_os_str().is_empty() {
            &whole
        } else {
            missing
        };
        let mut suggestions = Vec::new();
        if let (Some(above), Some(name)) = (missing.parent(), missing.file_name())
            && self.roots.iter().any(|root| above.starts_with(root))
            && let Ok(listing) = Box::pin(self.read_dir(above)).await
        {
            let names: Vec<_> = listing
                .entries
                .iter()
                .take(MAX_COMPARED)
                .map(|entry| entry.text())
                .collect();
            let near = nearest(&name.to_string_lossy(), names.iter().map(AsRef::as_ref));
            suggestions = near
                .into_iter()
                .map(|name| short(&above.join(name)))
                .collect();
        }
        let missing = if last { path.clone() } else { short(missing) };
        FsError::NotFound {
            path,
            missing,
            suggestions,
        }
    }
}
