//! Checks of the lease on a session: one writer at a time, in epochs that rise.

use futures_util::future::join_all;

use super::session_steps::{
    Checked, ExpireLeases, append, create, ensure, ensure_entries, ensure_error, failed, read_all,
};
use crate::session::{SessionError, SessionStore};
use helve_core::transcript::SessionId;

pub(super) async fn one_writer(store: &dyn SessionStore) -> Checked {
    let id = SessionId::from("held");
    let is_in_use = |error: &SessionError| matches!(error, SessionError::InUse { .. });
    let mut writer = create(store, &id, 1).await?;
    ensure_error(
        store.open(&id).await,
        "opening a session that is held",
        "in use",
        is_in_use,
    )?;
    let appended = append(&mut *writer, &id, 2).await;
    appended.map_err(failed(
        "the holder cannot write after another one was refused",
    ))?;
    drop(writer);
    let opened = store.open(&id).await;
    let opened = opened.map_err(failed("a session that was released cannot be opened"))?;
    ensure_error(
        store.open(&id).await,
        "opening a session that is held",
        "in use",
        is_in_use,
    )?;
    drop(opened);
    ensure_entries(store, &id, 2).await
}

pub(super) async fn race(store: &dyn SessionStore) -> Checked {
    let id = SessionId::from("race");
    drop(create(store, &id, 1).await?);
    for _ in 0..10 {
        let openings = join_all((0..4).map(|_| store.open(&id))).await;
        let opened = openings.iter().filter(|opened| opened.is_ok()).count();
        ensure(opened == 1, || {
            format!("of 4 openings at once, {opened} succeed")
        })?;
    }
    Ok(())
}

pub(super) async fn epochs(store: &dyn SessionStore) -> Checked {
    let id = SessionId::from("epochs");
    let mut last = create(store, &id, 1).await?.lease().epoch();
    for _ in 0..3 {
        let opened = store
            .open(&id)
            .await
            .map_err(failed("the session cannot be opened"))?;
        let lease = opened.writer.lease();
        let epoch = lease.epoch();
        ensure(epoch > last, || {
            format!("epoch {epoch} follows epoch {last}")
        })?;
        ensure(!lease.is_lost(), || {
            "the lease of a new writer is lost".to_owned()
        })?;
        last = epoch;
    }
    Ok(())
}

pub(super) async fn takeover<S: SessionStore>(
    store: &S,
    expire: Option<&ExpireLeases<S>>,
) -> Checked {
    let Some(expire) = expire else {
        return Ok(());
    };
    let id = SessionId::from("expired");
    let mut first = create(store, &id, 1).await?;
    expire(store);
    let renewed = append(&mut *first, &id, 2).await;
    renewed.map_err(failed(
        "a writer whose lease nobody has taken over cannot write",
    ))?;
    expire(store);
    let opened = store.open(&id).await;
    let mut second = opened
        .map_err(failed("an expired lease is not taken over"))?
        .writer;
    let epochs = (first.lease().epoch(), second.lease().epoch());
    ensure(epochs.1 > epochs.0, || {
        format!("epoch {} takes over from epoch {}", epochs.1, epochs.0)
    })?;
    let late = append(&mut *first, &id, 3).await;
    ensure_error(
        late,
        "a write after the lease was lost",
        "was taken over",
        |error| matches!(error, SessionError::LeaseLost { epoch, .. } if *epoch == epochs.0),
    )?;
    ensure(first.lease().is_lost(), || {
        "the loss of the lease is not signalled".to_owned()
    })?;
    ensure(!second.lease().is_lost(), || {
        "the lease of the second writer is lost".to_owned()
    })?;
    let appended = append(&mut *second, &id, 3).await;
    appended.map_err(failed("the writer that has taken over cannot write"))?;
    // The first writer does not release what the second one holds.
    drop(first);
    ensure_error(
        store.open(&id).await,
        "opening a session that is held",
        "in use",
        |error| matches!(error, SessionError::InUse { .. }),
    )?;
    drop(second);
    let count = read_all(store, &id).await?.len();
    ensure(count == 3, || {
        format!("the session has {count} entries instead of 3")
    })?;
    ensure_entries(store, &id, 3).await
}
