//! Agents by name: as the agent of a session, and as delegates.

use clap::{Arg, ArgMatches};

use super::run_options::{AgentParts, RunOptions};
use crate::app::MAIN_AGENT;
use crate::app_context::AppContext;
use crate::{agents, args};
use helve_agent::turn::Bounds;
use helve_agent::{Agent, Conversation};
use helve_agents::{AgentCatalog, AgentModel, AgentSpec, NamedAgent, SessionAuthority};
use helve_core::transcript::AgentId;
use helve_permission::acceptances::AcceptanceError;
use helve_terminal::{output, sanitize};

/// The deepest chain of delegates that is prepared: more than any turn delegates by default.
const MAX_DEPTH: usize = 3;

/// The default maximum number of model calls of a turn.
const DEFAULT_MODEL_CALLS: u32 = 50;

/// The reason why an agent cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AgentChoiceError {
    #[error(
        "the agent `{name}` is not used: {reason}\nhelp: run `{binary} agents list --all` for a list, and `{binary} permissions trust` to accept the agents of the project"
    )]
    Unused {
        name: String,
        reason: String,
        binary: &'static str,
    },
    #[error("no agent is called `{name}`{nearest}\nhelp: run `{binary} agents` for a list")]
    Unknown {
        name: String,
        nearest: String,
        binary: &'static str,
    },
    #[error(transparent)]
    Acceptance(#[from] AcceptanceError),
}

/// Creates the flag `--agent`.
pub(crate) fn argument() -> Arg {
    args::option(
        "agent",
        "NAME",
        "Work as this agent, with its instructions, tools and limits",
    )
}

/// Finds the agent that the flag `--agent` names.
pub(crate) fn from_flags(
    app: &AppContext,
    matches: &ArgMatches,
) -> Result<Option<NamedAgent>, AgentChoiceError> {
    let name = matches.get_one::<String>("agent");
    name.map(|name| find(app, name)).transpose()
}

/// Finds an agent by its name.
pub(crate) fn find(app: &AppContext, name: &str) -> Result<NamedAgent, AgentChoiceError> {
    let catalog = agents::read(app)?;
    if let Some(agent) = catalog.get(name) {
        for note in agents::notes_with_lines(app, agent) {
            output::remark(&format!("agent {name}: {}", sanitize::one_line(&note)));
        }
        return Ok(agent.clone());
    }
    let binary = app.binary();
    let mut unused = catalog.unused();
    let name = sanitize::one_line(name).into_owned();
    if let Some((_, reason)) = unused.find(|(agent, _)| agent.spec().name == name) {
        return Err(AgentChoiceError::Unused {
            name,
            reason,
            binary,
        });
    }
    let near = catalog.nearest(&name);
    let nearest = near.map(|near| format!("; did you mean `{near}`?"));
    Err(AgentChoiceError::Unknown {
        nearest: nearest.unwrap_or_default(),
        name,
        binary,
    })
}

impl RunOptions {
    /// Creates the agent that goes on with a turn: the one that began it, if there still is one of that name.
    pub(crate) fn agent_of_turn(
        &self,
        app: &AppContext,
        is_kept: bool,
        conversation: Option<&Conversation>,
        resumes: bool,
    ) -> Agent {
        let began = conversation.and_then(|conversation| continued_agent(conversation, resumes));
        let began = began.map(AgentId::as_str);
        let own = self.named.as_ref().map(|agent| &*agent.spec().name);
        let name = began.filter(|name| *name != MAIN_AGENT && Some(*name) != own);
        let own_choice = own.filter(|_| !resumes);
        let Some(name) = name.filter(|_| own_choice.is_none()) else {
            return self.agent(app, is_kept);
        };
        match find(app, name) {
            Ok(agent) => self.agent_named(app, is_kept, Some(&agent)),
            Err(error) => {
                output::remark(&format!(
                    "the session goes on without the agent {name}: {error}"
                ));
                self.agent(app, is_kept)
            }
        }
    }

    /// Creates the agent of the session without its approver: that of the app, or the one that the options name. The other
    /// agents are its delegates.
    fn agent(&self, app: &AppContext, is_kept: bool) -> Agent {
        self.agent_named(app, is_kept, self.named.as_ref())
    }

    fn agent_named(&self, app: &AppContext, is_kept: bool, named: Option<&NamedAgent>) -> Agent {
        let catalog = agents::read(app).unwrap_or_else(|error| {
            output::error(&error);
            AgentCatalog::new()
        });
        let team = Team {
            options: self,
            app,
            is_kept,
            catalog: &catalog,
            main: self.main_parts(app),
        };
        let agent = match named {
            Some(named) => team.agent(named, &mut Vec::new()),
            None => {
                let main = self.agent_of(app, is_kept, team.main.clone());
                let agents = catalog.agents().iter();
                agents.fold(main, |main, agent| {
                    main.delegate(team.agent(agent, &mut vec![MAIN_AGENT.to_owned()]))
                })
            }
        };
        let agent = Self::guarded(app, agent);
        #[cfg(feature = "jobs")]
        if let Some(jobs) = &self.jobs {
            return agent.background_jobs(jobs.launcher());
        }
        agent
    }

    /// Creates the agents whose delegates work on jobs: that of the app, and those of these names that there still are.
    #[cfg(feature = "jobs")]
    pub(crate) fn agents_of_jobs(&self, app: &AppContext, names: &[AgentId]) -> Vec<Agent> {
        let mut agents = vec![self.agent_named(app, true, None)];
        for name in names.iter().filter(|name| *name.as_str() != *MAIN_AGENT) {
            match find(app, name) {
                Ok(agent) => agents.push(self.agent_named(app, true, Some(&agent))),
                Err(error) => {
                    output::remark(&format!("the jobs of the agent {name} wait: {error}"))
                }
            }
        }
        let agents = agents.into_iter();
        agents
            .map(|agent| crate::memory::add_recall(app, agent))
            .collect()
    }
}

/// Returns the agent that began the open turn, if that turn is resumed, or to which the session was handed off.
fn continued_agent(conversation: &Conversation, resumes: bool) -> Option<&AgentId> {
    let open = conversation.open_turn().filter(|_| resumes);
    let began = open.map(|turn| &turn.origin().agent);
    began.or(conversation.session().state().active.as_ref())
}

/// The agents of a session.
struct Team<'a> {
    options: &'a RunOptions,
    app: &'a AppContext,
    is_kept: bool,
    catalog: &'a AgentCatalog,
    /// The parts of the agent of the app.
    main: AgentParts,
}

impl Team<'_> {
    /// Creates an agent with its delegates. `callers` are the agents that lead to it, none of which is its delegate.
    fn agent(&self, named: &NamedAgent, callers: &mut Vec<String>) -> Agent {
        let spec = named.spec();
        let Self {
            options,
            app,
            is_kept,
            catalog,
            ..
        } = self;
        let tools = app.tools.granted();
        let default = Bounds::new(DEFAULT_MODEL_CALLS);
        let resolved = spec.resolve(&SessionAuthority {
            tools,
            policy: &options.policy_of_turn(),
            bounds: options.bounds.as_ref().unwrap_or(&default),
        });
        let base = options.agent_of(app, *is_kept, self.parts(spec));
        let mut agent = resolved
            .apply_to(base, tools)
            .hand_off_view(spec.hand_off_view);
        #[cfg(feature = "hooks")]
        {
            agent = crate::hooks::add_of_agent(app, agent, named, resolved.policy());
        }
        let is_root = callers.is_empty();
        if callers.len() <= MAX_DEPTH {
            callers.push(spec.name.clone());
            for other in catalog.agents() {
                let name = &other.spec().name;
                if spec.hand_offs.contains(name) {
                    agent = match callers.contains(name) {
                        true => agent.hand_off_by_name([name.as_str()]),
                        false => agent.hand_off(self.agent(other, callers)),
                    };
                }
                if resolved.delegates_to(name, is_root) && !callers.contains(name) {
                    agent = agent.delegate(self.agent(other, callers));
                }
            }
            callers.pop();
        }
        agent
    }

    fn parts(&self, spec: &AgentSpec) -> AgentParts {
        let mut parts = self.main.clone();
        parts.id = spec.name.as_str().into();
        parts.prompt = parts.prompt.instructions(&*spec.instructions);
        if !spec.skills.is_empty() {
            let skills = spec.skills.join("`, `");
            let first =
                format!("Before you begin, load these skills with `load_skill`: `{skills}`.");
            parts.prompt = parts.prompt.instructions(first);
        }
        if spec.effort.is_some() {
            parts.options.effort = spec.effort;
        }
        self.select_model(spec, &mut parts);
        parts
    }

    /// Selects the model of an agent. A recording, or a model of the app, stays, and a model that cannot be used is told.
    fn select_model(&self, spec: &AgentSpec, parts: &mut AgentParts) {
        let Some(name) = spec.model.as_deref() else {
            return;
        };
        if self.options.model.name().is_none() {
            return;
        }
        match agents::find_model(self.app, name) {
            Some(AgentModel::Named(name)) => match self.options.find_model(self.app, &name) {
                Ok(selected) => parts.selected = selected,
                Err(error) => {
                    let (agent, name) = (&spec.name, sanitize::one_line(&name).into_owned());
                    output::remark(&format!(
                        "the model `{name}` of the agent {agent} is not used: {error}"
                    ));
                }
            },
            Some(AgentModel::Small) => {
                if let Some(small) = self.options.tiers.small() {
                    parts.selected.model = small;
                }
            }
            _ => {}
        }
    }
}
