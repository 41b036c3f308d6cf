//! The checks of a task before anything starts.

use std::sync::Arc;

use super::state::Driver;
use crate::authority::DelegationKind;
use crate::delegate::{TASK_TOOL, TaskArguments};
use crate::session::EndedTurn;
use crate::spec::Agent;
use crate::turn::Bounds;
use helve_core::tool::chain_text;
use helve_core::transcript::{AgentId, CallKey, Label, Message, TurnId};

/// The error of a task that would exceed the depth of delegation.
const DEPTH_EXCEEDED: &str = "the delegation depth limit is reached: do the task yourself";
/// The error of a task in the background where nothing continues it.
const NO_JOBS: &str = "tasks cannot work in the background here: leave out `background`";
/// The greatest length of the name of an agent that the model defines.
const MAX_NAME_CHARS: usize = 64;

/// A task that may start.
pub(super) struct CheckedTask {
    pub(super) agent: Arc<Agent>,
    pub(super) edge: DelegationKind,
    pub(super) bounds: Bounds,
    /// The conversation of the agent, which ends with the prompt.
    pub(super) prompt: Vec<Message>,
    /// The label of what the agent reads first.
    pub(super) label: Label,
    /// The short name of the task.
    pub(super) name: Option<String>,
    /// The tools to which the caller restricts the agent.
    pub(super) tools: Option<Vec<String>>,
    /// The instructions of an agent that the call defines.
    pub(super) instructions: Option<String>,
    /// Whether the task outlives the turn.
    pub(super) background: bool,
}

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Checks a permitted task completely.
    ///
    /// # Errors
    /// Everything that is wrong with the task, for the model.
    pub(super) async fn check_task(
        &mut self,
        key: CallKey,
        bounds: &Bounds,
    ) -> Result<CheckedTask, String> {
        let call = self.turn.call(key);
        let arguments = call.map(|call| serde_json::from_str::<TaskArguments>(&call.arguments));
        let arguments = arguments.ok_or("the call is gone")?;
        let arguments = arguments.map_err(|error| error.to_string())?;
        let name = AgentId::from(arguments.agent.clone());
        let mut mistakes = Vec::new();
        let agent = self.check_agent(&name, &arguments, &mut mistakes);
        let depth = bounds.depth.checked_sub(1);
        if depth.is_none() {
            mistakes.push(DEPTH_EXCEEDED.to_owned());
        }
        mistakes.extend(self.turn.refused_delegate(bounds));
        if arguments.prompt.trim().is_empty() {
            mistakes.push("the prompt is empty".to_owned());
        }
        if arguments.background && !self.has_jobs() {
            mistakes.push(NO_JOBS.to_owned());
        }
        let forks = agent
            .as_ref()
            .is_some_and(|(agent, _)| agent.forks_conversation);
        let (mut prompt, mut label) = match &arguments.continues {
            Some(turn) => self.earlier_task(turn, &name, &mut mistakes).await,
            None if forks => (self.conversation_before_call(), Label::user()),
            None => (Vec::new(), Label::user()),
        };
        let (Some((agent, edge)), Some(depth), true) = (agent, depth, mistakes.is_empty()) else {
            return Err(render_mistakes(&mistakes));
        };
        prompt.push(Message::user(arguments.prompt));
        label.join(self.turn.label());
        Ok(CheckedTask {
            bounds: bounds.clone().depth(depth).within(&agent.bounds),
            agent,
            edge,
            prompt,
            label,
            name: arguments.label,
            tools: arguments.tools,
            instructions: arguments.instructions,
            background: arguments.background,
        })
    }

    fn has_jobs(&self) -> bool {
        self.agent.jobs.is_some() && self.recorder.is_recording()
    }

    /// Finds the agent of a task, or defines it.
    fn check_agent(
        &self,
        name: &AgentId,
        arguments: &TaskArguments,
        mistakes: &mut Vec<String>,
    ) -> Option<(Arc<Agent>, DelegationKind)> {
        let delegates = &self.agent.delegates;
        let found = delegates.find(name);
        let found = match (&arguments.instructions, found) {
            (None, Some((_, DelegationKind::Open))) if *name == self.origin().agent => {
                mistakes.push("an agent cannot delegate a task to itself".to_owned());
                return None;
            }
            (None, Some(found)) => found,
            (None, None) => {
                let names = delegates.list();
                let names: Vec<String> =
                    names.iter().map(|(name, _)| format!("`{name}`")).collect();
                let known = match names.is_empty() {
                    true => "there are none".to_owned(),
                    false => format!("the agents are {}", names.join(", ")),
                };
                mistakes.push(format!("there is no agent `{name}`: {known}"));
                return None;
            }
            (Some(_), _) if !delegates.may_define() => {
                mistakes.push("agents cannot be defined here: leave out `instructions`".to_owned());
                return None;
            }
            (Some(_), Some(_)) => {
                mistakes.push(format!(
                    "there is an agent `{name}` already: choose another name, or leave out `instructions`"
                ));
                return None;
            }
            (Some(_), None) if !is_name(name) || *name == self.origin().agent => {
                mistakes.push(format!(
                    "`{name}` is not a name for a new agent: up to {MAX_NAME_CHARS} of the characters a-z, A-Z, 0-9, \
                     `-`, `_` and `.`"
                ));
                return None;
            }
            (Some(instructions), None) => {
                let agent = self.agent.define(name.clone(), instructions);
                (Arc::new(agent), DelegationKind::Open)
            }
        };
        let tools = arguments.tools.iter().flatten();
        let is_unknown =
            |tool: &&String| &***tool != TASK_TOOL && found.0.toolset.get(tool.as_str()).is_none();
        for tool in tools.filter(is_unknown) {
            mistakes.push(format!("the agent `{name}` has no tool `{tool}`"));
        }
        Some(found)
    }

    /// Returns the conversation of an earlier task, and its label.
    async fn earlier_task(
        &mut self,
        turn: &TurnId,
        agent: &AgentId,
        mistakes: &mut Vec<String>,
    ) -> (Vec<Message>, Label) {
        let why = match self.read_ended_task(turn).await {
            Ok(Some(ended)) => {
                let origin = &ended.origin;
                let parent = origin.parent_call.as_ref().map(|call| &call.turn);
                if !parent.is_some_and(|parent| self.is_own_turn(parent)) {
                    format!("the task `{turn}` is not one of yours")
                } else if origin.agent != *agent {
                    format!(
                        "the agent `{}` worked on the task `{turn}`, not `{agent}`",
                        origin.agent
                    )
                } else {
                    return (ended.messages, ended.label);
                }
            }
            Ok(None) => format!("there is no task `{turn}` that is over"),
            Err(error) => format!("the task `{turn}` cannot be read: {error}"),
        };
        mistakes.push(why);
        (Vec::new(), Label::user())
    }

    /// Reports whether a turn belongs to the conversation of this turn.
    fn is_own_turn(&self, turn: &TurnId) -> bool {
        let origin = self.origin();
        // The turns of a session that work for no other turn have one conversation.
        let is_root = origin.parent_call.is_none() && !turn.contains('/');
        is_root || *turn == origin.turn
    }

    async fn read_ended_task(&mut self, turn: &TurnId) -> Result<Option<EndedTurn>, String> {
        if !self.recorder.is_recording() {
            let mut ended = self.rare.iter().flat_map(|rare| &rare.ended_tasks);
            return Ok(ended.find(|ended| ended.origin.turn == *turn).cloned());
        }
        let reading = self.recorder.read_ended_turn(turn);
        let read = self.in_flight.drive_while(reading).await;
        read.map_err(|error| chain_text(&error))
    }

    /// Returns the messages before the reply that makes the current calls.
    fn conversation_before_call(&self) -> Vec<Message> {
        let mut messages = self.request.messages.clone();
        let is_reply = |message: &Message| matches!(message, Message::Assistant(_));
        if messages.last().is_some_and(is_reply) {
            messages.pop();
        }
        messages
    }
}

fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    let begins = chars
        .next()
        .is_some_and(|first| first.is_ascii_alphanumeric());
    begins
        && name.len() <= MAX_NAME_CHARS
        && chars.all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
}

fn render_mistakes(mistakes: &[String]) -> String {
    match mistakes {
        [mistake] => format!("the task was not started: {mistake}"),
        mistakes => {
            let mut text = "the task was not started:".to_owned();
            for mistake in mistakes {
                text.push_str(&format!("\n- {mistake}"));
            }
            text
        }
    }
}
