//! Lockdown: texts of people without access to a public repository are not shown.

use helve::ToolError;
use serde_json::Value;

use crate::client::Api;
use crate::repository::RepositoryName;
use crate::settings;
use crate::value::text;

/// What is shown in place of a text.
pub(crate) const WITHHELD: &str =
    "[withheld: lockdown shows only what people with access to the repository wrote]";

/// Whether texts of others are withheld in a repository.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lockdown(bool);

impl Lockdown {
    /// Decides for a repository: where the settings want it, and the repository is public.
    pub(crate) async fn new(api: &Api<'_>, repository: &RepositoryName) -> Result<Self, ToolError> {
        let is_wanted = settings::settings(api.cx).is_some_and(|settings| settings.lockdown);
        Ok(Self(is_wanted && api.is_public(repository).await?))
    }

    /// Decides for results of which the repository is not known: as if it were public.
    pub(crate) fn anywhere(api: &Api<'_>) -> Self {
        Self(settings::settings(api.cx).is_some_and(|settings| settings.lockdown))
    }

    /// Reports whether it is on.
    pub(crate) fn is_on(self) -> bool {
        self.0
    }

    /// Reports whether the texts of an issue, a comment or a review are withheld.
    pub(crate) fn withholds(self, item: &Value) -> bool {
        let has_access = matches!(
            text(item, "/author_association"),
            "OWNER" | "MEMBER" | "COLLABORATOR"
        );
        self.0 && !has_access
    }

    /// Returns a text of an item, or what is shown in its place.
    pub(crate) fn text<'v>(self, item: &'v Value, pointer: &str) -> &'v str {
        if self.withholds(item) {
            return WITHHELD;
        }
        text(item, pointer)
    }

    /// Checks a name of a commit: one that is no branch or tag may lead to a commit of a fork.
    pub(crate) fn check_ref(self, name: &str) -> Result<(), ToolError> {
        let lower = name.to_ascii_lowercase();
        let is_commit = name.len() >= 4 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_pull = lower.starts_with("pull/") || lower.starts_with("refs/pull");
        if self.0 && (is_commit || is_pull) {
            return Err(ToolError::failed(
                "lockdown is on, and the commit may be one of a fork; name a branch or a tag",
            ));
        }
        Ok(())
    }
}
