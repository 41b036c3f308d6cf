//! Checks of the entries of sessions, and of the list of sessions.

use super::session_steps::{Checked, append, create, ensure, ensure_entries, ensure_error, failed};
use crate::journal::{Durability, Position, Timestamp};
use crate::session::{Posting, PostingHeader, SessionError, SessionStore, SessionSummary};
use helve_core::transcript::SessionId;

pub(super) async fn read_back(store: &dyn SessionStore) -> Checked {
    let id = SessionId::from("first");
    let mut writer = create(store, &id, 2).await?;
    ensure_entries(store, &id, 2).await?;
    for seq in 3..=5 {
        let appended = append(&mut *writer, &id, seq).await;
        appended.map_err(failed("an entry cannot be appended"))?;
        let position = writer.position().await;
        ensure(position.seq == seq, || {
            format!("the position is {} after entry {seq}", position.seq)
        })?;
    }
    ensure_entries(store, &id, 5).await?;
    drop(writer);
    let opened = store
        .open(&id)
        .await
        .map_err(failed("the session cannot be opened"))?;
    let seq = opened.history.session_state.seq;
    ensure(seq == 5, || {
        format!("the history that was opened has {seq} entries instead of 5")
    })?;
    let state = opened.history.state::<serde_json::Value>("s5");
    ensure(state.is_ok_and(|state| state.is_some()), || {
        "the history that was opened lacks the last entry".to_owned()
    })?;
    ensure_entries(store, &id, 5).await
}

pub(super) async fn pages(store: &dyn SessionStore) -> Checked {
    let id = SessionId::from("long");
    let count = 2_500;
    let _writer = create(store, &id, count).await?;
    ensure_entries(store, &id, count).await?;
    let (mut position, mut pages) = (Position::default(), 0);
    loop {
        let page = store
            .read(&id, position)
            .await
            .map_err(failed("a page cannot be read"))?;
        pages += 1;
        position = page.next;
        if !page.more || pages == count {
            break;
        }
    }
    let after = store
        .read(&id, position)
        .await
        .map_err(failed("the end cannot be read"))?;
    ensure(
        after.lines.is_empty() && !after.more && after.next.seq == count,
        || {
            format!(
                "after the last entry, a page with {} entries follows",
                after.lines.len()
            )
        },
    )
}

pub(super) async fn empty(store: &dyn SessionStore) -> Checked {
    let id = SessionId::from("empty");
    let mut writer = create(store, &id, 1).await?;
    let appended = writer.append(Vec::new().into(), Durability::Synced).await;
    appended.map_err(failed("no entries cannot be appended"))?;
    ensure_entries(store, &id, 1).await
}

pub(super) async fn created_once(store: &dyn SessionStore) -> Checked {
    let id = SessionId::from("once");
    drop(create(store, &id, 2).await?);
    let again = store
        .create(&id, super::session_steps::entries(&id, 3))
        .await;
    ensure_error(
        again,
        "creating a session a second time",
        "already exists",
        |error| matches!(error, SessionError::Exists { .. }),
    )?;
    ensure_entries(store, &id, 2).await
}

pub(super) async fn unknown(store: &dyn SessionStore) -> Checked {
    let id = SessionId::from("unknown");
    let is_unknown = |error: &SessionError| matches!(error, SessionError::Unknown { .. });
    let expected = "not found";
    ensure_error(
        store.open(&id).await,
        "opening an unknown session",
        expected,
        is_unknown,
    )?;
    let read = store.read(&id, Position::default()).await;
    ensure_error(read, "reading an unknown session", expected, is_unknown)?;
    ensure_error(
        store.remove(&id).await,
        "removing an unknown session",
        expected,
        is_unknown,
    )?;
    let posted = store
        .post(&id, super::postings::result("t1/1.0"), PostingHeader::new())
        .await;
    ensure_error(
        posted,
        "posting to an unknown session",
        expected,
        is_unknown,
    )
}

pub(super) async fn list(store: &dyn SessionStore) -> Checked {
    let list = store
        .list()
        .await
        .map_err(failed("the sessions cannot be listed"))?;
    ensure(list.is_empty(), || "a new store has sessions".to_owned())?;
    let (older, newer) = (SessionId::from("older"), SessionId::from("newer"));
    drop(create(store, &newer, 3).await?);
    let _held = create(store, &older, 2).await?;
    let list = store
        .list()
        .await
        .map_err(failed("the sessions cannot be listed"))?;
    let ids: Vec<&SessionId> = list.iter().map(|summary| &summary.session).collect();
    ensure(ids == [&newer, &older], || {
        format!("the list is {ids:?}, and not in the order of the last entries")
    })?;
    let summary = &list[0];
    let time =
        |seconds: u64| Timestamp::from_millis(super::session_steps::FIRST_TIME + seconds * 1_000);
    let is_expected = |SessionSummary {
                           app,
                           created,
                           updated,
                           entries,
                           open,
                           ..
                       }: &SessionSummary| {
        app.as_deref() == Some("checks")
            && (*created, *updated) == (Some(time(0)), Some(time(2)))
            && (*entries, *open) == (3, false)
    };
    ensure(is_expected(summary), || {
        format!("the summary is {summary:?}")
    })
}

pub(super) async fn remove(store: &dyn SessionStore) -> Checked {
    let id = SessionId::from("removed");
    let writer = create(store, &id, 2).await?;
    ensure_error(
        store.remove(&id).await,
        "removing a session that is held",
        "in use",
        |error| matches!(error, SessionError::InUse { .. }),
    )?;
    drop(writer);
    let posting: Posting = super::postings::result("t1/1.0");
    let posted = store.post(&id, posting, PostingHeader::new()).await;
    posted.map_err(failed("a posting cannot be stored"))?;
    store
        .remove(&id)
        .await
        .map_err(failed("the session cannot be removed"))?;
    let list = store
        .list()
        .await
        .map_err(failed("the sessions cannot be listed"))?;
    ensure(list.is_empty(), || {
        "a session is listed after it was removed".to_owned()
    })?;
    ensure_error(
        store.open(&id).await,
        "opening a removed session",
        "not found",
        |error| matches!(error, SessionError::Unknown { .. }),
    )?;
    let _writer = create(store, &id, 1).await?;
    let postings = store.read_postings(&id).await;
    let postings = postings.map_err(failed("the postings cannot be read"))?;
    ensure(postings.is_empty(), || {
        "the postings of a removed session are left".to_owned()
    })
}
