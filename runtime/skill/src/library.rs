//! A catalogue that follows its sources.

use std::sync::Arc;

use super::{SkillCatalog, SkillFilter, SkillSource};
use helve_core::support::lock::Mutex;

/// A catalogue that follows its sources, which the tools of a session use.
///
/// Call [`refresh`](Self::refresh) at the start of a turn: until the next refresh, all users see the
/// same snapshot. A session with its own allow-list uses a [`filtered`](Self::filtered) library, which
/// shares the catalogue of this one.
///
/// ```
/// use helve::skill::{SkillCatalog, SkillLibrary};
///
/// let library = SkillLibrary::new(SkillCatalog::new());
/// assert!(library.current().is_empty());
/// ```
#[derive(Debug)]
pub struct SkillLibrary {
    shared: Arc<LibraryState>,
    filter: SkillFilter,
    /// The revision of the snapshot that was filtered last, and the filtered catalogue.
    view: Mutex<Option<(u64, Arc<SkillCatalog>)>>,
}

#[derive(Debug)]
struct LibraryState {
    current: Mutex<(u64, Arc<SkillCatalog>)>,
    /// Serializes refreshes: a concurrent second refresh would list everything again.
    refresh_lock: tokio::sync::Mutex<()>,
}

impl SkillLibrary {
    /// Creates a library with an initial catalogue.
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

    /// Returns a library with those skills of this library that a filter allows. Both libraries share
    /// their refreshes.
    #[must_use]
    pub fn filtered(&self, filter: &SkillFilter) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            filter: self.filter.and(filter),
            view: Mutex::default(),
        }
    }

    /// Returns the current snapshot, which does not change.
    #[must_use]
    pub fn current(&self) -> Arc<SkillCatalog> {
        self.snapshot().1
    }

    /// Returns the revision of the snapshot, which changes with each new snapshot.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.shared.current.lock().0
    }

    /// Asks the sources for changes, and which skills are not used, and returns the new snapshot if
    /// anything is different.
    pub async fn refresh(&self) -> Option<Arc<SkillCatalog>> {
        let _one = self.shared.refresh_lock.lock().await;
        let (revision, current) = self.shared.current.lock().clone();
        let fresh = current.refresh().await?;
        *self.shared.current.lock() = (revision + 1, Arc::new(fresh));
        Some(self.current())
    }

    /// Adds the skills of further sources, and returns the new snapshot. Earlier sources take
    /// precedence.
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

    /// Returns the filtered current snapshot, with its revision.
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
