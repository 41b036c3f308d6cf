//! A model that replays a recording.

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::stream::StreamExt as _;

use super::playback::Playback;
use super::{Model, ModelError, ModelEvent, ModelRequest, Recording, RecordingError, ReplyStream};

/// A model that returns the replies of a [`Recording`] in order, independent of the requests.
///
/// ```
/// use futures_util::TryStreamExt as _;
/// use helve::model::{Model as _, ModelEvent, ModelRequest, Recording, ReplayModel};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let recording = Recording::parse(r#"{"helve_recording":1}
/// {"events":[{"type":"text_delta","text":"Hello."},{"type":"stop","reason":"end_turn"}]}
/// "#)?;
/// let model = ReplayModel::new(recording);
/// let request = ModelRequest::default();
/// let events: Vec<ModelEvent> = model.reply(&request).try_collect().await?;
/// assert_eq!(events[0], ModelEvent::TextDelta { text: "Hello.".into() });
/// # Ok(())
/// # }
/// ```
pub struct ReplayModel {
    playback: Playback,
    pace: Option<PaceFn>,
}

type PaceFn = Arc<dyn Fn(&ModelEvent) -> BoxFuture<'static, ()> + Send + Sync>;

impl ReplayModel {
    /// Creates a model from a recording.
    #[must_use]
    pub fn new(recording: Recording) -> Self {
        Self {
            playback: Playback::new(recording.replies),
            pace: None,
        }
    }

    /// Creates a model from a recording file.
    ///
    /// # Errors
    /// If the file cannot be read, or contains an invalid line.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, RecordingError> {
        let path = path.as_ref();
        let text = read_text(path).map_err(|source| RecordingError::File {
            path: path.display().to_string(),
            source,
        })?;
        Recording::parse(&text).map(Self::new)
    }

    /// Waits for the future that `pace` returns before each event, so that a demonstration has the pace of a real
    /// model.
    ///
    /// The model has no timer of its own; by default all events are returned without delay.
    #[must_use]
    pub fn with_pace(
        mut self,
        pace: impl Fn(&ModelEvent) -> BoxFuture<'static, ()> + Send + Sync + 'static,
    ) -> Self {
        self.pace = Some(Arc::new(pace));
        self
    }

    /// Returns the number of replies that were used.
    #[must_use]
    pub fn used(&self) -> usize {
        self.playback.used_count()
    }
}

const MAX_FILE_BYTES: u64 = 256 << 20;

fn read_text(path: &Path) -> io::Result<String> {
    let too_large = || io::Error::other(format!("it is larger than {} MiB", MAX_FILE_BYTES >> 20));
    let file = File::open(path)?;
    if file.metadata()?.len() > MAX_FILE_BYTES {
        return Err(too_large());
    }
    let mut text = String::new();
    // A path that is not a regular file has no length, and may have no end.
    let length = file.take(MAX_FILE_BYTES + 1).read_to_string(&mut text)?;
    match u64::try_from(length) {
        Ok(0..=MAX_FILE_BYTES) => Ok(text),
        _ => Err(too_large()),
    }
}

impl fmt::Debug for ReplayModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplayModel")
            .field("playback", &self.playback)
            .field("paced", &self.pace.is_some())
            .finish()
    }
}

impl Model for ReplayModel {
    fn reply<'a>(&'a self, _request: &'a ModelRequest) -> ReplyStream<'a> {
        let Some(pace) = self.pace.clone() else {
            return self.playback.next_stream();
        };
        let paced = move |event: Result<ModelEvent, ModelError>| {
            let pause = event.as_ref().ok().map(|event| pace(event));
            async move {
                if let Some(pause) = pause {
                    pause.await;
                }
                event
            }
        };
        self.playback.next_stream().then(paced).boxed()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::{FutureExt as _, StreamExt as _, future};

    use super::*;

    const HELLO: &str = "{\"helve_recording\":1}\n{\"events\":[{\"type\":\"text_delta\",\"text\":\"Hi\"},{\"type\":\"stop\",\"reason\":\"end_turn\"}],\"error\":\"late\"}\n";

    #[tokio::test]
    async fn replays_events_then_the_error_then_says_that_it_is_used_up() {
        let paces = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&paces);
        let model = ReplayModel::new(Recording::parse(HELLO).unwrap()).with_pace(move |_| {
            counter.fetch_add(1, Ordering::Relaxed);
            future::ready(()).boxed()
        });
        let request = ModelRequest::default();
        let replies: Vec<_> = model.reply(&request).collect().await;
        assert_eq!(replies.len(), 3);
        let error = replies[2].as_ref().unwrap_err().to_string();
        assert!(error.contains("late"), "{error}");
        assert_eq!(paces.load(Ordering::Relaxed), 2);
        let replies: Vec<_> = model.reply(&request).collect().await;
        assert!(matches!(
            replies[..],
            [Err(ModelError::ScriptEnded { used: 1 })]
        ));
        assert_eq!(model.used(), 1);
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = ReplayModel::open("no/such.jsonl").unwrap_err().to_string();
        assert!(error.contains("no/such.jsonl"), "{error}");
    }
}
