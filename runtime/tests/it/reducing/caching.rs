//! Results that are used again, while nothing has changed that they stand on.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use helve::Tool;
use helve::agent::{Agent, AgentEvent, EventKind, ResultCache};
use helve::model::ScriptedModel;
use helve::prelude::*;
use helve::tool::{Annotations, Principal, State, ToolContextBuilder};
use helve::toolset::DynamicTool;
use helve::transcript::{Message, SessionId};
use serde_json::{Value, json};

/// A shelf whose contents change, and how often it was looked at.
#[derive(Clone, Default)]
struct Shelf {
    revision: Arc<AtomicU32>,
    looked: Arc<AtomicU32>,
}

/// Counts what lies on a shelf.
#[tool(read_only, cached)]
fn count(
    /// What to count.
    what: &str,
    shelf: &Shelf,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let now = shelf.revision.clone();
    cx.reads("shelf", now.load(Ordering::Relaxed), move || {
        now.load(Ordering::Relaxed)
    });
    let looked = shelf.looked.fetch_add(1, Ordering::Relaxed) + 1;
    match what {
        "nothing" => Err(ToolError::failed("there is nothing to count")),
        "dust" => {
            cx.reads_untracked();
            Ok(format!("dust, at look {looked}"))
        }
        _ => Ok(format!("3 {what}, at look {looked}")),
    }
}

/// Sets up a shelf and the context of a session.
fn session(shelf: &Shelf, name: &str) -> ToolContextBuilder {
    let mut state = State::new();
    state.insert(shelf.clone());
    ToolContext::builder()
        .session(SessionId::new(name))
        .app(Arc::new(state))
}

/// A model that makes one call a turn, of as many as there are.
fn turns(tool: &str, calls: impl IntoIterator<Item = Value>) -> ScriptedModel {
    let calls = calls.into_iter();
    calls.fold(ScriptedModel::new(), |model, arguments| {
        model.call(tool, arguments).say("Done.")
    })
}

/// Runs a turn, and returns what its call gave, marked where it was there already.
async fn turn(agent: &Agent, context: &ToolContext) -> String {
    let told = Arc::new(Mutex::new(String::new()));
    let heard = told.clone();
    let hear = move |event: AgentEvent| {
        if let EventKind::ToolResult {
            content, cached, ..
        } = event.kind
        {
            let text: String = content
                .iter()
                .filter_map(helve::transcript::ContentBlock::as_text)
                .collect();
            let mark = if cached { "cached: " } else { "" };
            *heard.lock().unwrap() = format!("{mark}{text}");
        }
    };
    agent.run(vec![Message::user("Go.")], context, hear).await;
    let told = told.lock().unwrap();
    told.clone()
}

fn apples() -> Value {
    json!({ "what": "apples" })
}

#[tokio::test]
async fn a_result_is_used_again_until_what_it_stands_on_changes() {
    let shelf = Shelf::default();
    let calls = [
        apples(),
        json!({ "what": "pears" }),
        apples(),
        apples(),
        apples(),
    ];
    let agent = Agent::new("main", turns("count", calls)).toolset(toolset![count]);
    let context = session(&shelf, "s1").build();
    let mut told = Vec::new();
    for change in [false, false, false, true, false] {
        shelf.revision.fetch_add(change.into(), Ordering::Relaxed);
        told.push(turn(&agent, &context).await);
    }
    insta::assert_snapshot!(told.join("\n"), @r#"
    3 apples, at look 1
    3 pears, at look 2
    cached: 3 apples, at look 1
    3 apples, at look 3
    cached: 3 apples, at look 3
    "#);
}

#[tokio::test]
async fn arguments_are_the_same_however_they_are_spelled() {
    let cache = ResultCache::new();
    let runs = Arc::new(AtomicU32::new(0));
    let tool = adding(&runs);
    let calls = [
        json!({ "a": 1, "b": { "c": 2, "d": 3 } }),
        json!({ "b": { "d": 3, "c": 2 }, "a": 1 }),
    ];
    let agent = Agent::new("main", turns("add", calls))
        .toolset(tool)
        .result_cache(cache.clone());
    let context = ToolContext::builder().session(SessionId::new("s1")).build();
    turn(&agent, &context).await;
    assert!(turn(&agent, &context).await.starts_with("cached: "));
    assert_eq!((runs.load(Ordering::Relaxed), cache.len()), (1, 1));
}

/// A tool that stands on its arguments alone, and counts how often it ran.
fn adding(runs: &Arc<AtomicU32>) -> Toolset {
    let runs = runs.clone();
    let tool = DynamicTool::new("add", "Adds.", json!({ "type": "object" }), move |cx, _| {
        cx.reads_nothing();
        let run = runs.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move { Ok(ToolOutput::plain(format!("run {run}"))) })
    });
    let reads = Annotations::new(Some(true), None, None, None);
    Toolset::from_tools([Arc::new(tool.unwrap().with_annotations(reads).cached()) as Arc<dyn Tool>])
}

#[tokio::test]
async fn nothing_is_shared_between_sessions_or_principals() {
    let shelf = Shelf::default();
    let agent = Agent::new("main", turns("count", vec![apples(); 6])).toolset(toolset![count]);
    let of = |session_name: &str, user: &str| {
        session(&shelf, session_name)
            .principal(Principal::user(user))
            .build()
    };
    for context in [
        of("s1", "ada"),
        of("s2", "ada"),
        of("s1", "bob"),
        of("", "ada"),
        of("", "ada"),
    ] {
        let told = turn(&agent, &context).await;
        assert!(!told.starts_with("cached"), "{told}");
    }
    assert_eq!(
        turn(&agent, &of("s1", "ada")).await,
        "cached: 3 apples, at look 1"
    );
}

#[tokio::test]
async fn errors_and_what_nobody_can_watch_are_not_kept() {
    for what in ["nothing", "dust"] {
        let (shelf, cache) = (Shelf::default(), ResultCache::new());
        let calls = vec![json!({ "what": what }); 2];
        let agent = Agent::new("main", turns("count", calls))
            .toolset(toolset![count])
            .result_cache(cache.clone());
        let context = session(&shelf, "s1").build();
        turn(&agent, &context).await;
        turn(&agent, &context).await;
        assert_eq!(shelf.looked.load(Ordering::Relaxed), 2, "{what}");
        assert!(cache.is_empty());
    }
}

#[tokio::test]
async fn a_tool_that_writes_or_does_not_say_what_it_reads_is_not_kept() {
    for (annotations, tells) in [
        (Annotations::NONE, true),
        (Annotations::new(Some(true), None, None, None), false),
    ] {
        let runs = Arc::new(AtomicU32::new(0));
        let counted = runs.clone();
        let tool = DynamicTool::new("add", "Adds.", json!({ "type": "object" }), move |cx, _| {
            if tells {
                cx.reads_nothing();
            }
            counted.fetch_add(1, Ordering::Relaxed);
            Box::pin(async { Ok(ToolOutput::plain("done")) })
        });
        let tool = Arc::new(tool.unwrap().with_annotations(annotations).cached()) as Arc<dyn Tool>;
        let policy = helve::permission::Policy::new(helve::permission::Mode::Bypass);
        let agent = Agent::new("main", turns("add", vec![json!({}); 2])).policy(policy);
        let agent = agent.toolset(Toolset::from_tools([tool]));
        let context = ToolContext::builder().session(SessionId::new("s1")).build();
        turn(&agent, &context).await;
        turn(&agent, &context).await;
        assert_eq!(runs.load(Ordering::Relaxed), 2);
    }
}

#[tokio::test]
async fn the_least_used_goes_first() {
    let runs = Arc::new(AtomicU32::new(0));
    let cache = ResultCache::with_limits(2, 1 << 20);
    let numbers = [1, 2, 1, 3, 1, 2];
    let calls = numbers.map(|number| json!({ "n": number }));
    let agent = Agent::new("main", turns("add", calls))
        .toolset(adding(&runs))
        .result_cache(cache.clone());
    let context = ToolContext::builder().session(SessionId::new("s1")).build();
    let mut told = Vec::new();
    for number in numbers {
        told.push(format!("{number}: {}", turn(&agent, &context).await));
    }
    insta::assert_snapshot!(told.join("\n"), @r#"
    1: run 0
    2: run 1
    1: cached: run 0
    3: run 2
    1: cached: run 0
    2: run 3
    "#);
    assert_eq!(cache.len(), 2);
}

#[tokio::test]
async fn what_is_larger_than_the_cache_is_not_kept() {
    let runs = Arc::new(AtomicU32::new(0));
    for cache in [
        ResultCache::with_limits(8, 16),
        ResultCache::with_limits(0, 1 << 20),
    ] {
        let agent = Agent::new("main", turns("add", [json!({})]))
            .toolset(adding(&runs))
            .result_cache(cache.clone());
        let context = ToolContext::builder().session(SessionId::new("s1")).build();
        turn(&agent, &context).await;
        assert!(cache.is_empty());
    }
}

#[tokio::test]
async fn a_tool_that_takes_the_place_of_another_is_asked_itself() {
    let (first, second) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(7)));
    let cache = ResultCache::new();
    let context = ToolContext::builder().session(SessionId::new("s1")).build();
    for (runs, expected) in [(&first, "run 0"), (&second, "run 7")] {
        let agent = Agent::new("main", turns("add", [json!({})])).toolset(adding(runs));
        assert_eq!(
            turn(&agent.result_cache(cache.clone()), &context).await,
            expected
        );
    }
}

#[cfg(feature = "files")]
mod files {
    use std::path::Path;
    use std::sync::Arc;

    use helve::capability::Grants;
    use helve::sandbox::{LocalFs, ReadRange};

    use super::{Agent, SessionId, ToolContext, ToolError, json, tool, toolset, turn, turns};

    const RANGE: ReadRange = ReadRange {
        offset: 0,
        max: 1_000,
    };

    /// Reads a note.
    #[tool(read_only, cached, requires(fs))]
    async fn read_note(
        /// Its file.
        path: &str,
        cx: &ToolContext,
    ) -> Result<String, ToolError> {
        let (files, path) = (cx.fs()?, Path::new(path));
        cx.reads_file(path, &files.metadata(path).await?);
        let slice = files.read(path, RANGE).await?;
        Ok(String::from_utf8_lossy(&slice.bytes).into_owned())
    }

    #[tokio::test]
    async fn a_file_is_read_again_when_it_changes() {
        let folder = tempfile::tempdir().unwrap();
        let note = folder.path().join("note.txt");
        let files = LocalFs::new(folder.path()).unwrap();
        let calls = vec![json!({ "path": "note.txt" }); 4];
        let agent = Agent::new("main", turns("read_note", calls)).toolset(toolset![read_note]);
        let context = ToolContext::builder().session(SessionId::new("s1"));
        let grants = Grants {
            files: Some(Arc::new(files)),
            ..Grants::default()
        };
        let context = context.grants(grants).build();
        let mut told = Vec::new();
        for write in [Some("one"), None, Some("three"), None] {
            if let Some(text) = write {
                std::fs::write(&note, text).unwrap();
            }
            told.push(turn(&agent, &context).await);
        }
        assert_eq!(told, ["one", "cached: one", "three", "cached: three"]);
    }
}
