//! The parts of a context that the judgement of a call reads, and the confinement of a judged call.

use std::sync::Arc;

use super::ToolContext;
use crate::capability::{Confinement, Grants};
use crate::sandbox::SandboxFs;
use crate::tool::links::Links;
use crate::tool::read_log::ReadLog;

impl ToolContext {
    /// Returns all grants of the host, whatever the tool declared: for the driver, which passes them on.
    pub(crate) fn grants(&self) -> &Grants {
        &self.inner.host.grants
    }

    /// Returns the files that the host granted, whatever the tool declared: for the check of a call.
    pub(crate) fn granted_files(&self) -> Option<&Arc<dyn SandboxFs>> {
        self.inner.host.grants.files.as_ref()
    }

    /// Returns the resolved paths of this call, if they were resolved.
    #[doc(hidden)]
    pub fn links(&self) -> Option<&Links> {
        self.inner.links.as_deref()
    }

    /// Sets the resolved paths of this call.
    #[doc(hidden)]
    pub fn with_links(&self, links: Arc<Links>) -> Self {
        let links = Some(links);
        self.clone().with_inner(|inner| inner.links = links)
    }

    /// Restricts the files of the call to the locations that its paths had when it was judged, as far as the file
    /// system supports that.
    #[doc(hidden)]
    pub fn with_judged_paths(self, links: &Links) -> Self {
        let held = match &self.inner.host.grants.files {
            Some(files) if !links.judged_paths().is_empty() => {
                files.with_judged_paths(Arc::clone(links.judged_paths()))
            }
            _ => None,
        };
        match held {
            Some(held) => {
                self.with_inner(|inner| Arc::make_mut(&mut inner.host).grants.files = Some(held))
            }
            None => self,
        }
    }

    /// Returns the log of what the call reads, if reads are recorded.
    pub(crate) fn noted_reads(&self) -> Option<&ReadLog> {
        self.inner.read_log.as_deref()
    }

    /// Enables the recording of what the call reads.
    #[doc(hidden)]
    pub fn with_read_log(&self, reads: &Arc<ReadLog>) -> Self {
        let reads = Some(Arc::clone(reads));
        self.clone().with_inner(|inner| inner.read_log = reads)
    }

    /// Applies the confinement that the verdict is based on; a confinement cannot be removed.
    pub(crate) fn with_confinement(self, confinement: Confinement) -> Self {
        let confinement = self.inner.confinement.and(confinement);
        if confinement == self.inner.confinement {
            return self;
        }
        self.with_inner(|inner| inner.confinement = confinement)
    }
}
