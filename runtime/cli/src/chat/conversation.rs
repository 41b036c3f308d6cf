//! The conversation of a chat: where it is kept, and its turns.

mod files;
mod hooked;
mod open_turn;
mod rewind;
mod turns;

use std::sync::Arc;

use super::background::{self, BackgroundCommands};
use super::editor::{EditorInput, LineEditor};
use super::printing::print_hint;
use super::suggestions::ChatSuggestions;
use super::type_ahead::TypeAhead;
use crate::app_context::AppContext;
use crate::attachments::{self, Reach};
use crate::custom_commands::PreparedCommand;
#[cfg(feature = "jobs")]
use crate::jobs::JobService;
use crate::runner::session_choice::{self, OpenError};
use crate::runner::{RunOptions, SessionChoice};
use crate::{hooks, session_folder};
use files::AttachedHistory;
use helve_agent::Conversation;
use helve_agent::journal::Durability;
use helve_agent::session::{Entry, MemoryStore, SessionError, SessionMetadata, Sessions};
use helve_agent::todo::TodoList;
use helve_agent::turn::Totals;
use helve_core::sandbox::{LazySandbox, ProcessStatus};
use helve_core::support::lock::Mutex;
use helve_core::tool::ToolContext;
use helve_core::transcript::{ContentBlock, Message, SessionId};
use helve_permission::{Mode, Policy, Rule};
use helve_terminal::output;
use helve_terminal::screen::{Line, can_redraw, theme};
pub(super) use rewind::{HistoryPosition, RewindPoint, Undo};

pub(super) struct Chat<'a> {
    pub(super) app: &'a AppContext,
    pub(super) options: RunOptions,
    /// The session store; in memory if the chat is not recorded.
    pub(super) sessions: Sessions,
    is_recorded: bool,
    /// The open session. It is created at the first message, so that a chat without messages leaves no session.
    conversation: Option<Conversation>,
    /// The state of the session, which its turns share.
    context: ToolContext,
    pub(super) totals: Totals,
    pub(super) shows_thinking: bool,
    pub(super) background: BackgroundCommands,
    /// The work on background jobs, where agents may start some.
    #[cfg(feature = "jobs")]
    pub(super) jobs: Option<JobService>,
    /// What the model is told with the next message.
    pub(super) notes: Vec<String>,
    /// What the summary should keep that the user asked for; `None` if none is due.
    pub(super) compacts_first: Option<String>,
    /// The history of the files of the session.
    history: AttachedHistory,
    /// The session whose start the hooks know.
    hooked_session: Option<SessionId>,
    /// What was typed while a turn ran.
    typed: Arc<Mutex<TypeAhead>>,
    /// The position of the cursor in the input that the next line begins with; the end of the input if `None`.
    cursor: Option<usize>,
    /// What the user may say next.
    pub(super) suggestions: ChatSuggestions,
}

impl<'a> Chat<'a> {
    pub(super) async fn open(
        app: &'a AppContext,
        job: RunOptions,
        choice: SessionChoice,
    ) -> Result<Self, OpenError> {
        let is_kept = !matches!(choice, SessionChoice::Unrecorded);
        let sessions = match is_kept {
            true => session_folder::sessions(app.package.name)?,
            false => Sessions::new(MemoryStore::new()),
        };
        let conversation = match choice {
            SessionChoice::Unrecorded | SessionChoice::New => None,
            choice => session_choice::open_conversation(app, &choice).await?,
        };
        app.client.set_agent(&job.model, true);
        #[cfg(feature = "jobs")]
        let (mut job, mut jobs) = (job, None);
        #[cfg(feature = "jobs")]
        if is_kept {
            jobs = JobService::start(app, &mut job).await;
        }
        #[cfg(feature = "session-search")]
        crate::session_search::index_in_background(app);
        let typed = TypeAhead::new(job.notes.clone());
        Ok(Self {
            app,
            options: job,
            sessions,
            is_recorded: is_kept,
            conversation,
            context: app.tool_context(),
            totals: Totals::default(),
            shows_thinking: false,
            background: BackgroundCommands::new(),
            #[cfg(feature = "jobs")]
            jobs,
            notes: Vec::new(),
            compacts_first: None,
            history: AttachedHistory::default(),
            hooked_session: None,
            typed: Arc::new(Mutex::new(typed)),
            cursor: None,
            suggestions: ChatSuggestions::default(),
        })
    }

    /// Prints the app, the model and the continued session.
    pub(super) fn print_banner(&self) {
        let package = self.app.package;
        let mut line = Line::styled(package.name, theme::STRONG);
        line.push(&format!(" {}", package.version), theme::DIM);
        if let Some(model) = self.options.model.name() {
            line.push(&format!(" · {model}"), theme::DIM);
        }
        line.push(" · /help lists commands", theme::DIM);
        output::lines(&[line]);
        self.print_continued();
    }

    fn print_continued(&self) {
        if let Some(conversation) = &self.conversation {
            let standing = conversation.session().state();
            let title = standing.title.as_deref().unwrap_or("untitled session");
            let turns = if standing.turns == 1 { "turn" } else { "turns" };
            let turns = format!("{} {turns}", standing.turns);
            print_hint(&format!("continuing {title} ({turns})"));
        }
    }

    pub(super) fn policy(&self) -> &Policy {
        &self.options.policy
    }

    pub(super) fn set_mode(&mut self, mode: Mode) {
        // The rules of this session are kept.
        self.options.policy = self.options.policy.clone().mode(mode);
        hooks::set_policy(self.app, &self.options.policy);
    }

    /// Returns the prompt, which shows how freely the agent works.
    pub(super) fn prompt(&self) -> Line {
        let mode = self.policy().current_mode();
        let style = match mode {
            Mode::Bypass => theme::BAD,
            _ => theme::DIM,
        };
        Line::styled(mode.name(), style).with(" › ", theme::NAME)
    }

    /// Sets the next mode of those that a key cycles through. `bypass` is not among them: it is set by name.
    pub(super) fn cycle_mode(&mut self, text: String, cursor: usize) {
        const MODES: [Mode; 4] = [Mode::Default, Mode::AcceptEdits, Mode::Plan, Mode::Explore];
        let current = self.policy().current_mode();
        let at = MODES.iter().position(|mode| *mode == current);
        self.set_mode(MODES[at.map_or(0, |at| (at + 1) % MODES.len())]);
        self.typed.lock().set_text(text);
        self.cursor = Some(cursor);
    }

    /// Returns the next input: a message that was queued during the last turn, or a line of the editor.
    pub(super) async fn next_input(&mut self, editor: &LineEditor) -> EditorInput {
        for notice in self.background.take_notices() {
            print_hint(&notice);
        }
        #[cfg(feature = "jobs")]
        for notice in self.jobs.iter().flat_map(JobService::take_notices) {
            print_hint(&notice);
        }
        // Until the editor has the terminal, Enter must not become a line feed, which is a new line there.
        #[cfg(unix)]
        let _by_key = can_redraw().then(|| helve_terminal::screen::NoEcho::enable(true));
        #[cfg(unix)]
        if can_redraw() {
            helve_terminal::questions::read_pending_keys(|key| {
                self.typed.lock().press(key);
            })
            .await;
        }
        let queued = self.typed.lock().next_queued();
        if let Some(queued) = queued {
            let mut lines = Vec::new();
            for (index, part) in queued.split('\n').enumerate() {
                let line = Line::styled(part, theme::PLAIN);
                lines.push(if index == 0 {
                    self.prompt().with(part, theme::PLAIN)
                } else {
                    line
                });
            }
            output::lines(&lines);
            return EditorInput::Line(queued);
        }
        let text = self.typed.lock().take_text();
        // A terminal without escapes cannot edit the text of `/editor`.
        if !text.is_empty() && !can_redraw() {
            return EditorInput::Line(text);
        }
        let cursor = self.cursor.take().unwrap_or(text.len());
        let input = editor.read_line(self.prompt(), (text, cursor), true);
        match input.await {
            EditorInput::Line(line) => EditorInput::Line(self.chosen_suggestion(line)),
            other => other,
        }
    }

    /// Sends a message with the files that it names.
    pub(super) async fn send_with_files(&mut self, text: &str) {
        let (folder, model) = (&self.app.folder, self.options.model.name());
        let (files, notes) = attachments::attach(text, folder, Reach::Anywhere, model).await;
        if !notes.is_empty() {
            print_hint(&notes.join("\n"));
        }
        self.send_blocks(text, files).await;
    }

    /// Sends the message of a custom command, with the tools and the model that the command sets for its turn.
    pub(super) async fn send_command(&mut self, command: PreparedCommand) {
        let model = self.options.selected_model();
        command.apply(self.app, &mut self.options);
        self.send_blocks(&command.text, command.files).await;
        self.options.command_limit = None;
        self.options.restore_model(self.app, model);
    }

    pub(super) async fn send(&mut self, text: &str) {
        self.send_blocks(text, Vec::new()).await;
    }

    async fn send_blocks(&mut self, text: &str, files: Vec<ContentBlock>) {
        let conversation = match self.conversation.take() {
            Some(conversation) => conversation,
            None => match self.create().await {
                Ok(conversation) => conversation,
                Err(error) => return output::error(&error),
            },
        };
        let mut content = vec![ContentBlock::text(text)];
        content.extend(files);
        let mut notes = std::mem::take(&mut self.notes);
        notes.extend(self.background.take_ended());
        content.extend(notes.into_iter().map(ContentBlock::text));
        let message = Message::User { content };
        self.send_message(conversation, message).await;
    }

    async fn create(&self) -> Result<Conversation, SessionError> {
        let about = SessionMetadata::new(self.app.package.name)
            .folder(self.app.folder_text())
            .principal(self.app.principal());
        self.sessions.create(about).await.map(Conversation::new)
    }

    /// Reloads the MCP servers and skills, which may have changed since the last turn.
    async fn refresh(&self) {
        #[cfg(feature = "mcp")]
        crate::runner::wait_for_servers(self.app).await;
        #[cfg(feature = "skills")]
        crate::skills::refresh(&self.app.skills).await;
    }

    /// Returns the session, where the conversation is kept.
    pub(super) fn session(&self) -> Option<&SessionId> {
        let conversation = self.conversation.as_ref().filter(|_| self.is_recorded)?;
        Some(conversation.session().id())
    }

    /// Returns the id of the agent that replies to the next message.
    #[cfg(feature = "memory")]
    pub(super) fn agent_id(&self) -> String {
        self.options.agent_of_message(self.conversation.as_ref())
    }

    /// Returns the session of the conversation, whether or not it is recorded on disk.
    pub(super) fn conversation_id(&self) -> Option<&SessionId> {
        let conversation = self.conversation.as_ref()?;
        Some(conversation.session().id())
    }

    pub(super) fn messages(&self) -> &[Message] {
        let conversation = self.conversation.as_ref();
        conversation.map_or(&[], Conversation::messages)
    }

    /// Returns the tasks of the session.
    pub(super) fn todo_list(&self) -> TodoList {
        let conversation = self.conversation.as_ref();
        conversation.map_or_else(TodoList::new, |conversation| {
            TodoList::from_conversation(conversation, &self.context)
        })
    }

    /// Sets the text with which the next input begins.
    pub(super) fn set_input(&mut self, text: String) {
        self.typed.lock().set_text(text);
        self.cursor = None;
    }

    /// Lists the commands that run in the sandbox: their ids and their command lines.
    pub(super) async fn running_commands(&self) -> Vec<(String, String)> {
        let sandbox = self.app.grants.sandbox.as_deref();
        let Some(sandbox) = sandbox.and_then(LazySandbox::peek) else {
            return Vec::new();
        };
        let running = background::running(sandbox).await;
        let row = |status: &ProcessStatus| {
            let line = helve_terminal::sanitize::first_line(&background::command(status), 200);
            (status.id.to_string(), line)
        };
        running.iter().map(row).collect()
    }

    /// Continues another session.
    pub(super) async fn open_session(&mut self, id: &SessionId) -> Result<(), SessionError> {
        let loaded = self.sessions.load(id).await?;
        self.start_over();
        self.conversation = Some(Conversation::from(loaded));
        self.print_continued();
        Ok(())
    }

    /// Returns the rules of the session: the allow rules and the deny rules.
    pub(super) fn rules(&self) -> (&[Rule], &[Rule]) {
        let standing = self.conversation.as_ref();
        let standing = standing.map(|conversation| conversation.session().state());
        standing.map_or((&[], &[]), |standing| (&standing.allow, &standing.deny))
    }

    /// Removes a rule of the session. Returns whether the session had the rule.
    pub(super) async fn revoke(&mut self, rule: Rule) -> Result<bool, SessionError> {
        let (allow, deny) = self.rules();
        if !allow.contains(&rule) && !deny.contains(&rule) {
            return Ok(false);
        }
        let Some(conversation) = &mut self.conversation else {
            return Ok(false);
        };
        let rules = vec![rule];
        let revoked = Entry::RulesRevoked { rules };
        let session = conversation.session_mut();
        session.append(revoked, Durability::Synced).await?;
        Ok(true)
    }

    /// Closes the conversation. The next message starts a new one.
    pub(super) fn start_over(&mut self) {
        self.conversation = None;
        self.context = self.app.tool_context();
        self.options.policy = self.options.policy.for_session();
    }

    /// Finishes the recording, and prints how to continue the session.
    pub(super) async fn finish(&mut self) {
        #[cfg(feature = "jobs")]
        if let Some(jobs) = self.jobs.take() {
            jobs.stop(self.app).await;
        }
        self.options.finish_recording().await;
        self.close_files().await;
        self.end_session().await;
        if let Some(session) = self.session() {
            let binary = self.app.binary();
            print_hint(&format!(
                "continue this session with `{binary} chat --session {session}`"
            ));
        }
    }
}
