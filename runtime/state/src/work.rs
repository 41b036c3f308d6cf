//! Work as a queue takes and returns it.

use std::time::{Duration, SystemTime};

use serde_json::Value;

/// Work that is put into a queue.
#[derive(Debug, Clone, PartialEq)]
pub struct NewWork {
    /// The kind, which tells processes what they can claim.
    pub kind: String,
    /// The key, of which each kind has one work at most.
    pub key: String,
    /// The time from which the work can be claimed.
    pub due: SystemTime,
    /// What the work needs to know.
    pub payload: Value,
}

/// What [`WorkQueue::put`](crate::WorkQueue::put) did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    /// The work was added.
    Added,
    /// The queue has work of the kind and key, and nothing was changed.
    Present,
}

/// A request for work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The kinds that are claimed.
    pub kinds: Vec<String>,
    /// Who claims, in words for a person who lists the queue.
    pub owner: String,
    /// How long the claims hold, unless they are renewed; at least a millisecond.
    pub lease: Duration,
    /// The time of the claim.
    pub now: SystemTime,
    /// How many claims are made at most.
    pub most: usize,
}

/// Work that an owner has claimed. Whoever claims it after the lease has ended has a later epoch, and this value then
/// changes nothing more.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimedWork {
    /// The number of the work, which is not used again.
    pub id: i64,
    /// The kind.
    pub kind: String,
    /// The key.
    pub key: String,
    /// What the work needs to know.
    pub payload: Value,
    /// How often the work has been claimed since it was put, this claim included; it identifies this claim.
    pub epoch: u64,
}

/// Work as a list of the queue shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkEntry {
    /// The number of the work.
    pub id: i64,
    /// The kind.
    pub kind: String,
    /// The key.
    pub key: String,
    /// What the work needs to know.
    pub payload: Value,
    /// The time from which the work can be claimed, if it has no holder.
    pub due: SystemTime,
    /// The owner of the latest claim, if the claim was not released.
    pub holder: Option<String>,
    /// The end of the holder's lease.
    pub lease_end: Option<SystemTime>,
    /// How often the work has been claimed since it was put.
    pub epoch: u64,
}
