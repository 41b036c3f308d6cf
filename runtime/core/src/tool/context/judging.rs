//! What the judge of a call reads of its context, and what a call is held to once it is judged.

use std::sync::Arc;

use super::ToolContext;
use crate::capability::{Confinement, Grants};
use crate::sandbox::SandboxFs;
use crate::tool::links::Links;
use crate::tool::read_log::ReadLog;

impl ToolContext {
    /// Returns what the host granted, whatever the tool declared: for the driver, which hands it on.
    pub(crate) fn grants(&self) -> &Grants {
        &self.inner.host.grants
    }

    /// Returns the files that the host granted, whatever the tool declared: for the check of a call.
    pub(crate) fn granted_files(&self) -> Option<&Arc<dyn SandboxFs>> {
        self.inner.host.grants.files.as_ref()
    }

    /// Returns where the paths of this call lead, where that was looked up.
    #[doc(hidden)]
    pub fn links(&self) -> Option<&Links> {
        self.inner.links.as_deref()
    }

    /// Sets where the paths of this call lead.
    #[doc(hidden)]
    pub fn with_links(&self, links: Arc<Links>) -> Self {
        let links = Some(links);
        self.clone().with_inner(|inner| inner.links = links)
    }

    /// Holds the files of the call to where its paths were when it was judged, as far as they can promise that.
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

    /// Returns where the call notes what it reads, if that is recorded.
    pub(crate) fn noted_reads(&self) -> Option<&ReadLog> {
        self.inner.read_log.as_deref()
    }

    /// Has the call note what it reads.
    #[doc(hidden)]
    pub fn with_read_log(&self, reads: &Arc<ReadLog>) -> Self {
        let reads = Some(Arc::clone(reads));
        self.clone().with_inner(|inner| inner.read_log = reads)
    }

    /// Holds the call to what its verdict is based on; nothing takes that back.
    pub(crate) fn with_confinement(self, confinement: Confinement) -> Self {
        let confinement = self.inner.confinement.and(confinement);
        if confinement == self.inner.confinement {
            return self;
        }
        self.with_inner(|inner| inner.confinement = confinement)
    }
}
