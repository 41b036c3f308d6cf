//! What a pull request has to be when something is done with it.

use helve::ToolError;

use crate::client::Api;
use crate::read::name;
use crate::read::pull_request::info;
use crate::repository::RepositoryName;
use crate::value::{sha, text};

/// What was read of a pull request, and is approved of.
pub(super) struct ExpectedPull<'a> {
    pub(super) repository: &'a RepositoryName,
    pub(super) number: u64,
    /// Its last commit.
    pub(super) sha: &'a str,
    /// The branch that it goes into; `None` for any.
    pub(super) base: Option<&'a str>,
    /// What is not done where it is another one, such as `merged`.
    pub(super) done: &'static str,
}

impl ExpectedPull<'_> {
    /// Checks that the pull request is still what was read.
    pub(super) async fn check(&self, api: &Api<'_>) -> Result<(), ToolError> {
        let Self {
            repository,
            number,
            done,
            ..
        } = *self;
        let item = info(api, repository, number).await?;
        let head = sha(&item, "/head/sha").unwrap_or("unknown");
        if !head.eq_ignore_ascii_case(self.sha) {
            return Err(ToolError::failed(format!(
                "nothing was {done}: the last commit of {repository}#{number} is {head}, and not {}; read what changed",
                self.sha
            )));
        }
        match self.base {
            Some(base) if text(&item, "/base/ref") != base => Err(ToolError::failed(format!(
                "nothing was {done}: {repository}#{number} goes into `{}`, and not into `{base}`; read it again",
                name(&item, "/base/ref")
            ))),
            _ => Ok(()),
        }
    }
}
