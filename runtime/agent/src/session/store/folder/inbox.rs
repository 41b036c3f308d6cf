//! The drop folder of a session: what other processes leave for the one that has it.
//!
//! A posting is a file named after its call, `t1%2F2.0.json` for `t1/2.0`. It appears whole or not at all, and a second
//! one for the same call is refused while the first has not been picked up. What is no posting goes to the folder
//! `refused`, with a file beside it that says why.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::session::{Posting, ReceivedPosting, SessionError};
use helve_core::transcript::CallAddress;
use helve_storage::atomic_file::{AtomicFile, FilePermissions};
use helve_storage::private_files;

/// The version of a posting's form.
const ENVELOPE_VERSION: u32 = 1;
/// The longest posting.
const MAX_POSTING_BYTES: u64 = 16 << 20;
/// How many postings are looked at in one go.
const MAX_POSTINGS: usize = 1_000;
/// The longest name that fits everywhere, with what is put around it.
const MAX_NAME_BYTES: usize = 200;
/// Where what is no posting goes.
const REJECTED_FOLDER: &str = "refused";

/// A posting as it stands in a file.
#[derive(Serialize, Deserialize)]
struct Envelope<P> {
    version: u32,
    #[serde(flatten)]
    posting: P,
}

/// Whether the rest can be read.
#[derive(Deserialize)]
struct EnvelopeVersion {
    version: u32,
}

pub(super) fn post(folder: &Path, posting: &Posting) -> Result<(), SessionError> {
    let name = file_name(posting.call())?;
    let failed = || SessionError::io(folder, "write to");
    let envelope = Envelope {
        version: ENVELOPE_VERSION,
        posting,
    };
    let mut text = serde_json::to_vec(&envelope).map_err(|error| failed()(error.into()))?;
    text.push(b'\n');
    let path = folder.join(name);
    let written = private_files::create_folder(folder)
        .and_then(|()| AtomicFile::new(&path, FilePermissions::OwnerOnly).create(&[&text]));
    match written {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let call = posting.call().clone();
            Err(SessionError::AlreadyPosted { call })
        }
        Err(error) => Err(failed()(error)),
    }
}

/// Reads what was left. What is no posting is put aside, and stops nothing.
pub(super) fn read_postings(folder: &Path) -> Result<Vec<ReceivedPosting>, SessionError> {
    let files = match fs::read_dir(folder) {
        Ok(files) => files,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(SessionError::io(folder, "read")(error)),
    };
    let mut posted = Vec::new();
    for file in files.flatten().take(MAX_POSTINGS) {
        let name = file.file_name();
        // One that is being written, and what was put aside.
        if name.as_encoded_bytes().starts_with(b".") || name == REJECTED_FOLDER {
            continue;
        }
        match read_posting(&folder.join(&name), &name) {
            Ok(Some(posting)) => posted.push(ReceivedPosting {
                posting,
                location: name.to_string_lossy().into_owned(),
            }),
            Ok(None) => {}
            Err(reason) => set_aside(folder, &name, &reason),
        }
    }
    posted.sort_by(|one, other| one.posting.call().cmp(other.posting.call()));
    Ok(posted)
}

/// Reads a posting, or says why it is none; nothing if it is gone.
fn read_posting(path: &Path, name: &OsStr) -> Result<Option<Posting>, String> {
    let said = |error: io::Error| error.to_string();
    // Neither a link to something else nor a pipe that never ends.
    let metadata = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        metadata => metadata.map_err(said)?,
    };
    if !metadata.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    let mut text = Vec::new();
    let file = File::open(path).map_err(said)?;
    file.take(MAX_POSTING_BYTES + 1)
        .read_to_end(&mut text)
        .map_err(said)?;
    if text.len() as u64 > MAX_POSTING_BYTES {
        return Err(format!("it has more than {MAX_POSTING_BYTES} bytes"));
    }
    let EnvelopeVersion { version } =
        serde_json::from_slice(&text).map_err(|error| format!("it is not a posting: {error}"))?;
    if version != ENVELOPE_VERSION {
        return Err(format!(
            "unsupported version {version}: expected {ENVELOPE_VERSION}"
        ));
    }
    let Envelope { posting, .. } = serde_json::from_slice::<Envelope<Posting>>(&text)
        .map_err(|error| format!("it is not a posting: {error}"))?;
    match file_name(posting.call()) {
        Ok(right) if *name == *right => Ok(Some(posting)),
        _ => Err(format!(
            "the file name does not match the call `{}`",
            posting.call()
        )),
    }
}

/// Takes a posting away: it is in the journal now, or it is refused.
pub(super) fn clear_posting(
    folder: &Path,
    posted: &ReceivedPosting,
    refused: Option<&str>,
) -> Result<(), SessionError> {
    if let Some(reason) = refused {
        set_aside(folder, OsStr::new(&posted.location), reason);
        return Ok(());
    }
    let path = folder.join(&posted.location);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(SessionError::io(path, "remove")(error))
        }
        _ => Ok(()),
    }
}

/// Puts something aside with the reason. Where even that fails it stays, and is refused again when it is seen again.
fn set_aside(folder: &Path, name: &OsStr, reason: &str) {
    let refused = folder.join(REJECTED_FOLDER);
    let moved = private_files::create_folder(&refused).and_then(|()| {
        let target = refused.join(name);
        fs::rename(folder.join(name), &target)?;
        let mut why = target.into_os_string();
        why.push(".why");
        fs::write(why, format!("{reason}\n"))
    });
    let file = folder.join(name);
    tracing::warn!(file = %file.display(), reason, ?moved, "moved an invalid posting");
}

pub(super) fn remove(folder: &Path) -> Result<(), SessionError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(SessionError::io(folder, "remove")(error))
        }
        _ => Ok(()),
    }
}

/// Returns the name of the file for a call. Two calls never share one, even where the case of a letter does not count.
fn file_name(call: &CallAddress) -> Result<String, SessionError> {
    let mut name = String::new();
    for byte in call.to_string().bytes() {
        let is_plain = byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte);
        // A leading full stop would hide the file, and two would lead out of the folder.
        if is_plain || (byte == b'.' && !name.is_empty()) {
            name.push(char::from(byte));
        } else {
            name.push_str(&format!("%{byte:02x}"));
        }
    }
    if name.len() > MAX_NAME_BYTES {
        return Err(SessionError::AddressTooLong { call: call.clone() });
    }
    Ok(name + ".json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_has_a_file_of_its_own() {
        let name = |text: &str| file_name(&text.parse().unwrap()).unwrap();
        assert_eq!(name("t1/2.0"), "t1%2f2.0.json");
        assert_eq!(name("t1/2.0/1.0"), "t1%2f2.0%2f1.0.json");
        assert_eq!(name("T1/2.0"), "%541%2f2.0.json");
        assert_eq!(name("../../etc/2.0"), "%2e.%2f..%2fetc%2f2.0.json");
        assert_eq!(name("a%2f/2.0"), "a%252f%2f2.0.json");
        let long: CallAddress = format!("{}/1.0", "t".repeat(300)).parse().unwrap();
        assert!(matches!(
            file_name(&long),
            Err(SessionError::AddressTooLong { .. })
        ));
    }
}
