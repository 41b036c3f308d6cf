//! The conversion of a tool's return type to a [`ToolResult`](crate::ToolResult), in two steps where the types are
//! concrete.
//!
//! A single trait is not sufficient: coherence forbids implementations for `Result<T, E>`, `String`, streams and all
//! `Serialize` types side by side. Method resolution is: an inherent method takes precedence over a trait's, and a
//! by-value receiver over `&mut self`.

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
    /// Converts the value to an output.
    ///
    /// # Errors
    ///
    /// If the value cannot be serialised.
    fn into_tool_output(self) -> Result<ToolOutput, ToolError>;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize> IntoToolOutput for T {
    #[inline]
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        ToolOutput::json(&self)
    }
}

/// Step one: splits the return value of a tool into value and error.
#[derive(Debug)]
pub struct ReturnValue<R>(pub R);

impl<T, E> ReturnValue<Result<T, E>> {
    /// Splits a result, whatever alias its type is written with.
    #[inline]
    pub fn split(self) -> Result<T, E> {
        self.0
    }
}

/// Step one for a tool that cannot fail.
pub trait SplitPlain {
    /// The type of the value that the tool returned.
    type Value;
    /// Returns the value.
    fn split(self) -> Result<Self::Value, Never>;
}

impl<R> SplitPlain for ReturnValue<R> {
    type Value = R;
    #[inline]
    fn split(self) -> Result<R, Never> {
        Ok(self.0)
    }
}

/// Step two: converts the value that a tool returned.
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
    /// Returns plain text unchanged.
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
    /// Copies plain text if it is borrowed.
    #[inline]
    pub fn output(self, _: &ToolContext) -> Ready<ToolResult> {
        ready(Ok(ToolOutput::plain(self.0.unwrap_or_default())))
    }
}

impl SuccessValue<ToolOutput> {
    /// Returns the output unchanged.
    #[inline]
    pub fn output(self, _: &ToolContext) -> Ready<ToolResult> {
        ready(Ok(self.0.unwrap_or_default()))
    }
}

/// Step two for streams of updates.
pub trait ViaStream<I> {
    /// Drains the stream: progress is reported to the context, and the last value is the result.
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

/// The future of a streaming tool. A named type: with an opaque type, an unsatisfied bound is reported three times.
pub struct StreamDrain<'a, S: Stream> {
    stream: Option<Pin<Box<S>>>,
    take: fn(S::Item, &ToolContext) -> StreamAction,
    /// The pieces of output that the stream has returned so far.
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

/// The maximum length of the stream's output in an error: enough for a compiler's message and its context.
const MAX_ERROR_OUTPUT_CHARS: usize = 2_000;

/// Combines the output of a stream with its end.
fn finish_stream(so_far: Option<ToolOutput>, result: ToolResult) -> ToolResult {
    match (so_far, result) {
        (None, result) => result,
        (Some(so_far), Ok(last)) => Ok(so_far.append(last)),
        (Some(so_far), Err(error)) => Err(error.with_output(&so_far.tail(MAX_ERROR_OUTPUT_CHARS))),
    }
}

/// The action for an item of a stream.
pub enum StreamAction {
    /// The item was progress, which was reported.
    Progress,
    /// The item is a piece of the result.
    Output(ToolOutput),
    /// The item ends the stream.
    End(ToolResult),
}

/// The item type of a tool's stream.
#[diagnostic::on_unimplemented(
    message = "a tool's stream is made of `helve::Update<T>`, not of `{Self}`",
    label = "not a stream of updates",
    note = "write `impl Stream<Item = Update<T>>`: `Update::message` reports progress, `Update::Done` ends it with the result"
)]
pub trait StreamItem: Sized {
    /// Reports progress, or returns a piece of the result or its end.
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

/// The final value of a stream: any return type of tools except `Result`, for which there is [`Update::Failed`].
#[diagnostic::on_unimplemented(
    message = "a tool's stream cannot end in `{Self}`",
    label = "not a tool result",
    note = "end in `String`, `helve::ToolOutput` or a type that implements `serde::Serialize`; an error is `Update::failed(error)`"
)]
pub trait IntoUpdateOutput {
    /// Converts the value to an output.
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
    //! The schema of a tool's return type, if it has one: found by method resolution on the written type.

    use std::marker::PhantomData;

    use schemars::{JsonSchema, Schema, SchemaGenerator};

    type OutputSchemaFn = fn(&mut SchemaGenerator) -> Schema;

    /// The marker of a tool's return type.
    pub struct OutputSchemaProbe<R: ?Sized>(pub PhantomData<fn() -> R>);

    /// Implemented for the return type of a tool that can fail, under any alias.
    pub trait ViaResultSchema {
        /// Returns the schema of the value.
        fn schema(&self) -> Option<OutputSchemaFn>;
    }

    impl<T: JsonSchema, E> ViaResultSchema for &&OutputSchemaProbe<Result<T, E>> {
        fn schema(&self) -> Option<OutputSchemaFn> {
            Some(T::json_schema)
        }
    }

    /// Implemented for the return type of a tool that cannot fail.
    pub trait ViaSchema {
        /// Returns the schema of the type.
        fn schema(&self) -> Option<OutputSchemaFn>;
    }

    impl<R: JsonSchema> ViaSchema for &OutputSchemaProbe<R> {
        fn schema(&self) -> Option<OutputSchemaFn> {
            Some(R::json_schema)
        }
    }

    /// Implemented for types without a schema.
    pub trait NoSchema {
        /// Returns `None`.
        fn schema(&self) -> Option<OutputSchemaFn>;
    }

    impl<R> NoSchema for OutputSchemaProbe<R> {
        fn schema(&self) -> Option<OutputSchemaFn> {
            None
        }
    }
}
