//! A turn that was cut off, and that the chat offers to go on with.

use super::Chat;
use crate::chat::editor::{EditorInput, InitialInput, LineEditor};
use crate::chat::printing::print_hint;
use helve_agent::turn::{CallState, Turn};
use helve_terminal::sanitize;
use helve_terminal::screen::{Line, theme};

impl Chat<'_> {
    pub(in crate::chat) fn open_turn(&self) -> Option<String> {
        let conversation = self.conversation.as_ref()?;
        if let Some(turn) = conversation.open_turn() {
            return Some(describe_open_turn(turn));
        }
        let handed_off = conversation.session().state().hand_off.as_ref()?;
        let to = sanitize::one_line(&handed_off.to);
        Some(format!(
            "the agent {to} has not begun with what was handed off to it"
        ))
    }

    /// Offers to go on with a turn that was cut off.
    pub(in crate::chat) async fn offer_resume(&mut self, editor: &LineEditor, open: &str) {
        print_hint(open);
        let question = Line::styled("Resume the turn? ", theme::PLAIN).with("[Y/n] ", theme::DIM);
        let answer = editor
            .read_line(question, InitialInput::default(), false)
            .await;
        let goes_on = match answer {
            EditorInput::Line(line) => !line.trim().to_ascii_lowercase().starts_with('n'),
            EditorInput::NextMode(..) | EditorInput::Interrupted | EditorInput::EndOfInput => false,
        };
        if goes_on {
            self.resume().await;
        } else {
            print_hint("the turn stays open; the next message interrupts it");
        }
    }

    async fn resume(&mut self) {
        if let Some(conversation) = self.conversation.take() {
            self.run_turn(conversation, None).await;
        }
    }
}

fn describe_open_turn(turn: &Turn) -> String {
    let mut running = Vec::new();
    let mut asking = Vec::new();
    for (key, call) in turn.calls() {
        match turn.state(key) {
            Some(CallState::Running) => running.push(&*call.name),
            Some(CallState::Asking) => asking.push(&*call.name),
            _ => {}
        }
    }
    let mut text = "the last turn is not finished".to_owned();
    if !running.is_empty() {
        text.push_str(&format!("; interrupted calls: {}", running.join(", ")));
    }
    if !asking.is_empty() {
        text.push_str(&format!("; waiting for an answer: {}", asking.join(", ")));
    }
    text
}
