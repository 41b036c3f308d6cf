use helve::prelude::*;

/// Says who asks.
#[tool]
async fn who(cx: Option<&ToolContext>) -> String {
    format!("{:?}", cx.map(ToolContext::principal))
}

fn main() {
    let _ = who(None);
}
