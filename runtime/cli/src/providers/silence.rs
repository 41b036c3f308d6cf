//! A note to the user about a model that sends nothing for a while.

use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};

use helve_model::{Model, ModelError, ModelEvent, ModelName, ModelRequest};
use helve_terminal::output;

type EventStream<'a> = BoxStream<'a, Result<ModelEvent, ModelError>>;

/// How long a model is silent before the user is told. A request fails only after a much longer silence, since a local
/// model may read a long prompt for minutes.
const SILENCE: Duration = Duration::from_secs(20);

/// A model whose silence is reported once for each request.
#[derive(Debug)]
pub(super) struct SilenceReporter<M> {
    model: M,
    report: fn(&str),
}

impl<M> SilenceReporter<M> {
    pub(super) fn new(model: M) -> Self {
        Self {
            model,
            report: output::remark,
        }
    }
}

impl<M: Model> SilenceReporter<M> {
    fn report(&self) {
        let name = self.model.name().map(|name| format!(" `{name}`"));
        let name = name.unwrap_or_default();
        let seconds = SILENCE.as_secs();
        (self.report)(&format!(
            "the model{name} has sent nothing for {seconds} s; still waiting (press Ctrl-C to stop)"
        ));
    }
}

impl<M: Model> Model for SilenceReporter<M> {
    fn reply<'a>(&'a self, request: &'a ModelRequest) -> EventStream<'a> {
        let waiting = (self.model.reply(request), false);
        let next = move |(mut events, is_over): (EventStream<'a>, bool)| async move {
            let event = if is_over {
                events.next().await
            } else {
                match tokio::time::timeout(SILENCE, events.next()).await {
                    Ok(event) => event,
                    Err(_) => {
                        self.report();
                        events.next().await
                    }
                }
            };
            Some((event?, (events, true)))
        };
        stream::unfold(waiting, next).boxed()
    }

    fn name(&self) -> Option<&ModelName> {
        self.model.name()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use helve_model::ScriptedModel;

    /// A model that replies after a delay.
    struct SlowModel(ScriptedModel, Duration);

    impl Model for SlowModel {
        fn reply<'a>(&'a self, request: &'a ModelRequest) -> EventStream<'a> {
            let reply = async move {
                tokio::time::sleep(self.1).await;
                self.0.reply(request)
            };
            stream::once(reply).flatten().boxed()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_long_silence_is_reported_once() {
        static REPORTS: AtomicUsize = AtomicUsize::new(0);
        for (delay, reports) in [(5, 0), (100, 1)] {
            let slow = SlowModel(
                ScriptedModel::new().say("Hello."),
                Duration::from_secs(delay),
            );
            let mut model = SilenceReporter::new(slow);
            model.report = |text| {
                assert!(text.contains("has sent nothing for 20 s"), "{text}");
                REPORTS.fetch_add(1, Ordering::Relaxed);
            };
            let request = ModelRequest::default();
            let events: Vec<_> = model.reply(&request).collect().await;
            let is_whole =
                |event: &Result<ModelEvent, _>| matches!(event, Ok(ModelEvent::Stop { .. }));
            assert!(events.iter().any(is_whole), "{events:?}");
            assert_eq!(REPORTS.load(Ordering::Relaxed), reports);
        }
    }
}
