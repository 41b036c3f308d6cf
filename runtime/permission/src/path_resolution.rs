//! Resolves the paths of a call through the file system before the call is judged.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;

use super::judge::Judge;
use super::{Judgement, Policy, egress, paths};
use helve_core::authority;
use helve_core::sandbox::{FsError, JudgedPaths, LazySandbox, PathLocation, SandboxFs};
use helve_core::tool::links::{LinkTarget, Links};
use helve_core::tool::{PreparedCall, Tool, ToolContext, ToolError, dispatch};

/// The time limit for resolving all paths of a call. The targets of unresolved paths are unknown.
const LOOKUP_TIMEOUT: Duration = Duration::from_millis(500);

impl Policy {
    /// Judges a call as [`judge`](Self::judge) does, after resolving the paths of the call: a link to a dangerous path
    /// is dangerous, and rules are matched against both the link and its target.
    ///
    /// The paths are resolved through the file capability of the context, which does not block a thread of the executor
    /// and has no access outside of the folders that the host granted; a link that leads outside counts as dangerous.
    /// Without a file capability, or for a call that accesses no path, this function is equivalent to `judge`. The
    /// result describes the file system at the time of the call: if a link may be replaced concurrently, a sandbox must
    /// enforce the limits.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`judge`](Self::judge).
    pub async fn judge_with_files(
        &self,
        tool: &dyn Tool,
        context: &ToolContext,
        arguments: &str,
    ) -> Result<Judgement, ToolError> {
        let prepared = dispatch::prepare(tool, context, &Arc::from(arguments))?;
        let (judgement, _) = self.judge_prepared(tool, context, &prepared).await;
        Ok(judgement)
    }

    /// Judges a prepared call as [`judge_with_files`](Self::judge_with_files) does, and returns the link targets of its
    /// paths.
    pub(crate) async fn judge_prepared(
        &self,
        tool: &dyn Tool,
        context: &ToolContext,
        prepared: &PreparedCall,
    ) -> (Judgement, Option<Arc<Links>>) {
        let sandbox = self.sandbox_to_open(tool, context);
        if sandbox.is_none() && authority::granted_files(context).is_none() {
            return (Judge::new(self, tool, context, prepared).judge(), None);
        }
        // Boxed, so that calls that wait for nothing have a small future.
        Box::pin(self.judge_waiting(sandbox, tool, context, prepared)).await
    }

    async fn judge_waiting(
        &self,
        sandbox: Option<&LazySandbox>,
        tool: &dyn Tool,
        context: &ToolContext,
        prepared: &PreparedCall,
    ) -> (Judgement, Option<Arc<Links>>) {
        if let Some(sandbox) = sandbox {
            // If the sandbox cannot be opened in time, the call asks, and fails when it runs.
            let _ = egress::open_sandbox(sandbox, tool, context).await;
        }
        let mut judge = Judge::new(self, tool, context, prepared);
        let mut found = None;
        if let Some(files) = authority::granted_files(context) {
            let touched: Vec<&str> = judge.accessed_paths().collect();
            if !touched.is_empty() {
                found = Some(Arc::new(resolve_links(&**files, &touched, context).await));
            }
        }
        if let Some(links) = found.as_ref().filter(|links| !links.is_empty()) {
            judge.set_links(Arc::clone(links));
        }
        (judge.judge(), found)
    }

    /// Returns the sandbox if the verdict depends on what the sandbox permits.
    fn sandbox_to_open<'a>(
        &self,
        tool: &dyn Tool,
        context: &'a ToolContext,
    ) -> Option<&'a LazySandbox> {
        let sandbox = authority::grants(context).sandbox.as_deref()?;
        let depends = tool.spec().requires.process && self.provenance().label.is_untrusted();
        depends.then_some(sandbox)
    }
}

async fn resolve_links(files: &dyn SandboxFs, touched: &[&str], context: &ToolContext) -> Links {
    let asked = touched.iter().map(|path| expand_home(path, context));
    let asked: Vec<PathBuf> = asked.collect();
    let found = join_all(asked.iter().map(|path| files.locate(path)));
    let found = tokio::time::timeout(LOOKUP_TIMEOUT, found).await;
    let mut found = found.unwrap_or_default().into_iter();
    let (mut targets, mut judged) = (BTreeMap::new(), JudgedPaths::default());
    for (&path, asked) in touched.iter().zip(asked) {
        let named = paths::absolute(path, context.working_folder(), context.home());
        let named = Path::new(&*named);
        let target = match found.next() {
            Some(Ok(place)) => {
                let target = link_target(named, &place);
                judged.insert(asked, Some(place));
                target
            }
            Some(Err(FsError::Outside { .. } | FsError::Link { .. })) => {
                judged.insert(asked, None);
                let names_inside = files.roots().iter().any(|root| named.starts_with(root));
                names_inside.then_some(LinkTarget::Unknown)
            }
            Some(Err(_)) | None => Some(LinkTarget::Unknown),
        };
        if let Some(target) = target {
            targets.insert(path.to_owned(), target);
        }
    }
    Links::new(targets, judged)
}

/// Expands `~` at the beginning of a path.
fn expand_home(path: &str, context: &ToolContext) -> PathBuf {
    match (path.strip_prefix('~'), context.home()) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            PathBuf::from(format!("{}{rest}", home.display()))
        }
        _ => PathBuf::from(path),
    }
}

/// Returns the location and the target of a path, if they differ from the named path.
fn link_target(named: &Path, place: &PathLocation) -> Option<LinkTarget> {
    let mut places = vec![place.entry.clone(), place.target.clone()];
    places.dedup();
    places.retain(|place| place != named);
    (!places.is_empty()).then_some(LinkTarget::Paths(places))
}
