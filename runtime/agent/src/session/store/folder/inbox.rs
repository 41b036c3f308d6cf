//! The drop folder of a session: postings of other processes for the process that holds the session.
//!
//! A posting is a file named after its call, `t1%2F2.0.json` for `t1/2.0`; what is said has `+say-` and its id as its
//! name, and a request to stop `+stop-` and its turn. The file appears atomically, and a second
//! posting for the same call is refused while the first one is pending. Files that are not valid postings are moved to
//! the folder `refused`, each with a file beside it that contains the reason.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::Path;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::session::{
    Posting, PostingHeader, PostingReceipt, PostingTarget, ReceivedPosting, SessionError,
};
use helve_storage::atomic_file::{AtomicFile, FilePermissions};
use helve_storage::private_files;

/// The version of the file format of a posting.
const ENVELOPE_VERSION: u32 = 1;
/// The maximum size of a posting, in bytes.
const MAX_POSTING_BYTES: u64 = 16 << 20;
/// The maximum number of postings that are read at once.
const MAX_POSTINGS: usize = 1_000;
/// The maximum length of a name in bytes, so that the name with its prefix and suffix is valid on every system.
const MAX_NAME_BYTES: usize = 200;
/// The name of the folder for rejected files.
const REJECTED_FOLDER: &str = "refused";

/// The beginning of the names of the files of what is said.
const SAID: &str = "+say-";

/// The name of the file with the receipts of accepted postings, one a line.
const RECEIPTS_FILE: &str = ".receipts.jsonl";

/// The contents of the file of a posting. The fields of the header are missing in files of older programs.
#[derive(Serialize, Deserialize)]
struct Envelope<P, H> {
    version: u32,
    #[serde(flatten)]
    header: H,
    #[serde(flatten)]
    posting: P,
}

/// The version of a file, which decides whether the rest can be read.
#[derive(Deserialize)]
struct EnvelopeVersion {
    version: u32,
}

pub(super) fn post(
    folder: &Path,
    posting: &Posting,
    header: &PostingHeader,
) -> Result<(), SessionError> {
    let name = file_name(&posting.target())?;
    let failed = || SessionError::io(folder, "write to");
    let envelope = Envelope {
        version: ENVELOPE_VERSION,
        header,
        posting,
    };
    let mut text = serde_json::to_vec(&envelope).map_err(|error| failed()(error.into()))?;
    text.push(b'\n');
    let path = folder.join(name);
    let written = private_files::create_folder(folder)
        .and_then(|()| AtomicFile::new(&path, FilePermissions::OwnerOnly).create(&[&text]));
    match written {
        Ok(()) => {
            announce(folder);
            Ok(())
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let target = posting.target();
            let name = path.file_name().unwrap_or_default();
            let first = read_posting(&path, name).ok().flatten();
            let first = first.map(|(_, header)| Box::new(header));
            Err(SessionError::AlreadyPosted { target, first })
        }
        Err(error) => Err(failed()(error)),
    }
}

/// Changes the time of the drop folder, so that a process which watches the folder of the store, and not the drop
/// folders in it, learns of the posting.
fn announce(folder: &Path) {
    let announced = File::open(folder).and_then(|folder| folder.set_modified(SystemTime::now()));
    if let Err(error) = announced {
        // Processes also look without notices, less often.
        tracing::debug!(%error, folder = %folder.display(), "a posting could not be announced");
    }
}

/// Reads the postings. Invalid ones are set aside, and do not cause an error.
pub(super) fn read_postings(folder: &Path) -> Result<Vec<ReceivedPosting>, SessionError> {
    let files = match fs::read_dir(folder) {
        Ok(files) => files,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(SessionError::io(folder, "read")(error)),
    };
    let names = files.flatten().map(|file| file.file_name());
    // A file that is being written, and the folder of rejected files.
    let mut names: Vec<_> = names
        .filter(|name| !starts_with(name, ".") && name != REJECTED_FOLDER)
        .collect();
    // However much is said, an answer and a request to stop are read.
    names.sort_by_cached_key(|name| starts_with(name, SAID));
    let mut posted = Vec::new();
    for name in names.into_iter().take(MAX_POSTINGS) {
        match read_posting(&folder.join(&name), &name) {
            Ok(Some((posting, header))) => {
                let received = ReceivedPosting::new(posting, name.to_string_lossy());
                posted.push(received.with_header(header));
            }
            Ok(None) => {}
            Err(reason) => set_aside(folder, &name, &reason),
        }
    }
    posted.sort_by_cached_key(ReceivedPosting::order);
    Ok(posted)
}

fn starts_with(name: &OsStr, prefix: &str) -> bool {
    name.as_encoded_bytes().starts_with(prefix.as_bytes())
}

/// Reads a posting, or returns the reason why the file is not one; `None` if the file is gone.
fn read_posting(path: &Path, name: &OsStr) -> Result<Option<(Posting, PostingHeader)>, String> {
    let said = |error: io::Error| error.to_string();
    // Neither symbolic links nor pipes, which may never end, are read.
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
    let envelope = serde_json::from_slice::<Envelope<Posting, PostingHeader>>(&text);
    let Envelope {
        posting, header, ..
    } = envelope.map_err(|error| format!("it is not a posting: {error}"))?;
    match file_name(&posting.target()) {
        Ok(right) if *name == *right => Ok(Some((posting, header))),
        _ => Err(format!(
            "the file name does not match the call `{}`",
            posting.target()
        )),
    }
}

/// Removes a posting: it is in the journal now, or it is rejected.
pub(super) fn clear_posting(
    folder: &Path,
    posted: &ReceivedPosting,
    refused: Option<&str>,
) -> Result<(), SessionError> {
    if let Some(reason) = refused {
        set_aside(folder, OsStr::new(&posted.location), reason);
        return Ok(());
    }
    if let Some(receipt) = PostingReceipt::from_posting(posted) {
        // The receipt comes first, so that a crash in between cannot lose it.
        keep_receipt(folder, &receipt).map_err(SessionError::io(folder, "write to"))?;
    }
    let path = folder.join(&posted.location);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(SessionError::io(path, "remove")(error))
        }
        _ => Ok(()),
    }
}

fn keep_receipt(folder: &Path, receipt: &PostingReceipt) -> io::Result<()> {
    let mut line = serde_json::to_vec(receipt)?;
    line.push(b'\n');
    let mut options: OpenOptions = private_files::options();
    let mut file = options
        .create(true)
        .append(true)
        .open(folder.join(RECEIPTS_FILE))?;
    file.write_all(&line)
}

/// Reads the receipts of the accepted postings. A line that was written halfway is passed over.
pub(super) fn receipts(folder: &Path) -> Result<Vec<PostingReceipt>, SessionError> {
    let path = folder.join(RECEIPTS_FILE);
    let text = match fs::read(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(SessionError::io(path, "read")(error)),
    };
    let lines = text.split(|byte| *byte == b'\n');
    Ok(lines
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect())
}

/// Sets a file aside with the reason. If that fails, the file stays, and is rejected again when it is next read.
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

/// Returns the file name for what a posting is about. No two share a name, even on file systems that ignore case.
fn file_name(target: &PostingTarget) -> Result<String, SessionError> {
    // The plus sign is escaped in the rest of a name.
    let mut name = String::from(match target {
        PostingTarget::Call(_) => "",
        PostingTarget::Say(_) => SAID,
        PostingTarget::Stop(_) => "+stop-",
    });
    for byte in target.to_string().bytes() {
        let is_plain = byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte);
        // A leading full stop would hide the file, and two would refer to the parent folder.
        if is_plain || (byte == b'.' && !name.is_empty()) {
            name.push(char::from(byte));
        } else {
            name.push_str(&format!("%{byte:02x}"));
        }
    }
    if name.len() > MAX_NAME_BYTES {
        let target = target.clone();
        return Err(SessionError::AddressTooLong { target });
    }
    Ok(name + ".json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_has_a_file_of_its_own() {
        let call = |text: &str| PostingTarget::Call(text.parse().unwrap());
        let name = |text: &str| file_name(&call(text)).unwrap();
        assert_eq!(name("t1/2.0"), "t1%2f2.0.json");
        assert_eq!(name("t1/2.0/1.0"), "t1%2f2.0%2f1.0.json");
        assert_eq!(name("T1/2.0"), "%541%2f2.0.json");
        assert_eq!(name("../../etc/2.0"), "%2e.%2f..%2fetc%2f2.0.json");
        assert_eq!(name("a%2f/2.0"), "a%252f%2f2.0.json");
        let note = |id: &str| file_name(&PostingTarget::Say(id.to_owned())).unwrap();
        assert_eq!(note("n1"), "+say-n1.json");
        assert_ne!(name("+say-n1/1.0"), note("n1/1.0"));
        assert_eq!(
            file_name(&PostingTarget::Stop("t1".into())).unwrap(),
            "+stop-t1.json"
        );
        let long = call(&format!("{}/1.0", "t".repeat(300)));
        assert!(matches!(
            file_name(&long),
            Err(SessionError::AddressTooLong { .. })
        ));
    }

    #[test]
    fn however_much_is_said_an_answer_and_a_request_to_stop_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let stop = Posting::stop("t1".into());
        post(folder.path(), &stop, &PostingHeader::new()).unwrap();
        for number in 0..3 * MAX_POSTINGS {
            let note = format!(
                r#"{{"version":1,"type":"say","note":{{"source":"user","id":"{number}","text":"a"}},"delivery":"now"}}"#
            );
            fs::write(folder.path().join(format!("+say-{number}.json")), note).unwrap();
        }
        let read = read_postings(folder.path()).unwrap();
        assert_eq!(read.len(), MAX_POSTINGS);
        assert!(read.iter().any(|posted| posted.posting == stop));
    }
}
