use std::sync::Arc;

use helve::tool::{PreparedCall, Tool, ToolContext, dispatch};

async fn run(tool: &dyn Tool, arguments: &Arc<str>) {
    let context = ToolContext::new();
    let call: PreparedCall = dispatch::prepare(tool, &context, arguments).unwrap();
    let _ = call.run(context).await;
}

fn main() {}
