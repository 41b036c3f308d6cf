//! Repairs a conversation that was loaded or edited by hand, so that every provider accepts it.

use std::collections::{HashMap, VecDeque};

use helve_core::transcript::{
    AssistantMessage, CallId, Content, ContentBlock, Message, MessagePart, ToolCall, ToolCallResult,
};

/// The result that the model reads if a call has no result.
const NO_RESULT: &str = "Interrupted: no result of this call was recorded, and whether the call took effect is unknown. \
                         Check before you repeat the call.";

/// Repairs a conversation so that every provider accepts it. A valid conversation is returned unchanged.
///
/// - A message with calls is followed by one message with their results, one for each call, in the order of the calls.
///   Messages in between are moved after the results.
/// - A call without a result gets a result that states this. A result without a call is removed.
/// - A call whose arguments are not valid JSON and are not marked as
///   [defective](helve_core::transcript::ArgumentsDefect) is removed with its result: it was written by other software,
///   and no provider accepts it. Calls that helve recorded are marked, and are kept.
/// - Empty texts and messages without content are removed.
///
/// Sanitizing twice has the same result as sanitizing once.
///
/// ```
/// use helve::transcript::{Message, ToolCallResult, Content, sanitize};
///
/// let orphan = ToolCallResult { call_id: "gone".into(), content: Content::text("?"), is_error: false };
/// let messages = vec![Message::Tool { content: vec![orphan] }, Message::user("Go on")];
/// assert_eq!(sanitize(messages), [Message::user("Go on")]);
/// ```
#[must_use]
pub fn sanitize(messages: Vec<Message>) -> Vec<Message> {
    let mut rest = VecDeque::from(messages);
    let mut sound = Vec::with_capacity(rest.len());
    while let Some(message) = rest.pop_front() {
        match message {
            // A result after its calls was moved with the calls.
            Message::Tool { .. } => {}
            Message::Assistant(reply) => {
                let Some(reply) = without_invalid_parts(reply) else {
                    continue;
                };
                let results = take_results(&reply, &mut rest);
                sound.push(Message::Assistant(reply));
                sound.extend(results.map(|content| Message::Tool { content }));
            }
            Message::Note(note) => {
                let note = Some(note).filter(|note| !note.text.is_empty());
                sound.extend(note.map(Message::Note));
            }
            Message::User { content } => {
                let content = without_empty(content);
                sound.extend(content.map(|content| Message::User { content }));
            }
            Message::System { content } => {
                let content = without_empty(content);
                sound.extend(content.map(|content| Message::System { content }));
            }
        }
    }
    sound
}

/// Removes the results of a reply's calls from the following messages, up to the next reply with calls, and returns the
/// results.
fn take_results(
    reply: &AssistantMessage,
    rest: &mut VecDeque<Message>,
) -> Option<Vec<ToolCallResult>> {
    reply.calls().next()?;
    let mut found: HashMap<CallId, ToolCallResult> = HashMap::new();
    let reach = rest.iter().position(has_calls).unwrap_or(rest.len());
    for message in rest.iter_mut().take(reach) {
        if let Message::Tool { content } = message {
            for result in content.drain(..) {
                found.entry(result.call_id.clone()).or_insert(result);
            }
        }
    }
    let result = |call: &ToolCall| {
        let found = found.remove(&call.id);
        found.unwrap_or_else(|| ToolCallResult {
            call_id: call.id.clone(),
            content: Content::text(NO_RESULT),
            is_error: true,
        })
    };
    Some(reply.calls().map(result).collect())
}

fn has_calls(message: &Message) -> bool {
    matches!(message, Message::Assistant(reply) if reply.calls().any(is_valid_call))
}

/// Returns a reply without empty texts and calls that no provider accepts; `None` if nothing is left.
fn without_invalid_parts(mut reply: AssistantMessage) -> Option<AssistantMessage> {
    let before = reply.content.len();
    let mut calls: Vec<CallId> = Vec::new();
    reply.content.retain(|part| match part {
        MessagePart::Text { text } => !text.is_empty(),
        MessagePart::Thinking { .. } | MessagePart::ProviderItem { .. } => true,
        // The results of two calls with one id could not be distinguished.
        MessagePart::ToolCall(call) => {
            let stays = is_valid_call(call) && !calls.contains(&call.id);
            calls.push(call.id.clone());
            stays
        }
    });
    let says_something = |part: &MessagePart| !matches!(part, MessagePart::Thinking { .. });
    let is_left = reply.content.iter().any(says_something) || reply.content.len() == before;
    (is_left && !reply.content.is_empty()).then_some(reply)
}

fn is_valid_call(call: &ToolCall) -> bool {
    let arguments = call.arguments.trim();
    call.defect.is_some()
        || arguments.is_empty()
        || serde_json::from_str::<serde::de::IgnoredAny>(arguments).is_ok()
}

fn without_empty(mut content: Vec<ContentBlock>) -> Option<Vec<ContentBlock>> {
    content.retain(|block| !matches!(block, ContentBlock::Text { text } if text.is_empty()));
    (!content.is_empty()).then_some(content)
}
