//! A question, a tool, an answer.

use std::sync::Arc;

use helve::agent::turn::EndReason;
use helve::model::{Api, Recorder, ReplayModel};
use helve::transcript::{ContentBlock, Message};

use crate::aimock::TurnRun;
use crate::aimock::server::{NATIVE, Peer, Server};

#[tokio::test]
async fn a_tool_runs_and_the_model_reads_what_it_returned() {
    let Some(server) = Server::start("conversation").await else {
        return;
    };
    let talk = async |peer: Peer<'_>| {
        let api = peer.api;
        let turn = TurnRun::run(peer.model("mock/model", &[]), "What are two and three?").await;
        let report = &turn.report;
        assert_eq!(report.end(), Some(EndReason::Finished), "{api}: {report:?}");
        // The server says so only to whoever sends the result back.
        assert_eq!(report.text(), "Five.", "{api}");
        assert_eq!(turn.ran, 1, "{api}");
        let [
            Message::User { .. },
            Message::Assistant(asks),
            Message::Tool { content },
            Message::Assistant(says),
        ] = &report.messages[..]
        else {
            panic!("{api}: {:?}", report.messages);
        };
        assert_eq!(asks.text(), "Let me add.", "{api}");
        assert_eq!(content[0].content[..], [ContentBlock::text("5")], "{api}");
        let source = says.source.as_deref().expect("a source");
        assert_eq!(
            (&*source.provider, &*source.model),
            ("mock", "model"),
            "{api}"
        );
        assert!(turn.retries().is_empty(), "{api}");
        let usage = report.totals.usage;
        // Of Ollama's replies the server counts nothing.
        let counts = api != Api::Ollama;
        assert!(usage.output_tokens >= 6 || !counts, "{api}: {usage:?}");
    };
    let mut apis = NATIVE.to_vec();
    if cfg!(feature = "genai") {
        apis.extend([Api::Gemini, Api::Ollama]);
    }
    server.for_these(&apis, talk).await;
}

#[tokio::test]
async fn a_recorded_conversation_gives_the_same_turn_without_the_server() {
    let Some(server) = Server::start("recording").await else {
        return;
    };
    let record = async |peer: Peer<'_>| {
        let api = peer.api;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("turn.jsonl");
        let recorder = Recorder::new(peer.model("mock/model", &[]), &path).unwrap();
        let recorder = Arc::new(recorder);
        // A reply that is cut off and asked for again, a tool, and what came of it.
        let turn = TurnRun::run(recorder.clone(), "Make a call that is cut.").await;
        recorder.finish().await.unwrap();
        let replay = Arc::new(ReplayModel::open(&path).unwrap());
        let again = TurnRun::run(replay.clone(), "Make a call that is cut.").await;
        assert_eq!(again.report.messages, turn.report.messages, "{api}");
        assert_eq!(again.report.totals.usage, turn.report.totals.usage, "{api}");
        assert_eq!(again.retries(), turn.retries(), "{api}");
        assert_eq!((again.ran, replay.used()), (1, 2), "{api}");
    };
    server.for_each(record).await;
}
