use helve::tool::{Confinement, Permit, PreparedCall, ToolContext};

async fn run(call: PreparedCall) {
    let confinement = Confinement::None;
    let permit = Permit::new(ToolContext::new(), confinement);
    let _ = call.run(permit).await;
}

fn main() {}
