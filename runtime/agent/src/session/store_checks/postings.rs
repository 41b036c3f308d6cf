//! Checks of the postings to a session.

use super::session_steps::{Checked, create, ensure, ensure_error, failed};
use crate::journal::Timestamp;
use crate::session::{
    Posting, PostingHeader, PostingReceipt, ReceivedPosting, SessionError, SessionStore,
};
use helve_core::transcript::{CallAddress, CallKey, SessionId, TurnId};

/// Makes the posting of a result for a call of a turn.
pub(super) fn result(turn_and_call: &str) -> Posting {
    let (turn, _) = turn_and_call.split_once('/').unwrap_or((turn_and_call, ""));
    let call = CallAddress {
        turn: TurnId::from(turn),
        call: CallKey::new(1, 0),
    };
    Posting::result(call, serde_json::json!({ "größe": 12 }))
}

fn header(author: &str, key: &str) -> PostingHeader {
    let mut header = PostingHeader::new().author(author).key(key).shown("digest");
    header.at = Some(Timestamp::from_millis(super::session_steps::FIRST_TIME));
    header
}

async fn post(
    store: &dyn SessionStore,
    id: &SessionId,
    posting: &Posting,
    header: &PostingHeader,
) -> Checked {
    let posted = store.post(id, posting.clone(), header.clone()).await;
    posted.map_err(failed("a posting cannot be stored"))
}

async fn read(store: &dyn SessionStore, id: &SessionId) -> Result<Vec<ReceivedPosting>, String> {
    let read = store.read_postings(id).await;
    read.map_err(failed("the postings cannot be read"))
}

pub(super) async fn stored(store: &dyn SessionStore) -> Checked {
    let id = SessionId::from("posted");
    // Postings are stored whether or not the session is held.
    let _writer = create(store, &id, 1).await?;
    let (one, two) = (result("t1/1.0"), result("t2/1.0"));
    let ada = header("ada", "one");
    post(store, &id, &one, &ada).await?;
    post(store, &id, &two, &PostingHeader::new()).await?;
    let received = read(store, &id).await?;
    let contents = |posted: &ReceivedPosting| (posted.posting.clone(), posted.header.clone());
    let actual: Vec<_> = received.iter().map(contents).collect();
    ensure(
        actual == [(one, ada), (two.clone(), PostingHeader::new())],
        || format!("the postings are {actual:?}"),
    )?;
    ensure(read(store, &id).await? == received, || {
        "reading the postings changes them".to_owned()
    })?;
    let Some(first) = received.into_iter().next() else {
        return Err("there are no postings".to_owned());
    };
    let cleared = store.clear_posting(&id, first, None).await;
    cleared.map_err(failed("a posting cannot be removed"))?;
    let left: Vec<Posting> = read(store, &id)
        .await?
        .into_iter()
        .map(|left| left.posting)
        .collect();
    ensure(left == [two], || {
        format!("after one posting was removed, {left:?} are left")
    })
}

pub(super) async fn pending(store: &dyn SessionStore) -> Checked {
    let id = SessionId::from("pending");
    drop(create(store, &id, 1).await?);
    let posting = result("t1/1.0");
    post(store, &id, &posting, &header("ada", "one")).await?;
    let again = store.post(&id, posting.clone(), header("bob", "two")).await;
    let is_ada = |header: &PostingHeader| header.author.as_deref() == Some("ada");
    ensure_error(
        again,
        "a second posting for a call",
        "already pending",
        |error| matches!(error, SessionError::AlreadyPosted { first: Some(first), .. } if is_ada(first)),
    )?;
    let received = read(store, &id).await?;
    let kept = received
        .iter()
        .map(|posted| posted.header.author.as_deref());
    ensure(kept.eq([Some("ada")]), || {
        format!("the postings are {received:?}")
    })?;
    for posted in received {
        let rejected = store
            .clear_posting(&id, posted, Some("wrong".to_owned()))
            .await;
        rejected.map_err(failed("a posting cannot be rejected"))?;
    }
    ensure(read(store, &id).await?.is_empty(), || {
        "a rejected posting is left".to_owned()
    })?;
    // A corrected posting can follow.
    post(store, &id, &posting, &header("ada", "one")).await
}

pub(super) async fn receipts(store: &dyn SessionStore) -> Checked {
    let id = SessionId::from("receipts");
    drop(create(store, &id, 1).await?);
    let headers = [
        header("ada", "one"),
        PostingHeader::new(),
        header("bob", "two"),
    ];
    let reasons = [None, None, Some("wrong".to_owned())];
    for (header, reason) in headers.iter().zip(reasons) {
        post(store, &id, &result("t1/1.0"), header).await?;
        for posted in read(store, &id).await? {
            let cleared = store.clear_posting(&id, posted, reason.clone()).await;
            cleared.map_err(failed("a posting cannot be removed"))?;
        }
    }
    let receipts = store
        .receipts(&id)
        .await
        .map_err(failed("the receipts cannot be read"))?;
    let expected = ReceivedPosting::new(result("t1/1.0"), "").with_header(header("ada", "one"));
    ensure(
        receipts
            .iter()
            .eq(PostingReceipt::from_posting(&expected).iter()),
        || format!("the receipts are {receipts:?} instead of one of the accepted posting"),
    )
}
