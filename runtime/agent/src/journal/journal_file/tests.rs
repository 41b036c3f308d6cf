//! Tests with a full disk, a failing disk, and files with damaged ends.

use std::io::{self, ErrorKind, Read as _};
use std::sync::Arc;

use super::*;
use helve_core::support::lock::Mutex;

const FORMAT: Format = Format {
    name: "test",
    version: 2,
};

/// A file in memory with limited space, on a disk that can fail.
#[derive(Debug, Clone)]
struct Disk {
    bytes: Arc<Mutex<Vec<u8>>>,
    room: usize,
    syncs: bool,
    cuts: bool,
}

impl Disk {
    fn with_room(room: usize) -> Self {
        Self {
            bytes: Arc::new(Mutex::new(line::header(FORMAT))),
            room,
            syncs: true,
            cuts: true,
        }
    }

    fn file(&self) -> JournalFile {
        let bytes = self.bytes.lock().len() as u64;
        let position = Position::new(0, bytes);
        JournalFile::from_storage(self.clone(), Path::new("test.jsonl"), position)
    }

    fn entries(&self) -> Vec<String> {
        let bytes = self.bytes.lock().clone();
        let path = Path::new("test.jsonl");
        let mut reader = JournalReader::new(&bytes[..], path, FORMAT).unwrap();
        let mut entries = Vec::new();
        while let Some(line) = reader.next_entry::<String>().unwrap() {
            entries.push(line.entry);
        }
        entries
    }
}

impl Storage for Disk {
    fn append(&mut self, more: &[u8]) -> io::Result<()> {
        let mut bytes = self.bytes.lock();
        let room = self.room.saturating_sub(bytes.len()).min(more.len());
        bytes.extend_from_slice(&more[..room]);
        let is_whole = room == more.len();
        is_whole.then_some(()).ok_or(ErrorKind::StorageFull.into())
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        works(self.cuts)?;
        self.bytes.lock().truncate(len as usize);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        works(self.syncs)
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.bytes.lock().len() as u64)
    }
}

fn works(it_does: bool) -> io::Result<()> {
    it_does.then_some(()).ok_or(io::Error::other("broken"))
}

/// Checks that nothing more is written.
fn assert_poisoned(file: &mut JournalFile) {
    let error = append(file, &["two"]).unwrap_err();
    assert!(matches!(error, JournalError::Poisoned { .. }));
}

fn append(file: &mut JournalFile, entries: &[&str]) -> Result<Position, JournalError> {
    let at = Timestamp::from_millis(0);
    file.append(entries.iter().map(|entry| (at, entry)), Durability::Synced)
}

#[test]
fn a_full_disk_leaves_the_file_at_the_last_whole_entry_wherever_the_room_ends() {
    let whole = {
        let disk = Disk::with_room(10_000);
        append(&mut disk.file(), &["one", "two"]).unwrap();
        disk.bytes.lock().len()
    };
    for room in 100..whole {
        let disk = Disk::with_room(room);
        let mut file = disk.file();
        let one = append(&mut file, &["one"]).is_ok();
        let two = append(&mut file, &["two"]);
        let expected: &[&str] = if one { &["one"] } else { &[] };
        assert_eq!(disk.entries(), expected, "room for {room} bytes");
        let error = two.unwrap_err();
        let after = expected.len() as u64;
        assert!(matches!(&error, JournalError::NotRecorded { after: seq, .. } if *seq == after));
        assert_eq!(
            error.to_string(),
            format!(
                "`test.jsonl`: an entry could not be written, and nothing was recorded after entry {after}"
            )
        );
    }
}

#[test]
fn entries_that_are_written_together_are_recorded_together_or_not_at_all() {
    let disk = Disk::with_room(180);
    let mut file = disk.file();
    append(&mut file, &["one"]).unwrap();
    append(&mut file, &["two", "three", "four"]).unwrap_err();
    assert_eq!(disk.entries(), ["one"]);
}

#[test]
fn a_journal_goes_on_when_there_is_room_again() {
    let mut disk = Disk::with_room(130);
    let mut file = disk.file();
    append(&mut file, &["one"]).unwrap();
    append(&mut file, &["two"]).unwrap_err();
    disk.room = 1_000;
    let position = file.position();
    let mut file = JournalFile::from_storage(disk.clone(), Path::new("test.jsonl"), position);
    append(&mut file, &["two"]).unwrap();
    assert_eq!(disk.entries(), ["one", "two"]);
}

#[test]
fn after_a_failed_sync_nothing_is_written_before_the_journal_is_opened_again() {
    let mut disk = Disk::with_room(1_000);
    disk.syncs = false;
    let mut file = disk.file();
    let error = append(&mut file, &["one"]).unwrap_err();
    assert!(matches!(error, JournalError::NotRecorded { after: 0, .. }));
    assert_poisoned(&mut file);
    assert!(disk.entries().is_empty());
}

#[test]
fn where_half_an_entry_cannot_be_cut_off_nothing_is_written_behind_it() {
    let mut disk = Disk::with_room(150);
    disk.cuts = false;
    let mut file = disk.file();
    append(&mut file, &["one"]).unwrap();
    append(&mut file, &["two"]).unwrap_err();
    assert_poisoned(&mut file);
    assert_eq!(disk.entries(), ["one"]);
}

#[test]
fn a_file_that_somebody_changed_all_the_same_is_not_written_to() {
    let disk = Disk::with_room(1_000);
    let mut file = disk.file();
    append(&mut file, &["one"]).unwrap();
    disk.bytes.lock().extend_from_slice(b"{}\n");
    let error = append(&mut file, &["two"]).unwrap_err();
    assert!(matches!(
        error,
        JournalError::ModifiedExternally { after: 1, .. }
    ));
    assert_poisoned(&mut file);
}

#[test]
fn an_entry_that_is_longer_than_a_line_may_be_is_refused_whole() {
    let disk = Disk::with_room(usize::MAX);
    let mut file = disk.file();
    let long = "x".repeat(MAX_LINE_BYTES);
    let error = append(&mut file, &["one", &long]).unwrap_err();
    assert!(matches!(error, JournalError::EntryTooLong { bytes } if bytes > MAX_LINE_BYTES));
    append(&mut file, &["two"]).unwrap();
    assert_eq!(disk.entries(), ["two"]);
}

#[test]
fn a_line_without_end_is_refused_without_being_read_whole() {
    // Two gibibytes that are not stored anywhere: a reader that buffered them would be noticed.
    let endless = BufReader::new(io::repeat(b'x').take(2 << 30));
    let header = line::header(FORMAT);
    let header = &header[..];
    let source = header.chain(endless);
    let mut reader = JournalReader::new(source, Path::new("test.jsonl"), FORMAT).unwrap();
    let error = reader.next_entry::<String>().unwrap_err();
    assert!(matches!(error, JournalError::LineTooLong { line: 2, .. }));
}

#[test]
fn a_file_that_is_no_journal_is_never_cut() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    for text in [
        "Dear diary",
        "Dear diary\n",
        "{\"format\":\"other\",\"version\":1}\n",
        "{\"a\":1}",
    ] {
        std::fs::write(&path, text).unwrap();
        let error = JournalFile::open::<String>(&path, FORMAT, |_| ()).unwrap_err();
        assert!(matches!(error, JournalError::WrongFormat { .. }), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
}

#[test]
fn a_newer_version_is_refused_and_an_older_one_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let version = |version| Format { version, ..FORMAT };
    let mut file = JournalFile::create(&path, version(2)).unwrap();
    append(&mut file, &["one"]).unwrap();
    drop(file);
    let open = |version| JournalFile::open::<String>(&path, version, |_| ()).map(drop);
    open(version(3)).unwrap();
    let error = open(version(1)).unwrap_err().to_string();
    assert_eq!(
        error.replace(&path.display().to_string(), "FILE"),
        "`FILE` has format version 2, and this program supports versions up to 1: use the newer version that wrote it"
    );
}

#[test]
fn two_cannot_have_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let file = JournalFile::create(&path, FORMAT).unwrap();
    let again = || JournalFile::open::<String>(&path, FORMAT, |_| ());
    assert!(matches!(again(), Err(JournalError::Locked { .. })));
    let reopened = JournalFile::reopen(&path, file.position());
    assert!(matches!(reopened, Err(JournalError::Locked { .. })));
    drop(file);
    again().unwrap();
}

#[test]
fn a_file_is_opened_again_only_as_it_was_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let mut file = JournalFile::create(&path, FORMAT).unwrap();
    let empty = file.position();
    let left = append(&mut file, &["one"]).unwrap();
    drop(file);
    let overtaken = |position| {
        let error = JournalFile::reopen(&path, position).unwrap_err();
        matches!(error, JournalError::ModifiedExternally { .. })
    };
    assert!(overtaken(empty));
    // Another entry of the same length.
    let text = std::fs::read_to_string(&path).unwrap();
    let mut other = JournalFile::create(&folder.path().join("b.jsonl"), FORMAT).unwrap();
    append(&mut other, &["two"]).unwrap();
    std::fs::copy(folder.path().join("b.jsonl"), &path).unwrap();
    assert!(overtaken(left));
    std::fs::write(&path, text).unwrap();
    let mut file = JournalFile::reopen(&path, left).unwrap();
    assert_eq!(append(&mut file, &["two"]).unwrap().seq, 2);
}
