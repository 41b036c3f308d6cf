//! An agent without a command line: a toolset bound to a value, a scripted model, and the events of a turn.
//!
//! `cargo run --example agent`

use std::sync::{Arc, Mutex, PoisonError};

use helve::agent::Agent;
use helve::model::ScriptedModel;
use helve::prelude::*;
use helve::transcript::Message;
use serde_json::json;

/// A shopping list.
#[derive(Default)]
struct ShoppingList(Mutex<Vec<String>>);

#[tools]
impl ShoppingList {
    /// Puts things on the shopping list, and tells all that is on it.
    #[tool(risk = "low")]
    fn add_items(
        &self,
        /// What to buy.
        items: Vec<String>,
    ) -> Vec<String> {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        list.extend(items);
        list.clone()
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let list = Arc::new(ShoppingList::default());
    let model = ScriptedModel::new()
        .call("add_items", json!({ "items": ["milk", "bread"] }))
        .say("Milk and bread are on the list.");
    let agent = Agent::new("shopper", model).toolset(ShoppingList::toolset(list));
    let show = |event: helve::agent::AgentEvent| {
        println!("{}", serde_json::to_string(&event).unwrap_or_default());
    };
    let report = agent
        .run(
            vec![Message::user("We need milk and bread.")],
            &ToolContext::new(),
            show,
        )
        .await;
    println!("{}", report.text());
}
