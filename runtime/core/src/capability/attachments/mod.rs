//! The attachments of a conversation.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::capability::handle::CapabilityHandle;
use crate::capability::{BackendError, Capability, CapabilityError};

/// A file that the user attached to the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attachment {
    /// The name, as the user sees it.
    pub name: String,
    /// The MIME type, such as `image/png`.
    pub mime_type: String,
    /// The contents.
    pub bytes: Vec<u8>,
}

impl Attachment {
    /// Creates an attachment.
    pub fn new(
        name: impl Into<String>,
        mime_type: impl Into<String>,
        bytes: impl Into<Vec<u8>>,
    ) -> Self {
        Self {
            name: name.into(),
            mime_type: mime_type.into(),
            bytes: bytes.into(),
        }
    }
}

/// Stores the attachments of a conversation.
pub trait AttachmentsBackend: Send + Sync + std::fmt::Debug {
    /// Looks up an attachment by its id.
    ///
    /// # Errors
    /// When no attachment has this id, or the attachment cannot be read.
    fn get<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Attachment, BackendError>>;
}

/// The attachments of the conversation. A tool need not declare this capability, because the user provided
/// the attachments.
#[derive(Debug, Clone)]
pub struct Attachments(CapabilityHandle<dyn AttachmentsBackend>);

impl Attachments {
    /// Creates the capability from the backend that the host granted.
    pub fn new(backend: Option<Arc<dyn AttachmentsBackend>>) -> Self {
        Self(CapabilityHandle::new(
            Capability::Attachments,
            true,
            backend,
        ))
    }

    /// Returns an attachment by its id.
    ///
    /// # Errors
    /// When the host granted no attachments, no attachment has this id, or the attachment cannot be read.
    pub async fn get(&self, id: &str) -> Result<Attachment, CapabilityError> {
        let got = self.0.backend()?.get(id).await;
        got.map_err(CapabilityError::failed(Capability::Attachments))
    }
}
