//! What a turn may do at most, and how that passes on to the agents that work for it.

use serde::{Deserialize, Serialize};

use crate::permission::{Mode, Policy};
use crate::transcript::{AgentId, ToolName};

/// How an agent came to work for another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Edge {
    /// App code named it, or the user did: it has the authority of the session, as far as its own policy lets it. What the
    /// agent that calls it keeps from itself does not bind it.
    Declared,
    /// The agent that calls it chose it: it has the authority and the tools of that agent, as far as its own policy lets it.
    Open,
}

/// What a turn was allowed at most when it began, as it is recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TurnAuthority {
    /// Tells the policies that held from others.
    pub digest: String,
    /// The mode of the agent's own policy.
    pub mode: Mode,
    /// How many agents it works for.
    pub depth: u32,
    /// How it came to work for another one, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edge: Option<Edge>,
}

/// What a turn may do at most.
#[derive(Debug, Clone)]
pub(super) struct Authority {
    /// The policy that binds every turn of the session, where that is another one than the agent's.
    session: Option<Policy>,
    /// The policy of the agent, under all that binds it.
    policy: Policy,
    edge: Option<Edge>,
    /// The agents that it works for, the outermost first.
    chain: Vec<AgentId>,
}

impl Authority {
    /// The authority of a turn that works for no other.
    pub(super) fn of_session(policy: Policy) -> Self {
        Self {
            session: None,
            policy,
            edge: None,
            chain: Vec::new(),
        }
    }

    /// Narrows this authority, which is that of `caller`, for an agent that works for it.
    pub(super) fn narrowed(
        &self,
        caller: &AgentId,
        own: &Policy,
        edge: Edge,
        tools: impl FnOnce() -> Vec<ToolName>,
    ) -> Self {
        let policy = match edge {
            Edge::Declared => own.under(self.session()),
            Edge::Open => own.under_tools(&self.policy, tools()),
        };
        let mut chain = self.chain.clone();
        chain.push(caller.clone());
        Self {
            session: Some(self.session().clone()),
            policy,
            edge: Some(edge),
            chain,
        }
    }

    /// Narrows this authority to what the turn was allowed when it began.
    pub(super) fn resumed(mut self, recorded: Option<&TurnAuthority>) -> Self {
        let Some(recorded) = recorded else {
            return self;
        };
        if recorded.digest != self.policy.digest() {
            tracing::info!(
                mode = recorded.mode.name(),
                "the policies have changed since the turn began: it goes on under both"
            );
        }
        self.policy = self.policy.at_most(recorded.mode);
        if self.chain.is_empty() {
            self.session = None;
        }
        self
    }

    fn session(&self) -> &Policy {
        self.session.as_ref().unwrap_or(&self.policy)
    }

    /// Returns the policy by which the calls of the turn are judged.
    pub(super) fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Returns the agents that the turn works for, the outermost first.
    pub(super) fn chain(&self) -> &[AgentId] {
        &self.chain
    }

    /// Says what is written down of it.
    pub(super) fn record(&self) -> TurnAuthority {
        TurnAuthority {
            digest: self.policy.digest(),
            mode: self.policy.current_mode(),
            depth: u32::try_from(self.chain.len()).unwrap_or(u32::MAX),
            edge: self.edge,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::{Index, select};
    use serde_json::json;

    use super::*;
    use crate::permission::{Rule, Rules, Verdict};
    use crate::tool::{Annotations, Tool, ToolContext};
    use crate::toolset::DynamicTool;

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
            tool.expect("it fits").annotated(hints)
        });
        tools.collect()
    }

    fn rules() -> impl Strategy<Value = Rules> {
        let list = || {
            vec(
                select(vec!["look", "write", "send", "*"]).prop_map(Rule::tool),
                0..2,
            )
        };
        (list(), list(), list()).prop_map(|(allow, ask, deny)| Rules { allow, ask, deny })
    }

    /// An agent of a tree: where it hangs, how, and what it is by itself.
    #[derive(Debug, Clone)]
    struct Node {
        above: Index,
        edge: Edge,
        policy: Policy,
        tools: Vec<&'static str>,
    }

    prop_compose! {
        fn node()(
            above in any::<Index>(),
            edge in select(vec![Edge::Declared, Edge::Open]),
            mode in select(Mode::ALL.to_vec()),
            rules in rules(),
            tools in proptest::sample::subsequence(TOOLS.to_vec(), 0..=TOOLS.len()),
        ) -> Node {
            Node { above, edge, policy: Policy::new(mode).rules(rules), tools }
        }
    }

    fn strictness(policy: &Policy, tool: &DynamicTool) -> u8 {
        let judged = policy.judge(tool, &ToolContext::new(), "{}");
        judged.expect("it fits").verdict.strictness()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

        /// No agent of a tree may more than its session, than itself alone, or than whoever chose to call it.
        #[test]
        fn no_agent_of_a_tree_goes_beyond_what_is_above(
            root in node(), nodes in vec(node(), 1..8), granted in rules(), resumed in select(Mode::ALL.to_vec()),
        ) {
            let session = root.policy.for_session();
            session.grant(granted);
            let mut tree = vec![(root, Authority::of_session(session.clone()))];
            for node in nodes {
                let (above, authority) = &tree[node.above.index(tree.len())];
                let names = above.tools.clone();
                let own = authority.narrowed(&"caller".into(), &node.policy, node.edge, || {
                    names.iter().map(|name| (*name).into()).collect()
                });
                let recorded = TurnAuthority { mode: resumed, ..own.record() };
                let again = own.clone().resumed(Some(&recorded));
                prop_assert_eq!(own.chain().len(), authority.chain().len() + 1);
                let (caller, names) = (authority.policy().clone(), above.tools.clone());
                for tool in &tools() {
                    let verdict = strictness(own.policy(), tool);
                    prop_assert!(verdict >= strictness(&session, tool));
                    let alone = node.policy.under(&session).without_ceilings();
                    prop_assert!(verdict >= strictness(&alone, tool));
                    if node.edge == Edge::Open {
                        prop_assert!(verdict >= strictness(&caller, tool));
                        let name = &tool.spec().name;
                        prop_assert!(verdict == 3 || names.iter().any(|known| **known == **name));
                    }
                    prop_assert!(strictness(again.policy(), tool) >= verdict);
                }
                tree.push((node, own));
            }
        }
    }

    #[test]
    fn a_declared_delegate_is_bound_by_the_session_and_not_by_its_caller() {
        let write = &tools()[1];
        let session = Authority::of_session(
            Policy::new(Mode::AcceptEdits).rules(Rules::new().allow(Rule::tool("write"))),
        );
        let coordinator = session.narrowed(
            &"main".into(),
            &Policy::new(Mode::Explore),
            Edge::Declared,
            Vec::new,
        );
        let editor = |edge| {
            let own = Policy::new(Mode::Bypass);
            let tools = || vec!["look".into()];
            coordinator.narrowed(&"coordinator".into(), &own, edge, tools)
        };
        assert_eq!(strictness(coordinator.policy(), write), 3);
        assert_eq!(strictness(editor(Edge::Declared).policy(), write), 0);
        assert_eq!(strictness(editor(Edge::Open).policy(), write), 3);
        assert_eq!(editor(Edge::Open).chain().len(), 2);
    }

    #[test]
    fn a_turn_that_is_gone_on_with_is_bound_by_both() {
        let write = &tools()[1];
        let of = |mode| Authority::of_session(Policy::new(mode));
        let explored = of(Mode::Explore).record();
        let resumed = of(Mode::Bypass).resumed(Some(&explored));
        assert!(matches!(
            resumed
                .policy()
                .judge(write, &ToolContext::new(), "{}")
                .map(|said| said.verdict),
            Ok(Verdict::Deny { .. })
        ));
        // Whoever works for it is bound alike.
        let helper = resumed.narrowed(
            &"main".into(),
            &Policy::new(Mode::Bypass),
            Edge::Declared,
            Vec::new,
        );
        assert_eq!(strictness(helper.policy(), write), 3);
        assert_eq!(
            strictness(
                of(Mode::Explore)
                    .resumed(Some(&of(Mode::Bypass).record()))
                    .policy(),
                write
            ),
            3
        );
        let same = of(Mode::Bypass).resumed(Some(&of(Mode::Bypass).record()));
        assert_eq!(same.record(), of(Mode::Bypass).record());
    }
}
