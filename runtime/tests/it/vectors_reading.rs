//! What other systems make of results, secrets and conversations, held against helve; see `support/vectors.rs`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests fail by panicking"
)]

use crate::support::vectors;

mod defects;
mod errors;
mod merge;
mod messages;
mod parallel;
mod redact;
mod truncation;
mod untrusted;

use std::sync::Arc;

use helve_runtime::results::{MemorySpill, ProcessedResult, ResultInput, ResultPipeline};
use helve_runtime::schema;
use helve_runtime::tool::{ToolResult, ToolSpec};
use helve_runtime::transcript::{ContentBlock, SessionId, ToolCall};

/// Reads the only result of a round of so many calls.
fn read(
    pipeline: &ResultPipeline,
    spec: &ToolSpec,
    calls: usize,
    result: ToolResult,
) -> ProcessedResult {
    let session = SessionId::new("s");
    let address = "t1/1.0".parse().expect("an address");
    let call = ToolCall::new("c", &*spec.name, "{}");
    let input = ResultInput::new(&session, &address, &call)
        .spec(spec)
        .calls(calls);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime");
    runtime.block_on(pipeline.process(input, result))
}

/// Describes a tool that declares nothing.
fn spec(name: &str) -> ToolSpec {
    ToolSpec::new(name, "d", schema::input_schema(Vec::new()))
}

/// Returns a pipeline that keeps what it cuts.
fn pipeline() -> ResultPipeline {
    ResultPipeline::new().spill(Arc::new(MemorySpill::new()))
}

/// Returns the texts of a reading.
fn texts(reading: &ProcessedResult) -> Vec<&str> {
    let blocks = reading.outcome.content.iter();
    blocks.filter_map(ContentBlock::as_text).collect()
}
