//! A client that costs next to nothing: it writes a line and reads a line.

use helve::serve::Server;
use rmcp::ServiceExt as _;
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf,
};

use super::bare::BareServer;

/// The client's end of a connection.
pub(super) struct LineClient {
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
    asked: u64,
}

/// Connects to a server of helve's in this process.
pub(super) async fn to_ours(server: Server) -> LineClient {
    let (near, far) = tokio::io::duplex(1 << 16);
    let (reader, writer) = tokio::io::split(far);
    tokio::spawn(async move { server.serve_io(reader, writer, Default::default()).await });
    LineClient::initialize(near).await
}

/// Connects to a server of rmcp's in this process.
pub(super) async fn to_bare(server: BareServer) -> LineClient {
    let (near, far) = tokio::io::duplex(1 << 16);
    tokio::spawn(async move { server.serve(far).await.unwrap().waiting().await });
    LineClient::initialize(near).await
}

impl LineClient {
    async fn initialize(near: DuplexStream) -> Self {
        let (reader, writer) = tokio::io::split(near);
        let mut lines = Self {
            reader: BufReader::new(reader),
            writer,
            asked: 0,
        };
        let params = r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"lines","version":"1"}}"#;
        lines.ask("initialize", params).await;
        let ready = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
        lines.writer.write_all(ready.as_bytes()).await.unwrap();
        lines
    }

    /// Asks, and returns the line of the answer.
    pub(super) async fn ask(&mut self, method: &str, params: &str) -> String {
        self.asked += 1;
        let id = self.asked;
        let line = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}\n"
        );
        self.writer.write_all(line.as_bytes()).await.unwrap();
        let mut answer = String::new();
        loop {
            answer.clear();
            assert_ne!(
                self.reader.read_line(&mut answer).await.unwrap(),
                0,
                "the server is gone"
            );
            // What is no answer is a notification.
            if answer.contains(&format!("\"id\":{id}")) {
                return answer;
            }
        }
    }

    /// Lists every tool, page by page; returns how many there are.
    pub(super) async fn list(&mut self) -> usize {
        let (mut params, mut count) = ("{}".to_owned(), 0);
        loop {
            let answer = self.ask("tools/list", &params).await;
            count += answer.matches("\"inputSchema\"").count();
            let Some((_, after)) = answer.split_once("\"nextCursor\":\"") else {
                return count;
            };
            let cursor = after.split('"').next().unwrap();
            params = format!("{{\"cursor\":\"{cursor}\"}}");
        }
    }
}
