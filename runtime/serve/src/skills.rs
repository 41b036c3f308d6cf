//! Skills over MCP (SEP-2640): answers `skills/list`, `skills/get`, `resources/directory/read` and `resources/read` from
//! the app's library.
//!
//! A skill is served at `skill://NAME/SKILL.md`. The list follows the library. Skills that the protocol does not allow (an
//! invalid name, or a size that hosts need not load) are left out with a log message.

mod directory;
mod entry;
mod front_matter;
mod media_type;
mod uri;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rmcp::model::{
    ErrorData, GetSkillResult, ListSkillsResult, ReadResourceDirectoryResult, ReadResourceResult,
    Resource, ResourceContents, Skill as RmcpSkill,
};
use tokio::time::Instant;

use super::page::page;
use helve_core::support::lock::Mutex;
use helve_skill::{Skill, SkillCatalog, SkillError, SkillLibrary};

/// The least interval between two refreshes for the requests of clients.
const REFRESH_INTERVAL: Duration = Duration::from_secs(2);

/// The skills of a library in the form of the protocol.
pub(super) struct ServedSkills {
    library: Arc<SkillLibrary>,
    listing: Mutex<Option<Arc<SkillListing>>>,
    last_refresh: tokio::sync::Mutex<Option<Instant>>,
}

struct SkillListing {
    catalog: Arc<SkillCatalog>,
    /// Sorted by URI.
    entries: Vec<RmcpSkill>,
    /// The SKILL.md of each skill, sorted by URI.
    manifests: Vec<Resource>,
    /// The name of the skill at each URI authority.
    names: HashMap<String, String>,
}

impl ServedSkills {
    pub(super) fn new(library: Arc<SkillLibrary>) -> Self {
        Self {
            library,
            listing: Mutex::default(),
            last_refresh: tokio::sync::Mutex::default(),
        }
    }

    /// Refreshes the library, unless it was refreshed within the interval: a refresh may check a hundred thousand files.
    pub(super) async fn refresh(&self, interval: Duration) {
        let mut last_refresh = self.last_refresh.lock().await;
        if last_refresh.is_none_or(|last| last.elapsed() >= interval) {
            self.library.refresh().await;
            *last_refresh = Some(Instant::now());
        }
    }

    /// Answers `skills/list`.
    pub(super) async fn list(&self, cursor: Option<&str>) -> Result<ListSkillsResult, ErrorData> {
        self.refresh(REFRESH_INTERVAL).await;
        let listing = self.listing().await;
        let (entries, next_cursor) = page(&listing.entries, |entry| &entry.uri, cursor)?;
        let mut result = ListSkillsResult::with_all_items(entries);
        result.next_cursor = next_cursor;
        Ok(result)
    }

    /// Answers `skills/get`.
    pub(super) async fn get(&self, uri: &str) -> Result<GetSkillResult, ErrorData> {
        let listing = self.listing().await;
        let found = listing
            .entries
            .binary_search_by(|entry| entry.uri.as_str().cmp(uri));
        match found {
            Ok(index) => Ok(GetSkillResult::new(listing.entries[index].clone())),
            Err(_) => {
                let why = format!("unknown skill `{uri}`; `skills/list` lists the skills");
                Err(ErrorData::invalid_params(why, None))
            }
        }
    }

    /// Returns the SKILL.md of each skill, for `resources/list`.
    pub(super) async fn resources(&self) -> Vec<Resource> {
        self.refresh(REFRESH_INTERVAL).await;
        self.listing().await.manifests.clone()
    }

    /// Answers `resources/read` for a file of a skill; returns `None` if no skill has the file.
    pub(super) async fn read(&self, uri: &str) -> Option<Result<ReadResourceResult, ErrorData>> {
        let (location, path) = self.locate(uri).await?;
        let file = location.skill.file(&path)?;
        let mime_type = media_type::from_path(&path);
        let bytes = match location.skill.read(&path).await {
            Ok(bytes) => bytes,
            Err(error) => return Some(Err(to_error_data(&error))),
        };
        let text = (file.utf8 && mime_type.is_none_or(media_type::is_text))
            .then(|| str::from_utf8(&bytes).ok())
            .flatten()
            .filter(|text| !text.contains('\0'));
        let contents = match text {
            Some(text) => ResourceContents::text(text, uri),
            None => ResourceContents::blob(BASE64_STANDARD.encode(&bytes), uri),
        };
        let contents = match mime_type {
            Some(mime_type) => contents.with_mime_type(mime_type),
            None => contents,
        };
        Some(Ok(ReadResourceResult::new(vec![contents])))
    }

    /// Answers `resources/directory/read`.
    pub(super) async fn directory(
        &self,
        uri: &str,
        cursor: Option<&str>,
    ) -> Result<ReadResourceDirectoryResult, ErrorData> {
        let children = match self.locate(uri).await {
            Some((location, path)) => directory::children(&location.skill, &location.root, &path),
            None => None,
        };
        let Some(children) = children else {
            let why = format!("`{uri}` is not a skill folder");
            return Err(ErrorData::invalid_params(why, None));
        };
        let (children, next_cursor) = page(&children, |child| &child.uri, cursor)?;
        let mut result = ReadResourceDirectoryResult::with_all_items(children);
        result.next_cursor = next_cursor;
        Ok(result)
    }

    /// Returns the skill of a URI, and the path in the skill.
    async fn locate(&self, uri: &str) -> Option<(SkillLocation, String)> {
        let (authority, path) = uri::parse(uri)?;
        let listing = self.listing().await;
        let name = listing.names.get(authority)?;
        let skill = listing.catalog.get(name)?.clone();
        let root = uri::root(name);
        Some((SkillLocation { skill, root }, path))
    }

    /// Returns the skills of the library's current catalog.
    async fn listing(&self) -> Arc<SkillListing> {
        let catalog = self.library.current();
        let known = self.listing.lock().clone();
        match known {
            Some(listing) if Arc::ptr_eq(&listing.catalog, &catalog) => listing,
            _ => {
                let listing = Arc::new(SkillListing::from_catalog(catalog).await);
                *self.listing.lock() = Some(listing.clone());
                listing
            }
        }
    }
}

/// A skill, and the URI of its folder.
struct SkillLocation {
    skill: Skill,
    root: String,
}

impl SkillListing {
    async fn from_catalog(catalog: Arc<SkillCatalog>) -> Self {
        let (mut entries, mut manifests) = (Vec::new(), Vec::new());
        let mut names = HashMap::new();
        for skill in catalog.skills() {
            match entry::from_skill(skill).await {
                Ok(entry) => {
                    manifests.push(entry::manifest(skill, &entry));
                    names.insert(uri::encode(skill.name()), skill.name().to_owned());
                    entries.push(entry);
                }
                Err(reason) => {
                    tracing::warn!(skill = skill.name(), "a skill is not served: {reason}");
                }
            }
        }
        entries.sort_by(|a: &RmcpSkill, b| a.uri.cmp(&b.uri));
        manifests.sort_by(|a: &Resource, b| a.uri.cmp(&b.uri));
        Self {
            catalog,
            entries,
            manifests,
            names,
        }
    }
}

fn to_error_data(error: &SkillError) -> ErrorData {
    ErrorData::internal_error(helve_core::tool::chain_text(error), None)
}
