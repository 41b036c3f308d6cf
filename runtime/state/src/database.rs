//! A state file: opened, checked, brought to the current format, and changed in transactions.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use helve_core::support::lock::Mutex;
use helve_storage::file_lock::FileLock;
use helve_storage::private_files;
use rusqlite::types::FromSql;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use crate::error::{MAX_WAIT, StateError};

/// Identifies a state file among files of SQLite: `hlve`.
const APPLICATION_ID: i32 = 0x686c_7665;

/// The changes of the schema, of which the first `user_version` have been made in a file. A released change is never
/// edited.
const MIGRATIONS: [&str; 1] = [include_str!("schema.sql")];

/// The newest format.
const FORMAT: i32 = MIGRATIONS.len() as i32;

/// The size of the largest file whose integrity is checked when the file is opened, in bytes.
const MAX_VERIFIED_BYTES: u64 = 16 << 20;

/// Held while this process creates a file. Closing a file ends the locks that the same process has through SQLite.
static CREATION: Mutex<()> = Mutex::new(());

/// A connection to a state file, which the threads of a process share.
#[derive(Debug)]
pub(crate) struct Database {
    path: PathBuf,
    connection: Mutex<SharedConnection>,
}

#[derive(Debug)]
struct SharedConnection {
    connection: Connection,
    durability: Durability,
}

/// What a committed transaction survives. None survives in part, whatever happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Durability {
    /// The end of the process. The failure of the machine can undo the latest transactions, until a durable one follows.
    Process,
    /// The failure of the machine.
    Machine,
}

impl Database {
    /// Opens a file, and creates it and its folders, without access for other users, if they do not exist. Blocks.
    pub(crate) fn open(path: &Path) -> Result<Self, StateError> {
        // A relative path could look like a URI.
        let path = &std::path::absolute(path).map_err(|error| StateError::from_io(path, error))?;
        create(path).map_err(|error| StateError::from_io(path, error))?;
        let opened = connect(path).map_err(|error| StateError::from_sqlite(path, &error));
        let connection = opened.and_then(|mut connection| {
            check(path, &connection)?;
            update(path, &mut connection)?;
            Ok(connection)
        })?;
        let durability = Durability::Machine;
        let shared = SharedConnection {
            connection,
            durability,
        };
        Ok(Self {
            path: path.clone(),
            connection: Mutex::new(shared),
        })
    }

    /// Returns the path of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads. Blocks while another thread of the process uses the connection.
    pub(crate) fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StateError> {
        let shared = self.connection.lock();
        read(&shared.connection).map_err(|error| StateError::from_sqlite(&self.path, &error))
    }

    /// Makes changes in one transaction, which no other process changes anything beside. Nothing is changed if it fails.
    pub(crate) fn write<T>(
        &self,
        durability: Durability,
        write: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StateError> {
        let mut shared = self.connection.lock();
        let written = shared.set_durability(durability).and_then(|()| {
            let begin = TransactionBehavior::Immediate;
            let transaction = shared.connection.transaction_with_behavior(begin)?;
            let written = write(&transaction)?;
            transaction.commit()?;
            Ok(written)
        });
        written.map_err(|error| StateError::from_sqlite(&self.path, &error))
    }
}

impl SharedConnection {
    fn set_durability(&mut self, durability: Durability) -> rusqlite::Result<()> {
        if self.durability != durability {
            let level = match durability {
                Durability::Process => "NORMAL",
                Durability::Machine => "FULL",
            };
            self.connection.pragma_update(None, "synchronous", level)?;
            self.durability = durability;
        }
        Ok(())
    }
}

/// Creates an empty file if there is none. SQLite would create it with access for other users.
fn create(path: &Path) -> std::io::Result<()> {
    let _creating = CREATION.lock();
    if path.exists() {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        private_files::create_folder(folder)?;
    }
    let created = private_files::options()
        .write(true)
        .create_new(true)
        .open(path);
    match created {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let _creating = CREATION.lock();
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(MAX_WAIT)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    Ok(connection)
}

/// Checks that a file is a state file, or empty, and that it is intact. Changes nothing.
fn check(path: &Path, connection: &Connection) -> Result<(), StateError> {
    let sqlite = |error| StateError::from_sqlite(path, &error);
    let damaged = |source| StateError::Damaged {
        path: path.to_owned(),
        source,
    };
    // One state of the file, also while another process creates it.
    let reading = connection.unchecked_transaction().map_err(sqlite)?;
    let application = pragma(&reading, "application_id").map_err(sqlite)?;
    let format = pragma(&reading, "user_version").map_err(sqlite)?;
    if application == APPLICATION_ID && format > FORMAT {
        let (path, found, known) = (path.to_owned(), format, FORMAT);
        return Err(StateError::Newer { path, found, known });
    }
    let tables: i64 = query(&reading, "SELECT count(*) FROM sqlite_schema").map_err(sqlite)?;
    let is_empty = application == 0 && format == 0 && tables == 0;
    if application != APPLICATION_ID && !is_empty {
        return Err(damaged(None));
    }
    let file = fs::metadata(path).map_err(|error| StateError::from_io(path, error))?;
    if file.len() <= MAX_VERIFIED_BYTES {
        let found: String = query(&reading, "PRAGMA quick_check(1)").map_err(sqlite)?;
        if found != "ok" {
            // The lines before name the database.
            let last = found.lines().last().unwrap_or_default();
            return Err(damaged(Some(last.into())));
        }
    }
    Ok(())
}

/// Brings a file to the current format, under a lock of its folder: SQLite does not wait for other processes where it
/// changes the mode of the journal.
fn update(path: &Path, connection: &mut Connection) -> Result<(), StateError> {
    let sqlite = |error| StateError::from_sqlite(path, &error);
    let wanted = if is_on_network(path) { "delete" } else { "wal" };
    if is_current(connection, wanted).map_err(sqlite)? {
        return Ok(());
    }
    let _lock = FileLock::lock_parent_of(path).map_err(|error| StateError::from_io(path, error))?;
    // A file system without shared memory keeps its mode, which works as well.
    let _: String = connection
        .pragma_update_and_check(None, "journal_mode", wanted, |row| row.get(0))
        .map_err(sqlite)?;
    migrate(connection).map_err(sqlite)
}

fn is_current(connection: &Connection, journal: &str) -> rusqlite::Result<bool> {
    let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
    Ok(mode == journal && pragma(connection, "user_version")? == FORMAT)
}

fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let made = usize::try_from(pragma(&transaction, "user_version")?).unwrap_or_default();
    for change in MIGRATIONS.iter().skip(made) {
        transaction.execute_batch(change)?;
    }
    if made < MIGRATIONS.len() {
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", FORMAT)?;
    }
    transaction.commit()
}

fn query<T: FromSql>(connection: &Connection, query: &str) -> rusqlite::Result<T> {
    connection.query_row(query, (), |row| row.get(0))
}

fn pragma(connection: &Connection, name: &str) -> rusqlite::Result<i32> {
    connection.pragma_query_value(None, name, |row| row.get(0))
}

/// Returns whether a file is on a file system of another machine or in user space. The write-ahead log needs memory
/// that all processes share; the rollback journal needs locks alone.
#[cfg(target_os = "linux")]
fn is_on_network(path: &Path) -> bool {
    /// NFS, SMB, SMB2, CIFS, AFS, Ceph, Lustre, GPFS, 9P, Coda, FUSE, from `statfs(2)`.
    const MAGIC: [u32; 11] = [
        0x6969,
        0x517b,
        0xfe53_4d42,
        0xff53_4d42,
        0x5346_414f,
        0x00c3_6400,
        0x0bd0_0bd0,
        0x4750_4653,
        0x0102_1997,
        0x7375_7245,
        0x6573_5546,
    ];
    rustix::fs::statfs(path).is_ok_and(|found| MAGIC.contains(&(found.f_type as u32)))
}

#[cfg(not(target_os = "linux"))]
fn is_on_network(_: &Path) -> bool {
    false
}
