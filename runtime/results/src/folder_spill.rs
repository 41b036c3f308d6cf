//! The spill in files.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};

use super::{Spill, SpillError, SpilledResult};
use helve_core::transcript::{CallAddress, Label, SessionId, Source, ToolName};
use helve_storage::atomic_file::{AtomicFile, FilePermissions};
use helve_storage::private_files;

/// A spill in the folder `<session>.spill/` beside the journal of the session, with one text file for each result.
///
/// The first line of a file is a JSON header; the rest is the text. Only the owner may read a file, as with the journal.
#[derive(Debug, Clone)]
pub struct FolderSpill {
    root: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Header {
    tool: ToolName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    /// Files of older versions have no label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label: Option<Label>,
}

impl FolderSpill {
    /// Creates a spill below the folder of the sessions. Folders are created with the first result.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Removes the results of a session.
    ///
    /// # Errors
    /// The folder exists and cannot be removed.
    pub async fn remove(&self, session: &SessionId) -> Result<(), SpillError> {
        let removed = run_blocking("remove", self.folder(session), |folder| {
            fs::remove_dir_all(folder)
        });
        match removed.await {
            Err(error) if error.source.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Copies the results of a session to another session.
    ///
    /// # Errors
    /// A result cannot be read or written.
    pub async fn copy(&self, from: &SessionId, to: &SessionId) -> Result<(), SpillError> {
        let to = self.folder(to);
        let copied = run_blocking("copy", self.folder(from), move |from| {
            let entries = match fs::read_dir(from) {
                Ok(entries) => entries,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                Err(error) => return Err(error),
            };
            private_files::create_folder(&to)?;
            for entry in entries {
                let entry = entry?;
                fs::copy(entry.path(), to.join(entry.file_name()))?;
            }
            Ok(())
        });
        copied.await
    }

    /// Returns the folder of the results of a session.
    #[must_use]
    pub fn folder(&self, session: &SessionId) -> PathBuf {
        self.root.join(format!("{}.spill", file_name(session)))
    }

    fn path(&self, session: &SessionId, call: &CallAddress) -> PathBuf {
        let name = format!("{}.txt", file_name(&call.to_string()));
        self.folder(session).join(name)
    }
}

/// Encodes an id as the name of a file: `/` becomes `+`, other characters than letters, digits, `-` and `_` become `~` and
/// their code, so that no two ids share a file and no id leaves the folder.
fn file_name(id: &str) -> String {
    let mut name = String::with_capacity(id.len());
    for byte in id.bytes() {
        match byte {
            b'/' => name.push('+'),
            b'.' if !name.is_empty() => name.push('.'),
            byte if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') => {
                name.push(char::from(byte));
            }
            // Writing to a string does not fail.
            byte => _ = write!(name, "~{byte:02x}"),
        }
    }
    name
}

impl Spill for FolderSpill {
    fn put<'a>(
        &'a self,
        session: &'a SessionId,
        call: &'a CallAddress,
        spilled: &'a SpilledResult,
    ) -> BoxFuture<'a, Result<(), SpillError>> {
        let path = self.path(session, call);
        let spilled = spilled.clone();
        Box::pin(run_blocking("write", path, move |path| {
            write_file(path, &spilled)
        }))
    }

    fn get<'a>(
        &'a self,
        session: &'a SessionId,
        call: &'a CallAddress,
    ) -> BoxFuture<'a, Result<Option<SpilledResult>, SpillError>> {
        let path = self.path(session, call);
        Box::pin(run_blocking(
            "read",
            path,
            |path| match fs::read_to_string(path) {
                Ok(text) => parse_file(text).map(Some),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(error) => Err(error),
            },
        ))
    }
}

async fn run_blocking<T: Send + 'static>(
    doing: &'static str,
    path: PathBuf,
    work: impl FnOnce(&Path) -> io::Result<T> + Send + 'static,
) -> Result<T, SpillError> {
    let place = path.display().to_string();
    let done = tokio::task::spawn_blocking(move || work(&path)).await;
    done.unwrap_or_else(|error| Err(io::Error::other(error)))
        .map_err(|source| SpillError {
            operation: doing,
            location: place,
            source,
        })
}

fn write_file(path: &Path, spilled: &SpilledResult) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        private_files::create_folder(folder)?;
    }
    let header = Header {
        tool: spilled.tool.clone(),
        source: spilled.source.clone(),
        label: Some(spilled.label.clone()),
    };
    let mut header = serde_json::to_vec(&header)?;
    header.push(b'\n');
    // The file is not synced: the model can repeat a call whose result a crash of the machine has lost.
    let file = AtomicFile::new(path, FilePermissions::OwnerOnly).without_sync();
    file.replace(&[&header, spilled.text.as_bytes()])
}

fn parse_file(mut text: String) -> io::Result<SpilledResult> {
    let Some(end) = text.find('\n') else {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "the file has no header line",
        ));
    };
    let header: Header = serde_json::from_str(&text[..end])?;
    text.drain(..=end);
    let label = header.label.unwrap_or_else(|| match &header.source {
        Some(source) => Source::web(header.tool.clone(), &**source).into(),
        None => Label::workspace(),
    });
    Ok(SpilledResult {
        tool: header.tool,
        source: header.source,
        text,
        label,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_id_leaves_the_folder_and_no_two_share_a_file() {
        assert_eq!(file_name("t1/2.0"), "t1+2.0");
        assert_eq!(file_name("../../etc/passwd"), "~2e.+..+etc+passwd");
        assert_eq!(file_name("a+b/c\\d é"), "a~2bb+c~5cd~20~c3~a9");
        assert_eq!(file_name("."), "~2e");
    }

    #[tokio::test]
    async fn a_result_comes_back_as_it_was_and_to_its_own_session_only() {
        let folder = tempfile::tempdir().expect("a folder");
        let spill = FolderSpill::new(folder.path());
        let (one, other) = (SessionId::new("one"), SessionId::new("other"));
        let call: CallAddress = "t1/1.0".parse().expect("an address");
        let spilled = SpilledResult::new("fetch", "first\nsecond\r\n\u{1f980}")
            .with_untrusted_source("https://e.org");
        assert_eq!(spill.get(&one, &call).await.expect("readable"), None);
        spill.put(&one, &call, &spilled).await.expect("writable");
        let found = spill.get(&one, &call).await.expect("readable");
        assert_eq!(found, Some(spilled));
        assert_eq!(spill.get(&other, &call).await.expect("readable"), None);
    }
}
