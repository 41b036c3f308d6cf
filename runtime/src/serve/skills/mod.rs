//! Skills over MCP (SEP-2640): what `skills/list`, `skills/get`, `resources/directory/read` and `resources/read` answer
//! of the app's library.
//!
//! A skill is served at `skill://NAME/SKILL.md`. The list follows the library; what cannot be told in the protocol (a name
//! that only lenient readers take, a skill that is larger than hosts have to load) is left out, and that is logged.

mod directory;
mod entry;
mod front_matter;
mod mime;
mod uri;

use std::collections::HashMap;
use std::sync::Arc;

use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rmcp::model::{
    ErrorData, GetSkillResult, ListSkillsResult, ReadResourceDirectoryResult, ReadResourceResult,
    Resource, ResourceContents, Skill as Entry,
};

use tokio::time::Instant;

use super::page::page;
use crate::skill::{Skill, SkillCatalog, SkillError, SkillLibrary};
use crate::support::lock::Mutex;

/// How old a list may be that a client asks for.
const FRESH: Duration = Duration::from_secs(2);

/// The skills of a library, as clients are shown them.
pub(super) struct ServedSkills {
    library: Arc<SkillLibrary>,
    shown: Mutex<Option<Arc<Shown>>>,
    /// When the sources were asked last.
    asked: tokio::sync::Mutex<Option<Instant>>,
}

/// One state of the library.
struct Shown {
    catalog: Arc<SkillCatalog>,
    /// Sorted by URI.
    entries: Vec<Entry>,
    /// The SKILL.md of each, sorted by URI.
    manifests: Vec<Resource>,
    /// The name of the skill that is served below each authority.
    names: HashMap<String, String>,
}

impl ServedSkills {
    pub(super) fn new(library: Arc<SkillLibrary>) -> Self {
        Self {
            library,
            shown: Mutex::default(),
            asked: tokio::sync::Mutex::default(),
        }
    }

    /// Returns the number of the library's state, which is another one after each change.
    pub(super) fn revision(&self) -> u64 {
        self.library.revision()
    }

    /// Asks the library's sources whether they have changed, unless they were asked within `lately`: it may take a look at
    /// a hundred thousand files.
    pub(super) async fn refresh(&self, lately: Duration) {
        let mut asked = self.asked.lock().await;
        if asked.is_none_or(|asked| asked.elapsed() >= lately) {
            self.library.refresh().await;
            *asked = Some(Instant::now());
        }
    }

    /// Answers `skills/list`.
    pub(super) async fn list(&self, cursor: Option<&str>) -> Result<ListSkillsResult, ErrorData> {
        self.refresh(FRESH).await;
        let shown = self.shown().await;
        let (entries, next) = page(&shown.entries, |entry| &entry.uri, cursor)?;
        let mut result = ListSkillsResult::with_all_items(entries);
        result.next_cursor = next;
        Ok(result)
    }

    /// Answers `skills/get`.
    pub(super) async fn get(&self, uri: &str) -> Result<GetSkillResult, ErrorData> {
        let shown = self.shown().await;
        let found = shown
            .entries
            .binary_search_by(|entry| entry.uri.as_str().cmp(uri));
        match found {
            Ok(index) => Ok(GetSkillResult::new(shown.entries[index].clone())),
            Err(_) => Err(ErrorData::invalid_params(
                format!("there is no skill at `{uri}`; `skills/list` says which there are"),
                None,
            )),
        }
    }

    /// Returns the SKILL.md of each skill, for `resources/list`.
    pub(super) async fn resources(&self) -> Vec<Resource> {
        self.refresh(FRESH).await;
        self.shown().await.manifests.clone()
    }

    /// Answers `resources/read` for a file of a skill; `None` where no skill has it.
    pub(super) async fn read(&self, uri: &str) -> Option<Result<ReadResourceResult, ErrorData>> {
        let (shown, path) = self.locate(uri).await?;
        let file = shown.skill.file(&path)?;
        let mime_type = mime::of(&path);
        let bytes = match shown.skill.read(&path).await {
            Ok(bytes) => bytes,
            Err(error) => return Some(Err(unreadable(&error))),
        };
        let text = (file.utf8 && mime_type.is_none_or(mime::is_text))
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
            Some((located, path)) => directory::children(&located.skill, &located.root, &path),
            None => None,
        };
        let Some(children) = children else {
            return Err(ErrorData::invalid_params(
                format!("`{uri}` is no folder of a skill"),
                None,
            ));
        };
        let (children, next) = page(&children, |child| &child.uri, cursor)?;
        let mut result = ReadResourceDirectoryResult::with_all_items(children);
        result.next_cursor = next;
        Ok(result)
    }

    /// Finds the skill that a URI is below, and the path in it.
    async fn locate(&self, uri: &str) -> Option<(Located, String)> {
        let (authority, path) = uri::parts(uri)?;
        let shown = self.shown().await;
        let name = shown.names.get(authority)?;
        let skill = shown.catalog.get(name)?.clone();
        let root = uri::root(name);
        Some((Located { skill, root }, path))
    }

    /// Returns what is shown of the library as it is now.
    async fn shown(&self) -> Arc<Shown> {
        let catalog = self.library.current();
        let known = self.shown.lock().clone();
        match known {
            Some(shown) if Arc::ptr_eq(&shown.catalog, &catalog) => shown,
            _ => {
                let shown = Arc::new(Shown::of(catalog).await);
                *self.shown.lock() = Some(shown.clone());
                shown
            }
        }
    }
}

/// A skill, and the URI that its files are below.
struct Located {
    skill: Skill,
    root: String,
}

impl Shown {
    async fn of(catalog: Arc<SkillCatalog>) -> Self {
        let (mut entries, mut manifests) = (Vec::new(), Vec::new());
        let mut names = HashMap::new();
        for skill in catalog.skills() {
            match entry::of(skill).await {
                Ok(entry) => {
                    manifests.push(entry::manifest(skill, &entry));
                    names.insert(uri::encoded(skill.name()), skill.name().to_owned());
                    entries.push(entry);
                }
                Err(reason) => {
                    tracing::warn!(skill = skill.name(), "a skill is not served: {reason}");
                }
            }
        }
        entries.sort_by(|a: &Entry, b| a.uri.cmp(&b.uri));
        manifests.sort_by(|a: &Resource, b| a.uri.cmp(&b.uri));
        Self {
            catalog,
            entries,
            manifests,
            names,
        }
    }
}

fn unreadable(error: &SkillError) -> ErrorData {
    ErrorData::internal_error(crate::tool::chain_text(error), None)
}
