//! What may run: a mode, rules, and the places that stay shut.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use super::ceiling::Ceiling;
use super::judge::{Judge, Shown};
use super::{DangerousPaths, Decision, Judgement, Mode, Rule, Rules, paths};
use crate::tool::{Tool, ToolContext, ToolError};

/// Says of each call whether it may run, has to be asked about, or must not run.
///
/// The order, the same in every mode:
///
/// 1. a deny rule about any part of the call, or the tool's own check, denies;
/// 2. an ask rule about any part asks;
/// 3. a [dangerous path](DangerousPaths), or the tool's own check for reasons of safety, asks, and no rule answers in the
///    person's place; [`Mode::Bypass`] answers where no secret is read and no dangerous path is written;
/// 4. what only reads runs;
/// 5. what the tool's own check allows runs, and so does an edit of the workspace where the mode accepts edits;
/// 6. what allow rules cover runs;
/// 7. else the mode and the [`Effects`](crate::tool::Effects) of the call decide.
///
/// In [`Mode::Explore`] the steps 5 and 6 are passed over; there and in [`Mode::DontAsk`] what would ask is denied. The
/// one question in explore is that of an ask rule about a call that only reads.
///
/// A policy that is [under](Self::under) others lets through what all of them do.
///
/// Cloning is cheap, and clones share the rules that are granted while they are at work.
///
/// ```
/// # extern crate helve_runtime as helve;
/// use helve::permission::{Mode, Policy, Rules, Verdict};
/// use helve::prelude::*;
///
/// /// Sends a mail.
/// #[tool(open_world)]
/// fn send_a_mail() {}
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let tool = toolset![send_a_mail].get("send_a_mail").ok_or("no tool")?;
/// let policy = Policy::new(Mode::Default);
/// let judgement = policy.judge(&*tool, &ToolContext::new(), "{}").map_err(|error| error.to_string())?;
/// assert!(matches!(judgement.verdict, Verdict::Ask { .. }));
///
/// let policy = policy.rules(Rules::new().allow("send_*".parse()?));
/// let judgement = policy.judge(&*tool, &ToolContext::new(), "{}").map_err(|error| error.to_string())?;
/// assert_eq!(judgement.verdict, Verdict::Allow);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Policy {
    fixed: Arc<Fixed>,
    /// What it may not go beyond, each as it is by itself.
    ceilings: Arc<[Ceiling]>,
    live: Arc<RwLock<Live>>,
}

/// What a policy was made with.
#[derive(Debug, Clone, Default)]
pub(super) struct Fixed {
    pub(super) mode: Mode,
    pub(super) rules: Rules,
    pub(super) working_folders: Vec<PathBuf>,
    pub(super) dangerous: DangerousPaths,
    pub(super) allow_unlisted: bool,
}

/// What came up at work.
#[derive(Debug, Clone, Default)]
pub(super) struct Live {
    pub(super) granted: Arc<Rules>,
    pub(super) taint: Option<Arc<str>>,
}

impl Policy {
    /// Makes a policy without rules.
    #[must_use]
    pub fn new(mode: Mode) -> Self {
        let fixed = Fixed {
            mode,
            ..Fixed::default()
        };
        Self {
            fixed: Arc::new(fixed),
            ..Self::default()
        }
    }

    fn change(mut self, change: impl FnOnce(&mut Fixed)) -> Self {
        change(Arc::make_mut(&mut self.fixed));
        self
    }

    /// Sets the mode.
    #[must_use]
    pub fn mode(self, mode: Mode) -> Self {
        self.change(|fixed| fixed.mode = mode)
    }

    /// Adds rules.
    #[must_use]
    pub fn rules(self, rules: Rules) -> Self {
        self.change(|fixed| fixed.rules.extend(rules))
    }

    /// Sets the folders whose files an edit may change where the mode accepts edits; without this, the folders that the
    /// host granted.
    #[must_use]
    pub fn working_folders<P: Into<PathBuf>>(self, folders: impl IntoIterator<Item = P>) -> Self {
        let folders = folders.into_iter().map(Into::into).collect();
        self.change(|fixed| fixed.working_folders = folders)
    }

    /// Sets the places that nobody but a person may open; [`DangerousPaths::default`] otherwise.
    #[must_use]
    pub fn dangerous_paths(self, paths: DangerousPaths) -> Self {
        self.change(|fixed| fixed.dangerous = paths)
    }

    /// Lets tools run that declare nothing of their effects.
    #[must_use]
    pub fn unlisted_allow(self, allow: bool) -> Self {
        self.change(|fixed| fixed.allow_unlisted = allow)
    }

    /// Returns a policy made like this one, for another session: what is granted to either is not granted to the other.
    #[must_use]
    pub fn for_session(&self) -> Self {
        Self {
            live: Arc::default(),
            ..self.clone()
        }
    }

    /// Returns the mode.
    #[must_use]
    pub fn current_mode(&self) -> Mode {
        self.fixed.mode
    }

    /// Returns the places that nobody but a person may open.
    #[must_use]
    pub fn shut(&self) -> &DangerousPaths {
        &self.fixed.dangerous
    }

    /// Adds rules while at work: for this policy and all its clones.
    pub fn grant(&self, rules: Rules) {
        let mut live = self.live.write().unwrap_or_else(PoisonError::into_inner);
        Arc::make_mut(&mut live.granted).extend(rules);
    }

    /// Adds the rules of an answer while at work, whatever their scope: a rule for a project holds in this session too.
    pub fn take_in(&self, decision: &Decision) {
        let rules = Rules::given_with(decision);
        if !rules.is_empty() {
            self.grant(rules);
        }
    }

    /// Returns the rules that were added while at work.
    #[must_use]
    pub fn granted(&self) -> Arc<Rules> {
        self.live().granted
    }

    /// Says that the model has read something that may try to steer it: from now on what is risky asks, and neither a
    /// rule nor a mode answers.
    pub fn taint(&self, source: impl Into<Arc<str>>) {
        let mut live = self.live.write().unwrap_or_else(PoisonError::into_inner);
        live.taint.get_or_insert(source.into());
    }

    /// Returns where the text came from that may try to steer the model.
    #[must_use]
    pub fn tainted(&self) -> Option<Arc<str>> {
        self.live().taint
    }

    pub(super) fn live(&self) -> Live {
        self.live
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(super) fn own(&self) -> &Arc<Fixed> {
        &self.fixed
    }

    pub(super) fn ceilings(&self) -> &[Ceiling] {
        &self.ceilings
    }

    /// Returns this policy under these ceilings alone, in the session of another one.
    pub(super) fn with_ceilings(&self, ceilings: Vec<Ceiling>, session: &Self) -> Self {
        Self {
            fixed: Arc::clone(&self.fixed),
            ceilings: ceilings.into(),
            live: Arc::clone(&session.live),
        }
    }

    pub(crate) fn without_ceilings(self) -> Self {
        Self {
            ceilings: Arc::default(),
            ..self
        }
    }

    /// Judges a call by what it says: paths by their names, nothing is looked up and nothing waits.
    ///
    /// [`judge_with_files`](Self::judge_with_files) sees through links too.
    ///
    /// # Errors
    ///
    /// [`ToolError::InvalidArguments`] with all mistakes at once; [`ToolError::Failed`] where the tool's own functions panic.
    pub fn judge(
        &self,
        tool: &dyn Tool,
        context: &ToolContext,
        arguments: &str,
    ) -> Result<Judgement, ToolError> {
        Judge::of(self, tool, context, arguments).map(Judge::judge)
    }

    /// Says of a call what whoever is asked about it wants to see.
    pub(crate) fn show(
        &self,
        tool: &dyn Tool,
        context: &ToolContext,
        arguments: &str,
    ) -> Result<Shown, ToolError> {
        Judge::of(self, tool, context, arguments).map(Judge::show)
    }

    /// Reports whether a rule, were it granted, would let a whole call run, that would ask without it.
    pub(crate) fn satisfied_by(
        &self,
        rule: &Rule,
        tool: &dyn Tool,
        context: &ToolContext,
        arguments: &str,
    ) -> bool {
        Judge::of(self, tool, context, arguments).is_ok_and(|judge| judge.satisfied_by(rule))
    }

    /// Reports whether a rule, were it an allow rule, would cover a whole call; arguments that do not fit are covered by
    /// nothing.
    #[must_use]
    pub fn covers(
        &self,
        rule: &Rule,
        tool: &dyn Tool,
        context: &ToolContext,
        arguments: &str,
    ) -> bool {
        Judge::of(self, tool, context, arguments).is_ok_and(|judge| judge.is_covered_by(rule))
    }
}

impl Fixed {
    /// Reports whether a path lies in the workspace.
    pub(super) fn is_inside(&self, place: &Path, context: &ToolContext) -> bool {
        if self.working_folders.is_empty() {
            let roots = context.granted_files().map(|files| files.roots());
            return roots.is_some_and(|roots| roots.iter().any(|root| place.starts_with(root)));
        }
        let home = context.home();
        let mut folders = self.working_folders.iter();
        folders.any(|folder| {
            let folder = folder.to_string_lossy();
            place.starts_with(&*paths::absolute(&folder, context.working_folder(), home))
        })
    }
}
