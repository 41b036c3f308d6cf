//! Suggestions of what to say next: a number chooses one, and Tab in an empty line goes through them.

use std::sync::Arc;

use rustyline::{Cmd, ConditionalEventHandler, Event, EventContext, Movement, RepeatCount};

use helve_core::support::lock::Mutex;

/// The suggestions after the last turn, which the chat and its editor share.
#[derive(Debug, Clone, Default)]
pub(super) struct ChatSuggestions(Arc<Mutex<Vec<String>>>);

impl ChatSuggestions {
    pub(super) fn set(&self, prompts: Vec<String>) {
        *self.0.lock() = prompts;
    }

    pub(super) fn clear(&self) {
        self.0.lock().clear();
    }

    /// Returns the suggestion whose number was typed.
    pub(super) fn choose(&self, line: &str) -> Option<String> {
        let number: usize = line.trim().parse().ok()?;
        let prompts = self.0.lock();
        prompts.get(number.checked_sub(1)?).cloned()
    }

    /// Returns the suggestion after a line: the first one after an empty line.
    fn after(&self, line: &str) -> Option<String> {
        let prompts = self.0.lock();
        let next = match line.is_empty() {
            true => 0,
            false => prompts.iter().position(|prompt| prompt == line)? + 1,
        };
        prompts.get(next).or_else(|| prompts.first()).cloned()
    }
}

impl ConditionalEventHandler for ChatSuggestions {
    /// Puts the next suggestion into the line; other lines are completed.
    fn handle(
        &self,
        _: &Event,
        _: RepeatCount,
        _: bool,
        context: &EventContext<'_>,
    ) -> Option<Cmd> {
        let next = self.after(context.line())?;
        Some(Cmd::Replace(Movement::WholeLine, Some(next)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_chooses_and_tab_goes_round() {
        let suggestions = ChatSuggestions::default();
        assert_eq!(
            (suggestions.choose("1"), suggestions.after("")),
            (None, None)
        );
        suggestions.set(vec!["Test it.".to_owned(), "Commit it.".to_owned()]);
        assert_eq!(suggestions.choose(" 2 ").as_deref(), Some("Commit it."));
        assert_eq!(suggestions.choose("0"), None);
        assert_eq!(suggestions.choose("3"), None);
        assert_eq!(suggestions.choose("2 files"), None);
        assert_eq!(suggestions.after("").as_deref(), Some("Test it."));
        assert_eq!(suggestions.after("Test it.").as_deref(), Some("Commit it."));
        assert_eq!(suggestions.after("Commit it.").as_deref(), Some("Test it."));
        assert_eq!(suggestions.after("/mo"), None);
        suggestions.clear();
        assert_eq!(suggestions.choose("1"), None);
    }
}
