//! The turns of a chat.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::Chat;
use crate::chat::key_listener::{KeyListener, show_typed};
use crate::chat::printing::print_hint;
use crate::hooks;
use crate::runner::ask_after_bound;
use crate::runner::finish::report_turn;
use crate::runner::interrupt::interrupt_on_ctrl_c;
use helve_agent::session::SessionError;
use helve_agent::turn::EndReason;
use helve_agent::{Agent, AgentEvent, Conversation, EventKind, TurnReport, TurnStatus};
use helve_core::tool::ToolContext;
use helve_core::transcript::Message;
use helve_terminal::output;
use helve_terminal::questions::Terminal;
use helve_terminal::render::{RenderOptions, Renderer};

impl Chat<'_> {
    /// Returns the suggestion whose number was typed, or else what was typed.
    pub(super) fn chosen_suggestion(&self, line: String) -> String {
        match self.suggestions.choose(&line) {
            Some(suggestion) => {
                print_hint(&suggestion);
                suggestion
            }
            None => line,
        }
    }

    /// Runs the turn of a message, or else the open turn, and goes on where a bound ends the turn and the user wants so.
    pub(super) async fn run_turn(&mut self, conversation: Conversation, message: Option<Message>) {
        let mut ended = self.run_one_turn(conversation, message).await;
        while let Some(report) = ended {
            let Some(message) = ask_after_bound(&self.options, &report).await else {
                return;
            };
            if let Err(why) = hooks::submit(self.app, &message, &self.options.notes).await {
                return output::note(&why);
            }
            let Some(conversation) = self.conversation.take() else {
                return;
            };
            ended = self.run_one_turn(conversation, Some(message)).await;
        }
    }

    /// Runs a turn; returns its report if the turn was run.
    async fn run_one_turn(
        &mut self,
        mut conversation: Conversation,
        message: Option<Message>,
    ) -> Option<TurnReport> {
        self.refresh().await;
        self.begin_files(&mut conversation, message.is_some()).await;
        if message.is_some() {
            output::line("");
        }
        let stop = CancellationToken::new();
        let resumes = message.is_none();
        let (agent, context, renderer) = self.begin_turn(stop.clone(), &conversation, resumes);
        let listening = interrupt_on_ctrl_c(stop.clone());
        let keys = KeyListener::start(self.typed.clone(), self.prompt(), stop);
        self.suggestions.clear();
        let (shown, suggestions) = (renderer.clone(), self.suggestions.clone());
        let (typed, prompt) = (self.typed.clone(), self.prompt());
        let events = move |event: AgentEvent| {
            shown.show(&event);
            if let EventKind::Suggested { prompts, .. } = &event.kind {
                suggestions.set(prompts.clone());
            }
            if matches!(event.kind, EventKind::Note { .. }) {
                // What the model has read is no longer waiting.
                show_typed(&typed.lock(), &prompt);
            }
        };
        let report = match message {
            Some(message) => {
                let run = agent.run_in(&mut conversation, message, &context, events);
                run.await.map(Some)
            }
            None => agent.resume(&mut conversation, &context, events).await,
        };
        keys.stop().await;
        renderer.finish();
        drop(listening);
        self.compacts_first = None;
        let sandbox = self.app.grants.sandbox.clone();
        self.background.watch(sandbox.as_deref()).await;
        self.set_idle(true).await;
        self.conversation = Some(conversation);
        self.end_turn(&report).await;
        report.ok().flatten()
    }

    /// Creates the agent, the context and the renderer of a turn.
    fn begin_turn(
        &self,
        stop: CancellationToken,
        conversation: &Conversation,
        resumes: bool,
    ) -> (Agent, ToolContext, Arc<Renderer>) {
        let options = &self.options;
        let mut agent =
            options.agent_of_turn(self.app, self.is_recorded, Some(conversation), resumes);
        #[cfg(feature = "jobs")]
        if let Some(jobs) = &self.jobs {
            jobs.set_agent(crate::memory::add_recall(self.app, agent.clone()));
        }
        if let Some(keep) = &self.compacts_first {
            agent = agent.compact_first(keep);
        }
        if let Some(terminal) = Terminal::attached() {
            agent = self.options.with_terminal(self.app, agent, terminal);
        }
        let context = self.context.derive().dry_run(self.options.dry_run);
        let context = context.cancellation(stop).build();
        let renderer = Renderer::new(RenderOptions {
            hides_questions: true,
            shows_thinking: self.shows_thinking,
            reads_keys: cfg!(unix),
        });
        (agent, context, Arc::new(renderer))
    }

    async fn end_turn(&mut self, report: &Result<Option<TurnReport>, SessionError>) {
        self.options.finish_recording().await;
        match report {
            Ok(Some(report)) => {
                self.totals.model_calls += report.totals.model_calls;
                self.totals.tool_calls += report.totals.tool_calls;
                self.totals.usage += report.totals.usage;
                self.totals.cost += report.totals.cost;
                if let Some(mode) = report.approved_mode {
                    self.set_mode(mode);
                }
                self.typed.lock().queue_unread();
                if report.end() != Some(EndReason::Finished) {
                    self.typed.lock().unqueue();
                }
                if !matches!(report.status, TurnStatus::Ended(_)) {
                    report_turn(self.app, report, self.session(), false);
                }
            }
            Ok(None) => {}
            Err(error) => output::error(error),
        }
        output::line("");
    }
}
