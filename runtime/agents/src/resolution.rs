//! What an agent may do in a session.

use std::time::Duration;

use helve_agent::Agent;
use helve_agent::exposure::ToolExposure;
use helve_agent::turn::Bounds;
use helve_core::network::{HostPolicy, HostRules};
use helve_core::toolset::{ToolFilter, Toolset};
use helve_core::transcript::Cost;
use helve_permission::{AccessScope, Policy, Rule, Rules};

use crate::{AgentSpec, Budget, HostScope};
use helve_permission::tool_names::{Exclusion, ToolNames};

/// The authority of the session, or of the calling agent, within which an agent works.
#[derive(Debug, Clone, Copy)]
pub struct SessionAuthority<'s> {
    /// The tools.
    pub tools: &'s Toolset,
    /// The policy.
    pub policy: &'s Policy,
    /// The bounds of a turn.
    pub bounds: &'s Bounds,
}

/// What an agent may do in a session: at most what the session may.
#[derive(Debug, Clone)]
pub struct ResolvedAgent {
    description: String,
    filters: Vec<ToolFilter>,
    policy: Policy,
    bounds: Bounds,
    delegates: DelegateNames,
    notes: Vec<String>,
}

/// The agents to which an agent may delegate tasks.
#[derive(Debug, Clone, Default)]
struct DelegateNames {
    /// The only agents; `None` for the default.
    only: Option<Vec<String>>,
    /// The agents in the list of tools, which limits the agent of the session alone.
    listed: Option<Vec<String>>,
    without: Vec<String>,
    /// Whether the lists of tools exclude the tool that delegates tasks.
    lacks_tool: bool,
}

impl AgentSpec {
    /// Determines what the agent may do within the authority of a session.
    ///
    /// Every part narrows: the tools are those of the session that the agent names, the policy permits what both the
    /// session and the agent permit, and each bound is the smaller one. A list of tools that names none gives no tool.
    #[must_use]
    pub fn resolve(&self, session: &SessionAuthority<'_>) -> ResolvedAgent {
        let (mut filters, mut notes) = (Vec::new(), Vec::new());
        let mut only = Vec::new();
        let mut delegates = DelegateNames {
            only: self.delegates.clone(),
            ..DelegateNames::default()
        };
        if self.tools.is_some() || self.groups.is_some() {
            let entries = self.tools.as_deref().unwrap_or_default();
            let mut names = ToolNames::find(entries, session.tools);
            names.add_groups(self.groups.as_deref().unwrap_or_default(), session.tools);
            if !self.skills.is_empty() {
                names.add_skill_tools();
            }
            filters.push(names.filter(session.tools));
            only.append(&mut names.only);
            notes.append(&mut names.problems);
            delegates.lacks_tool = names.delegates.is_none() && delegates.only.is_none();
            delegates.listed = names.delegates.flatten();
        }
        let excluded = Exclusion::find(&self.without, session.tools);
        filters.push(excluded.filter);
        notes.extend(excluded.problems);
        match excluded.delegates {
            Some(None) => delegates.lacks_tool = true,
            Some(Some(names)) => delegates.without = names,
            None => {}
        }
        if let Some(servers) = &self.servers {
            filters.push(ToolFilter::new().servers(servers.iter().cloned()));
        }
        let hosts = self.hosts.rules().map(|rules| HostPolicy::new(&rules));
        if let Some(Err(error)) = hosts {
            notes.push(format!("no host may be reached: {error}"));
        }
        ResolvedAgent {
            description: self.description.clone(),
            filters,
            policy: self.narrow(session.policy, only, excluded.rules),
            bounds: self.budget.within(session.bounds),
            delegates,
            notes,
        }
    }

    fn narrow(&self, policy: &Policy, only: Vec<Rule>, excluded: Vec<Rule>) -> Policy {
        let policy = match self.mode {
            Some(mode) => policy.narrowed_to(mode),
            None => policy.narrowed(),
        };
        let mut scope = AccessScope::default();
        scope.read.clone_from(&self.files.read);
        scope.write.clone_from(&self.files.write);
        scope.hosts = self.hosts.rules();
        scope.no_commands = scope.hosts.is_some();
        scope.only = only;
        let mut rules = Rules::new();
        rules.deny = excluded;
        rules.deny.extend(self.rules.deny.iter().cloned());
        rules.ask.extend(self.rules.ask.iter().cloned());
        policy.limit_access(scope).rules(rules)
    }
}

impl HostScope {
    /// Returns the rules of the limit, if there is one.
    fn rules(&self) -> Option<HostRules> {
        let all = || vec!["*:*".to_owned()];
        let mut rules = HostRules::from_allowed(self.allow.clone().unwrap_or_else(all));
        rules.deny.clone_from(&self.deny);
        // The session decides about private networks.
        rules.private = true;
        (!self.is_unlimited()).then_some(rules)
    }
}

impl Budget {
    /// Returns the smaller of each bound.
    fn within(&self, session: &Bounds) -> Bounds {
        let mut own = session.clone();
        if let Some(turns) = self.turns {
            own.model_calls = turns;
        }
        if self.tool_calls.is_some() {
            own.tool_calls = self.tool_calls;
        }
        if self.tokens.is_some() {
            own.tokens = self.tokens;
        }
        if let Some(dollars) = self.cost_usd {
            own.cost = Some(Cost::from_micros(whole(dollars * 1e6)));
        }
        if let Some(minutes) = self.minutes {
            let time = Duration::try_from_secs_f64(minutes * 60.0).unwrap_or(Duration::MAX);
            own = own.wall_time(time);
        }
        own.within(session)
    }
}

/// Rounds a number that is not negative.
fn whole(number: f64) -> u64 {
    number.round() as u64
}

impl ResolvedAgent {
    /// Limits an agent to what this one may do. Its tools are those of the toolset, which is that of the session; they do
    /// not limit the agents to which it delegates tasks.
    #[must_use]
    pub fn apply_to(&self, agent: Agent, tools: &Toolset) -> Agent {
        agent
            .description(&*self.description)
            .toolset(self.tools(tools))
            .tool_exposure(ToolExposure::new())
            .policy(self.policy.clone())
            .bounds(self.bounds.clone())
    }

    /// Returns the tools of a toolset that the agent has.
    #[must_use]
    pub fn tools(&self, tools: &Toolset) -> Toolset {
        let filters = self.filters.iter();
        filters.fold(tools.clone(), |tools, filter| tools.granted(filter))
    }

    /// Returns the policy.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Returns the bounds of a turn.
    #[must_use]
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// Returns what the specification names and the session does not have.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns whether the agent may delegate tasks to the agent of a name. `is_root` is whether the agent is that of the
    /// session, which may delegate to all by default; a delegate delegates only to those that it lists under `delegates`.
    #[must_use]
    pub fn delegates_to(&self, name: &str, is_root: bool) -> bool {
        let names = &self.delegates;
        let contains = |list: &[String]| list.iter().any(|known| known == name);
        if names.lacks_tool || contains(&names.without) {
            return false;
        }
        match (&names.only, &names.listed) {
            (Some(only), _) => contains(only),
            (None, Some(listed)) => is_root && contains(listed),
            (None, None) => is_root,
        }
    }
}

#[cfg(test)]
mod tests;
