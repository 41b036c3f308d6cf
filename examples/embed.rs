//! An agent inside a program of one's own, with each part that a program can bring: a model, a source of tools, an
//! approver, a hook, and a receiver of events.
//!
//! `cargo run --example embed`

use std::error::Error;
use std::sync::Arc;

use helve::agent::{Agent, Hook, Next};
use helve::model::{self, Reply};
use helve::permission::Decision;
use helve::toolset::{DynamicTool, ToolList};
use helve::transcript::Origin;
use helve::{BoxFuture, Toolset, json};

/// The tools of the program, which may be others at the next request.
fn tools() -> ToolList {
    let schema = json!({
        "type": "object",
        "properties": { "item": { "type": "string" } },
        "required": ["item"]
    });
    let order = DynamicTool::new("order", "Orders an item.", schema, |_context, arguments| {
        Box::pin(async move { Ok(format!("ordered: {}", arguments["item"]).into()) })
    });
    let order = order.expect("the name and the schema are valid");
    ToolList::new([Arc::new(order) as _])
}

/// Adds the name of the shop to the system prompt.
struct ShopName(&'static str);

impl Hook for ShopName {
    fn system_prompt<'a>(
        &'a self,
        _origin: &'a Origin,
        prompt: String,
        next: Next<'a, String, String>,
    ) -> BoxFuture<'a, String> {
        next.run(format!("{prompt}\n\nThe shop is {}.", self.0))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    // A model that orders milk and then says what it was told; yours would send the request to a server.
    let model = model::from_fn(|request| async move {
        let shop = request.system.unwrap_or_default();
        Ok(match request.messages.len() {
            1 => Reply::from("I order it.").with_call("c1", "order", &json!({ "item": "milk" })),
            _ => Reply::from(format!("Done. {shop}")),
        })
    });
    let agent = Agent::new("shopper", model)
        .instructions("You order what the user needs.")
        .toolset(Toolset::new(tools))
        .approve_with(|question| match &*question.tool {
            "order" => Decision::allow_once(),
            other => Decision::reject_with_message(format!("`{other}` is not allowed")),
        })
        .hook(ShopName("Corner Store"));
    let answer = agent.ask("We need milk.");
    let answer = answer.on_event(|event| eprintln!("{}", json!(event)));
    println!("{}", answer.await?);
    Ok(())
}
