//! Attachments in memory.

use std::collections::HashMap;

use futures_util::future::{BoxFuture, ready};

use helve_core::capability::{Attachment, AttachmentsBackend, BackendError};
use helve_core::support::lock::Mutex;
use helve_core::support::text::first_chars;

/// Stores the user's attachments in memory, under short ids, up to a limit.
#[derive(Debug)]
pub struct MemoryAttachments {
    stored: Mutex<StoredAttachments>,
    max_bytes: usize,
}

#[derive(Debug, Default)]
struct StoredAttachments {
    by_id: HashMap<String, Attachment>,
    last_id: usize,
    bytes: usize,
}

/// An attachment does not exist, or exceeds the limit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AttachmentError {
    /// There is no attachment with the id.
    #[error("unknown attachment `{}`; {}", id.escape_debug(), render_ids(ids))]
    Unknown {
        /// The id, shortened.
        id: String,
        /// The existing ids.
        ids: Vec<String>,
    },
    /// The attachment exceeds the remaining limit.
    #[error("`{}` has {size} bytes, but only {available} bytes are left; attach a smaller file", name.escape_debug())]
    LimitExceeded {
        /// The name of the attachment.
        name: String,
        /// The size of the attachment, in bytes.
        size: usize,
        /// The remaining limit, in bytes.
        available: usize,
    },
}

impl MemoryAttachments {
    /// The default limit on the total size of all attachments: 64 MiB.
    pub const DEFAULT_MAX_BYTES: usize = 64 << 20;

    /// The maximum number of attachments.
    pub const MAX_COUNT: usize = 1000;

    /// Creates an empty store with the default limit.
    #[must_use]
    pub fn new() -> Self {
        Self::with_limit(Self::DEFAULT_MAX_BYTES)
    }

    /// Creates an empty store with a limit on the total size, in bytes.
    #[must_use]
    pub fn with_limit(bytes: usize) -> Self {
        Self {
            stored: Mutex::default(),
            max_bytes: bytes,
        }
    }

    /// Adds an attachment and returns its id, such as `attachment-1`.
    ///
    /// # Errors
    /// The attachment exceeds the limit.
    pub fn add(&self, attachment: Attachment) -> Result<String, AttachmentError> {
        let mut kept = self.stored.lock();
        let size = attachment.bytes.len();
        let room = match kept.by_id.len() {
            Self::MAX_COUNT.. => 0,
            _ => self.max_bytes - kept.bytes,
        };
        if size > room || kept.by_id.len() >= Self::MAX_COUNT {
            let name = attachment.name;
            return Err(AttachmentError::LimitExceeded {
                name,
                size,
                available: room,
            });
        }
        kept.bytes += size;
        kept.last_id += 1;
        let id = format!("attachment-{}", kept.last_id);
        kept.by_id.insert(id.clone(), attachment);
        Ok(id)
    }

    /// Removes an attachment, and returns whether it existed.
    pub fn remove(&self, id: &str) -> bool {
        let mut kept = self.stored.lock();
        let removed = kept.by_id.remove(id);
        kept.bytes -= removed.as_ref().map_or(0, |removed| removed.bytes.len());
        removed.is_some()
    }
}

impl Default for MemoryAttachments {
    fn default() -> Self {
        Self::new()
    }
}

impl AttachmentsBackend for MemoryAttachments {
    fn get<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Attachment, BackendError>> {
        let kept = self.stored.lock();
        let found = kept.by_id.get(id).cloned().ok_or_else(|| {
            let mut ids: Vec<String> = kept.by_id.keys().cloned().collect();
            ids.sort_by_key(|id| (id.len(), id.clone()));
            ids.truncate(20);
            let id = first_chars(id, 80).to_owned();
            AttachmentError::Unknown { id, ids }.into()
        });
        Box::pin(ready(found))
    }
}

fn render_ids(ids: &[String]) -> String {
    match ids {
        [] => "the user attached nothing".to_owned(),
        ids => format!("there are `{}`", ids.join("`, `")),
    }
}
