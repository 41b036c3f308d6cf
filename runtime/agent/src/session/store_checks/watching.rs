//! Checks of the notices of changes.

use std::time::Duration;

use futures_util::StreamExt as _;

use super::session_steps::{Checked, append, create, ensure, failed};
use crate::session::{PostingHeader, SessionStore, StoreWatch};
use helve_core::transcript::SessionId;

/// The maximum time to wait for a notice.
const TIMEOUT: Duration = Duration::from_secs(20);

async fn notice(watch: &mut StoreWatch, of: &str) -> Checked {
    let notice = tokio::time::timeout(TIMEOUT, watch.next()).await;
    ensure(matches!(notice, Ok(Some(()))), || {
        format!("there is no notice of {of}")
    })
}

pub(super) async fn noticed(store: &dyn SessionStore) -> Checked {
    let id = SessionId::from("watched");
    let mut writer = create(store, &id, 1).await?;
    let mut watch = store.watch(Some(&id));
    notice(&mut watch, "the state at the beginning").await?;
    for seq in 2..=3 {
        let appended = append(&mut *writer, &id, seq).await;
        appended.map_err(failed("an entry cannot be appended"))?;
        notice(&mut watch, "an entry").await?;
    }
    let posted = store
        .post(&id, super::postings::result("t1/1.0"), PostingHeader::new())
        .await;
    posted.map_err(failed("a posting cannot be stored"))?;
    notice(&mut watch, "a posting").await
}

pub(super) async fn all(store: &dyn SessionStore) -> Checked {
    let mut watch = store.watch(None);
    notice(&mut watch, "the state at the beginning").await?;
    let id = SessionId::from("new");
    let mut writer = create(store, &id, 1).await?;
    notice(&mut watch, "a session that was created").await?;
    append(&mut *writer, &id, 2)
        .await
        .map_err(failed("an entry cannot be appended"))?;
    notice(&mut watch, "an entry").await
}
