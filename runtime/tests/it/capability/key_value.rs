//! Stored keys and values.

use std::sync::Arc;

use helve_runtime::capability::{KeyValue, KeyValueBackend, KeyValueStore, Requires, StoreError};
use insta::assert_snapshot;

const KV: Requires = Requires {
    kv: true,
    ..Requires::NONE
};

fn door(store: &Arc<KeyValueStore>, scope: &str) -> KeyValue {
    KeyValue::new(
        &KV,
        scope,
        Some(Arc::clone(store) as Arc<dyn KeyValueBackend>),
    )
}

#[tokio::test]
async fn values_stay_apart_by_scope_and_stay_when_the_program_ends() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/down/values.redb");
    {
        let store = Arc::new(KeyValueStore::open(&path).await.unwrap());
        let (a, b) = (door(&store, "a"), door(&store, "b"));
        assert_eq!(a.get("k").await.unwrap(), None);
        a.set("k", *b"1").await.unwrap();
        a.set("k2", *b"2").await.unwrap();
        a.set("other", *b"3").await.unwrap();
        b.set("k", *b"4").await.unwrap();
        assert_eq!(a.keys("k", 10).await.unwrap(), ["k", "k2"]);
        assert_eq!(a.keys("", 1).await.unwrap(), ["k"]);
        assert_eq!(b.keys("", 10).await.unwrap(), ["k"]);
        assert!(a.remove("k2").await.unwrap() && !a.remove("k2").await.unwrap());
    }
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(&path).unwrap());
        assert_eq!(mode & 0o777, 0o600);
    }
    let store = Arc::new(KeyValueStore::lazy(&path));
    assert_eq!(door(&store, "a").get("k").await.unwrap().unwrap(), b"1");
    assert_eq!(door(&store, "b").get("k").await.unwrap().unwrap(), b"4");
}

#[tokio::test]
async fn sizes_are_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let store = KeyValueStore::lazy(folder.path().join("v")).scope_limit(100);
    let mut told = Vec::new();
    for (key, size) in [
        ("", 1),
        (&*"k".repeat(1025), 1),
        ("k", (1 << 20) + 1),
        ("k", 100),
    ] {
        let error = store.set("s", key, vec![0; size]).await.unwrap_err();
        told.push(error.to_string());
    }
    assert_snapshot!(told.join("\n"), @"
    a key has 1 to 1024 bytes, not 0; use a shorter one
    a key has 1 to 1024 bytes, not 1025; use a shorter one
    the value has 1048577 bytes, and at most 1048576 can be stored; split it
    the store is full: the limit is 100 bytes; remove a key first
    ");
    // A key that is written again counts once, and what is removed counts no more.
    for _ in 0..5 {
        store.set("s", "k", vec![0; 99]).await.unwrap();
    }
    store.set("s", "l", vec![0; 1]).await.unwrap_err();
    store.set("other", "l", vec![0; 1]).await.unwrap();
    store.remove("s", "k").await.unwrap();
    store.set("s", "l", vec![0; 99]).await.unwrap();
}

#[tokio::test]
async fn a_damaged_file_is_an_error_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("values");
    let noise: Vec<u8> = (0..100_000_u32).map(|n| ((n * 7919) >> 3) as u8).collect();
    let written = {
        let store = KeyValueStore::open(&path).await.unwrap();
        store.set("s", "k", vec![7; 5000]).await.unwrap();
        drop(store);
        std::fs::read(&path).unwrap()
    };
    let mut torn = written.clone();
    let middle = torn.len() / 2;
    torn[4096..middle].fill(0xa5);
    let mut headless = written.clone();
    headless[..64].fill(0);
    let cut = written[..written.len() / 3].to_vec();
    for (what, bytes) in [
        ("noise", noise),
        ("text", b"{\"not\": \"a store\"}".to_vec()),
        ("torn", torn),
        ("headless", headless),
        ("cut", cut),
    ] {
        std::fs::write(&path, &bytes).unwrap();
        let error = KeyValueStore::open(&path).await.expect_err(what);
        assert!(
            matches!(
                error,
                StoreError::Damaged { .. } | StoreError::Unusable { .. }
            ),
            "{what}: {error:?}"
        );
        assert!(
            matches!(error, StoreError::Damaged { .. }),
            "{what}: {error:?}"
        );
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "{what} was changed");
    }
    let error = KeyValueStore::open(folder.path()).await.unwrap_err();
    assert!(matches!(error, StoreError::Unusable { .. }), "{error:?}");
}

#[tokio::test]
async fn many_at_once_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("values");
    // Two handles, as two processes have them.
    let stores = [
        Arc::new(KeyValueStore::lazy(&path)),
        Arc::new(KeyValueStore::lazy(&path)),
    ];
    let mut writing = tokio::task::JoinSet::new();
    for number in 0..40_usize {
        let store = Arc::clone(&stores[number % 2]);
        writing.spawn(async move {
            store
                .set("s", &format!("k{number:02}"), vec![number as u8])
                .await
                .unwrap();
        });
    }
    writing.join_all().await;
    for store in &stores {
        assert_eq!(store.keys("s", "", 100).await.unwrap().len(), 40);
    }
}
