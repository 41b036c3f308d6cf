//! The files that say what the agents of a daemon may do, which are read again before each run.

use clap::ArgMatches;

use crate::app_context::AppContext;
use crate::config::Config;
use crate::runner::RunOptions;
use crate::{agents, hooks, permissions};
use helve_agent::Agent;
use helve_agents::NamedAgent;
use helve_core::tool::chain_text;
use helve_core::transcript::AgentId;
use helve_terminal::output;

/// The files that say what agents may do: rules, agents and skills.
pub(super) struct AgentFiles<'a> {
    app: &'a AppContext,
    config: &'a Config,
    matches: &'a ArgMatches,
    /// What the files said when the agents were made.
    seen: Option<String>,
    /// The last error, which is printed once.
    failure: Option<String>,
}

impl<'a> AgentFiles<'a> {
    pub(super) fn new(app: &'a AppContext, config: &'a Config, matches: &'a ArgMatches) -> Self {
        let mut files = Self {
            app,
            config,
            matches,
            seen: None,
            failure: None,
        };
        files.seen = files.read().ok();
        files
    }

    /// Reads what the files say.
    fn read(&self) -> Result<String, String> {
        let rules = permissions::rule_files(&self.app.folder).load();
        let rules = rules.map_err(|error| chain_text(&error))?.rules;
        let catalog = agents::read(self.app).map_err(|error| chain_text(&error))?;
        let specs: Vec<_> = catalog.agents().iter().map(NamedAgent::spec).collect();
        #[cfg(feature = "skills")]
        let skills = self.app.skills.revision();
        #[cfg(not(feature = "skills"))]
        let skills = 0;
        Ok(format!("{rules:?} {specs:?} {skills}"))
    }

    /// Makes the agents again if the files have changed.
    pub(super) async fn reload(
        &mut self,
        options: &mut RunOptions,
    ) -> Result<Option<Vec<Agent>>, String> {
        #[cfg(feature = "skills")]
        self.app.skills.refresh().await;
        let made = self.make(options);
        let failure = made.as_ref().err();
        if let Some(error) = failure.filter(|error| self.failure.as_ref() != Some(error)) {
            output::note(&format!("scheduled runs wait: {error}"));
        }
        self.failure = failure.cloned();
        made
    }

    fn make(&mut self, options: &mut RunOptions) -> Result<Option<Vec<Agent>>, String> {
        let now = self.read()?;
        if self.seen.as_ref() == Some(&now) {
            return Ok(None);
        }
        let policy = self.app.policy(self.config, self.matches);
        options.policy = policy.map_err(|error| chain_text(&error))?;
        hooks::set_policy(self.app, &options.policy);
        let agents = agents_of(self.app, options)?;
        self.seen = Some(now);
        Ok(Some(agents))
    }
}

/// Makes the agent of the app and the named ones.
pub(super) fn agents_of(app: &AppContext, options: &RunOptions) -> Result<Vec<Agent>, String> {
    let catalog = agents::read(app).map_err(|error| chain_text(&error))?;
    let names = catalog
        .agents()
        .iter()
        .map(|agent| AgentId::from(&*agent.spec().name));
    Ok(options.agents_of_jobs(app, &names.collect::<Vec<_>>()))
}
