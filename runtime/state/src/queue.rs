//! A queue of work that several processes claim.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rusqlite::types::Type;
use rusqlite::{Row, Transaction, params, params_from_iter};
use serde_json::Value;

use crate::database::{Database, Durability, FileFormat};
use crate::error::StateError;
use crate::time::{from_millis, lease_end, to_millis};
use crate::work::{Claim, ClaimedWork, NewWork, Put, WorkEntry};

/// A queue of work in a state file, from which several processes claim, each work by one at a time.
///
/// A claim is a lease: it ends by itself unless it is renewed, so that work of a process that died is claimed again. Each
/// claim of a work has an epoch of its own, and what an earlier holder says of the work is refused. Work therefore runs at
/// least once, and its effects have to be idempotent, or to be refused by the epoch.
///
/// New work survives the failure of the machine. Claims, and what follows from them, survive the end of the process: after
/// a failure of the machine, work that had just been finished may run again.
///
/// All calls block, for five seconds at most where another process writes. The clones of a queue share a connection.
///
/// ```
/// use std::time::{Duration, SystemTime};
/// use helve::state::{Claim, NewWork, Put, WorkQueue};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("state.db");
/// let queue = WorkQueue::open(&path)?;
/// let now = SystemTime::now();
/// let report = NewWork {
///     kind: "report".to_owned(),
///     key: "2026-11".to_owned(),
///     due: now,
///     payload: serde_json::json!({"pages": 3}),
/// };
/// assert_eq!(queue.put(&report)?, Put::Added);
/// assert_eq!(queue.put(&report)?, Put::Present);
///
/// let claim = Claim {
///     kinds: vec!["report".to_owned()],
///     owner: "worker 1".to_owned(),
///     lease: Duration::from_secs(60),
///     now,
///     most: 10,
/// };
/// let claimed = queue.claim(&claim)?;
/// assert_eq!(claimed[0].payload["pages"], 3);
/// assert!(queue.claim(&claim)?.is_empty());
/// assert!(queue.finish(&claimed[0])?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct WorkQueue {
    database: Arc<Database>,
}

impl WorkQueue {
    /// The length of the longest kind and of the longest key, in bytes.
    pub const MAX_KEY_BYTES: usize = 1024;

    /// The size of the largest payload, as JSON: 1 MiB.
    pub const MAX_PAYLOAD_BYTES: usize = 1 << 20;

    /// Opens the queue in the state file at `path`. The file and its folders are created if they do not exist, without
    /// access for other users.
    ///
    /// # Errors
    /// Fails if the file cannot be opened or written, is damaged or is of a newer format. The file is then unchanged.
    pub fn open(path: &Path) -> Result<Self, StateError> {
        let database = Arc::new(Database::open(path, FileFormat::STATE)?);
        Ok(Self { database })
    }

    /// Returns the path of the state file.
    pub fn path(&self) -> &Path {
        self.database.path()
    }

    pub(crate) fn database(&self) -> Arc<Database> {
        Arc::clone(&self.database)
    }

    /// Puts work into the queue, unless the queue has work of its kind and key, claimed or not. Finished and removed work
    /// is not remembered.
    ///
    /// # Errors
    /// Fails if a part of the work is too long or the kind or the key is empty, and if the file cannot be written.
    pub fn put(&self, work: &NewWork) -> Result<Put, StateError> {
        let put = self.put_all(std::slice::from_ref(work))?;
        Ok(put.first().copied().unwrap_or(Put::Present))
    }

    /// Puts several works into the queue in one step, as [`WorkQueue::put`] does each, and returns what it did with each.
    ///
    /// # Errors
    /// Fails as [`WorkQueue::put`] does; then none of the works is put.
    pub fn put_all(&self, all: &[NewWork]) -> Result<Vec<Put>, StateError> {
        let payloads = payloads(all)?;
        self.database.write(Durability::Machine, |transaction| {
            insert_works(transaction, all, payloads)
        })
    }

    /// Resets the times of all works of a kind, such as after the clock was set back: those that no owner holds are due, and
    /// the claims of the others end at the latest a lease after `now`, unless they are renewed. Returns how many works there
    /// are.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn reset_times(
        &self,
        kind: &str,
        lease: Duration,
        now: SystemTime,
    ) -> Result<usize, StateError> {
        let (due, end) = (to_millis(now), lease_end(now, lease));
        self.database.write(Durability::Process, |transaction| {
            transaction.execute(
                "UPDATE work SET due = iif(holder IS NULL, min(due, ?2), due),
                     ready = min(ready, iif(holder IS NULL, ?2, ?3)) WHERE kind = ?1",
                params![kind, due, end],
            )
        })
    }

    /// Claims work that is due and has no holder, or a holder whose lease has ended; that which has waited longest comes
    /// first.
    ///
    /// # Errors
    /// Fails if the file cannot be read or written.
    pub fn claim(&self, claim: &Claim) -> Result<Vec<ClaimedWork>, StateError> {
        // Processes look much more often than they find something, and reading locks out none of the others.
        if claim.most == 0 || !self.is_due(&claim.kinds, claim.now)? {
            return Ok(Vec::new());
        }
        let claim_all = |transaction: &Transaction<'_>| claim_in(transaction, claim);
        self.database.write(Durability::Process, claim_all)
    }

    fn is_due(&self, kinds: &[String], now: SystemTime) -> Result<bool, StateError> {
        let kinds_in = vec!["?"; kinds.len()].join(", ");
        let exists = format!(
            "SELECT EXISTS (SELECT 1 FROM work WHERE ready <= {} AND kind IN ({kinds_in}))",
            to_millis(now)
        );
        self.database.read(|connection| {
            connection.query_row(&exists, params_from_iter(kinds), |row| row.get(0))
        })
    }

    /// Extends the lease of a claim until `lease` after `now`, and returns whether the claim still holds. Where it does
    /// not, another owner may be at work, and the caller stops.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn renew(
        &self,
        work: &ClaimedWork,
        lease: Duration,
        now: SystemTime,
    ) -> Result<bool, StateError> {
        let renew =
            "UPDATE work SET ready = ?3 WHERE id = ?1 AND epoch = ?2 AND holder IS NOT NULL";
        self.change(work, renew, Some(lease_end(now, lease)))
    }

    /// Removes work that is done, and returns whether the claim still held. Where it did not, nothing is changed.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn finish(&self, work: &ClaimedWork) -> Result<bool, StateError> {
        let finish = "DELETE FROM work WHERE id = ?1 AND epoch = ?2 AND holder IS NOT NULL";
        self.change(work, finish, None)
    }

    /// Gives work back, to be claimed from `due` on, and returns whether the claim still held. Where it did not, nothing
    /// is changed.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn release(&self, work: &ClaimedWork, due: SystemTime) -> Result<bool, StateError> {
        let release = "UPDATE work SET holder = NULL, due = ?3, ready = ?3
             WHERE id = ?1 AND epoch = ?2 AND holder IS NOT NULL";
        self.change(work, release, Some(to_millis(due)))
    }

    fn change(
        &self,
        work: &ClaimedWork,
        change: &str,
        time: Option<i64>,
    ) -> Result<bool, StateError> {
        let changed = self.database.write(Durability::Process, |transaction| {
            let epoch = work.epoch.cast_signed();
            match time {
                Some(time) => transaction.execute(change, params![work.id, epoch, time]),
                None => transaction.execute(change, params![work.id, epoch]),
            }
        })?;
        Ok(changed == 1)
    }

    /// Removes work, claimed or not, and returns whether the queue had it. Its holder notices when it renews its claim.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn remove(&self, kind: &str, key: &str) -> Result<bool, StateError> {
        let removed = self.database.write(Durability::Machine, |transaction| {
            transaction.execute("DELETE FROM work WHERE kind = ?1 AND key = ?2", [kind, key])
        })?;
        Ok(removed == 1)
    }

    /// Lists the work of a kind, or of all kinds, in the order in which it was put.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn list(&self, kind: Option<&str>) -> Result<Vec<WorkEntry>, StateError> {
        self.database.read(|connection| {
            let mut rows = connection.prepare(
                "SELECT id, kind, key, payload, epoch, due, ready, holder FROM work
                 WHERE ?1 IS NULL OR kind = ?1 ORDER BY id",
            )?;
            rows.query_map([kind], read_entry)?.collect()
        })
    }
}

/// Checks new works, and returns their payloads as JSON.
pub(crate) fn payloads(works: &[NewWork]) -> Result<Vec<String>, StateError> {
    works.iter().map(check_length).collect()
}

/// Adds works that are not there.
pub(crate) fn insert_works(
    transaction: &Transaction<'_>,
    works: &[NewWork],
    payloads: Vec<String>,
) -> rusqlite::Result<Vec<Put>> {
    let mut insert = transaction.prepare(
        "INSERT INTO work (kind, key, payload, due, ready) VALUES (?1, ?2, ?3, ?4, ?4)
         ON CONFLICT (kind, key) DO NOTHING",
    )?;
    let put = works.iter().zip(payloads).map(|(work, payload)| {
        let due = to_millis(work.due);
        let added = insert.execute(params![work.kind, work.key, payload, due])?;
        Ok(if added == 0 { Put::Present } else { Put::Added })
    });
    put.collect()
}

/// Checks the lengths of the parts of new work, and returns its payload as JSON.
fn check_length(work: &NewWork) -> Result<String, StateError> {
    let payload = work.payload.to_string();
    for (part, size, limit) in [
        ("kind", work.kind.len(), WorkQueue::MAX_KEY_BYTES),
        ("key", work.key.len(), WorkQueue::MAX_KEY_BYTES),
        ("payload", payload.len(), WorkQueue::MAX_PAYLOAD_BYTES),
    ] {
        if size == 0 || size > limit {
            return Err(StateError::Length { part, size, limit });
        }
    }
    Ok(payload)
}

/// Claims the work that became ready first, whatever its kind. An index finds it for each kind.
fn claim_in(transaction: &Transaction<'_>, claim: &Claim) -> rusqlite::Result<Vec<ClaimedWork>> {
    let now = to_millis(claim.now);
    let most = i64::try_from(claim.most).unwrap_or(i64::MAX);
    let mut found: Vec<(i64, ClaimedWork)> = Vec::new();
    let mut ready = transaction.prepare(
        "SELECT id, kind, key, payload, epoch, ready FROM work
         WHERE kind = ?1 AND ready <= ?2 ORDER BY ready, id LIMIT ?3",
    )?;
    let mut kinds = claim.kinds.clone();
    kinds.sort_unstable();
    kinds.dedup();
    for kind in kinds {
        let rows = ready.query_map(params![kind, now, most], |row| {
            Ok((row.get("ready")?, read_claimed(row)?))
        })?;
        for row in rows {
            found.push(row?);
        }
    }
    found.sort_by_key(|(ready, work)| (*ready, work.id));
    found.truncate(claim.most);
    let mut take = transaction
        .prepare("UPDATE work SET holder = ?2, ready = ?3, epoch = epoch + 1 WHERE id = ?1")?;
    let end = lease_end(claim.now, claim.lease);
    for (_, work) in &mut found {
        take.execute(params![work.id, claim.owner, end])?;
        work.epoch += 1;
    }
    Ok(found.into_iter().map(|(_, work)| work).collect())
}

fn read_claimed(row: &Row<'_>) -> rusqlite::Result<ClaimedWork> {
    Ok(ClaimedWork {
        id: row.get("id")?,
        kind: row.get("kind")?,
        key: row.get("key")?,
        payload: read_payload(row)?,
        epoch: row.get::<_, i64>("epoch")?.cast_unsigned(),
    })
}

fn read_entry(row: &Row<'_>) -> rusqlite::Result<WorkEntry> {
    let holder: Option<String> = row.get("holder")?;
    let ready = from_millis(row.get("ready")?);
    let claimed = read_claimed(row)?;
    Ok(WorkEntry {
        id: claimed.id,
        kind: claimed.kind,
        key: claimed.key,
        payload: claimed.payload,
        due: from_millis(row.get("due")?),
        lease_end: holder.is_some().then_some(ready),
        holder,
        epoch: claimed.epoch,
    })
}

fn read_payload(row: &Row<'_>) -> rusqlite::Result<Value> {
    let text: String = row.get("payload")?;
    serde_json::from_str(&text)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(3, Type::Text, error.into()))
}
