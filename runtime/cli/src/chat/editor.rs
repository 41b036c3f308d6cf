//! The line editor. It runs on its own thread because it blocks while it waits for keys.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustyline::completion::Completer;
use rustyline::config::Configurer as _;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{
    Cmd, ColorMode, CompletionType, ConditionalEventHandler, Config, Context, Editor, Event,
    EventContext, EventHandler, Helper, KeyCode, KeyEvent, Modifiers, RepeatCount,
};
use tokio::sync::{mpsc, oneshot};

use super::slash;
use super::suggestions::ChatSuggestions;
use crate::attachments::complete_path;
use crate::custom_commands::CustomCommands;
use helve_core::support::lock::Mutex;
use helve_permission::Mode;
use helve_terminal::screen::{Colors, Line, Size, theme};

const MAX_HISTORY_LINES: usize = 2_000;

/// The input at the prompt.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum EditorInput {
    Line(String),
    /// Shift-Tab, with the input so far and the position of the cursor in it.
    NextMode(String, usize),
    /// Ctrl-C.
    Interrupted,
    /// Ctrl-D, or the terminal is gone.
    EndOfInput,
}

/// The input with which a line begins, and the position of the cursor in it.
pub(super) type InitialInput = (String, usize);

struct ReadRequest {
    prompt: Line,
    initial: InitialInput,
    /// Whether the line is worth keeping.
    adds_to_history: bool,
    reply: oneshot::Sender<EditorInput>,
}

pub(super) struct LineEditor {
    requests: mpsc::UnboundedSender<ReadRequest>,
    suggestions: ChatSuggestions,
}

impl LineEditor {
    /// Starts the editor, which completes paths in a folder. The input is appended to the history file, if there is one.
    pub(super) fn start(history: Option<PathBuf>, folder: PathBuf) -> Result<Self, ReadlineError> {
        let config = Config::builder()
            .max_history_size(MAX_HISTORY_LINES)?
            .history_ignore_dups(true)?
            .completion_type(CompletionType::List)
            .build();
        let colors = Colors::of_stdout();
        let (requests, receiver) = mpsc::unbounded_channel();
        let mut editor: ChatEditor = Editor::with_config(config)?;
        editor.set_helper(Some(ChatCompleter { folder }));
        let mode_key = ModeKey::default();
        bind_keys(&mut editor, &mode_key);
        let suggestions = ChatSuggestions::default();
        let handler = EventHandler::Conditional(Box::new(suggestions.clone()));
        editor.bind_sequence(KeyEvent(KeyCode::Tab, Modifiers::NONE), handler);
        if colors == Colors::None {
            editor.set_color_mode(ColorMode::Disabled);
        }
        if let Some(history) = &history {
            // There may be none yet.
            let _ = editor.load_history(history);
        }
        let thread = std::thread::Builder::new().name("line editor".to_owned());
        thread
            .spawn(move || run_editor(editor, receiver, history.as_ref(), colors, &mode_key))
            .map_err(ReadlineError::Io)?;
        Ok(Self {
            requests,
            suggestions,
        })
    }

    /// Returns the suggestions that the key Tab goes through.
    pub(super) fn suggestions(&self) -> ChatSuggestions {
        self.suggestions.clone()
    }

    pub(super) async fn read_line(
        &self,
        prompt: Line,
        initial: InitialInput,
        is_kept: bool,
    ) -> EditorInput {
        let (typed, answer) = oneshot::channel();
        let request = ReadRequest {
            prompt,
            initial,
            adds_to_history: is_kept,
            reply: typed,
        };
        if self.requests.send(request).is_err() {
            return EditorInput::EndOfInput;
        }
        answer.await.unwrap_or(EditorInput::EndOfInput)
    }
}

/// Binds Alt-Enter and Ctrl-J to a new line, and Shift-Tab to the next mode.
fn bind_keys(editor: &mut ChatEditor, mode_key: &ModeKey) {
    let new_line = [
        KeyEvent(KeyCode::Enter, Modifiers::ALT),
        KeyEvent(KeyCode::Char('M'), Modifiers::CTRL_ALT),
        KeyEvent(KeyCode::Char('J'), Modifiers::CTRL_ALT),
        KeyEvent::ctrl('J'),
    ];
    for key in new_line {
        editor.bind_sequence(key, Cmd::Newline);
    }
    let handler = EventHandler::Conditional(Box::new(mode_key.clone()));
    editor.bind_sequence(KeyEvent(KeyCode::BackTab, Modifiers::NONE), handler);
}

/// The key that changes the mode. It ends the reading of the line, which continues with another prompt.
#[derive(Clone, Default)]
struct ModeKey(Arc<Mutex<Option<InitialInput>>>);

impl ConditionalEventHandler for ModeKey {
    fn handle(
        &self,
        _: &Event,
        _: RepeatCount,
        _: bool,
        context: &EventContext<'_>,
    ) -> Option<Cmd> {
        *self.0.lock() = Some((context.line().to_owned(), context.pos()));
        Some(Cmd::Interrupt)
    }
}

/// Erases a prompt and its input, below which the cursor is, so that the next prompt replaces them.
fn erase_prompt(prompt: &Line, input: &str) {
    let columns = Size::of_stdout().columns;
    let rows = input.split('\n').enumerate().map(|(index, part)| {
        let part = Line::styled(part, theme::PLAIN).width();
        let before = if index == 0 { prompt.width() } else { 0 };
        (before + part) / columns + 1
    });
    let rows: usize = rows.sum();
    let mut stdout = std::io::stdout().lock();
    let _ = write!(stdout, "\x1b[{rows}A\r\x1b[J").and_then(|()| stdout.flush());
}

fn run_editor(
    mut editor: ChatEditor,
    mut requests: mpsc::UnboundedReceiver<ReadRequest>,
    history: Option<&PathBuf>,
    colors: Colors,
    mode_key: &ModeKey,
) {
    while let Some(request) = requests.blocking_recv() {
        let mut styled = String::new();
        request.prompt.write(colors, &mut styled);
        let (text, at) = &request.initial;
        let initial = text.split_at_checked(*at).unwrap_or((text, ""));
        let prompt = (request.prompt.text(), styled);
        let typed = match editor.readline_with_initial(&prompt, initial) {
            Ok(line) => {
                if request.adds_to_history && !line.trim().is_empty() {
                    save_to_history(&mut editor, &line, history);
                }
                EditorInput::Line(join_lines(&line))
            }
            Err(ReadlineError::Interrupted) => match mode_key.0.lock().take() {
                Some((text, at)) => {
                    erase_prompt(&request.prompt, &text);
                    EditorInput::NextMode(text, at)
                }
                None => EditorInput::Interrupted,
            },
            // The window got another size.
            Err(ReadlineError::Signal(_)) => EditorInput::Line(String::new()),
            Err(_) => EditorInput::EndOfInput,
        };
        if request.reply.send(typed).is_err() {
            return;
        }
    }
}

/// Keeps a line for later; a history that cannot be written is no reason to stop.
fn save_to_history(editor: &mut ChatEditor, line: &str, history: Option<&PathBuf>) {
    let is_new = editor.add_history_entry(line).unwrap_or(false);
    let Some(file) = history.filter(|_| is_new) else {
        return;
    };
    if let Some(folder) = file.parent() {
        let _ = std::fs::create_dir_all(folder);
    }
    if let Err(error) = editor.append_history(file) {
        tracing::debug!(%error, "failed to write the history");
    }
}

/// Joins lines that end with a backslash.
fn join_lines(line: &str) -> String {
    line.replace("\\\n", "\n")
}

type ChatEditor = Editor<ChatCompleter, FileHistory>;

/// Completes commands, modes, and the paths of attached files.
struct ChatCompleter {
    folder: PathBuf,
}

/// Returns the completions at the start of a line, with the custom commands of a folder.
fn complete_line(line: &str, folder: &Path) -> (usize, Vec<String>) {
    let Some(text) = line.strip_prefix('/') else {
        return (0, Vec::new());
    };
    let beginning = |names: &mut dyn Iterator<Item = &'static str>, word: &str| {
        names
            .filter(|name| name.starts_with(word))
            .map(str::to_owned)
            .collect()
    };
    match text.split_once(' ') {
        None => {
            let mut names = slash::COMMANDS.iter().map(|(_, name, ..)| *name);
            let mut names: Vec<String> = beginning(&mut names, text);
            let custom = CustomCommands::read(folder);
            let custom = custom.named(slash::is_taken).into_iter();
            names.extend(
                custom
                    .map(|(name, _)| name)
                    .filter(|name| name.starts_with(text)),
            );
            (1, names)
        }
        Some(("mode", mode)) => {
            let mut modes = Mode::ALL.iter().map(|mode| mode.name());
            (line.len() - mode.len(), beginning(&mut modes, mode))
        }
        Some(_) => (0, Vec::new()),
    }
}

impl Completer for ChatCompleter {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let line = line.get(..at).unwrap_or_default();
        Ok(complete_path(line, &self.folder).unwrap_or_else(|| complete_line(line, &self.folder)))
    }
}

impl Validator for ChatCompleter {
    /// A backslash at the end of a line continues the input on the next line.
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        Ok(match context.input().ends_with('\\') {
            true => ValidationResult::Incomplete,
            false => ValidationResult::Valid(None),
        })
    }
}

impl Hinter for ChatCompleter {
    type Hint = String;
}

impl Highlighter for ChatCompleter {}

impl Helper for ChatCompleter {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_modes_are_completed() {
        let folder = tempfile::tempdir().expect("a folder");
        let commands = folder.path().join(".agents/commands");
        std::fs::create_dir_all(&commands).expect("a folder");
        std::fs::write(commands.join("tidy.md"), "Tidy up.").expect("a file");
        std::fs::write(commands.join("tools.md"), "Tools.").expect("a file");
        let complete_line = |line| complete_line(line, folder.path());
        assert_eq!(complete_line("/too"), (1, vec!["tools".to_owned()]));
        assert_eq!(complete_line("/ti").1, ["tidy"]);
        assert_eq!(complete_line("/project:to").1, ["project:tools"]);
        let (start, modes) = complete_line("/mode e");
        assert_eq!((start, modes), (6, vec!["explore".to_owned()]));
        let builtins = complete_line("/").1;
        assert!(builtins.len() >= slash::COMMANDS.len() + 2, "{builtins:?}");
        assert_eq!(complete_line("tools /to").1, Vec::<String>::new());
    }

    #[test]
    fn lines_go_on_behind_a_backslash() {
        assert_eq!(join_lines("one\\\ntwo"), "one\ntwo");
        assert_eq!(join_lines("a \\ b"), "a \\ b");
    }
}
