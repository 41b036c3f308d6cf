//! Reports the progress of a call to its client.

use tokio::sync::mpsc;

use super::client::{ClientMessage, Notification};
use helve_core::support::lock::Mutex;
use helve_core::tool::{ProgressSink, ProgressStream, ProgressUpdate};
use helve_results::{RedactedStream, Redactor};

/// The relative increment for a message without a number. It is small, so that the tool's next number is greater.
const MESSAGE_INCREMENT: f64 = 1e-6;

/// Sends the progress of one call to its client, with secrets redacted.
pub(super) struct ProgressReporter {
    messages: mpsc::Sender<ClientMessage>,
    redactor: Redactor,
    state: Mutex<ProgressState>,
}

#[derive(Default)]
struct ProgressState {
    /// The last number that was sent. The protocol requires each number to be greater than the one before.
    last: Option<f64>,
    /// The total amount, if the tool has reported it.
    total: Option<f64>,
    /// The redaction of each stream. It keeps state, because a secret may be split between two chunks.
    streams: Vec<(ProgressStream, RedactedStream)>,
}

impl ProgressReporter {
    pub(super) fn new(messages: mpsc::Sender<ClientMessage>, redactor: Redactor) -> Self {
        Self {
            messages,
            redactor,
            state: Mutex::default(),
        }
    }

    fn send(&self, state: &mut ProgressState, number: Option<f64>, message: Option<String>) {
        let Some(progress) = state.next_number(number, message.is_some()) else {
            return;
        };
        state.last = Some(progress);
        let notification = Notification::Progress {
            progress,
            total: state.total,
            message,
        };
        // The notification is dropped if the client reads too slowly: a call must not wait for its progress.
        let message = ClientMessage::Notification(Box::new(notification));
        let _ = self.messages.try_send(message);
    }
}

impl ProgressState {
    /// Returns the number to send; `None` if the update has neither a greater number nor a message.
    fn next_number(&self, number: Option<f64>, has_message: bool) -> Option<f64> {
        let last = self.last;
        let is_greater = |number: &f64| last.is_none_or(|last| *number > last);
        let number = number.filter(|number| number.is_finite());
        let increment = |last: f64| MESSAGE_INCREMENT.max(last * MESSAGE_INCREMENT);
        let for_message = || last.map_or(0.0, |last| last + increment(last));
        number
            .filter(is_greater)
            .or_else(|| has_message.then(for_message))
    }

    fn stream(&mut self, name: ProgressStream, redactor: &Redactor) -> &mut RedactedStream {
        let position = self.streams.iter().position(|(known, _)| *known == name);
        let index = position.unwrap_or_else(|| {
            self.streams.push((name, redactor.stream()));
            self.streams.len() - 1
        });
        &mut self.streams[index].1
    }
}

impl ProgressSink for ProgressReporter {
    fn report(&self, update: ProgressUpdate) {
        let mut state = self.state.lock();
        let mut message = update
            .message
            .map(|message| self.redactor.redact(&message).into_owned());
        if let Some(name) = update.stream {
            let chunk = state.stream(name, &self.redactor).push(&update.text);
            if !chunk.is_empty() {
                message = Some(message.map_or_else(String::new, |text| text + "\n") + &chunk);
            }
        }
        if let Some(total) = update.total.filter(|total| total.is_finite()) {
            state.total = Some(total);
        }
        if update.closed {
            for (_, stream) in std::mem::take(&mut state.streams) {
                let rest = Some(stream.finish()).filter(|rest| !rest.is_empty());
                self.send(&mut state, None, rest);
            }
        }
        self.send(&mut state, update.progress, message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(updates: impl IntoIterator<Item = ProgressUpdate>) -> Vec<String> {
        let (sender, mut messages) = mpsc::channel(64);
        let reporter = ProgressReporter::new(sender, Redactor::new());
        updates
            .into_iter()
            .for_each(|update| reporter.report(update));
        std::iter::from_fn(|| match messages.try_recv() {
            Ok(ClientMessage::Notification(notification)) => match *notification {
                Notification::Progress {
                    progress,
                    total,
                    message,
                } => Some(format!("{progress} of {total:?}: {message:?}")),
                Notification::Log { .. } => None,
            },
            _ => None,
        })
        .collect()
    }

    #[test]
    fn reported_numbers_only_increase() {
        let updates = [
            ProgressUpdate::message("begun"),
            ProgressUpdate::step(0.0, 10.0),
            ProgressUpdate::step(2.0, 10.0),
            ProgressUpdate::step(1.0, 10.0),
            ProgressUpdate::message("half"),
            ProgressUpdate::step(f64::NAN, 10.0),
            ProgressUpdate::step(5.0, 10.0),
            ProgressUpdate::closed(),
        ];
        let expected = [
            r#"0 of None: Some("begun")"#,
            "2 of Some(10.0): None",
            r#"2.000002 of Some(10.0): Some("half")"#,
            "5 of Some(10.0): None",
        ];
        assert_eq!(reported(updates), expected);
    }

    #[test]
    fn secrets_are_redacted_across_chunks() {
        let secret = "ghp_abcdefghij1234567890abcdefghij123456";
        let updates = [
            ProgressUpdate::text(ProgressStream::Stdout, format!("key {}", &secret[..9])),
            ProgressUpdate::text(ProgressStream::Stdout, format!("{}\n", &secret[9..])),
            ProgressUpdate::closed(),
        ];
        let reported = reported(updates).join("\n");
        assert!(reported.contains("[REDACTED:github-pat]"), "{reported}");
        assert!(!reported.contains("ghp_"), "{reported}");
    }
}
