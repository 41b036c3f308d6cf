//! The search in sessions of a folder.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use helve_agent::journal::{Durability, Timestamp};
use helve_agent::session::{
    Entry, FolderStore, Fork, MemoryStore, SessionMetadata, SessionStore, SessionWriter,
};
use helve_agent::turn::{Bounds, EndReason, Outcome, Purpose, Record, Totals};
use helve_core::tool::Principal;
use helve_core::transcript::{
    AssistantMessage, CallKey, Content, Cost, Label, Message, MessagePart, Origin, SessionId,
    Source, ToolCall, Usage,
};
use helve_model::{Reply, StopReason};

use crate::{MessageRole, SessionHit, SessionQuery, SessionSearch, TranscriptPage};

fn at(minute: u64) -> Timestamp {
    Timestamp::from_millis(1_790_000_000_000 + minute * 60_000)
}

struct Fixture {
    folder: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn sessions(&self) -> PathBuf {
        self.folder.path().join("sessions")
    }

    fn search(&self) -> SessionSearch {
        SessionSearch::in_folder(self.sessions(), self.folder.path())
    }

    /// Creates a session with one turn a pair of a prompt and a reply.
    async fn session(&self, about: SessionMetadata, turns: &[(&str, &str)]) -> Writer {
        let id = about.session.clone();
        let first = vec![(at(0), Entry::Created(about))];
        let writer = FolderStore::new(self.sessions())
            .create(&id, first)
            .await
            .unwrap();
        let mut writer = Writer { writer, turns: 0 };
        for (prompt, reply) in turns {
            writer.turn(prompt, reply).await;
        }
        writer
    }
}

struct Writer {
    writer: Box<dyn SessionWriter>,
    turns: u64,
}

impl Writer {
    async fn append(&mut self, entries: Vec<Entry>) {
        let time = at(self.turns);
        let entries: Vec<_> = entries.into_iter().map(|entry| (time, entry)).collect();
        let appended = self.writer.append(entries.into(), Durability::Buffered);
        appended.await.unwrap();
    }

    fn origin(&self) -> Origin {
        Origin::new("main", format!("t{}", self.turns))
    }

    async fn begin(&mut self, prompt: &str) {
        self.turns += 1;
        let entry =
            Entry::turn_started(&self.origin(), Bounds::new(10), vec![Message::user(prompt)]);
        self.append(vec![entry]).await;
    }

    async fn reply(&mut self, parts: Vec<MessagePart>) {
        let record = Record::ModelDone {
            round: 1,
            purpose: Purpose::Reply,
            cost: Cost::ZERO,
            reply: Reply {
                message: AssistantMessage::new(parts),
                stop: StopReason::EndTurn,
                usage: Usage::default(),
            },
        };
        self.append(vec![Entry::record(&self.origin(), record)])
            .await;
    }

    async fn end(&mut self) {
        let (reason, totals) = (EndReason::Finished, Totals::default());
        self.append(vec![Entry::turn_ended(
            &self.origin(),
            reason,
            None,
            totals,
        )])
        .await;
    }

    async fn turn(&mut self, prompt: &str, reply: &str) {
        self.begin(prompt).await;
        self.reply(vec![text(reply)]).await;
        self.end().await;
    }
}

fn text(text: &str) -> MessagePart {
    MessagePart::Text {
        text: text.to_owned(),
    }
}

fn about(id: &str) -> SessionMetadata {
    SessionMetadata::new("example")
        .session(id)
        .folder("/work/site")
}

async fn find(search: &SessionSearch, question: &str) -> Vec<SessionHit> {
    search.update().await.unwrap();
    search
        .search(&SessionQuery::new(question, 10))
        .await
        .unwrap()
}

fn places(hits: &[SessionHit]) -> Vec<String> {
    let place = |hit: &SessionHit| format!("{}/{} {}", hit.session, hit.turn, hit.role.name());
    hits.iter().map(place).collect()
}

#[tokio::test]
async fn messages_are_found_with_those_around_them() {
    let fixture = Fixture::new();
    let turns = [
        (
            "Which branch is deployed?",
            "The releases are deployed from `stable`.",
        ),
        (
            "And the documentation?",
            "The documentation is built nightly.",
        ),
    ];
    fixture.session(about("first"), &turns).await;
    let hits = find(&fixture.search(), "deploying releases").await;
    assert_eq!(places(&hits), ["first/t1 assistant", "first/t1 user"]);
    let hit = &hits[0];
    assert_eq!(hit.title, "Which branch is deployed?");
    assert_eq!(hit.folder.as_deref(), Some("/work/site"));
    assert_eq!(
        hit.previous.as_ref().unwrap().text,
        "Which branch is deployed?"
    );
    assert_eq!(hit.next.as_ref().unwrap().text, "And the documentation?");
    assert_eq!(hit.at, at(1));
    assert_eq!(hit.label, Label::user());
}

#[tokio::test]
async fn searches_are_limited_by_principal_folder_session_role_and_time() {
    let fixture = Fixture::new();
    let turns = [("a question about pipes", "an answer about pipes")];
    let (ann, bob) = (Principal::user("ann"), Principal::user("bob"));
    fixture
        .session(about("of-ann").principal(ann.clone()), &turns)
        .await;
    fixture
        .session(
            about("elsewhere")
                .principal(ann.clone())
                .folder("/work/app"),
            &turns,
        )
        .await;
    fixture
        .session(about("of-bob").principal(bob), &[turns[0], turns[0]])
        .await;
    let search = fixture.search();
    search.update().await.unwrap();
    let find = async |query: SessionQuery| {
        let hits = search
            .search(&query.roles([MessageRole::User]))
            .await
            .unwrap();
        places(&hits)
    };
    let query = || SessionQuery::new("pipe", 10);
    let mut of_ann = find(query().principal(ann.clone())).await;
    // Both sessions have a turn of the same name with the same text, which is shown once.
    assert_eq!(of_ann.len(), 1);
    of_ann = find(query().principal(ann.clone()).folder("/work/site")).await;
    assert_eq!(of_ann, ["of-ann/t1 user"]);
    assert_eq!(
        find(query().folder("/work/app")).await,
        ["elsewhere/t1 user"]
    );
    let bob = SessionId::from("of-bob");
    assert_eq!(
        find(query().session(bob.clone())).await,
        ["of-bob/t1 user", "of-bob/t2 user"]
    );
    assert_eq!(
        find(query().session(bob.clone()).since(at(2))).await,
        ["of-bob/t2 user"]
    );
    assert_eq!(
        find(query().session(bob.clone()).before(at(2))).await,
        ["of-bob/t1 user"]
    );
    assert_eq!(find(query().principal(ann).excluded(bob)).await.len(), 1);
}

#[tokio::test]
async fn calls_and_results_are_searched_on_demand_and_have_their_labels() {
    let fixture = Fixture::new();
    let mut writer = fixture.session(about("first"), &[]).await;
    writer.begin("look at the site").await;
    let call = ToolCall::new("c1", "web_fetch", r#"{"url":"https://example.com/towers"}"#);
    writer
        .reply(vec![text("I read it."), MessagePart::ToolCall(call)])
        .await;
    let web = Label::from(Source::web("web_fetch", "https://example.com"));
    let outcome = Outcome::ok(Content::text("The tower has 41 metres.")).with_label(web);
    let record = Record::Finished {
        call: CallKey::new(1, 0),
        outcome,
    };
    let finished = Entry::record(&writer.origin(), record);
    writer.append(vec![finished]).await;
    let search = fixture.search();
    assert!(find(&search, "tower").await.is_empty());
    // Another process goes on from the middle of the turn.
    let search = fixture.search();
    writer.reply(vec![text("It is a high building.")]).await;
    writer.end().await;
    search.update().await.unwrap();
    let query = SessionQuery::new("towers", 10).roles([MessageRole::Tool]);
    let hits = search.search(&query).await.unwrap();
    let grades: Vec<_> = hits.iter().map(|hit| hit.label.is_untrusted()).collect();
    // The call is shown with what the model said after it.
    assert_eq!((places(&hits).len(), grades), (2, vec![true, true]));
    let hits = find(&search, "building").await;
    assert_eq!(places(&hits), ["first/t1 assistant"]);
    // What the model says after it has read the page may come from there.
    assert!(hits[0].label.is_untrusted());
}

#[tokio::test]
async fn an_update_reads_what_is_new_alone() {
    let fixture = Fixture::new();
    let mut first = fixture.session(about("first"), &[("one", "two")]).await;
    fixture.session(about("second"), &[("one", "two")]).await;
    let search = fixture.search();
    let update = search.update().await.unwrap();
    assert_eq!((update.sessions, update.entries), (2, 8));
    assert_eq!(search.update().await.unwrap().sessions, 0);
    first.turn("three", "four").await;
    let update = search.update().await.unwrap();
    assert_eq!((update.sessions, update.entries), (1, 3));
    first.turn("five", "six").await;
    let update = fixture
        .search()
        .update_session(&"first".into())
        .await
        .unwrap();
    assert_eq!(update.entries, 3);
    assert_eq!(find(&search, "five").await.len(), 1);
    let late = search.update_within(Duration::ZERO).await.unwrap();
    assert!(late.is_complete);
    first.turn("seven", "eight").await;
    assert!(
        !search
            .update_within(Duration::ZERO)
            .await
            .unwrap()
            .is_complete
    );
}

#[tokio::test]
async fn removed_sessions_are_not_found() {
    let fixture = Fixture::new();
    drop(fixture.session(about("first"), &[("one", "two")]).await);
    let search = fixture.search();
    assert_eq!(find(&search, "one").await.len(), 1);
    let store = FolderStore::new(fixture.sessions());
    store.remove(&"first".into()).await.unwrap();
    assert!(find(&search, "one").await.is_empty());
}

#[tokio::test]
async fn what_a_fork_has_from_its_original_is_found_once() {
    let fixture = Fixture::new();
    fixture.session(about("first"), &[("one", "two")]).await;
    let mut fork = about("fork");
    fork.forked_from = Some(Fork {
        session: "first".into(),
        entry: 4,
    });
    let mut fork = fixture.session(fork, &[("one", "two")]).await;
    fork.turn("three", "four").await;
    let search = fixture.search();
    assert_eq!(places(&find(&search, "one").await), ["first/t1 user"]);
    assert_eq!(places(&find(&search, "three").await), ["fork/t2 user"]);
}

fn append(file: &Path, bytes: &[u8]) {
    let mut file = std::fs::OpenOptions::new().append(true).open(file).unwrap();
    file.write_all(bytes).unwrap();
}

#[tokio::test]
async fn damaged_and_replaced_journals_are_read_as_far_as_they_go() {
    let fixture = Fixture::new();
    drop(fixture.session(about("first"), &[("one", "two")]).await);
    let journal = fixture.sessions().join("first.jsonl");
    let whole = std::fs::read(&journal).unwrap();
    let search = fixture.search();
    // A line that is being written.
    append(&journal, b"{\"seq\":5,");
    assert_eq!(find(&search, "one").await.len(), 1);
    append(&journal, b"?}\n");
    let update = search.update().await.unwrap();
    assert_eq!((update.sessions, update.damaged), (1, 1));
    assert_eq!(search.update().await.unwrap().sessions, 0);
    // A shorter journal of the same name, then another one.
    std::fs::write(&journal, &whole).unwrap();
    assert_eq!(find(&search, "one").await.len(), 1);
    std::fs::remove_file(&journal).unwrap();
    let long = "a long question ".repeat(100);
    fixture
        .session(about("first"), &[(&long, "three"), ("four", "five")])
        .await;
    assert!(find(&search, "one").await.is_empty());
    assert_eq!(find(&search, "four").await.len(), 1);
}

#[tokio::test]
async fn two_processes_index_each_message_once() {
    let fixture = Fixture::new();
    let mut writers = Vec::new();
    for number in 0..4 {
        writers.push(fixture.session(about(&format!("s{number}")), &[]).await);
    }
    let searches = [fixture.search(), fixture.search()];
    for round in 0..6 {
        for (number, writer) in writers.iter_mut().enumerate() {
            let reply = format!("word{round} of session{number}");
            writer.turn("a prompt", &reply).await;
        }
        let (one, other) = tokio::join!(searches[0].update(), searches[1].update());
        one.unwrap();
        other.unwrap();
    }
    for round in 0..6 {
        let hits = find(&searches[0], &format!("word{round}")).await;
        assert_eq!(hits.len(), 4, "{round}");
    }
    searches[1].reset().await.unwrap();
    assert_eq!(find(&searches[0], "word3").await.len(), 4);
}

#[tokio::test]
async fn other_stores_are_searched_too() {
    let folder = tempfile::tempdir().unwrap();
    let store = MemoryStore::new();
    let first = vec![(at(0), Entry::Created(about("first")))];
    let writer = store.create(&"first".into(), first).await.unwrap();
    let mut writer = Writer { writer, turns: 0 };
    writer.turn("one", "two").await;
    let search = SessionSearch::new(store, folder.path());
    assert_eq!(find(&search, "two").await.len(), 1);
    writer.turn("three", "four").await;
    assert_eq!(find(&search, "four").await.len(), 1);
    assert_eq!(search.update().await.unwrap().sessions, 0);
}

#[tokio::test]
async fn a_session_is_read_page_by_page_by_its_principal() {
    let fixture = Fixture::new();
    let ann = Principal::user("ann");
    let turns = [("one", "two"), ("three", "four")];
    fixture
        .session(about("first").principal(ann.clone()), &turns)
        .await;
    let (search, first) = (fixture.search(), SessionId::from("first"));
    let read = async |page: TranscriptPage| {
        let read = search.read(&first, &page).await;
        read.map(|read| {
            let texts: Vec<_> = read
                .messages
                .iter()
                .map(|message| message.text.clone())
                .collect();
            (texts.join(" "), read.total)
        })
    };
    assert_eq!(
        read(TranscriptPage::new(3)).await.unwrap(),
        ("one two three".to_owned(), 4)
    );
    let page = TranscriptPage::new(3).offset(3).principal(ann);
    assert_eq!(read(page).await.unwrap(), ("four".to_owned(), 4));
    let page = TranscriptPage::new(3).turn("t2");
    assert_eq!(read(page).await.unwrap(), ("three four".to_owned(), 2));
    assert!(read(TranscriptPage::new(3).turn("t9")).await.is_err());
    let bob = TranscriptPage::new(3).principal(Principal::user("bob"));
    assert!(read(bob).await.is_err());
    drop(Arc::new(search));
}

#[tokio::test]
async fn one_long_name_does_not_stop_the_search_of_the_others() {
    let fixture = Fixture::new();
    let long = format!("/{}", "deep/".repeat(400));
    let mut principal = Principal::default();
    principal.user = Some("u".repeat(2_000));
    let mut first = about("s1").folder(&*long);
    first.principal = principal.clone();
    fixture.session(first, &[("a garden", "Green.")]).await;
    fixture
        .session(about("s2"), &[("another garden", "Green.")])
        .await;
    let search = fixture.search();
    assert_eq!(find(&search, "garden").await.len(), 2);
    let found = search
        .search(
            &SessionQuery::new("garden", 10)
                .folder(&*long)
                .principal(principal),
        )
        .await
        .unwrap();
    assert_eq!(found.len(), 1);
}
