//! A catalogue that follows its sources.

use std::sync::Arc;

use super::{SkillCatalog, SkillFilter, SkillSource};
use helve_core::support::lock::Mutex;

/// A catalogue that follows its sources: what the tools of a session look into.
///
/// [`refresh`](Self::refresh) at the start of a turn; until the next one, everything in the turn sees one snapshot. A
/// session with an allow-list of its own gets a [`filtered`](Self::filtered) library, which follows the first one.
#[derive(Debug)]
pub struct SkillLibrary {
    shared: Arc<LibraryState>,
    filter: SkillFilter,
    /// The snapshot that the filter was last applied to, and what came of it.
    view: Mutex<Option<(u64, Arc<SkillCatalog>)>>,
}

#[derive(Debug)]
struct LibraryState {
    current: Mutex<(u64, Arc<SkillCatalog>)>,
    /// One refresh at a time: the second of two would list everything again.
    refresh_lock: tokio::sync::Mutex<()>,
}

impl SkillLibrary {
    /// Starts with a catalogue.
    #[must_use]
    pub fn new(catalog: SkillCatalog) -> Self {
        Self {
            shared: Arc::new(LibraryState {
                current: Mutex::new((0, Arc::new(catalog))),
                refresh_lock: tokio::sync::Mutex::default(),
            }),
            filter: SkillFilter::all(),
            view: Mutex::default(),
        }
    }

    /// Returns a library with the skills of this one that a filter lets through. A refresh of either is one of both.
    #[must_use]
    pub fn filtered(&self, filter: &SkillFilter) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            filter: self.filter.and(filter),
            view: Mutex::default(),
        }
    }

    /// Returns the skills as they are now: a snapshot, which does not change.
    #[must_use]
    pub fn current(&self) -> Arc<SkillCatalog> {
        self.snapshot().1
    }

    /// Returns the number of the snapshot, which is another one after each change.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.shared.current.lock().0
    }

    /// Asks the sources whether they have changed, and returns the new snapshot if they have.
    pub async fn refresh(&self) -> Option<Arc<SkillCatalog>> {
        let _one = self.shared.refresh_lock.lock().await;
        let (revision, current) = self.shared.current.lock().clone();
        let fresh = current.refresh().await?;
        *self.shared.current.lock() = (revision + 1, Arc::new(fresh));
        Some(self.current())
    }

    /// Adds what more sources list, and returns the new snapshot; what is there already stands before them.
    pub async fn add_sources(
        &self,
        sources: impl IntoIterator<Item = Arc<dyn SkillSource>>,
    ) -> Arc<SkillCatalog> {
        let _one = self.shared.refresh_lock.lock().await;
        let (revision, current) = self.shared.current.lock().clone();
        let more = (*current).clone().with_sources(sources).await;
        *self.shared.current.lock() = (revision + 1, Arc::new(more));
        self.current()
    }

    /// Returns the current snapshot through the filter, with its number.
    pub(super) fn snapshot(&self) -> (u64, Arc<SkillCatalog>) {
        let (revision, whole) = self.shared.current.lock().clone();
        if self.filter.allows_all() {
            return (revision, whole);
        }
        let mut view = self.view.lock();
        match &*view {
            Some((of, catalog)) if *of == revision => (revision, Arc::clone(catalog)),
            _ => {
                let catalog = Arc::new((*whole).clone().filtered(&self.filter));
                *view = Some((revision, Arc::clone(&catalog)));
                (revision, catalog)
            }
        }
    }
}

impl From<SkillCatalog> for SkillLibrary {
    fn from(catalog: SkillCatalog) -> Self {
        Self::new(catalog)
    }
}
