//! What other processes say to an agent at work, and how they stop it.

use helve::agent::Delivery;
use helve::agent::TurnStatus;
use helve::agent::session::{
    FolderStore, MemoryStore, Posting, PostingHeader, PostingTarget, Sessions,
};
use helve::model;
use helve::transcript::{Note, NoteSource};

use super::support::{begin, reload, say, session};
use super::*;

fn users(id: &str, text: &str) -> Posting {
    saying(id, text, Delivery::Now)
}

fn saying(id: &str, text: &str, delivery: Delivery) -> Posting {
    Posting::say(Note::new(NoteSource::User, id, text), delivery)
}

/// Returns the notes and the prompts that a model was sent.
fn read_by(request: &ModelRequest) -> Vec<String> {
    let lines = request.messages.iter().filter_map(|message| match message {
        Message::User { content } => Some(content[0].as_text().unwrap().to_owned()),
        Message::Note(note) => Some(format!("note {}: {}", note.id, note.text)),
        _ => None,
    });
    lines.collect()
}

/// Returns a notice of the tool that hangs, and the context in which the tool gives it.
fn noticing() -> (Arc<Notify>, ToolContext) {
    let begun = Arc::new(Notify::new());
    let mut state = State::new();
    state.insert_arc(begun.clone());
    (begun, ToolContext::builder().app(Arc::new(state)).build())
}

/// Says something from elsewhere to the agent that calls it.
#[tool(read_only)]
async fn overhear(sessions: &Sessions) -> &'static str {
    let elsewhere = sessions.clone();
    for posting in [
        users("n1", "In French."),
        saying("n2", "And then sing.", Delivery::After),
        users("n3", "Never mind."),
        users("n1", "In French."),
    ] {
        elsewhere.post(&session(), posting).await.unwrap();
    }
    let target = PostingTarget::Say("n3".to_owned());
    assert!(elsewhere.revoke(&session(), &target).await.unwrap());
    assert!(!elsewhere.revoke(&session(), &target).await.unwrap());
    "overheard"
}

#[tokio::test]
async fn what_is_said_from_elsewhere_is_read_once_and_in_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let stores = [
        Sessions::new(MemoryStore::new()),
        Sessions::new(FolderStore::new(folder.path())),
    ];
    for sessions in stores {
        let model = Arc::new(
            ScriptedModel::new()
                .call("overhear", json!({}))
                .say("Bonjour.")
                .say("La la."),
        );
        let agent = Agent::with_model("main", model.clone()).toolset(toolset![overhear]);
        let context = helve::testing::context_with(sessions.clone());
        let mut conversation = begin(&sessions).await;
        say(&agent, &mut conversation, &context).await;
        assert_eq!(read_by(&model.requests()[1]), ["go", "note n1: In French."]);
        let waiting = sessions.postings(&session()).await.unwrap();
        let waiting: Vec<_> = waiting
            .iter()
            .map(|posted| posted.posting.target())
            .collect();
        assert_eq!(waiting, [PostingTarget::Say("n2".to_owned())]);
        // A message that is sent again after it was read is not read again, in another process either.
        sessions
            .post(&session(), users("n1", "In French."))
            .await
            .unwrap();
        let mut conversation = reload(&sessions, conversation).await;
        say(&agent, &mut conversation, &context).await;
        assert_eq!(
            read_by(&model.requests()[2]),
            ["go", "note n1: In French.", "go", "note n2: And then sing."]
        );
        assert!(sessions.postings(&session()).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn what_is_said_while_the_model_writes_its_last_reply_prolongs_the_turn() {
    let sessions = Sessions::new(MemoryStore::new());
    let mut conversation = begin(&sessions).await;
    let posts = sessions.clone();
    let model = model::from_fn(move |request: ModelRequest| {
        let (posts, read) = (posts.clone(), read_by(&request));
        async move {
            let said = users("n1", "In French.");
            posts.post(&session(), said).await.unwrap();
            Ok::<_, ModelError>(read.join(", "))
        }
    });
    let agent = Agent::new("main", model);
    let report = say(&agent, &mut conversation, &ToolContext::new()).await;
    assert_eq!(report.text(), "go, note n1: In French.");
    assert_eq!(report.totals.model_calls, 2);
}

#[tokio::test]
async fn what_a_process_recorded_before_it_died_is_not_read_twice() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = Sessions::new(FolderStore::new(folder.path()));
    let mut conversation = begin(&sessions).await;
    let posting = users("n1", "In French.");
    sessions.post(&session(), posting).await.unwrap();
    let file = folder.path().join("s.inbox/+say-n1.json");
    let posted = std::fs::read(&file).unwrap();
    let model = Arc::new(ScriptedModel::new().say("Bonjour.").say("Oui."));
    let agent = Agent::with_model("main", model.clone());
    say(&agent, &mut conversation, &ToolContext::new()).await;
    assert!(!file.exists());
    // As if the process had died between the record and the removal.
    std::fs::write(&file, posted).unwrap();
    let mut conversation = reload(&sessions, conversation).await;
    say(&agent, &mut conversation, &ToolContext::new()).await;
    assert_eq!(
        read_by(&model.requests()[1]),
        ["go", "note n1: In French.", "go"]
    );
    assert!(!file.exists());
}

#[tokio::test]
async fn a_turn_and_its_delegates_are_stopped_from_elsewhere() {
    let sessions = Sessions::new(MemoryStore::new());
    let mut conversation = begin(&sessions).await;
    let (begun, context) = noticing();
    let helper = Agent::new("helper", ScriptedModel::new().call("hang", json!({})));
    let helper = helper.toolset(tools());
    let task = json!({ "agent": "helper", "prompt": "Hang." });
    let agent = Agent::new("main", ScriptedModel::new().call("task", task)).delegate(helper);
    let stop = async {
        begun.notified().await;
        let late = Posting::stop("t9".into());
        let refused = sessions.post(&session(), late).await.unwrap_err();
        assert_eq!(
            refused.to_string(),
            "`t9` does not wait for a request to stop: no such turn is open"
        );
        for _ in 0..2 {
            let stop = Posting::stop("t1".into());
            sessions.post(&session(), stop).await.unwrap();
        }
    };
    let (report, ()) = tokio::join!(say(&agent, &mut conversation, &context), stop);
    assert_eq!(report.status, TurnStatus::Ended(EndReason::Interrupted));
    assert!(sessions.postings(&session()).await.unwrap().is_empty());
    assert!(conversation.session().state().open_turns.is_empty());
}

#[tokio::test]
async fn a_turn_whose_process_died_is_stopped_when_it_is_resumed() {
    let sessions = Sessions::new(MemoryStore::new());
    let mut conversation = begin(&sessions).await;
    let (begun, context) = noticing();
    let model = ScriptedModel::new().call("hang", json!({}));
    let agent = Agent::new("main", model).toolset(tools());
    // The process dies while the tool runs.
    tokio::select! {
        _ = say(&agent, &mut conversation, &context) => panic!("it hangs"),
        () = begun.notified() => {}
    }
    let stop = Posting::stop("t1".into());
    let header = PostingHeader::new().author("ada");
    sessions.post_with(&session(), stop, header).await.unwrap();
    let mut conversation = reload(&sessions, conversation).await;
    let idle = Agent::new("main", ScriptedModel::new());
    let resumed = idle.resume(&mut conversation, &context, |_| {}).await;
    let report = resumed.unwrap().unwrap();
    assert_eq!(report.status, TurnStatus::Ended(EndReason::Interrupted));
    assert_eq!(report.totals.model_calls, 1);
}

#[tokio::test]
async fn only_users_agents_and_jobs_say_something() {
    let sessions = Sessions::new(MemoryStore::new());
    drop(begin(&sessions).await);
    let refused = async |source, id: &str, text: &str| {
        let posting = Posting::say(Note::new(source, id, text), Delivery::Now);
        let refused = sessions.post(&session(), posting).await.unwrap_err();
        refused.to_string()
    };
    assert_eq!(
        [
            refused(NoteSource::Hook, "n1", "Hello.").await,
            refused(NoteSource::User, "", "Hello.").await,
            refused(NoteSource::User, "n1", " ").await,
        ],
        [
            "the posting is invalid: only users, agents, jobs and the memory say something",
            "the posting is invalid: the message has no id",
            "the posting is invalid: the message is empty",
        ]
    );
}

#[tokio::test]
async fn a_note_of_the_memory_is_recorded_once_too() {
    let sessions = Sessions::new(MemoryStore::new());
    let mut conversation = begin(&sessions).await;
    let note = Note::new(NoteSource::Memory, "m1", "The user likes tea.");
    let posting = Posting::say(note, Delivery::Now);
    sessions.post(&session(), posting.clone()).await.unwrap();
    let model = Arc::new(ScriptedModel::new().say("Tea?").say("Coffee?"));
    let agent = Agent::with_model("main", model.clone());
    say(&agent, &mut conversation, &ToolContext::new()).await;
    sessions.post(&session(), posting).await.unwrap();
    assert!(sessions.postings(&session()).await.unwrap().is_empty());
    say(&agent, &mut conversation, &ToolContext::new()).await;
    let notes = |line: &String| line.starts_with("note m1");
    let read = read_by(&model.requests()[1]);
    assert_eq!(read.iter().filter(|line| notes(line)).count(), 1);
}
