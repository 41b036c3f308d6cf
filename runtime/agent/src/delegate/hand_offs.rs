//! The agents to which an agent may hand the conversation off.

use std::borrow::Cow;
use std::sync::Arc;

use super::Agent;
use super::hand_off_tool::hand_off_tool;
use crate::authority::Authority;
use crate::session::HandOffView;
use helve_core::tool::Tool;
use helve_core::transcript::AgentId;

/// The agents to which an agent may hand the conversation off.
#[derive(Clone, Default)]
pub(crate) struct Successors {
    agents: Vec<Arc<Agent>>,
    /// Agents that others declare.
    names: Vec<AgentId>,
    /// What this agent sees of a conversation that is handed off to it.
    view: HandOffView,
}

impl Successors {
    pub(crate) fn view(&self) -> HandOffView {
        self.view
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.agents.is_empty() && self.names.is_empty()
    }

    /// Returns the tool that hands off; `None` if there is no other agent.
    pub(crate) fn tool(&self) -> Option<Arc<dyn Tool>> {
        if self.is_empty() {
            return None;
        }
        let about = |agent: &Arc<Agent>| {
            let about = agent.description.as_deref();
            (
                agent.id.clone(),
                about.unwrap_or("no description").to_owned(),
            )
        };
        let mut list: Vec<_> = self.agents.iter().map(about).collect();
        for name in &self.names {
            if !list.iter().any(|(known, _)| known == name) {
                list.push((name.clone(), "no description".to_owned()));
            }
        }
        hand_off_tool(&list)
    }
}

impl Agent {
    /// Adds an agent to which this agent may hand the conversation off, with the tool `hand_off`.
    ///
    /// The turn of this agent ends with the call. The other agent goes on with the prompt in a turn of its own, within the
    /// bounds that are left, and answers the next prompts of the session. It works within the authority of this agent, whose
    /// approver, hooks and guards hold for it, too. Hand-offs count towards the [depth](crate::turn::Bounds::depth) of a
    /// prompt, also those that lead back.
    ///
    /// An agent that works on a [task](Self::delegate) hands nothing off.
    ///
    /// ```
    /// use helve::agent::Agent;
    /// use helve::model::ScriptedModel;
    /// use serde_json::json;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), helve::agent::AskError> {
    /// let billing = Agent::new("billing", ScriptedModel::new().say("The invoice is corrected."));
    /// let call = json!({ "to": "billing", "brief": "The invoice of May is wrong." });
    /// let desk = Agent::new("desk", ScriptedModel::new().call("hand_off", call))
    ///     .hand_off(billing.description("Corrects invoices."));
    /// assert_eq!(desk.ask("My invoice is wrong.").await?, "The invoice is corrected.");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn hand_off(mut self, agent: Self) -> Self {
        self.successors.agents.push(Arc::new(agent));
        self.rebuild_toolset()
    }

    /// Adds agents to which this agent may hand the conversation off, by their names: the agent of the session, or one that
    /// it or another agent [declares](Self::hand_off). Names that none of them has are not offered.
    #[must_use]
    pub fn hand_off_by_name<N: Into<AgentId>>(
        mut self,
        names: impl IntoIterator<Item = N>,
    ) -> Self {
        self.successors
            .names
            .extend(names.into_iter().map(Into::into));
        self.rebuild_toolset()
    }

    /// Sets what this agent sees of a conversation that is handed off to it. By default, it sees what the user said, and the
    /// last text and the brief of the other agent, as notes.
    #[must_use]
    pub fn hand_off_view(mut self, view: HandOffView) -> Self {
        self.successors.view = view;
        self
    }

    /// Returns this agent or one after it by its name; `None` if there is none.
    pub(crate) fn find_successor(&self, name: &AgentId) -> Option<Cow<'_, Self>> {
        if self.id == *name {
            return Some(Cow::Borrowed(self));
        }
        let mut found: Vec<&Arc<Self>> = self.successors.agents.iter().collect();
        let mut seen = 0;
        while let Some(agent) = found.get(seen).copied() {
            if agent.id == *name {
                return Some(Cow::Owned(self.prepare_successor(agent)));
            }
            seen += 1;
            let is_known = |new: &&Arc<Self>| found.iter().any(|known| known.id == new.id);
            let new: Vec<_> = agent
                .successors
                .agents
                .iter()
                .filter(|new| !is_known(new))
                .collect();
            found.extend(new);
        }
        None
    }

    /// Returns an agent with the names to which it may hand off that exist in the session of this agent, and with the guards of
    /// this agent: it answers in its place.
    fn prepare_successor(&self, agent: &Self) -> Self {
        let mut agent = agent.clone();
        let names = std::mem::take(&mut agent.successors.names);
        let names = names
            .into_iter()
            .filter(|name| *name != agent.id && self.has_successor(name));
        agent.successors.names = names.collect();
        agent.guards = agent.guards.after(&self.guards);
        agent.rebuild_toolset()
    }

    /// Reports whether this agent or one after it has a name.
    #[doc(hidden)]
    pub fn has_successor(&self, name: &AgentId) -> bool {
        let has = |agent: &Arc<Self>| agent.has_successor(name);
        self.id == *name || self.successors.agents.iter().any(has)
    }

    /// Returns an agent that was [found](Self::find_successor) as the one that works in the session of this agent, which has
    /// this authority: the settings of the session apply to its turns, as to those of a delegate.
    pub(crate) fn enter_session<'a>(
        &self,
        agent: Cow<'a, Self>,
        authority: Authority,
    ) -> (Cow<'a, Self>, Authority) {
        let Cow::Owned(other) = agent else {
            return (agent, authority);
        };
        let authority = authority.narrow_for_successor(&other.policy);
        let mut agent = other.for_caller(self, &authority);
        agent.successors = other.successors;
        agent.guards = other.guards;
        (Cow::Owned(agent.rebuild_toolset()), authority)
    }
}
