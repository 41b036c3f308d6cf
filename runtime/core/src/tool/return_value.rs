//! How a tool's return type becomes a [`ToolResult`](crate::ToolResult), in two steps where the types are concrete.
//!
//! One trait cannot do it: coherence forbids `Result<T, E>`, `String`, streams and everything `Serialize` side by side.
//! Method resolution can: an inherent method wins over a trait's, and a by-value receiver over `&mut self`.

use std::future::{Ready, ready};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use serde::Serialize;

use super::error::conversion::Never;
use crate::tool::output::not_json;
use crate::tool::{ToolContext, ToolError, ToolOutput, ToolResult, Update};

/// A value that a tool may return: `()`, `String`, [`ToolOutput`], a stream of [`Update`]s, or anything `Serialize`.
#[diagnostic::on_unimplemented(
    message = "a tool cannot return `{Self}`",
    label = "not a tool result",
    note = "return `()`, `String`, `helve::ToolOutput`, or a type that implements `serde::Serialize`; `#[helve::data]` on your own type does that"
)]
pub trait IntoToolOutput {
    /// Turns the value into an output.
    ///
    /// # Errors
    ///
    /// Fails where the value does not serialise.
    fn into_tool_output(self) -> Result<ToolOutput, ToolError>;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize> IntoToolOutput for T {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        ToolOutput::json(&self)
    }
}

/// Step one: what a tool returned, split into value and error.
#[derive(Debug)]
pub struct ReturnValue<R>(pub R);

impl<T, E> ReturnValue<Result<T, E>> {
    /// Splits a result, under whatever alias it was written.
    #[inline]
    pub fn split(self) -> Result<T, E> {
        self.0
    }
}

/// Step one for a tool that cannot fail.
pub trait SplitPlain {
    /// What the tool returned.
    type Value;
    /// Hands the value on.
    fn split(self) -> Result<Self::Value, Never>;
}

impl<R> SplitPlain for ReturnValue<R> {
    type Value = R;
    #[inline]
    fn split(self) -> Result<R, Never> {
        Ok(self.0)
    }
}

/// Step two: the value that a tool returned.
#[derive(Debug)]
pub struct SuccessValue<T>(pub Option<T>);

impl SuccessValue<()> {
    /// Returns the output of a tool without a value.
    #[inline]
    pub fn output(self, _: &ToolContext) -> Ready<ToolResult> {
        ready(Ok(ToolOutput::plain("done")))
    }
}

impl SuccessValue<String> {
    /// Hands plain text on.
    #[inline]
    pub fn output(self, _: &ToolContext) -> Ready<ToolResult> {
        ready(Ok(ToolOutput::plain(self.0.unwrap_or_default())))
    }
}

impl SuccessValue<&str> {
    /// Copies plain text.
    #[inline]
    pub fn output(self, _: &ToolContext) -> Ready<ToolResult> {
        ready(Ok(ToolOutput::plain(self.0.unwrap_or_default())))
    }
}

impl SuccessValue<std::borrow::Cow<'_, str>> {
    /// Copies plain text where it is borrowed.
    #[inline]
    pub fn output(self, _: &ToolContext) -> Ready<ToolResult> {
        ready(Ok(ToolOutput::plain(self.0.unwrap_or_default())))
    }
}

impl SuccessValue<ToolOutput> {
    /// Hands the output on.
    #[inline]
    pub fn output(self, _: &ToolContext) -> Ready<ToolResult> {
        ready(Ok(self.0.unwrap_or_default()))
    }
}

/// Step two for streams of updates.
pub trait ViaStream<I> {
    /// Drains the stream: progress to the context, the last value to the model.
    fn output(self, context: &ToolContext) -> StreamDrain<'_, Self::Stream>
    where
        I: StreamItem;
    /// The stream.
    type Stream: Stream;
}

impl<S: Stream> ViaStream<S::Item> for SuccessValue<S> {
    type Stream = S;

    #[inline]
    fn output(self, context: &ToolContext) -> StreamDrain<'_, S>
    where
        S::Item: StreamItem,
    {
        StreamDrain {
            stream: self.0.map(Box::pin),
            take: S::Item::into_action,
            partial_output: None,
            context,
        }
    }
}

/// The work of a streaming tool. A type of its own: behind an opaque one, a bound that fails is reported three times.
pub struct StreamDrain<'a, S: Stream> {
    stream: Option<Pin<Box<S>>>,
    take: fn(S::Item, &ToolContext) -> StreamAction,
    /// What the stream put out piece by piece.
    partial_output: Option<ToolOutput>,
    context: &'a ToolContext,
}

impl<S: Stream> Future for StreamDrain<'_, S> {
    type Output = ToolResult;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<ToolResult> {
        let (take, context) = (self.take, self.context);
        while let Some(stream) = &mut self.stream {
            match ready!(stream.as_mut().poll_next(cx)) {
                Some(item) => match take(item, context) {
                    StreamAction::Progress => {}
                    StreamAction::Output(piece) => {
                        let so_far = self.partial_output.take().unwrap_or_default();
                        self.partial_output = Some(so_far.append(piece));
                    }
                    StreamAction::End(result) => {
                        return Poll::Ready(finish_stream(self.partial_output.take(), result));
                    }
                },
                None => break,
            }
        }
        Poll::Ready(self.partial_output.take().ok_or_else(|| {
            ToolError::failed("the tool's stream ended without a result (`Update::Done`)")
        }))
    }
}

/// How much of what a stream put out its error shows: enough for a compiler's message and what stands around it.
const MAX_ERROR_OUTPUT_CHARS: usize = 2_000;

/// Joins what a stream put out to how it ended.
fn finish_stream(so_far: Option<ToolOutput>, result: ToolResult) -> ToolResult {
    match (so_far, result) {
        (None, result) => result,
        (Some(so_far), Ok(last)) => Ok(so_far.append(last)),
        (Some(so_far), Err(error)) => Err(error.with_output(&so_far.tail(MAX_ERROR_OUTPUT_CHARS))),
    }
}

/// What an item of a stream came to.
pub enum StreamAction {
    /// It was for the screen.
    Progress,
    /// It is a piece of the result.
    Output(ToolOutput),
    /// It ends the stream.
    End(ToolResult),
}

/// What a tool's stream is made of.
#[diagnostic::on_unimplemented(
    message = "a tool's stream is made of `helve::Update<T>`, not of `{Self}`",
    label = "not a stream of updates",
    note = "write `impl Stream<Item = Update<T>>`: `Update::message` reports progress, `Update::Done` ends it with the result"
)]
pub trait StreamItem: Sized {
    /// Reports progress, or hands out a piece of the result or the end of it.
    fn into_action(self, context: &ToolContext) -> StreamAction;
}

impl<T: IntoUpdateOutput> StreamItem for Update<T> {
    #[inline]
    fn into_action(self, context: &ToolContext) -> StreamAction {
        match self {
            Self::Progress(update) => {
                context.progress().report(update);
                StreamAction::Progress
            }
            Self::Output(piece) => {
                context.progress().stdout(piece.text());
                StreamAction::Output(piece)
            }
            Self::Done(value) => StreamAction::End(value.into_update_output()),
            Self::Failed(error) => StreamAction::End(Err(error)),
        }
    }
}

/// The last value of a stream: anything that a tool may return but a `Result`, for which there is [`Update::Failed`].
#[diagnostic::on_unimplemented(
    message = "a tool's stream cannot end in `{Self}`",
    label = "not a tool result",
    note = "end in `String`, `helve::ToolOutput` or a type that implements `serde::Serialize`; an error is `Update::failed(error)`"
)]
pub trait IntoUpdateOutput {
    /// Turns the value into an output.
    fn into_update_output(self) -> Result<ToolOutput, ToolError>;
}

impl IntoUpdateOutput for ToolOutput {
    fn into_update_output(self) -> Result<ToolOutput, ToolError> {
        Ok(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Serialize> IntoUpdateOutput for T {
    fn into_update_output(self) -> Result<ToolOutput, ToolError> {
        match serde_json::to_value(&self) {
            Ok(serde_json::Value::String(text)) => Ok(ToolOutput::plain(text)),
            Ok(value) => ToolOutput::json(&value),
            Err(error) => Err(not_json(&error)),
        }
    }
}

/// Step two for everything else.
pub trait ViaSerialize<T> {
    /// Serialises the value.
    fn output(&mut self, context: &ToolContext) -> Ready<ToolResult>
    where
        T: IntoToolOutput;
}

impl<T> ViaSerialize<T> for SuccessValue<T> {
    #[inline]
    fn output(&mut self, _: &ToolContext) -> Ready<ToolResult>
    where
        T: IntoToolOutput,
    {
        ready(match self.0.take() {
            Some(value) => value.into_tool_output(),
            None => Err(ToolError::failed("the tool returned nothing")),
        })
    }
}

pub(crate) mod output_schema {
    //! The schema of what a tool returns, where its type has one: found by method resolution on the written type.

    use std::marker::PhantomData;

    use schemars::{JsonSchema, Schema, SchemaGenerator};

    type OutputSchemaFn = fn(&mut SchemaGenerator) -> Schema;

    /// Names a tool's return type.
    pub struct OutputSchemaProbe<R: ?Sized>(pub PhantomData<fn() -> R>);

    /// The type of a tool that can fail, under whatever alias.
    pub trait ViaResultSchema {
        /// Returns the schema of its value.
        fn schema(&self) -> Option<OutputSchemaFn>;
    }

    impl<T: JsonSchema, E> ViaResultSchema for &&OutputSchemaProbe<Result<T, E>> {
        fn schema(&self) -> Option<OutputSchemaFn> {
            Some(T::json_schema)
        }
    }

    /// The type of a tool that cannot fail.
    pub trait ViaSchema {
        /// Returns its schema.
        fn schema(&self) -> Option<OutputSchemaFn>;
    }

    impl<R: JsonSchema> ViaSchema for &OutputSchemaProbe<R> {
        fn schema(&self) -> Option<OutputSchemaFn> {
            Some(R::json_schema)
        }
    }

    /// A type without a schema.
    pub trait NoSchema {
        /// Returns `None`: there is no schema.
        fn schema(&self) -> Option<OutputSchemaFn>;
    }

    impl<R> NoSchema for OutputSchemaProbe<R> {
        fn schema(&self) -> Option<OutputSchemaFn> {
            None
        }
    }
}
