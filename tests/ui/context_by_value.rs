use helve::prelude::*;

/// Says who asks.
#[tool]
async fn who(cx: ToolContext) -> String {
    format!("{:?}", cx.principal())
}

fn main() {
    let _ = who(ToolContext::new());
}
