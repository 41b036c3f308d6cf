//! Policies: a mode, rules, and dangerous paths.

use std::ops::{Deref, DerefMut};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, RwLockWriteGuard};

use super::level::{Ceiling, PlanApproval, PolicyConfig};
use super::{
    AccessScope, DangerousPaths, Decision, KnownUrls, Label, Mode, Rule, Rules, UntrustedPolicy,
};
use helve_core::support::lock::RwLock;

/// A permission policy, which decides for each call whether it may run, needs approval, or must not run.
///
/// The layers, in the same order in every mode:
///
/// 1. a deny rule that covers any part of the call, or the tool's own check, denies;
/// 2. an ask rule that covers any part asks;
/// 3. a [dangerous path](DangerousPaths), or the tool's own check for reasons of safety, asks, and no rule may answer
///    in place of the user; [`Mode::Bypass`] answers if no secret is read and no dangerous path is written;
/// 4. after the model has read untrusted text, a call that could send data out or that takes effect later asks, and
///    neither a mode nor a rule may answer, as [`UntrustedPolicy`] specifies;
/// 5. a call that only reads runs;
/// 6. a call that the tool's own check allows runs, and so does an edit of the workspace if the mode accepts edits;
/// 7. a call that allow rules cover runs;
/// 8. otherwise the mode and the [`Effects`](helve_core::tool::Effects) of the call decide.
///
/// In [`Mode::Explore`] and [`Mode::Plan`], layers 6 and 7 are skipped; in these modes and in [`Mode::DontAsk`], calls
/// that would ask are denied. The only questions in explore mode are those of an ask rule about a call that only reads;
/// in plan mode, the approval of a plan is one, too.
///
/// A policy with [ceilings](Self::with_ceiling) permits only what it and all of its ceilings permit.
///
/// Cloning is cheap, and clones share the rules that are granted at run time.
///
/// ```
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
    pub(super) config: Arc<PolicyConfig>,
    /// The ceilings of the policy, each without its own ceilings.
    pub(super) ceilings: Arc<[Ceiling]>,
    session: Arc<PolicySession>,
    /// The provenance of this policy, if it differs from that of its session.
    own_provenance: Option<Arc<SessionValue<Provenance>>>,
}

/// What a policy learns in a session.
#[derive(Debug, Default)]
struct PolicySession {
    grants: SessionValue<SessionGrants>,
    provenance: SessionValue<Provenance>,
    plan_approval: SessionValue<Option<PlanApproval>>,
}

/// A value that few sessions set. Reading takes no lock before it is set.
#[derive(Debug, Default)]
struct SessionValue<T> {
    is_set: AtomicBool,
    value: RwLock<T>,
}

impl<T: Clone + Default> SessionValue<T> {
    fn new(value: T) -> Self {
        Self {
            is_set: AtomicBool::new(true),
            value: RwLock::new(value),
        }
    }

    fn get(&self) -> T {
        match self.is_set.load(Ordering::Acquire) {
            true => self.value.read().clone(),
            false => T::default(),
        }
    }

    fn write(&self) -> RwLockWriteGuard<'_, T> {
        self.is_set.store(true, Ordering::Release);
        self.value.write()
    }
}

/// The rules granted at run time; empty in most sessions.
#[derive(Debug, Clone, Default)]
pub(super) struct SessionGrants {
    granted: Option<Arc<Rules>>,
}

impl SessionGrants {
    /// Returns the granted rules.
    pub(super) fn granted(&self) -> &Rules {
        static NONE: Rules = Rules::new();
        self.granted.as_deref().unwrap_or(&NONE)
    }

    /// Returns the granted rules, to add to them.
    pub(super) fn granted_mut(&mut self) -> &mut Rules {
        Arc::make_mut(self.granted.get_or_insert_default())
    }
}

/// The provenance of the text that an agent has read; empty until it reads something.
#[derive(Debug, Clone, Default)]
pub(super) struct Provenance(Option<Arc<ProvenanceData>>);

#[derive(Debug, Clone, Default)]
pub(super) struct ProvenanceData {
    pub(super) label: Label,
    pub(super) urls: KnownUrls,
}

impl Deref for Provenance {
    type Target = ProvenanceData;

    fn deref(&self) -> &ProvenanceData {
        static NOTHING: LazyLock<ProvenanceData> = LazyLock::new(ProvenanceData::default);
        self.0.as_deref().unwrap_or_else(|| &NOTHING)
    }
}

impl DerefMut for Provenance {
    fn deref_mut(&mut self) -> &mut ProvenanceData {
        Arc::make_mut(self.0.get_or_insert_default())
    }
}

impl Policy {
    /// Creates a policy without rules.
    #[must_use]
    pub fn new(mode: Mode) -> Self {
        Self::default().mode(mode)
    }

    pub(super) fn change(mut self, change: impl FnOnce(&mut PolicyConfig)) -> Self {
        change(Arc::make_mut(&mut self.config));
        self
    }

    /// Sets the mode.
    #[must_use]
    pub fn mode(self, mode: Mode) -> Self {
        self.change(|fixed| {
            fixed.mode = mode;
            fixed.inherits_mode = false;
        })
    }

    /// Adds rules.
    #[must_use]
    pub fn rules(self, rules: Rules) -> Self {
        self.change(|fixed| fixed.rules.extend(rules))
    }

    /// Limits what calls may access, in addition to the limits that there are.
    #[must_use]
    pub fn limit_access(self, scope: AccessScope) -> Self {
        if scope.is_unlimited() {
            return self;
        }
        self.change(|fixed| fixed.scopes.push(scope))
    }

    /// Sets the folders whose files an edit may change if the mode accepts edits. The default is the folders that the
    /// host granted.
    #[must_use]
    pub fn working_folders<P: Into<PathBuf>>(self, folders: impl IntoIterator<Item = P>) -> Self {
        let folders = folders.into_iter().map(Into::into).collect();
        self.change(|fixed| fixed.working_folders = folders)
    }

    /// Sets the paths that only a user may open; the default is [`DangerousPaths::default`].
    #[must_use]
    pub fn with_dangerous_paths(self, paths: DangerousPaths) -> Self {
        self.change(|fixed| fixed.dangerous = paths)
    }

    /// Allows tools that declare no effects.
    #[must_use]
    pub fn allow_unlisted(self, allow: bool) -> Self {
        self.change(|fixed| fixed.allow_unlisted = allow)
    }

    /// Sets which calls ask after untrusted text was read; the default is [`UntrustedPolicy::Egress`].
    #[must_use]
    pub fn untrusted(self, what_asks: UntrustedPolicy) -> Self {
        self.change(|fixed| fixed.untrusted = what_asks)
    }

    /// Sets the hosts that tools may reach without approval even after the model has read untrusted text, written as in
    /// [`HostRules`](helve_core::network::HostRules).
    #[must_use]
    pub fn even_tainted<H: Into<String>>(self, hosts: impl IntoIterator<Item = H>) -> Self {
        let hosts = hosts.into_iter().map(Into::into).collect();
        self.change(|fixed| fixed.even_tainted = hosts)
    }

    /// Marks the policy as one without access to the conversation: the URLs of the conversation are unknown, and calls
    /// that only read from the network are left to the program that has the conversation.
    #[doc(hidden)]
    pub fn without_conversation(self) -> Self {
        self.change(|fixed| fixed.no_conversation = true)
    }

    /// Reports whether the conversation is not known.
    pub(crate) fn has_no_conversation(&self) -> bool {
        self.config.no_conversation
    }

    /// Reports whether the policy, or one of its ceilings, asks after untrusted text was read.
    #[doc(hidden)]
    pub fn asks_after_untrusted(&self) -> bool {
        let mut levels = self.levels();
        levels.any(|level| level.untrusted != UntrustedPolicy::Never)
    }

    /// Returns a copy of this policy for another session. Rules granted to either policy are not granted to the other.
    #[must_use]
    pub fn for_session(&self) -> Self {
        let session = PolicySession::default();
        if let Some(approval) = self.plan_approval() {
            *session.plan_approval.write() = Some(approval);
        }
        Self {
            config: Arc::clone(&self.config),
            ceilings: Arc::clone(&self.ceilings),
            session: Arc::new(session),
            own_provenance: None,
        }
    }

    /// Returns this policy as it is now, in a session of its own in which a rule is granted.
    pub(crate) fn with_granted_rule(&self, rule: Rule) -> Self {
        let mut grants = self.grants();
        grants.granted_mut().allow.push(rule);
        let session = PolicySession {
            grants: SessionValue::new(grants),
            provenance: SessionValue::new(self.provenance()),
            plan_approval: SessionValue::new(self.plan_approval()),
        };
        Self {
            config: Arc::clone(&self.config),
            ceilings: Arc::clone(&self.ceilings),
            session: Arc::new(session),
            own_provenance: None,
        }
    }

    /// Iterates over the configurations of this policy and of its ceilings.
    pub(super) fn levels(&self) -> impl Iterator<Item = &Arc<PolicyConfig>> {
        let ceilings = self.ceilings.iter().map(|ceiling| &ceiling.config);
        std::iter::once(&self.config).chain(ceilings)
    }

    /// Returns the mode: after the approval of a plan, the mode that replaced [`Mode::Plan`].
    #[must_use]
    pub fn current_mode(&self) -> Mode {
        self.config.mode_after(self.plan_approval().as_ref())
    }

    /// Returns the mode in place of [`Mode::Plan`], if the user has approved a plan of the session.
    #[must_use]
    #[doc(hidden)]
    pub fn approved_mode(&self) -> Option<Mode> {
        self.plan_approval().map(|approval| approval.mode)
    }

    pub(super) fn plan_approval(&self) -> Option<PlanApproval> {
        self.session.plan_approval.get()
    }

    /// Reports whether this policy or one of its ceilings is in [`Mode::Plan`].
    #[must_use]
    #[doc(hidden)]
    pub fn is_planning(&self) -> bool {
        self.levels().any(|level| level.mode == Mode::Plan) && self.plan_approval().is_none()
    }

    /// Replaces [`Mode::Plan`] at every level of this policy, and of those that inherit it, as the user's approval of a plan
    /// says: edits are accepted if the approval [is for more than the call](Decision::AllowAlways). A rejection changes
    /// nothing.
    #[doc(hidden)]
    pub fn apply_plan_approval(&self, decision: &Decision) {
        match decision {
            Decision::AllowOnce { .. } => self.end_plan_mode(Mode::Default),
            Decision::AllowAlways { .. } => self.end_plan_mode(Mode::AcceptEdits),
            _ => {}
        }
    }

    /// Replaces [`Mode::Plan`] as an approval of the user did.
    #[doc(hidden)]
    pub fn end_plan_mode(&self, mode: Mode) {
        let levels = self.levels().cloned().collect();
        *self.session.plan_approval.write() = Some(PlanApproval { mode, levels });
    }

    /// Returns the paths that only a user may open.
    #[must_use]
    pub fn dangerous_paths(&self) -> &DangerousPaths {
        &self.config.dangerous
    }

    /// Grants rules at run time, for this policy and all its clones.
    pub fn grant(&self, rules: Rules) {
        self.session.grants.write().granted_mut().extend(rules);
    }

    /// Grants the rules of a decision at run time, whatever their scope: a rule for a project applies in this session
    /// too.
    pub fn apply_decision(&self, decision: &Decision) {
        let rules = Rules::from_decision(decision);
        if !rules.is_empty() {
            self.grant(rules);
        }
    }

    /// Returns the rules granted at run time that deny calls.
    #[doc(hidden)]
    pub fn granted_denials(&self) -> Vec<Rule> {
        self.grants().granted().deny.clone()
    }

    /// Adds the label of text that the model has read, for this policy and all its clones. The label is never removed.
    pub fn join_label(&self, label: &Label) {
        // The label of the user's text restricts nothing.
        if !label.is_user() && !self.provenance().label.covers(label) {
            self.shared_provenance().write().label.join(label);
        }
    }

    /// Returns the label of the text that the model has read.
    #[must_use]
    pub fn label(&self) -> Label {
        self.provenance().label.clone()
    }

    /// Sets the URLs that calls may access without a question.
    #[doc(hidden)]
    pub fn set_known_urls(&self, urls: KnownUrls) {
        self.shared_provenance().write().urls = urls;
    }

    pub(super) fn provenance(&self) -> Provenance {
        self.shared_provenance().get()
    }

    fn shared_provenance(&self) -> &SessionValue<Provenance> {
        let own = self.own_provenance.as_deref();
        own.unwrap_or(&self.session.provenance)
    }

    pub(super) fn grants(&self) -> SessionGrants {
        self.session.grants.get()
    }

    /// Returns this policy with exactly these ceilings, in the session of another policy.
    pub(super) fn with_ceilings(&self, ceilings: Vec<Ceiling>, session: &Self) -> Self {
        Self {
            config: Arc::clone(&self.config),
            ceilings: ceilings.into(),
            session: Arc::clone(&session.session),
            // Text that is read under this policy is added to the session's provenance when the answer is returned, and
            // not before.
            own_provenance: Some(Arc::new(SessionValue::new(session.provenance()))),
        }
    }

    /// Returns this policy, in its session, with additional ceilings.
    pub(super) fn with_more_ceilings(&self, more: impl IntoIterator<Item = Ceiling>) -> Self {
        Self {
            ceilings: self.ceilings.iter().cloned().chain(more).collect(),
            ..self.clone()
        }
    }

    /// Returns this policy in its session without its ceilings, for tests of ceilings.
    #[doc(hidden)]
    #[must_use]
    pub fn without_ceilings(self) -> Self {
        Self {
            ceilings: Arc::default(),
            ..self
        }
    }
}
