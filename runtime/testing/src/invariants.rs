//! What holds whatever a case expects.

use std::collections::BTreeMap;

use helve_agent::session::{SessionError, SessionProjection, Sessions};
use helve_agent::{AgentEvent, TurnStatus, sanitize};
use helve_core::transcript::{CallId, Message, SessionId};

/// Checks a recorded conversation. Returns what is wrong: a call without its one result, a conversation that a provider
/// refuses, a session that loads as another conversation, or whose events differ from those that were emitted.
pub(crate) async fn check_invariants(
    sessions: &Sessions,
    session: &SessionId,
    messages: &[Message],
    events: &[AgentEvent],
    status: Option<&TurnStatus>,
) -> Vec<String> {
    let mut problems = Vec::new();
    if matches!(status, Some(TurnStatus::Ended(_))) {
        problems.extend(check_results(messages));
        if sanitize(messages.to_vec()) != messages {
            problems.push("a provider would refuse the conversation".to_owned());
        }
    }
    match check_journal(sessions, session, messages, events).await {
        Ok(found) => problems.extend(found),
        Err(error) => problems.push(format!("the session cannot be read: {error}")),
    }
    problems
}

/// Checks that each call has one result, in the message after it.
fn check_results(messages: &[Message]) -> Vec<String> {
    let mut problems = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let Message::Assistant(reply) = message else {
            continue;
        };
        let mut results: BTreeMap<&CallId, usize> = BTreeMap::new();
        if let Some(Message::Tool { content }) = messages.get(index + 1) {
            for result in content {
                *results.entry(&result.call_id).or_default() += 1;
            }
        }
        for call in reply.calls() {
            let count = results.remove(&call.id).unwrap_or_default();
            if count != 1 {
                problems.push(format!("the call `{}` has {count} results", call.id));
            }
        }
        let orphans = results.keys();
        problems.extend(orphans.map(|id| format!("the result of `{id}` belongs to no call")));
    }
    problems
}

async fn check_journal(
    sessions: &Sessions,
    session: &SessionId,
    messages: &[Message],
    events: &[AgentEvent],
) -> Result<Vec<String>, SessionError> {
    let mut problems = Vec::new();
    let history = sessions.read(session).await?;
    if history.messages != messages {
        problems.push("the session loads as another conversation".to_owned());
    }
    let mut projection = SessionProjection::new();
    let mut replayed = Vec::new();
    let visit = |line: &_| replayed.extend(projection.apply(line));
    sessions.visit(session, u64::MAX, visit).await?;
    let emitted = events.iter().filter(|event| event.at.is_some());
    let is_same = emitted.clone().count() == replayed.len() && emitted.eq(replayed.iter());
    if !is_same {
        problems.push("the replayed events differ from those that were emitted".to_owned());
    }
    Ok(problems)
}
