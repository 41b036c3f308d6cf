//! What a call reports of its progress, as the client is told it.

use tokio::sync::mpsc;

use super::client::{Note, Outgoing};
use crate::results::{RedactedStream, Redactor};
use crate::support::lock::Mutex;
use crate::tool::{ProgressSink, ProgressStream, ProgressUpdate};

/// How much words count as: so little that the next number of the tool is more.
const WORDS: f64 = 1e-6;

/// Tells the client of one call how far it is, without the secrets in it.
pub(super) struct Told {
    out: mpsc::Sender<Outgoing>,
    redactor: Redactor,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// What was told last: the protocol wants it to grow each time.
    told: Option<f64>,
    /// How much there is in all, where the tool said so.
    total: Option<f64>,
    /// A secret may be parted between two pieces of a stream.
    streams: Vec<(ProgressStream, RedactedStream)>,
}

impl Told {
    pub(super) fn new(out: mpsc::Sender<Outgoing>, redactor: Redactor) -> Self {
        Self {
            out,
            redactor,
            state: Mutex::default(),
        }
    }

    fn tell(&self, state: &mut State, number: Option<f64>, message: Option<String>) {
        let Some(progress) = state.next(number, message.is_some()) else {
            return;
        };
        state.told = Some(progress);
        let note = Note::Progress {
            progress,
            total: state.total,
            message,
        };
        // A client that does not keep up is told less often.
        let _ = self.out.try_send(Outgoing::Note(Box::new(note)));
    }
}

impl State {
    /// Returns the number that is told; `None` where there is nothing new in it.
    fn next(&self, number: Option<f64>, has_words: bool) -> Option<f64> {
        let told = self.told;
        let is_more = |number: &f64| told.is_none_or(|told| *number > told);
        let number = number.filter(|number| number.is_finite());
        let words = || told.map_or(0.0, |told| told + WORDS.max(told * WORDS));
        number.filter(is_more).or_else(|| has_words.then(words))
    }

    fn stream(&mut self, name: ProgressStream, redactor: &Redactor) -> &mut RedactedStream {
        let known = self.streams.iter().position(|(known, _)| *known == name);
        let place = known.unwrap_or_else(|| {
            self.streams.push((name, redactor.stream()));
            self.streams.len() - 1
        });
        &mut self.streams[place].1
    }
}

impl ProgressSink for Told {
    fn report(&self, update: ProgressUpdate) {
        let mut state = self.state.lock();
        let mut words = update
            .message
            .map(|message| self.redactor.redact(&message).into_owned());
        if let Some(name) = update.stream {
            let piece = state.stream(name, &self.redactor).push(&update.text);
            if !piece.is_empty() {
                words = Some(words.map_or_else(String::new, |words| words + "\n") + &piece);
            }
        }
        if let Some(total) = update.total.filter(|total| total.is_finite()) {
            state.total = Some(total);
        }
        if update.closed {
            for (_, stream) in std::mem::take(&mut state.streams) {
                let rest = Some(stream.finish()).filter(|rest| !rest.is_empty());
                self.tell(&mut state, None, rest);
            }
        }
        self.tell(&mut state, update.progress, words);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(updates: impl IntoIterator<Item = ProgressUpdate>) -> Vec<String> {
        let (out, mut outgoing) = mpsc::channel(64);
        let told = Told::new(out, Redactor::new());
        updates.into_iter().for_each(|update| told.report(update));
        std::iter::from_fn(|| match outgoing.try_recv() {
            Ok(Outgoing::Note(note)) => match *note {
                Note::Progress {
                    progress,
                    total,
                    message,
                } => Some(format!("{progress} of {total:?}: {message:?}")),
                Note::Log { .. } => None,
            },
            _ => None,
        })
        .collect()
    }

    #[test]
    fn what_is_told_only_ever_grows() {
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
        assert_eq!(told(updates), expected);
    }

    #[test]
    fn the_secrets_of_a_stream_are_found_across_pieces() {
        let secret = "ghp_abcdefghij1234567890abcdefghij123456";
        let updates = [
            ProgressUpdate::text(ProgressStream::Stdout, format!("key {}", &secret[..9])),
            ProgressUpdate::text(ProgressStream::Stdout, format!("{}\n", &secret[9..])),
            ProgressUpdate::closed(),
        ];
        let told = told(updates).join("\n");
        assert!(told.contains("[REDACTED:github-pat]"), "{told}");
        assert!(!told.contains("ghp_"), "{told}");
    }
}
