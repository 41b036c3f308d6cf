//! The authority of a turn, and its narrowing for delegates.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use helve_core::toolset::ToolFilter;
use helve_core::transcript::{AgentId, ToolName};
use helve_permission::{Mode, Policy, PolicyRecord};

/// The kind of relation between a delegate and its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DelegationKind {
    /// The code of the app or the user declared the delegate: it has the authority of the session, within its own
    /// policy. The restrictions of the calling agent itself do not bind the delegate.
    Declared,
    /// The calling agent chose the delegate: it has the authority and the tools of the caller, within its own policy.
    Open,
}

/// The recorded authority with which a turn began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TurnAuthority {
    /// The digest of the policies that applied.
    pub digest: String,
    /// The mode of the agent's own policy.
    pub mode: Mode,
    /// The number of agents up the chain of callers.
    pub depth: u32,
    /// The relation to the calling agent; `None` if the turn works for no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edge: Option<DelegationKind>,
    /// The agent's own policy, followed by the policies that limit it; empty if only the mode was recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub policies: Vec<PolicyRecord>,
}

#[derive(Debug, Clone)]
pub(super) struct Authority {
    /// The policy that limits this turn and all turns below it, if it differs from that of the agent: that of the
    /// session, within those of all callers that chose an agent themselves.
    session: Option<Policy>,
    /// The effective policy of the agent within all limits, by which the calls of the turn are judged.
    pub(super) policy: Policy,
    edge: Option<DelegationKind>,
    /// The chain of callers, the outermost first.
    pub(super) callers: Vec<AgentId>,
    /// The filters of the session, which apply to the tools of all agents.
    pub(super) filters: Arc<[ToolFilter]>,
}

impl Authority {
    /// Returns the authority of a turn that works for no other turn.
    pub(super) fn from_policy(policy: Policy) -> Self {
        Self {
            session: None,
            policy,
            edge: None,
            callers: Vec::new(),
            filters: Arc::default(),
        }
    }

    /// Sets the filters of the session. A tool must pass all of them.
    pub(super) fn with_filters(mut self, filters: &[ToolFilter]) -> Self {
        if !filters.is_empty() {
            self.filters = filters.into();
        }
        self
    }

    /// Narrows this authority, which is that of `caller`, for a delegate.
    pub(super) fn narrow_for(
        &self,
        caller: &AgentId,
        own: &Policy,
        edge: DelegationKind,
        tools: impl FnOnce() -> Vec<ToolName>,
    ) -> Self {
        let (policy, session) = match edge {
            DelegationKind::Declared => (own.with_ceiling(self.session()), self.session().clone()),
            DelegationKind::Open => {
                let tools = tools();
                let policy = own.with_tool_ceiling(&self.policy, tools.iter().cloned());
                // Whatever the delegate declares itself is bound by the calling agent, too.
                (policy, self.policy.with_tool_ceiling(&self.policy, tools))
            }
        };
        let mut chain = self.callers.clone();
        chain.push(caller.clone());
        Self {
            session: Some(session),
            policy,
            edge: Some(edge),
            callers: chain,
            filters: Arc::clone(&self.filters),
        }
    }

    /// Narrows this authority, which is that of the agent of a session, for another agent that goes on with the session.
    pub(super) fn narrow_for_successor(&self, own: &Policy) -> Self {
        Self {
            policy: own.with_ceiling(&self.policy),
            filters: Arc::clone(&self.filters),
            ..Self::from_policy(self.policy.clone())
        }
    }

    /// Narrows this authority to the recorded one with which the turn began.
    pub(super) fn restrict_to_record(mut self, recorded: Option<&TurnAuthority>) -> Self {
        let Some(recorded) = recorded else {
            return self;
        };
        if recorded.digest != self.policy.digest() {
            tracing::info!(
                mode = recorded.mode.name(),
                "the policies have changed since the turn began: it goes on under both"
            );
            self.policy = if recorded.policies.is_empty() {
                self.policy.with_mode_ceiling(recorded.mode)
            } else {
                self.policy.with_recorded_ceilings(&recorded.policies)
            };
        }
        if self.callers.is_empty() {
            self.session = None;
        }
        self
    }

    fn session(&self) -> &Policy {
        self.session.as_ref().unwrap_or(&self.policy)
    }

    /// Returns the record for a job, whose own session does not know what the user has rejected for this one.
    pub(super) fn record_for_job(&self) -> TurnAuthority {
        let (mut record, denied) = (self.record(), self.policy.granted_denials());
        if let Some(own) = record.policies.first_mut()
            && !denied.is_empty()
        {
            own.rules.deny.extend(denied);
            // A policy of the same digest would not be narrowed.
            record.digest.clear();
        }
        record
    }

    pub(super) fn record(&self) -> TurnAuthority {
        TurnAuthority {
            digest: self.policy.digest(),
            mode: self.policy.current_mode(),
            depth: u32::try_from(self.callers.len()).unwrap_or(u32::MAX),
            edge: self.edge,
            policies: self.policy.records(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::{Index, select, subsequence};
    use serde_json::json;

    use super::*;
    use crate::Agent;
    use helve_core::tool::{Annotations, Tool, ToolContext};
    use helve_core::toolset::{DynamicTool, Toolset};
    use helve_model::ScriptedModel;
    use helve_permission::{DangerousPaths, Rule, Rules, UntrustedPolicy};

    const TOOLS: [&str; 3] = ["look", "write", "send"];

    fn tools() -> Vec<DynamicTool> {
        let hints = [
            Annotations::new(Some(true), None, None, None),
            Annotations::new(None, Some(false), None, Some(false)),
            Annotations::new(None, Some(true), None, Some(true)),
        ];
        let tools = TOOLS.iter().zip(hints).map(|(name, hints)| {
            let schema = json!({ "type": "object" });
            let tool = DynamicTool::new(*name, "For a test.", schema, |_, _| unreachable!());
            tool.expect("it fits").with_annotations(hints)
        });
        tools.collect()
    }

    fn rules() -> impl Strategy<Value = Rules> {
        let rule = || select(vec!["look", "write", "send", "*"]).prop_map(Rule::tool);
        let list = || vec(rule(), 0..2);
        (list(), list(), list()).prop_map(|(allow, ask, deny)| Rules { allow, ask, deny })
    }

    /// An agent of a tree: its parent, the kind of delegation, and its own policy and tools.
    #[derive(Debug, Clone)]
    struct Node {
        above: Index,
        edge: DelegationKind,
        policy: Policy,
        tools: Vec<&'static str>,
        filter: ToolFilter,
    }

    fn filter() -> impl Strategy<Value = ToolFilter> {
        let names = || subsequence(TOOLS.to_vec(), 0..=TOOLS.len());
        (proptest::option::of(names()), names()).prop_map(|(granted, without)| {
            let filter = ToolFilter::new().without(without);
            match granted {
                Some(granted) => filter.tools(granted),
                None => filter,
            }
        })
    }

    impl Node {
        /// Returns the agent without the limits of the tree.
        fn agent(&self) -> Agent {
            let given = tools().into_iter();
            let given =
                given.filter(|tool| self.tools.iter().any(|name| **name == *tool.spec().name));
            Agent::new("node", ScriptedModel::new())
                .toolset(Toolset::from_tools(given.map(|tool| Arc::new(tool) as _)))
                .filter(self.filter.clone())
        }
    }

    prop_compose! {
        fn node()(
            above in any::<Index>(),
            edge in select(vec![DelegationKind::Declared, DelegationKind::Open]),
            mode in select(Mode::ALL.to_vec()),
            rules in rules(),
            tools in subsequence(TOOLS.to_vec(), 0..=TOOLS.len()),
            filter in filter(),
        ) -> Node {
            Node { above, edge, policy: Policy::new(mode).rules(rules), tools, filter }
        }
    }

    fn strictness(policy: &Policy, tool: &DynamicTool) -> u8 {
        let judged = policy.judge(tool, &ToolContext::new(), "{}");
        judged.expect("it fits").verdict.strictness()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

        /// No agent of a tree has more authority than the session, than the agent itself outside of the tree, or than
        /// its caller, and none has a tool that the session filters out.
        #[test]
        fn no_agent_of_a_tree_goes_beyond_what_is_above(
            root in node(), nodes in vec(node(), 1..8), granted in rules(), before in node(),
        ) {
            let session = root.policy.for_session();
            session.grant(granted);
            let granted = root.filter.clone();
            let authority = Authority::from_policy(session.clone()).with_filters(std::slice::from_ref(&granted));
            let agent = root.agent();
            let mut tree = vec![(root, authority, agent, Vec::new())];
            for node in nodes {
                let (above, authority, caller_agent, chosen) = &tree[node.above.index(tree.len())];
                let names = above.tools.clone();
                let own = authority.narrow_for(&"caller".into(), &node.policy, node.edge, || {
                    names.iter().map(|name| (*name).into()).collect()
                });
                let before = before.policy.with_ceiling(&session).without_ceilings();
                let recorded = Authority::from_policy(before.clone()).record();
                let again = own.clone().restrict_to_record(Some(&recorded));
                prop_assert_eq!(own.callers.len(), authority.callers.len() + 1);
                let (caller, names) = (authority.policy.clone(), above.tools.clone());
                let mut chosen: Vec<(Policy, Vec<&str>)> = chosen.clone();
                if node.edge == DelegationKind::Open {
                    chosen.push((caller, names));
                }
                for tool in &tools() {
                    let verdict = strictness(&own.policy, tool);
                    prop_assert!(verdict >= strictness(&session, tool));
                    let alone = node.policy.with_ceiling(&session).without_ceilings();
                    prop_assert!(verdict >= strictness(&alone, tool));
                    // Whoever chose an agent binds it, and all that work for it.
                    for (caller, names) in &chosen {
                        prop_assert!(verdict >= strictness(caller, tool));
                        let name = &tool.spec().name;
                        prop_assert!(verdict == 3 || names.iter().any(|known| **known == **name));
                    }
                    prop_assert!(strictness(&again.policy, tool) >= verdict);
                    prop_assert!(strictness(&again.policy, tool) >= strictness(&before, tool));
                }
                let agent = node.agent().for_caller(caller_agent, &own);
                for name in agent.toolset.names() {
                    let tool = agent.toolset.get(&name).expect("it is listed");
                    prop_assert!(granted.check(tool.spec()).is_ok(), "{} passes the session", name);
                    prop_assert!(node.filter.check(tool.spec()).is_ok(), "{} passes its own", name);
                    prop_assert!(node.tools.iter().any(|known| **known == *name));
                }
                tree.push((node, own, agent, chosen));
            }
        }
    }

    #[test]
    fn a_policy_is_read_again_as_it_was_recorded_and_what_was_recorded_before_as_its_mode() {
        let dangerous = DangerousPaths::empty().with(["vault/", "!vault/README.md"]);
        let policies = [
            Policy::new(Mode::Default),
            Policy::new(Mode::Explore)
                .rules(Rules::new().allow(Rule::tool("a")).deny(Rule::tool("b")))
                .working_folders(["/w"])
                .with_dangerous_paths(dangerous.expect("they are patterns"))
                .allow_unlisted(true)
                .untrusted(UntrustedPolicy::Always)
                .even_tainted(["a.example"])
                .with_tool_ceiling(&Policy::new(Mode::AcceptEdits), ["look".into()]),
        ];
        for policy in policies {
            let recorded = Authority::from_policy(policy.clone()).record();
            let text = serde_json::to_string(&recorded).expect("it has a JSON form");
            let read: TurnAuthority = serde_json::from_str(&text).expect("it is its own form");
            assert_eq!(read, recorded);
            // A policy that is limited by a record behaves as if it were limited by the recorded policy itself.
            let own = Policy::new(Mode::Bypass);
            let bound = own.with_recorded_ceilings(&read.policies);
            let levels = bound.records().split_off(1);
            assert_eq!(levels, read.policies);
        }
        let old = r#"{"digest":"0","mode":"explore","depth":0}"#;
        let old: TurnAuthority = serde_json::from_str(old).expect("it was written once");
        let resumed = authority(Mode::Bypass).restrict_to_record(Some(&old));
        assert_eq!(strictness(&resumed.policy, &tools()[1]), 3);
    }

    #[test]
    fn each_part_of_a_policy_changes_the_digest_that_is_recorded() {
        let plain = || Policy::new(Mode::Default);
        let policies = [
            plain(),
            plain().mode(Mode::Explore),
            plain().rules(Rules::new().allow(Rule::tool("a"))),
            plain().rules(Rules::new().ask(Rule::tool("a"))),
            plain().rules(Rules::new().deny(Rule::tool("a"))),
            plain().working_folders(["/w"]),
            plain().with_dangerous_paths(DangerousPaths::empty()),
            plain().allow_unlisted(true),
            plain().untrusted(UntrustedPolicy::Always),
            plain().untrusted(UntrustedPolicy::Never),
            plain().even_tainted(["a.example"]),
            plain().even_tainted(["b.example"]),
            plain().with_ceiling(&plain().untrusted(UntrustedPolicy::Always)),
            plain().with_ceiling(&plain().even_tainted(["a.example"])),
        ];
        let digests = policies.map(|policy| Authority::from_policy(policy).record().digest);
        for (at, digest) in digests.iter().enumerate() {
            assert!(!digests[..at].contains(digest), "policy {at}");
        }
    }

    fn authority(mode: Mode) -> Authority {
        Authority::from_policy(Policy::new(mode))
    }

    fn delegate(caller: &Authority, mode: Mode, edge: DelegationKind) -> Authority {
        let tools = || vec!["look".into()];
        caller.narrow_for(&"caller".into(), &Policy::new(mode), edge, tools)
    }

    #[test]
    fn a_declared_delegate_is_bound_by_the_session_and_not_by_its_caller() {
        let write = &tools()[1];
        let session = Authority::from_policy(
            Policy::new(Mode::AcceptEdits).rules(Rules::new().allow(Rule::tool("write"))),
        );
        let coordinator = delegate(&session, Mode::Explore, DelegationKind::Declared);
        let declared = delegate(&coordinator, Mode::Bypass, DelegationKind::Declared);
        let open = delegate(&coordinator, Mode::Bypass, DelegationKind::Open);
        let bound = [&coordinator, &declared, &open];
        assert_eq!(bound.map(|of| strictness(&of.policy, write)), [3, 0, 3]);
        assert_eq!(open.callers.len(), 2);
    }

    #[test]
    fn a_turn_that_is_gone_on_with_is_bound_by_both() {
        let write = &tools()[1];
        let resumed =
            |recorded, now| authority(now).restrict_to_record(Some(&authority(recorded).record()));
        let explored = resumed(Mode::Explore, Mode::Bypass);
        // The delegates of the agent have the same limits.
        let helper = delegate(&explored, Mode::Bypass, DelegationKind::Declared);
        let explores = resumed(Mode::Bypass, Mode::Explore);
        let bound = [&explored, &helper, &explores];
        assert_eq!(bound.map(|of| strictness(&of.policy, write)), [3, 3, 3]);
        let same = resumed(Mode::Bypass, Mode::Bypass);
        assert_eq!(same.record(), authority(Mode::Bypass).record());
    }
}
