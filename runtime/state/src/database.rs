//! A file of SQLite: opened, checked, brought to the current format, and changed in transactions.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use helve_core::support::lock::Mutex;
use helve_storage::file_lock::FileLock;
use helve_storage::private_files;
use rusqlite::config::DbConfig;
use rusqlite::types::FromSql;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use crate::error::{MAX_WAIT, StateError};

/// A kind of file: what identifies it, and how its tables are made.
#[derive(Debug, Clone, Copy)]
pub struct FileFormat {
    /// Identifies the kind of file among files of SQLite.
    pub application_id: i32,
    /// The changes of the schema, of which the first `user_version` have been made in a file. A released change is never
    /// edited.
    pub migrations: &'static [&'static str],
}

impl FileFormat {
    /// The state file: `hlve`.
    pub(crate) const STATE: Self = Self {
        application_id: 0x686c_7665,
        migrations: &[include_str!("schema.sql"), include_str!("records.sql")],
    };

    /// Returns the newest format.
    fn version(&self) -> i32 {
        i32::try_from(self.migrations.len()).unwrap_or(i32::MAX)
    }
}

/// The size of the largest file whose integrity is checked when the file is opened, in bytes.
const MAX_VERIFIED_BYTES: u64 = 16 << 20;

/// Held while this process creates a file. Closing a file ends the locks that the same process has through SQLite.
static CREATION: Mutex<()> = Mutex::new(());

/// A connection to a file of SQLite, which the threads of a process share and several processes may change at once.
#[derive(Debug)]
pub struct Database {
    path: PathBuf,
    format: FileFormat,
    connection: Mutex<SharedConnection>,
}

#[derive(Debug)]
struct SharedConnection {
    connection: Connection,
    durability: Durability,
}

/// What a committed transaction survives. None survives in part, whatever happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// The end of the process. The failure of the machine can undo the latest transactions, until a durable one follows.
    Process,
    /// The failure of the machine.
    Machine,
}

impl Durability {
    fn level(self) -> &'static str {
        match self {
            Self::Process => "NORMAL",
            Self::Machine => "FULL",
        }
    }
}

impl Database {
    /// Opens a file, and creates it and its folders, without access for other users, if they do not exist. Blocks.
    ///
    /// # Errors
    /// Fails if the file cannot be opened, is damaged, is of another kind or of a newer format. The file is then
    /// unchanged.
    pub fn open(path: &Path, format: FileFormat) -> Result<Self, StateError> {
        Self::open_with(path, format, |path, connection| {
            check(path, connection, format)
        })
    }

    /// Opens a file as [`Database::open`] does, but one that is damaged becomes an empty one. For files that are made
    /// from others, such as an index: whatever the file holds is lost.
    ///
    /// # Errors
    /// Fails if the file cannot be opened or written, or is of a newer format.
    pub fn open_or_reset(path: &Path, format: FileFormat) -> Result<Self, StateError> {
        Self::open_with(path, format, |path, connection| {
            match check(path, connection, format) {
                Err(StateError::Damaged { .. }) => reset(connection),
                checked => return checked,
            }
            .map_err(|error| StateError::from_sqlite(path, &error))
        })
    }

    fn open_with(
        path: &Path,
        format: FileFormat,
        check: impl FnOnce(&Path, &Connection) -> Result<(), StateError>,
    ) -> Result<Self, StateError> {
        // A relative path could look like a URI.
        let path = &std::path::absolute(path).map_err(|error| StateError::from_io(path, error))?;
        create(path).map_err(|error| StateError::from_io(path, error))?;
        let sqlite = |error| StateError::from_sqlite(path, &error);
        let mut connection = connect(path).map_err(sqlite)?;
        check(path, &connection)?;
        let durability = Durability::Machine;
        connection
            .pragma_update(None, "synchronous", durability.level())
            .map_err(sqlite)?;
        update(path, &mut connection, format)?;
        let shared = SharedConnection {
            connection,
            durability,
        };
        Ok(Self {
            path: path.clone(),
            format,
            connection: Mutex::new(shared),
        })
    }

    /// Makes the file an empty one of its format in one step, also where it is damaged. Blocks.
    ///
    /// # Errors
    /// Fails if the file cannot be written. It is then unchanged.
    pub fn reset(&self) -> Result<(), StateError> {
        let mut shared = self.connection.lock();
        let sqlite = |error| StateError::from_sqlite(&self.path, &error);
        reset(&shared.connection).map_err(sqlite)?;
        update(&self.path, &mut shared.connection, self.format)
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads. Blocks while another thread of the process uses the connection.
    ///
    /// # Errors
    /// Fails if the closure does, with the error of SQLite as one of the file.
    pub fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StateError> {
        let shared = self.connection.lock();
        read(&shared.connection).map_err(|error| StateError::from_sqlite(&self.path, &error))
    }

    /// Makes changes in one transaction, which no other process changes anything beside. Nothing is changed if it fails.
    ///
    /// # Errors
    /// Fails if the closure does, or if the file cannot be written.
    pub fn write<T>(
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
            self.connection
                .pragma_update(None, "synchronous", durability.level())?;
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
    Ok(connection)
}

/// Empties a file, which may be damaged.
fn reset(connection: &Connection) -> rusqlite::Result<()> {
    // A connection that has read the schema, or has tried to, keeps the mode of the journal.
    let _ = query::<i64>(connection, "SELECT count(*) FROM sqlite_schema");
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_RESET_DATABASE, true)?;
    let emptied = connection.execute_batch("VACUUM");
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_RESET_DATABASE, false)?;
    emptied
}

/// Checks that a file is of a format, or empty, and that it is intact. Changes nothing.
fn check(path: &Path, connection: &Connection, wanted: FileFormat) -> Result<(), StateError> {
    let sqlite = |error| StateError::from_sqlite(path, &error);
    let damaged = |source| StateError::Damaged {
        path: path.to_owned(),
        source,
    };
    // One state of the file, also while another process creates it.
    let reading = connection.unchecked_transaction().map_err(sqlite)?;
    let application = pragma(&reading, "application_id").map_err(sqlite)?;
    let format = pragma(&reading, "user_version").map_err(sqlite)?;
    if application == wanted.application_id && format > wanted.version() {
        let (path, found, known) = (path.to_owned(), format, wanted.version());
        return Err(StateError::Newer { path, found, known });
    }
    let tables: i64 = query(&reading, "SELECT count(*) FROM sqlite_schema").map_err(sqlite)?;
    let is_empty = application == 0 && format == 0 && tables == 0;
    if application != wanted.application_id && !is_empty {
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
fn update(path: &Path, connection: &mut Connection, format: FileFormat) -> Result<(), StateError> {
    let sqlite = |error| StateError::from_sqlite(path, &error);
    let wanted = if is_on_network(path) { "delete" } else { "wal" };
    if is_current(connection, wanted, format).map_err(sqlite)? {
        return Ok(());
    }
    let _lock = FileLock::lock_parent_of(path).map_err(|error| StateError::from_io(path, error))?;
    // A file system without shared memory keeps its mode, which works as well.
    let _: String = connection
        .pragma_update_and_check(None, "journal_mode", wanted, |row| row.get(0))
        .map_err(sqlite)?;
    migrate(connection, format).map_err(sqlite)
}

fn is_current(
    connection: &Connection,
    journal: &str,
    format: FileFormat,
) -> rusqlite::Result<bool> {
    let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
    Ok(mode == journal && pragma(connection, "user_version")? == format.version())
}

fn migrate(connection: &mut Connection, format: FileFormat) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let made = usize::try_from(pragma(&transaction, "user_version")?).unwrap_or_default();
    for change in format.migrations.iter().skip(made) {
        transaction.execute_batch(change)?;
    }
    if made < format.migrations.len() {
        transaction.pragma_update(None, "application_id", format.application_id)?;
        transaction.pragma_update(None, "user_version", format.version())?;
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
