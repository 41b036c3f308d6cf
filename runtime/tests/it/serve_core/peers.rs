//! rmcp's own client against the server.

use std::sync::atomic::Ordering;

use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult,
    ElicitationAction, ErrorData, Implementation, ProtocolVersion,
};
use rmcp::service::{RequestContext, RoleClient};
use rmcp::{ClientHandler, ClientLifecycleMode, serve_client_with_lifecycle};
use serde_json::json;

use super::tools::{World, server};

/// Says its name, and allows everything.
struct Anna;

impl ClientHandler for Anna {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(
            ClientCapabilities::builder().enable_elicitation().build(),
            Implementation::new("anna", "1"),
        )
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let values = json!({ "name": "Anna" });
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(values))
    }
}

#[tokio::test]
async fn the_reference_client_gets_through_whichever_way_it_begins() {
    let auto = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: None,
    };
    for mode in [auto, ClientLifecycleMode::Initialize] {
        let world = World::new();
        let server = server(&world).build();
        let (ours, theirs) = tokio::io::duplex(4096);
        let (reader, writer) = tokio::io::split(theirs);
        let serving =
            tokio::spawn(async move { server.serve_io(reader, writer, Default::default()).await });
        let client = serve_client_with_lifecycle(Anna, ours, mode).await.unwrap();
        assert_eq!(client.list_all_tools().await.unwrap().len(), 15);
        let called = client
            .call_tool(CallToolRequestParams::new("greet"))
            .await
            .unwrap();
        assert_eq!(called.content[0].as_text().unwrap().text, "Hello Anna!");
        assert_eq!(world.runs.load(Ordering::SeqCst), 1);
        client.cancel().await.unwrap();
        serving.await.unwrap().unwrap();
    }
}
