//! A question, a tool, an answer.

use helve::agent::turn::EndReason;
use helve::transcript::{ContentBlock, Message};

use crate::Turn;
use crate::server::{Peer, Server};

#[tokio::test]
async fn a_tool_runs_and_the_model_reads_what_it_returned() {
    let Some(server) = Server::start("conversation").await else {
        return;
    };
    let talk = async |peer: Peer<'_>| {
        let api = peer.api;
        let turn = Turn::run(peer.model("mock/model", &[]), "What are two and three?").await;
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
        assert!(usage.output_tokens >= 6, "{api}: {usage:?}");
    };
    server.for_each(talk).await;
}
