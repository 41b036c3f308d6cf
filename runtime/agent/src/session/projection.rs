//! The events of a recorded session.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt as _, TryStreamExt as _};

use super::{Entry, SessionError, SessionState, SessionStore, Sessions, StoreWatch, id};
use crate::AgentEvent;
use crate::event::projection::{
    Projected, TurnProjection, locate_event, number_events, turn_end_events, turn_start_events,
};
use crate::journal::{Line, Position};
use helve_core::transcript::{Origin, SessionId, TurnId};

/// Projects the entries of a session to events: the same bytes as the events that were emitted while the entries were
/// written.
///
/// ```
/// use helve::agent::session::{Entry, SessionProjection};
/// use helve::agent::turn::Bounds;
/// use helve::transcript::journal::{Line, Timestamp};
/// use helve::transcript::{Message, Origin};
///
/// let begun = Entry::turn_started(&Origin::new("main", "t1"), Bounds::new(10), vec![Message::user("Hi")]);
/// let line = Line { seq: 2, at: Timestamp::from_millis(0), entry: begun };
/// let events = SessionProjection::new().apply(&line);
/// let json = events.iter().map(|event| serde_json::to_string(event)).collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(json, [
///     r#"{"type":"turn_started","agent":"main","turn":"t1","at":"1970-01-01T00:00:00.000Z"}"#,
///     concat!(
///         r#"{"type":"user_message","content":[{"type":"text","text":"Hi"}],"#,
///         r#""agent":"main","turn":"t1","at":"1970-01-01T00:00:00.000Z","seq":2}"#,
///     ),
/// ]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionProjection {
    state: SessionState,
    /// The projections of the open turns.
    turns: BTreeMap<TurnId, TurnProjection>,
}

impl SessionProjection {
    /// Creates the projection of a session without entries.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Applies the next entry, and returns the events that follow from it: all have its time, and the last one has its
    /// number. No events follow from an entry that changed nothing.
    pub fn apply(&mut self, line: &Line<Entry>) -> Vec<AgentEvent> {
        let (origin, projected) = match &line.entry {
            Entry::TurnStarted(started) => {
                self.state.apply(line.as_ref(), None);
                self.turns
                    .insert(started.turn.clone(), TurnProjection::default());
                (
                    started.origin(),
                    turn_start_events(&started.prompt).collect(),
                )
            }
            Entry::Record(recorded) => {
                let is_applied = self.state.apply(line.as_ref(), None);
                let (Some(turn), true) = (self.state.turn(&recorded.turn), is_applied) else {
                    return Vec::new();
                };
                let projection = self.turns.entry(recorded.turn.clone()).or_default();
                let reply = TurnProjection::reply_event(&recorded.record);
                let projected = projection.project(turn, &recorded.record, reply);
                (recorded.origin(), projected)
            }
            Entry::TurnEnded(ended) => {
                let is_open = self.state.turn(&ended.turn).is_some();
                self.state.apply(line.as_ref(), None);
                self.turns.remove(&ended.turn);
                let projected = match is_open {
                    true => turn_end_events(ended.reason, ended.error.clone()),
                    false => Vec::new(),
                };
                let mut origin = Origin::new(ended.agent.clone(), ended.turn.clone());
                origin.parent_call.clone_from(&ended.parent_call);
                (origin, projected)
            }
            _ => {
                self.state.apply(line.as_ref(), None);
                return Vec::new();
            }
        };
        locate_events(origin, projected, line)
    }
}

fn locate_events(origin: Origin, projected: Vec<Projected>, line: &Line<Entry>) -> Vec<AgentEvent> {
    let origin = Arc::new(origin);
    let events = projected.into_iter();
    let mut events: Vec<_> = events.map(|event| locate_event(&origin, event)).collect();
    number_events(&mut events, line.seq, line.at);
    events
}

/// A reader of the events of a session.
struct EventCursor {
    store: Arc<dyn SessionStore>,
    session: SessionId,
    projection: SessionProjection,
    position: Position,
    /// The number of the last entry whose events are not wanted.
    after: u64,
    /// The notices of new entries, if the reader waits for them.
    watch: Option<StoreWatch>,
    is_at_end: bool,
}

impl EventCursor {
    /// Reads the events of the next entries; `None` at the end.
    async fn next(&mut self) -> Result<Option<Vec<AgentEvent>>, SessionError> {
        if self.is_at_end {
            let Some(watch) = &mut self.watch else {
                return Ok(None);
            };
            if watch.next().await.is_none() {
                return Ok(None);
            }
        }
        let page = self.store.read(&self.session, self.position).await?;
        (self.position, self.is_at_end) = (page.next, !page.more);
        let mut events = Vec::new();
        for line in &page.lines {
            let new = self.projection.apply(line);
            if line.seq > self.after {
                events.extend(new);
            }
        }
        Ok(Some(events))
    }
}

impl Sessions {
    /// Returns the events of a session that follow from the entries after a given one; 0 is before the first. Use the
    /// `seq` of the last event that was handled to continue after it.
    ///
    /// The events are the same bytes as those that were emitted while the session was written, without the events that
    /// are in no journal: pieces of text, progress, and the like. The stream ends with the first error.
    pub fn events(
        &self,
        session: &SessionId,
        after: u64,
    ) -> BoxStream<'static, Result<AgentEvent, SessionError>> {
        self.read_events(session, after, None)
    }

    /// Like [`events`](Self::events), and waits for new entries at the end: the stream ends only with an error.
    pub fn follow_events(
        &self,
        session: &SessionId,
        after: u64,
    ) -> BoxStream<'static, Result<AgentEvent, SessionError>> {
        let watch = self.store.watch(Some(session));
        self.read_events(session, after, Some(watch))
    }

    fn read_events(
        &self,
        session: &SessionId,
        after: u64,
        watch: Option<StoreWatch>,
    ) -> BoxStream<'static, Result<AgentEvent, SessionError>> {
        if let Err(invalid) = id::validate_id(session) {
            return stream::once(std::future::ready(Err(invalid))).boxed();
        }
        let cursor = EventCursor {
            store: self.store.clone(),
            session: session.clone(),
            projection: SessionProjection::new(),
            position: Position::default(),
            after,
            watch,
            is_at_end: false,
        };
        let pages = stream::try_unfold(cursor, async |mut cursor: EventCursor| {
            let events = cursor.next().await?;
            Ok::<_, SessionError>(events.map(|events| (events, cursor)))
        });
        let events = pages.map_ok(|events| {
            let events = events.into_iter().map(Ok::<_, SessionError>);
            stream::iter(events)
        });
        events.try_flatten().boxed()
    }
}
