//! The errors of operations on sessions.

use std::path::PathBuf;

use super::{PostingHeader, PostingTarget};
use crate::journal::JournalError;
use helve_core::transcript::SessionId;

/// An error of an operation on a session.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The id is not usable as a file name.
    #[error(
        "invalid session id `{id}`: use up to 100 letters, digits, `.`, `_` and `-`, the first a letter or digit"
    )]
    InvalidId {
        /// The id.
        id: SessionId,
    },
    /// The session does not exist.
    #[error("session `{id}` not found")]
    Unknown {
        /// The id.
        id: SessionId,
    },
    /// A session with the id exists already.
    #[error("session `{id}` already exists")]
    Exists {
        /// The id.
        id: SessionId,
    },
    /// Another process writes to the session.
    #[error("session `{id}` is in use{}: only one process can write to a session at a time", render_holder(holder.as_deref()))]
    InUse {
        /// The session.
        id: SessionId,
        /// The process; `None` if it is unknown.
        holder: Option<String>,
    },
    /// Another process has taken over the session, because this process had not renewed its lease in time.
    #[error(
        "session `{id}` was taken over by another process: the lease of this one (epoch {epoch}) had expired; open the \
         session again to continue it"
    )]
    LeaseLost {
        /// The session.
        id: SessionId,
        /// The epoch of the lease that is lost.
        epoch: u64,
    },
    /// The session has fewer entries than requested.
    #[error("session `{id}` has no entry {at}: it has {entries} entries")]
    NoSuchEntry {
        /// The session.
        id: SessionId,
        /// The number of entries of the session.
        entries: u64,
        /// The number of the requested entry.
        at: u64,
    },
    /// The journal is damaged elsewhere than at its end.
    #[error(
        "session `{id}` is damaged after entry {intact_entries}: `sessions fork {id} --at {intact_entries}` goes on from there in a \
         copy; or put back a backup of its journal"
    )]
    Damaged {
        /// The session.
        id: SessionId,
        /// The number of intact entries.
        intact_entries: u64,
        /// The damage.
        #[source]
        source: JournalError,
    },
    /// The journal cannot be read or written.
    #[error("failed to access session `{id}`")]
    Journal {
        /// The session.
        id: SessionId,
        /// The error of the journal.
        #[source]
        source: JournalError,
    },
    /// The posting is stale: what it is about does not wait for it.
    #[error("`{target}` does not wait for {wanted}: {why}{}", render_first(first.as_deref(), "answered first"))]
    StalePosting {
        /// What the posting is about.
        target: PostingTarget,
        /// What was posted, such as `an answer`.
        wanted: &'static str,
        /// The reason why the session does not wait for the posting.
        why: &'static str,
        /// The posting that was accepted, if there was one and it named its author or a key.
        first: Option<Box<PostingHeader>>,
    },
    /// A posting about the same is pending.
    #[error("a posting for `{target}` is already pending{}", render_first(first.as_deref(), "posted it"))]
    AlreadyPosted {
        /// What the posting is about.
        target: PostingTarget,
        /// What the pending posting says about itself.
        first: Option<Box<PostingHeader>>,
    },
    /// The address is too long for the name of a file.
    #[error("the address `{target}` is too long")]
    AddressTooLong {
        /// What the posting is about.
        target: PostingTarget,
    },
    /// No session can take the posting.
    #[error("the posting is invalid: {why}")]
    InvalidPosting {
        /// The mistake.
        why: &'static str,
    },
    /// An operation of the operating system failed.
    #[error("failed to {doing} `{}`", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The operation, such as `read`.
        doing: &'static str,
        /// The error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// A state cannot be represented as JSON, or has another form than the requested type.
    #[error("the state `{name}` has an unexpected format")]
    State {
        /// The name of the state.
        name: String,
        /// The error of the conversion.
        #[source]
        source: serde_json::Error,
    },
    /// The operation was cancelled, because the program is shutting down.
    #[error("the program is shutting down")]
    ShuttingDown,
}

fn render_holder(holder: Option<&str>) -> String {
    holder.map_or(String::new(), |holder| format!(" by {holder}"))
}

/// Says who was first, and when.
fn render_first(first: Option<&PostingHeader>, what: &str) -> String {
    let Some(PostingHeader {
        author: Some(author),
        at,
        ..
    }) = first
    else {
        return String::new();
    };
    let at = at.map_or(String::new(), |at| format!(" at {at}"));
    format!("; `{author}` {what}{at}")
}

impl SessionError {
    /// Adds who was first, if the error is about a posting that came too late.
    pub(super) fn with_first(mut self, header: Option<PostingHeader>) -> Self {
        if let Self::StalePosting { first, .. } | Self::AlreadyPosted { first, .. } = &mut self {
            *first = header.map(Box::new);
        }
        self
    }

    pub(super) fn from_journal(id: &SessionId, source: JournalError) -> Self {
        let id = id.clone();
        if let JournalError::LeaseLost { epoch, .. } = source {
            return Self::LeaseLost { id, epoch };
        }
        if let JournalError::Locked { holder, .. } = source {
            let holder = holder.map(|holder| holder.to_string());
            return Self::InUse { id, holder };
        }
        match source.intact_entries() {
            Some(intact_entries) if intact_entries > 0 => Self::Damaged {
                id,
                intact_entries,
                source,
            },
            _ => Self::Journal { id, source },
        }
    }

    pub(super) fn io(
        path: impl Into<PathBuf>,
        doing: &'static str,
    ) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io {
            path,
            doing,
            source,
        }
    }
}
