//! Records the replies of a model.

mod reply_recorder;
mod writer;

use std::io;
use std::path::Path;

use futures_core::stream::BoxStream;
use futures_util::stream::{self, StreamExt as _};

use super::{Model, ModelName, ModelRequest, RecordingError, ReplyStream};
use reply_recorder::ReplyRecorder;
use writer::RecordingWriter;

/// A model whose replies are written to a [`Recording`](super::Recording) file.
///
/// Each reply is one line, which is written when the reply ends and before its stream does, so that a crash later on
/// does not lose the reply. Consecutive deltas of a text are merged. A failed reply is written with its error. A
/// reply that was dropped is written with its events so far and [`Cancelled`](super::StopReason::Cancelled) as its
/// end, so that later replies match the same requests in a replay. The header's `prompt` is the first message of the
/// user. The file contains neither the requests nor keys.
///
/// A recorder should be the outermost wrapper, around [`Retrying`](super::RetryingModel) and
/// [`Fallback`](super::FallbackModel): the replay then has the events that the agent received.
///
/// An I/O error does not fail the reply: the file keeps the earlier replies, a warning is logged, and
/// [`finish`](Self::finish) returns the error.
///
/// ```
/// use std::sync::Arc;
/// use futures_util::TryStreamExt as _;
/// use helve::model::{Model as _, ModelRequest, Recorder, ScriptedModel};
/// use helve::transcript::Message;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("hello.jsonl");
/// let model = Arc::new(Recorder::new(ScriptedModel::new().say("Hello."), &path)?);
/// let request = ModelRequest::new(vec![Message::user("Hi")]);
/// let _: Vec<_> = model.reply(&request).try_collect().await?;
/// model.finish().await?;
/// assert_eq!(std::fs::read_to_string(&path)?, r#"{"helve_recording":1,"prompt":"Hi"}
/// {"events":[{"type":"text_delta","text":"Hello."},{"type":"stop","reason":"end_turn"}]}
/// "#);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Recorder<M> {
    model: M,
    writer: RecordingWriter,
}

impl<M: Model> Recorder<M> {
    /// Wraps a model, and creates the file.
    ///
    /// # Errors
    /// If the file cannot be created, or is not empty.
    pub fn new(model: M, path: impl AsRef<Path>) -> Result<Self, RecordingError> {
        let writer = RecordingWriter::open(path.as_ref())?;
        Ok(Self { model, writer })
    }

    /// Waits until all finished replies are written. A reply is written after all replies that were requested before
    /// it.
    ///
    /// # Errors
    /// If a write has failed; later replies are not in the file either.
    pub async fn finish(&self) -> Result<(), RecordingError> {
        self.writer.finish().await
    }
}

impl<M: Model> Model for Recorder<M> {
    fn reply<'a>(&'a self, request: &'a ModelRequest) -> ReplyStream<'a> {
        let tape = ReplyRecorder::new(&self.writer, request);
        let replying = (self.model.reply(request), Some(tape));
        let next = |(mut stream, mut tape): (BoxStream<'a, _>, Option<ReplyRecorder<'a>>)| async move {
            let mut open = tape.take()?;
            let event = stream.next().await;
            match &event {
                Some(Ok(event)) => {
                    open.add(event);
                    tape = Some(open);
                }
                Some(Err(error)) => open.close(Some(error)).await,
                None => open.close(None).await,
            }
            Some((event?, (stream, tape)))
        };
        stream::unfold(replying, next).boxed()
    }

    fn name(&self) -> Option<&ModelName> {
        self.model.name()
    }
}

fn write_error(path: &Path, source: io::Error) -> RecordingError {
    RecordingError::Write {
        path: path.display().to_string(),
        source,
    }
}
